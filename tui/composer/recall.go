package composer

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley/config"
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

// toDraft ends a walk or a search and shows the draft again.
func (c *Composer) toDraft() {
	if c.search != nil {
		c.buf, c.search = c.search.draft, nil
	}
	if c.walk != nil {
		c.buf, c.walk = c.walk.left[len(c.walk.texts)], nil
	}
}

// search is the incremental search of the history.
type search struct {
	query string
	texts []string
	at    int     // the match, -1 for none
	draft *buffer // what the search began with
}

func (c *Composer) beginSearch() {
	texts := c.history.all()
	c.search = &search{texts: texts, at: len(texts), draft: c.buf}
}

// searchKey handles a key while a search is open. Keys that edit take the match
// and are then handled as always.
func (c *Composer) searchKey(key tea.KeyPressMsg) (handled bool) {
	s, name := c.search, key.String()
	action, _ := c.keys.Action(config.ContextPrompt, name)
	switch {
	case action == config.ActionHistorySearch, action == config.ActionHistoryPrev:
		s.find(s.at - 1)
	case action == config.ActionHistoryNext:
		s.findLater(s.at + 1)
	case action == config.ActionCancel, action == config.ActionInterrupt, name == "ctrl+g":
		c.buf, c.search = s.draft, nil
		return true
	case action == config.ActionSend, name == "tab":
		c.takeMatch()
		return true
	case name == "backspace":
		if n := len(s.query); n > 0 {
			s.query = s.query[:c.chips.previous(s.query, n)]
			s.find(len(s.texts) - 1)
		}
	case key.Text != "":
		s.query += oneLine(key.Text)
		s.find(min(s.at, len(s.texts)-1))
	default:
		c.takeMatch()
		return false
	}
	if s.at >= 0 && s.at < len(s.texts) {
		c.buf = c.bufferOf(s.texts[s.at])
		c.buf.move(c.buf.find(s.query))
	}
	return true
}

// takeMatch ends a search with what it shows, as an edit of the draft that can
// be taken back.
func (c *Composer) takeMatch() {
	s := c.search
	c.buf, c.search = s.draft, nil
	if s.at >= 0 && s.at < len(s.texts) {
		c.buf.replace(pos{}, c.buf.last(), s.texts[s.at])
	}
}

// find looks for the query from a place on, back in time; it stays where it is
// when there is nothing more.
func (s *search) find(from int) {
	for i := min(from, len(s.texts)-1); i >= 0; i-- {
		if s.matches(i) {
			s.at = i
			return
		}
	}
	s.settle()
}

func (s *search) findLater(from int) {
	for i := max(from, 0); i < len(s.texts); i++ {
		if s.matches(i) {
			s.at = i
			return
		}
	}
	s.settle()
}

// settle leaves the search without a match if the prompt where it stands does not
// match.
func (s *search) settle() {
	if s.at >= len(s.texts) || s.at >= 0 && !s.matches(s.at) {
		s.at = -1
	}
}

// searched is how much of one prompt is searched: a paste of megabytes is not
// looked through for every key.
const searched = 16 << 10

func (s *search) matches(i int) bool {
	text := s.texts[i]
	return indexFold(text[:min(len(text), searched)], s.query) >= 0
}

// indexFold is strings.Index where letter case does not matter.
func indexFold(s, sub string) int {
	if lower := strings.ToLower(s); len(lower) == len(s) {
		return strings.Index(lower, strings.ToLower(sub))
	}
	return strings.Index(s, sub)
}

// find is where a text begins in the buffer, its start if nowhere.
func (b *buffer) find(text string) pos {
	for row, l := range b.lines {
		if col := indexFold(l.text, text); col >= 0 {
			return pos{row, col}
		}
	}
	return pos{}
}
