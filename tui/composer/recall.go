package composer

import (
	"strings"

	tea "charm.land/bubbletea/v2"
)

// walk is a walk through the history: the current position, and the edited text at
// each. The last position is the draft.
type walk struct {
	texts []string
	at    int
	left  map[int]*buffer
	// fresh means that the text at this position is unedited: up and down then continue
	// through the history, whatever the cursor's row is.
	fresh bool
}

// recall moves through the history by one; it returns false at its end.
func (c *Composer) recall(by int) bool {
	if c.walk == nil {
		texts := c.history.all()
		c.walk = &walk{texts: texts, at: len(texts), left: map[int]*buffer{}}
	}
	w := c.walk
	to := w.at + by
	if to < 0 || to > len(w.texts) {
		if w.at == len(w.texts) {
			c.walk = nil
		}
		return false
	}
	w.left[w.at] = c.buf
	w.at = to
	if kept := w.left[to]; kept != nil {
		c.buf = kept
	} else {
		c.buf = bufferOf(c.chips, w.texts[to])
	}
	w.fresh = true
	if to == len(w.texts) {
		c.walk = nil
	}
	return true
}

// bufferOf returns a buffer with a text.
func bufferOf(c *chips, text string) *buffer {
	b := newBuffer(c)
	b.splice(pos(0, 0), pos(0, 0), text)
	return b
}

// leftDraft returns the draft that was left behind when a prompt of the history was
// sent or cleared in its place, or "". shown is the visible buffer.
func (w *walk) leftDraft(shown *buffer) string {
	if w == nil {
		return ""
	}
	draft := w.left[len(w.texts)]
	if draft == nil || draft == shown {
		return ""
	}
	return strings.TrimSpace(draft.raw())
}

// Leave ends a search. If a draft was left behind for a prompt of the history, Leave
// stores it there; only the visible text is restored later. The command that saves it
// may be nil.
func (c *Composer) Leave() tea.Cmd {
	if c.search != nil {
		c.buf, c.search = c.search.draft, nil
	}
	return c.Keep(c.walk.leftDraft(c.buf))
}

// toDraft ends a walk or a search and shows the draft again.
func (c *Composer) toDraft() {
	if c.search != nil {
		c.buf, c.search = c.search.draft, nil
	}
	if c.walk != nil {
		c.buf, c.walk = c.walk.left[len(c.walk.texts)], nil
	}
}
