// This file keeps a letter that answers a dialog until it is known whether a word begins
// with it.

package tab

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/config"
	"parley/tui/dialog"
)

// heldKey is a letter that answers a dialog unless another key follows it soon: it would begin
// a word then, and the word is meant for the prompt.
type heldKey struct {
	tab    *Tab
	dialog dialog.Guarded // nil while no key is held
	key    tea.KeyPressMsg
	at     time.Time
}

// Held reports whether a key is held.
func (h *heldKey) Held() bool { return h.dialog != nil }

// Hold keeps a key that a dialog has asked to hold.
func (h *heldKey) Hold(d dialog.Guarded, k tea.KeyPressMsg) tea.Cmd {
	h.dialog, h.key, h.at = d, k, h.now()
	return h.waitForWord(dialog.WordTime)
}

func (h *heldKey) waitForWord(d time.Duration) tea.Cmd {
	at := h.at
	return tea.Tick(d+time.Millisecond, func(time.Time) tea.Msg {
		return then(func() tea.Cmd {
			if !h.at.Equal(at) {
				return nil // another key may be held by now
			}
			return h.Settle()
		})
	})
}

// drop holds the key no longer, and returns it.
func (h *heldKey) drop() tea.KeyPressMsg {
	h.dialog = nil
	return h.key
}

func (h *heldKey) now() time.Time { return h.tab.program.Now() }

// Settle gives the key that is held to its dialog, if its time is over and the dialog still
// on the screen: no key has followed.
func (h *heldKey) Settle() tea.Cmd {
	d := h.dialog
	if d == nil {
		return nil
	}
	if left := dialog.WordTime - h.now().Sub(h.at); left > 0 {
		return h.waitForWord(left)
	}
	if !h.tab.dialogs.InSight(d) {
		return h.Release()
	}
	key := h.drop()
	if cmd, taken := h.tab.take(d.Settle(key)); taken {
		return cmd
	}
	return h.tab.promptKey(key, key.String())
}

// Release gives the held key, if there is one, to the prompt.
func (h *heldKey) Release() tea.Cmd {
	if h.dialog == nil {
		return nil
	}
	key := h.drop()
	return h.tab.promptKey(key, key.String())
}

// Follow takes the key that follows a held one: both are the prompt's. It cannot
// be known whether the key that accepts was to answer or to send: it does neither.
func (h *heldKey) Follow(k tea.KeyPressMsg) tea.Cmd {
	if k.IsRepeat && k.String() == h.key.String() {
		return nil
	}
	cmd := h.Release()
	if h.tab.program.Keys.Match(config.ActionDialogAccept, k.String()) {
		return cmd
	}
	return tea.Batch(cmd, h.tab.key(k))
}
