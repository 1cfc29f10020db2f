// Package store keeps sessions on disk. Each is an append-only log of its events in the
// encoding of package conversation, so that folding a log restores the conversation.
// Beside the logs is an index, which is derived from the logs alone and can be deleted
// at any time.
//
// What is written survives the end of the process: every batch of events is one write,
// made before the batch is shown. A log has one writer at a time; its lock ends with
// the process.
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

	"parley/config"
)

// Files and directories are accessible only to their owner.
const (
	fileMode = 0o600
	dirMode  = 0o700
)

// logSuffix ends the names of logs.
const logSuffix = ".jsonl"

var (
	// ErrInUse means that another process, or another part of this one, writes a log.
	ErrInUse = errors.New("the session is open elsewhere")
	// ErrNotStored means that there is no log with that id.
	ErrNotStored = errors.New("no stored session has this id")
)

// ID is the name of a stored session: letters, digits and dashes. Ids sort by time.
type ID string

// newID returns a new, unique id.
func newID(at time.Time) ID {
	return ID(at.UTC().Format("20060102-150405") + "-" + strings.ToLower(rand.Text()[:10]))
}

// valid reports whether an id may be part of a file name.
func (id ID) valid() bool {
	return id != "" && strings.Trim(string(id), "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-") == ""
}

// Meta is what is known of a session when its log begins.
type Meta struct {
	ID      ID        `json:"id"`
	Created time.Time `json:"created"`
	// Agent is the agent's id in the configuration; Command is its command line if it
	// is only on the command line.
	Agent   string   `json:"agent,omitempty"`
	Command []string `json:"command,omitempty"`
	// Cwd and Dirs are the session's directories.
	Cwd  string   `json:"cwd"`
	Dirs []string `json:"dirs,omitempty"`
	// Worktree is the branch of the git worktree that Cwd is, "" if it is not one that
	// parley made, and From the directory for which it was made.
	Worktree string `json:"worktree,omitempty"`
	From     string `json:"from,omitempty"`
}

// Store is a directory of logs. It is safe for concurrent use, also by several
// processes.
type Store struct {
	dir    string
	drafts sync.Mutex // held while a draft is compared and replaced
}

// New returns the store in a directory, which need not exist. It does not access the
// disk.
func New(dir string) *Store { return &Store{dir: dir} }

// Create begins a log, and sets ID and Created of the meta.
func (s *Store) Create(m Meta) (*Log, error) {
	if err := config.MakeDir(s.dir); err != nil {
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

// Continue opens a log to write more. The error is ErrInUse if somebody else is writing
// it, and ErrNotStored if there is none.
func (s *Store) Continue(id ID) (*Log, error) {
	l, err := s.openLog(id, 0)
	if err == nil {
		s.mark(l)
	}
	return l, err
}

// Delete removes a log that nobody is writing.
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

// Rename sets the user's title of a session, "" for that of the agent. It also works on
// an open session.
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
	ok, err := config.TryLock(l.file)
	if err == nil && !ok {
		err = ErrInUse
	}
	if err != nil {
		_ = l.file.Close()
		return nil, named(id, err)
	}
	return l, nil
}

// named adds the session's id to an error.
func named(id ID, err error) error {
	if errors.Is(err, os.ErrNotExist) {
		err = ErrNotStored
	}
	return fmt.Errorf("the stored session %s: %w", id, err)
}
