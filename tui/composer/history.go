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
	"github.com/rogpeppe/go-internal/lockedfile"

	"parley/config"
	"parley/fs"
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

// historyRead is how much of the end of the file is read, in bytes: more than it
// has when it is kept to its bounds.
const historyRead = 16 << 20

// OpenHistory reads the history at path; a missing file is an empty one, and
// lines that cannot be read are passed over. The prompts of the project, a
// directory, come first when the history is walked. With an error the history
// is empty but works.
//
// It takes no lock and waits for nobody: lines are only ever appended, and one
// that is just being written cannot be read yet and is passed over.
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

// readEnd returns the last bytes of a regular file, at most most of them.
func readEnd(path string, most int64) ([]byte, error) {
	f, err := fs.OpenRegular(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // nothing was written
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	return io.ReadAll(io.NewSectionReader(f, max(0, info.Size()-most), most))
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
	if info, err := os.Stat(h.path); err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("%s: %w", h.path, fs.ErrNotRegular)
	}
	// The lock is not that of the file: another one takes its place when it is cut.
	unlock, err := lockedfile.MutexAt(h.path + ".lock").Lock()
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

// closeLine ends a line that another program has left without its end.
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

// trim cuts a file that has become too long down to what it keeps. It is replaced as a
// whole: whoever is killed meanwhile, or has a full disk, loses nothing.
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

// Keep puts a text into the history that was a draft elsewhere. The command that saves it may
// be nil.
func (c *Composer) Keep(draft string) tea.Cmd { return c.keep(draft) }

// keep puts drafts into the history, and returns the command that saves them.
func (c *Composer) keep(raw ...string) tea.Cmd {
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
