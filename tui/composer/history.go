package composer

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/config"
	"parley/fs"
	"parley/internal/command"
	"parley/internal/termtext"
	"parley/tui/list"
	"parley/tui/theme"
)

const (
	historyKept = 1000                          // prompts that the file keeps
	historyMost = 2 * historyKept * historyText // bytes of a file that is written
	historyText = 64 << 10                      // longer prompts are remembered only while parley runs
)

// HistoryFile returns the default path of the history.
func HistoryFile() string { return filepath.Join(config.StateDir(), "history.jsonl") }

// History is the earlier prompts. It is stored in a file, one JSON object per line,
// that several instances of parley may share. It is safe for concurrent use.
type History struct {
	path, project string

	loading sync.Once
	failed  error // of loading

	mu    sync.Mutex
	texts []string // oldest first; those of the project after all others
}

// historyLine is one line of the file.
type historyLine struct {
	Time    time.Time `json:"time"`
	Project string    `json:"project,omitempty"`
	Text    string    `json:"text"`
}

// NewHistory returns the history at path, which is read when it is first used, or by
// Load. A missing file is an empty history, and unreadable lines are skipped. The prompts
// of the project, a directory, come first when the history is walked.
func NewHistory(path, project string) *History {
	return &History{path: path, project: project}
}

// Load reads the history. With an error it is empty but works.
func (h *History) Load() error {
	h.loading.Do(func() { h.failed = h.readFile() })
	return h.failed
}

// readFile takes no lock: lines are only ever appended, and an incomplete one is skipped.
func (h *History) readFile() error {
	data, err := fs.ReadHead(h.path, historyMost)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read the prompt history: %w", config.ExplainRead(h.path, err))
	}
	lines := bytes.Split(data, []byte{'\n'})
	seen := map[string]bool{}
	var own, others []string // newest first
	for i := len(lines) - 1; i >= 0 && len(own)+len(others) < historyKept; i-- {
		var l historyLine
		if json.Unmarshal(lines[i], &l) != nil || l.Text == "" {
			continue
		}
		switch text := clean(l.Text); {
		case seen[text]: // only its last use is kept
		case l.Project == h.project:
			seen[text] = true
			own = append(own, text)
		default:
			others = append(others, text)
		}
	}
	for _, text := range others {
		if !seen[text] {
			seen[text] = true
			own = append(own, text)
		}
	}
	slices.Reverse(own)
	h.mu.Lock()
	defer h.mu.Unlock()
	own = slices.DeleteFunc(own, func(text string) bool { return slices.Contains(h.texts, text) })
	h.texts = append(own, h.texts...) // what was added meanwhile is newer
	return nil
}

// add remembers the last use of a text for this run; save stores it in the file.
func (h *History) add(text string) {
	if h == nil || text == "" {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if i := slices.Index(h.texts, text); i >= 0 {
		h.texts = slices.Delete(h.texts, i, i+1)
	}
	h.texts = append(h.texts, text)
}

// all returns the texts, oldest first.
func (h *History) all() []string {
	if h == nil {
		return nil
	}
	_ = h.Load() // the load at the start reports the error
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.texts)
}

// save appends a text to the file. It waits for other instances that write.
func (h *History) save(text string, now time.Time) error {
	if h == nil || h.path == "" || text == "" || len(text) > historyText {
		return nil
	}
	if err := h.append(text, now); err != nil {
		return fmt.Errorf("save the prompt in the history: %w", err)
	}
	return nil
}

// append adds a text to the file and drops the oldest if there are too many. The file is
// replaced, so that a kill or a full disk loses nothing.
func (h *History) append(text string, now time.Time) error {
	entry, err := json.Marshal(historyLine{now.UTC().Truncate(time.Second), h.project, text})
	if err != nil {
		return err
	}
	return config.Rewrite(h.path, historyMost, func(data []byte) ([]byte, error) {
		if len(data) > 0 && data[len(data)-1] != '\n' {
			data = append(data, '\n') // another program has left a line incomplete
		}
		lines := slices.Collect(bytes.Lines(append(append(data, entry...), '\n')))
		return bytes.Join(lines[max(0, len(lines)-historyKept):], nil), nil
	})
}

// Keep stores drafts in the history. The command that saves them may be nil.
func (c *Composer) Keep(raw ...string) tea.Cmd {
	chips, now := c.chips.frozen(), c.Now()
	var texts []string
	for _, r := range raw {
		if text := chips.expand(r, false); strings.TrimSpace(text) != "" {
			texts = append(texts, text)
			c.History.add(text)
		}
	}
	h := c.History
	if h == nil || len(texts) == 0 {
		return nil
	}
	return func() tea.Msg {
		for _, text := range texts {
			if err := h.save(text, now); err != nil {
				return ErrorMsg{Err: err}
			}
		}
		return nil
	}
}

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
		texts := c.History.all()
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
	c.endSearch()
	return c.Keep(c.walk.leftDraft(c.buf))
}

