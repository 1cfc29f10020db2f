package tab

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/config"
	"parley/tui/dialog"
)

// heldKey is a letter that answers a dialog unless another key follows it soon:
// it would begin a word then, and the word is meant for the prompt.
type heldKey struct {
	dialog dialog.Guarded // nil while no key is held
	key    tea.KeyPressMsg
	at     time.Time
}

// heldMsg says that the time of a held key is over. It names the moment of the
// press: another key may be held by now.
type heldMsg time.Time

// hold keeps a key that a dialog has asked to hold.
func (t *Tab) hold(d dialog.Guarded, k tea.KeyPressMsg) tea.Cmd {
	t.held = heldKey{d, k, t.program.Now()}
	return t.waitForWord(dialog.WordTime)
}

func (t *Tab) waitForWord(d time.Duration) tea.Cmd {
	at := t.held.at
	return tea.Tick(d+time.Millisecond, func(time.Time) tea.Msg { return heldMsg(at) })
}

// settle gives the held key to its dialog, if that is still on the screen: no
// key has followed.
func (t *Tab) settle(msg heldMsg) tea.Cmd {
	d := t.held.dialog
	if d == nil || !t.held.at.Equal(time.Time(msg)) {
		return nil
	}
	if left := dialog.WordTime - t.program.Now().Sub(t.held.at); left > 0 {
		return t.waitForWord(left)
	}
	if !t.dialogs.InSight(d) {
		return t.release()
	}
	key := t.held.key
	t.held = heldKey{}
	if cmd, taken := t.take(d.Settle(key)); taken {
		return cmd
	}
	return t.promptKey(key, key.String())
}

// release gives the held key, if there is one, to the prompt.
func (t *Tab) release() tea.Cmd {
	if t.held.dialog == nil {
		return nil
	}
	key := t.held.key
	t.held = heldKey{}
	return t.promptKey(key, key.String())
}

// follow takes the key that follows a held one: both are the prompt's. It cannot
// be known whether the key that accepts was to answer or to send: it does neither.
func (t *Tab) follow(k tea.KeyPressMsg) tea.Cmd {
	if k.IsRepeat && k.String() == t.held.key.String() {
		return nil
	}
	cmd := t.release()
	if t.program.Keys.Match(config.ActionDialogAccept, k.String()) {
		return cmd
	}
	return tea.Batch(cmd, t.key(k))
}
