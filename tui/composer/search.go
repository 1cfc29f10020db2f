package composer

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/sahilm/fuzzy"

	"parley/config"
	"parley/internal/termtext"
	"parley/tui/composer/vim"
	"parley/tui/theme"
)

// search is the history search: a list of the prompts that match. The editor shows the
// marked one.
type search struct {
	query string
	texts []string // newest first
	list  completion
	found []int   // the prompts of the list, in texts
	draft *buffer // the draft at the start of the search
}

const (
	// searched bounds the part of a prompt that is searched, since pastes may have
	// megabytes. scattered bounds it for letters that are not adjacent.
	searched, scattered = 16 << 10, 300
	// labelled bounds the part of a prompt in the list, in bytes.
	labelled = 500
)

func (c *Composer) beginSearch() {
	texts := c.history.all()
	s := &search{texts: make([]string, 0, len(texts)), draft: c.buf}
	for i := len(texts) - 1; i >= 0; i-- {
		s.texts = append(s.texts, texts[i])
	}
	c.search, c.completion = s, completion{}
	s.find()
	c.showMatch()
}

// searchKey handles a key during a search. Editing keys take the match and are then
// handled as usual.
func (c *Composer) searchKey(key tea.KeyPressMsg) (handled bool) {
	s, name := c.search, key.String()
	action, _ := c.keys.Action(config.ContextPrompt, name)
	switch {
	case action == config.ActionHistorySearch, action == config.ActionHistoryNext, name == "ctrl+n":
		s.step(1)
	case action == config.ActionHistoryPrev, name == "ctrl+p":
		s.step(-1)
	case action == config.ActionCancel, action == config.ActionInterrupt, name == "ctrl+g":
		c.buf, c.search = s.draft, nil
		return true
	case action == config.ActionSend, name == "tab":
		c.takeMatch()
		return true
	case name == "backspace":
		if n := len(s.query); n > 0 {
			s.query = s.query[:c.chips.previous(s.query, n)]
			s.find()
		}
	case name == "ctrl+u":
		s.query = ""
		s.find()
	case key.Text != "":
		s.query += oneLine(key.Text)
		s.find()
	default:
		c.takeMatch()
		return false
	}
	c.showMatch()
	return true
}

// line returns the line of the history search, and the column of its cursor.
func (s *search) line(t *theme.Theme, width int) (line string, column int) {
	const label = "search: "
	room := max(1, width-gutter-1-len(label))
	query := termtext.TruncateStart(s.query, room, "…")
	line = strings.Repeat(" ", gutter) + t.Key.Render(label) + t.Strong.Render(query)
	return termtext.Truncate(line, width, ""), min(width-1, gutter+len(label)+termtext.Width(query))
}

// step moves the mark down the list, which begins with the newest prompt.
func (s *search) step(by int) {
	if n := len(s.found); n > 0 {
		s.list.window.Step(by, n)
	}
}

// match returns the marked prompt.
func (s *search) match() (text string, ok bool) {
	if s.list.window.Mark >= len(s.found) {
		return "", false
	}
	return s.texts[s.found[s.list.window.Mark]], true
}

// showMatch shows the marked prompt in the editor, or what was there before.
func (c *Composer) showMatch() {
	s := c.search
	c.buf = s.draft
	if text, ok := s.match(); ok {
		c.buf = bufferOf(c.chips, text)
		c.buf.Move(c.buf.find(s.query))
	}
}

// takeMatch ends a search with the visible prompt, as an edit of the draft that can be
// undone.
func (c *Composer) takeMatch() {
	s := c.search
	c.buf, c.search = s.draft, nil
	if text, ok := s.match(); ok {
		c.buf.Replace(pos(0, 0), c.buf.last(), text)
	}
}

// find builds the list: first the prompts that contain the query, newest first, then
// those that contain its letters, best first.
func (s *search) find() {
	s.found = s.found[:0]
	s.list = completion{kind: historyCompletion, query: s.query, all: len(s.texts)}
	var others []int
	for i, text := range s.texts {
		if indexFold(text[:min(len(text), searched)], s.query) >= 0 {
			s.add(i, nil)
		} else {
			others = append(others, i)
		}
	}
	for _, m := range fuzzy.FindFrom(s.query, heads{s.texts, others}) {
		s.add(others[m.Index], m.MatchedIndexes)
	}
	s.list.found = len(s.list.items)
	if len(s.list.items) == 0 {
		s.list.note = "no prompt of the history has that"
	}
}

// add adds a prompt to the list, with the matching letters.
func (s *search) add(i int, hits []int) {
	label := labelOf(s.texts[i], labelled)
	if at := indexFold(label, s.query); hits == nil && at >= 0 {
		for n := range len(s.query) {
			hits = append(hits, at+n)
		}
	}
	s.found = append(s.found, i)
	s.list.items = append(s.list.items, item{label: label, hits: hits})
}

// labelOf returns the beginning of a prompt on one line, of the same length in bytes.
func labelOf(text string, most int) string {
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "")
	}
	return strings.NewReplacer("\n", " ", "\t", " ").Replace(text)
}

// heads are the beginnings of prompts, in the form of the fuzzy matcher.
type heads struct {
	texts []string
	of    []int
}

func (h heads) Len() int            { return len(h.of) }
func (h heads) String(i int) string { return labelOf(h.texts[h.of[i]], scattered) }

// indexFold is strings.Index, ignoring case.
func indexFold(s, sub string) int {
	if lower := strings.ToLower(s); len(lower) == len(s) {
		return strings.Index(lower, strings.ToLower(sub))
	}
	return strings.Index(s, sub)
}

// find returns where a text begins in the buffer, or the buffer's start.
func (b *buffer) find(text string) vim.Pos {
	for row, l := range b.lines {
		if col := indexFold(l.text, text); col >= 0 {
			return pos(row, col)
		}
	}
	return pos(0, 0)
}

// Searching reports whether a history search is open.
func (c *Composer) Searching() bool { return c.search != nil }
