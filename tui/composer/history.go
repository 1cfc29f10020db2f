package composer

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/config"
	"parley/fs"
)

const (
	historyKept  = 1000     // prompts that the file keeps
	historySlack = 200      // how many more it may have before it is trimmed
	historyText  = 64 << 10 // longer prompts are remembered only while parley runs
)

// HistoryFile returns the default path of the history.
func HistoryFile() string { return filepath.Join(config.StateDir(), "history.jsonl") }

// History is the earlier prompts. It is stored in a file, one JSON object per line,
// that several instances of parley may share. It is safe for concurrent use.
type History struct {
	path, project string

	mu    sync.Mutex
	texts []string // oldest first; those of the project after all others
}

// historyLine is one line of the file.
type historyLine struct {
	Time    time.Time `json:"time"`
	Project string    `json:"project,omitempty"`
	Text    string    `json:"text"`
}

// historyRead bounds what is read from the end of the file, in bytes: more than it has
// within its bounds.
const historyRead = 16 << 20

// OpenHistory reads the history at path; a missing file is an empty one, and unreadable
// lines are skipped. The prompts of the project, a directory, come first when the
// history is walked. With an error the history is empty but works.
//
// It takes no lock: lines are only ever appended, and an incomplete one is skipped.
func OpenHistory(path, project string) (*History, error) {
	h := &History{path: path, project: project}
	data, err := readEnd(path, historyRead)
	if errors.Is(err, os.ErrNotExist) {
		return h, nil
	}
	if err != nil {
		return h, fmt.Errorf("read the prompt history: %w", err)
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
		case l.Project == project:
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
	h.texts = own
	return h, nil
}

// readEnd returns at most the last most bytes of a regular file.
func readEnd(path string, most int64) ([]byte, error) {
	f, err := fs.OpenRegular(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	return io.ReadAll(io.NewSectionReader(f, max(0, info.Size()-most), most))
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

func (h *History) append(text string, now time.Time) (err error) {
	if err := config.MakeDir(filepath.Dir(h.path)); err != nil {
		return err
	}
	entry, err := json.Marshal(historyLine{now.UTC().Truncate(time.Second), h.project, text})
	if err != nil {
		return err
	}
	if info, err := os.Stat(h.path); err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("%s: %w", h.path, fs.ErrNotRegular)
	}
	// Not a lock on the file itself, because trimming replaces that.
	unlock, err := config.Lock(h.path)
	if err != nil {
		return err
	}
	defer unlock()
	f, err := os.OpenFile(h.path, os.O_RDWR|os.O_CREATE|os.O_APPEND, config.FileMode)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if err := closeLine(f); err != nil {
		return err
	}
	if _, err := f.Write(append(entry, '\n')); err != nil {
		return err
	}
	return trim(f)
}

// closeLine ends a line that another program has left incomplete.
func closeLine(f *os.File) error {
	info, err := f.Stat()
	if err != nil || info.Size() == 0 {
		return err
	}
	last := make([]byte, 1)
	if _, err := f.ReadAt(last, info.Size()-1); err != nil {
		return err
	}
	if last[0] != '\n' {
		_, err = f.Write([]byte{'\n'})
	}
	return err
}

// trim shortens a file that has become too long. It replaces the file atomically, so
// that a kill or a full disk loses nothing.
func trim(f *os.File) error {
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	data, err := io.ReadAll(f)
	if err != nil {
		return err
	}
	lines := slices.Collect(bytes.Lines(data))
	if len(lines) <= historyKept+historySlack {
		return nil
	}
	path, err := filepath.EvalSymlinks(f.Name()) // a link stays one
	if err != nil {
		return err
	}
	return config.ReplaceFile(path, bytes.Join(lines[len(lines)-historyKept:], nil), config.FileMode)
}

// Keep stores drafts in the history. The command that saves them may be nil.
func (c *Composer) Keep(raw ...string) tea.Cmd {
	chips, now := c.chips.frozen(), c.now()
	var texts []string
	for _, r := range raw {
		if text := chips.expand(r, false); strings.TrimSpace(text) != "" {
			texts = append(texts, text)
			c.history.add(text)
		}
	}
	h := c.history
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
