package composer

import (
	"strings"

	tea "charm.land/bubbletea/v2"
)

// walk is a way through the history: where it stands, and what was left behind
// at each place of it. The last place is the draft.
type walk struct {
	texts []string
	at    int
	left  map[int]*buffer
	// fresh while nothing was done to the text at this place: then up and down
	// go on through the history, whatever the cursor's row is.
	fresh bool
}

// recall moves through the history by one; it says whether there was a place
// to go to.
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
		c.buf = c.bufferOf(w.texts[to])
	}
	w.fresh = true
	if to == len(w.texts) {
		c.walk = nil
	}
	return true
}

// bufferOf is a draft that begins with a text.
func (c *Composer) bufferOf(text string) *buffer {
	b := newBuffer(c.chips)
	b.splice(pos{}, pos{}, text)
	return b
}

// abandoned is the draft that was left behind when a prompt of the history was
// sent or cleared in its place, "" when there is none.
func (c *Composer) abandoned() string {
	if c.walk == nil {
		return ""
	}
	draft := c.walk.left[len(c.walk.texts)]
	if draft == nil || draft == c.buf {
		return ""
	}
	return strings.TrimSpace(draft.raw())
}

// Leave ends a search. A draft that was left behind for a prompt of the history is kept
// there: only what stands here now comes back. The command that saves it may be nil.
func (c *Composer) Leave() tea.Cmd {
	if c.search != nil {
		c.buf, c.search = c.search.draft, nil
	}
	return c.keep(c.abandoned())
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
