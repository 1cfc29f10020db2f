// Package store keeps sessions on disk. Each is an append-only log of its events, in
// the form of package conversation, so that folding what was stored gives the
// conversation again. Beside the logs stands an index, which is made of nothing but
// the logs and can be deleted at any time.
//
// What is written survives the end of the process, however it ends: every batch of
// events is one write, made before anybody sees what it holds. A log has one writer
// at a time; its lock goes with the process.
package store

import (
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// Files and directories are their owner's alone.
const (
	fileMode = 0o600
	dirMode  = 0o700
)

// logSuffix ends the names of logs.
const logSuffix = ".jsonl"

var (
	// ErrInUse says that another process, or another part of this one, writes a log.
	ErrInUse = errors.New("the session is open elsewhere")
	// ErrNotStored says that there is no log of that id.
	ErrNotStored = errors.New("no session of that id is stored")
)

// ID is the name of a stored session: letters, digits and dashes, the earlier ones
// before the later ones.
type ID string

// newID makes an id that nobody has given out.
func newID(at time.Time) ID {
	return ID(at.UTC().Format("20060102-150405") + "-" + strings.ToLower(rand.Text()[:10]))
}

// valid reports whether an id may be a part of a file's name.
func (id ID) valid() bool {
	return id != "" && strings.Trim(string(id), "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-") == ""
}

// Meta is what is known of a session when its log begins.
type Meta struct {
	ID      ID        `json:"id"`
	Created time.Time `json:"created"`
	// Agent is the agent's id in the configuration; Command is what starts it, if
	// it stands nowhere but on the command line.
	Agent   string   `json:"agent,omitempty"`
	Command []string `json:"command,omitempty"`
	// Cwd and Dirs are the session's directories.
	Cwd  string   `json:"cwd"`
	Dirs []string `json:"dirs,omitempty"`
	// Worktree is the branch of the git worktree that was made for sessions and that Cwd
	// is, "" if it is none, and From the directory for which that was made.
	Worktree string `json:"worktree,omitempty"`
	From     string `json:"from,omitempty"`
}

// Store is a directory of logs. It may be used from any goroutine, and by several
// processes at once.
type Store struct {
	dir    string
	drafts sync.Mutex // is held while a draft of a directory is compared and replaced
}

// New is the store in a directory, which need not exist. It does nothing yet.
func New(dir string) *Store { return &Store{dir: dir} }

// Create begins a log. ID and Created of the meta are filled in.
func (s *Store) Create(m Meta) (*Log, error) {
	if err := os.MkdirAll(s.dir, dirMode); err != nil {
		return nil, fmt.Errorf("store the session: %w", err)
	}
	if m.Created.IsZero() {
		m.Created = time.Now()
	}
	m.ID = newID(m.Created)
	l, err := s.openLog(m.ID, os.O_CREATE|os.O_EXCL)
	if err != nil {
		return nil, err
	}
	if err := l.own(kindSession, m); err != nil {
		_ = l.Close()
		_ = os.Remove(l.path)
		return nil, err
	}
	s.mark(l)
	return l, nil
}

// Continue opens a log to write on. The error is ErrInUse if somebody does already,
// and ErrNotStored if there is none.
func (s *Store) Continue(id ID) (*Log, error) {
	l, err := s.openLog(id, 0)
	if err == nil {
		s.mark(l)
	}
	return l, err
}

// Delete removes a log that nobody writes.
func (s *Store) Delete(id ID) error {
	l, err := s.openLog(id, 0)
	if err != nil {
		return err
	}
	defer l.Close()
	for _, path := range []string{l.path, s.viewPath(id), s.markPath(id)} {
		if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("delete the session %s: %w", id, err)
		}
	}
	return nil
}

// Rename gives a session a title of the person's own, "" for that of the agent. It
// works on a session that is open, too.
func (s *Store) Rename(id ID, title string) error {
	path, err := s.path(id)
	if err != nil {
		return err
	}
	l, err := openLogFile(path, 0)
	if err != nil {
		return named(id, err)
	}
	defer l.Close()
	return l.own(kindTitle, titled{title})
}

func (s *Store) path(id ID) (string, error) {
	if !id.valid() {
		return "", fmt.Errorf("%q: %w", id, ErrNotStored)
	}
	return filepath.Join(s.dir, string(id)+logSuffix), nil
}

// openLog opens a log and locks it.
func (s *Store) openLog(id ID, flags int) (*Log, error) {
	path, err := s.path(id)
	if err != nil {
		return nil, err
	}
	l, err := openLogFile(path, flags)
	if err != nil {
		return nil, named(id, err)
	}
	l.id = id
	if err := lock(l.file); err != nil {
		_ = l.file.Close()
		return nil, named(id, err)
	}
	return l, nil
}

// named is an error with the session that it is about.
func named(id ID, err error) error {
	if errors.Is(err, os.ErrNotExist) {
		err = ErrNotStored
	}
	return fmt.Errorf("the stored session %s: %w", id, err)
}
