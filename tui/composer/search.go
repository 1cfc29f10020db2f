package composer

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/sahilm/fuzzy"

	"parley/config"
)

// search is the search of the history: a list of the prompts that fit what is typed.
// The editor shows the marked one.
type search struct {
	query string
	texts []string // newest first
	list  completion
	found []int   // the prompts of the list, in texts
	draft *buffer // what the search began with
}

const (
	// searched is how much of one prompt is searched: a paste of megabytes is not
	// looked through for every key. scattered is how much of it is searched for
	// letters that do not stand together.
	searched, scattered = 16 << 10, 300
	// labelled is how much of a prompt stands in the list, in bytes.
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

// searchKey handles a key while a search is open. Keys that edit take the match
// and are then handled as always.
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

// step moves the mark down the list, which begins with the newest prompt.
func (s *search) step(by int) {
	if n := len(s.found); n > 0 {
		s.list.selected = (s.list.selected + by + n) % n
	}
}

// match is the marked prompt.
func (s *search) match() (text string, ok bool) {
	if s.list.selected >= len(s.found) {
		return "", false
	}
	return s.texts[s.found[s.list.selected]], true
}

// showMatch shows the marked prompt in the editor, or what was there before.
func (c *Composer) showMatch() {
	s := c.search
	c.buf = s.draft
	if text, ok := s.match(); ok {
		c.buf = c.bufferOf(text)
		c.buf.move(c.buf.find(s.query))
	}
}

// takeMatch ends a search with what it shows, as an edit of the draft that can
// be taken back.
func (c *Composer) takeMatch() {
	s := c.search
	c.buf, c.search = s.draft, nil
	if text, ok := s.match(); ok {
		c.buf.replace(pos{}, c.buf.last(), text)
	}
}

// find makes the list: first the prompts that have what is typed in them, newest
// first, then those that have its letters, best first.
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

// add puts a prompt into the list, with the letters marked that were found.
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

// labelOf is the beginning of a prompt in one line, of as many bytes as it has there.
func labelOf(text string, most int) string {
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "")
	}
	return strings.NewReplacer("\n", " ", "\t", " ").Replace(text)
}

// heads are the beginnings of some prompts, as the fuzzy matcher wants them.
type heads struct {
	texts []string
	of    []int
}

func (h heads) Len() int            { return len(h.of) }
func (h heads) String(i int) string { return labelOf(h.texts[h.of[i]], scattered) }

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

// Searching reports whether earlier prompts are being searched.
func (c *Composer) Searching() bool { return c.search != nil }