// endSearch closes the search, if one is open, and shows what was there before.
func (c *Composer) endSearch() {
	if c.search != nil {
		c.buf, c.search = c.search.draft, nil
	}
}

// toDraft ends a walk, a search or a completion and shows the draft again.
func (c *Composer) toDraft() {
	c.endSearch()
	if c.walk != nil {
		c.buf, c.walk = c.walk.left[len(c.walk.texts)], nil
	}
	c.completion = completion{}
}

// search is the history search: a list of the prompts that match. The editor shows the
// marked one.
type search struct {
	query  string
	sought list.Query
	texts  []string // newest first
	labels []string // what the list shows of each
	filter *list.Filter
	list   completion
	found  []int   // the prompts of the list, in texts
	draft  *buffer // the draft at the start of the search
}

const (
	// searched bounds the part of a prompt that is searched, since pastes may have
	// megabytes, labelled the part in the list, both in bytes.
	searched, labelled = 16 << 10, 500
)

func (c *Composer) beginSearch() {
	s := &search{texts: c.History.all(), draft: c.buf}
	slices.Reverse(s.texts)
	for _, text := range s.texts {
		s.labels = append(s.labels, labelOf(text))
	}
	s.filter = list.NewFilter(len(s.labels), func(i int) (title, about string) { return s.labels[i], "" })
	c.search, c.completion = s, completion{}
	s.find("")
	c.showMatch()
}

// searchKey handles a key during a search. Editing keys take the match and are then
// handled as usual.
func (c *Composer) searchKey(key tea.KeyPressMsg) (handled bool) {
	s, name := c.search, key.String()
	action, _ := c.Keys.Action(config.ContextPrompt, name)
	switch {
	case action == command.HistorySearch, action == command.HistoryNext, name == "ctrl+n":
		s.step(1)
	case action == command.HistoryPrev, name == "ctrl+p":
		s.step(-1)
	case action == command.Cancel, action == command.Interrupt, name == "ctrl+g":
		c.endSearch()
		return true
	case action == command.Send, name == "tab":
		c.takeMatch()
		return true
	case name == "backspace":
		if n := len(s.query); n > 0 {
			s.find(s.query[:c.chips.previous(s.query, n)])
		}
	case name == "ctrl+u":
		s.find("")
	case key.Text != "":
		s.find(s.query + oneLine(key.Text))
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
		c.buf.Move(pos(0, 0))
		for row, l := range c.buf.lines {
			if col, _, ok := s.sought.Next(l.text, 0); ok {
				c.buf.Move(pos(row, col))
				break
			}
		}
	}
}

// takeMatch ends a search with the visible prompt, as an edit of the draft that can be
// undone.
func (c *Composer) takeMatch() {
	text, ok := c.search.match()
	c.endSearch()
	if ok {
		c.buf.Replace(pos(0, 0), c.buf.last(), text)
	}
}

// find builds the list for a query: the prompts that have it, newest first, or else those
// that its words fit, best first.
func (s *search) find(query string) {
	s.query, s.sought, s.found = query, list.NewQuery(query), nil
	s.list = completion{kind: historyCompletion, query: query, all: len(s.texts)}
	for i, text := range s.texts {
		if _, _, ok := s.sought.Next(text[:min(len(text), searched)], 0); ok || s.sought.Empty() {
			var letters []int
			for at, end, _ := s.sought.Next(s.labels[i], 0); at < end; at++ {
				letters = append(letters, at)
			}
			s.add(i, letters)
		}
	}
	if len(s.found) == 0 {
		for _, hit := range s.filter.Find(query, nil) {
			s.add(hit.Row, hit.Letters)
		}
	}
	if s.list.found = len(s.found); s.list.found == 0 {
		s.list.note = "no prompt of the history has that"
	}
}

// add adds a prompt to the list, with the letters of its label that match.
func (s *search) add(i int, letters []int) {
	s.found, s.list.items = append(s.found, i), append(s.list.items, item{label: s.labels[i], hits: letters})
}

// labelOf returns the beginning of a prompt on one line, of the same length in bytes.
func labelOf(text string) string {
	return strings.NewReplacer("\n", " ", "\t", " ").Replace(termtext.Head(text, labelled, ""))
}

// Searching reports whether a history search is open.
func (c *Composer) Searching() bool { return c.search != nil }
