package pages

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley/tui/theme"
)

// copyMsg: messages were read, to be copied.
type copyMsg struct{ what, text string }

// mostCopied is how many bytes of messages are copied at most.
const mostCopied = 16 << 20

// copy copies what the marked line stands for.
func (v *Inspector) copy() tea.Cmd {
	rows := v.list.selected()
	if len(rows) == 0 {
		v.page.Say("nothing to copy", false)
		return nil
	}
	numbers := make([]uint64, len(rows))
	for i, row := range rows {
		numbers[i] = v.list.rows[row].Number
	}
	what := "the message"
	if n := len(rows); n > 1 {
		what = fmt.Sprintf("%d messages", n)
	}
	ring := v.opt.Ring
	return func() tea.Msg {
		all, _ := bodies(ring, numbers, mostCopied)
		texts := make([]string, len(all))
		for i := range all {
			texts[i] = all[i].text
		}
		return copyMsg{what, strings.Join(texts, "\n")}
	}
}

// savedMsg: a recording was saved, or could not be.
type savedMsg struct {
	path    string
	entries int
	gone    bool // the ring has dropped older entries
	err     error
}

// proposed is the file that a recording is saved to if the person names no other.
func (v *Inspector) proposed() string {
	return filepath.Join(v.opt.Dir, "parley-"+v.opt.Now().Format("20060102-150405")+".jsonl")
}

// save saves all that is kept as a recording.
func (v *Inspector) save(path string) tea.Cmd {
	path = strings.TrimSpace(path)
	if path == "" {
		return nil
	}
	ring, dir := v.opt.Ring, v.opt.Dir
	return func() tea.Msg {
		if rest, ok := strings.CutPrefix(path, "~/"); ok {
			if home, err := os.UserHomeDir(); err == nil {
				path = filepath.Join(home, rest)
			}
		}
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
		first, _ := ring.Span()
		n, err := ring.Save(path)
		return savedMsg{path, n, first > 0, err}
	}
}

// words returns the result in words.
func (m savedMsg) words() string {
	switch {
	case errors.Is(m.err, fs.ErrExist):
		return m.path + " already exists; choose another name"
	case m.err != nil:
		return "not saved: " + m.err.Error()
	}
	words := fmt.Sprintf("saved %s entries to %s", theme.Grouped(m.entries), m.path)
	if m.gone {
		words += "; earlier ones are no longer kept"
	}
	return words
}
