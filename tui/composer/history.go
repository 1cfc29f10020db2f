package composer

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/rogpeppe/go-internal/lockedfile"

	"parley/config"
)

const (
	historyKept  = 1000     // prompts that the file keeps
	historySlack = 200      // and how many more it may have before it is cut
	historyText  = 64 << 10 // longer prompts are remembered while parley runs, not in the file
)

// HistoryFile is where the history is kept when nobody says otherwise.
func HistoryFile() string { return filepath.Join(config.StateDir(), "history.jsonl") }

// History is what was sent before. It is kept in a file, one JSON object a
// line, that any number of parleys may use at the same time. It may be used
// from any goroutine.
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

// OpenHistory reads the history at path; a missing file is an empty one, and
// lines that cannot be read are passed over. The prompts of the project, a
// directory, come first when the history is walked. With an error the history
// is empty but works.
func OpenHistory(path, project string) (*History, error) {
	h := &History{path: path, project: project}
	data, err := lockedfile.Read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return h, nil
	}
	if err != nil {
		return h, fmt.Errorf("read the prompt history: %w", err)
	}
	var others []string
	for line := range bytes.Lines(data) {
		var l historyLine
		if json.Unmarshal(line, &l) != nil || l.Text == "" {
			continue
		}
		if text := clean(l.Text); l.Project == project {
			h.texts = remember(h.texts, text)
		} else {
			others = remember(others, text)
		}
	}
	others = slices.DeleteFunc(others, func(s string) bool { return slices.Contains(h.texts, s) })
	h.texts = append(others, h.texts...)
	return h, nil
}

// remember appends a text; only its last use is kept.
func remember(texts []string, text string) []string {
	if i := slices.Index(texts, text); i >= 0 {
		texts = slices.Delete(texts, i, i+1)
	}
	return append(texts, text)
}

// add remembers a text for this run; save is what puts it into the file.
func (h *History) add(text string) {
	if h == nil || text == "" {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.texts = remember(h.texts, text)
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

// save appends a text to the file. It waits for other parleys that write.
func (h *History) save(text string, now time.Time) error {
	if h == nil || h.path == "" || text == "" || len(text) > historyText {
		return nil
	}
	if err := h.append(text, now); err != nil {
		return fmt.Errorf("keep the prompt in the history: %w", err)
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
	f, err := lockedfile.OpenFile(h.path, os.O_RDWR|os.O_CREATE|os.O_APPEND, config.FileMode)
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

// closeLine ends a line that another program has left without its end.
func closeLine(f *lockedfile.File) error {
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

// trim cuts a file that has become too long down to what it keeps. The file is
// written in place, because its lock belongs to this very file.
func trim(f *lockedfile.File) error {
	if _, err := f.Seek(0, 0); err != nil {
		return err
	}
	var lines [][]byte
	r := bufio.NewReader(f)
	for {
		line, err := r.ReadBytes('\n')
		if len(line) > 0 {
			lines = append(lines, line)
		}
		if err != nil {
			break
		}
	}
	if len(lines) <= historyKept+historySlack {
		return nil
	}
	if err := f.Truncate(0); err != nil {
		return err
	}
	_, err := f.Write(bytes.Join(lines[len(lines)-historyKept:], nil))
	return err
}
