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
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"parley/config"
)

// fileMode makes files accessible only to their owner.
const fileMode = 0o600

const logSuffix = ".jsonl"

var (
	// ErrInUse means that another process, or another part of this one, writes a log.
	ErrInUse = errors.New("the session is open elsewhere")
	// ErrNotStored means that there is no log with that id.
	ErrNotStored = errors.New("no stored session has this id")
)

// ID is the name of a stored session: letters, digits and dashes. Ids sort by time.
type ID string

// NewID returns the id of a session that is made at a time.
func NewID(at time.Time) ID {
	return ID(at.UTC().Format("20060102-150405") + "-" + strings.ToLower(rand.Text()[:10]))
}

// valid reports whether an id may be part of a file name.
func (id ID) valid() bool {
	return id != "" && strings.Trim(string(id), "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-") == ""
}

// Meta describes a session. Its log begins with it.
type Meta struct {
	ID      ID        `json:"id"`
	Created time.Time `json:"created"`
	// Agent is the agent's id in the configuration; Command is its command line if it
	// is only on the command line.
	Agent   string   `json:"agent,omitempty"`
	Command []string `json:"command,omitempty"`
	// Cwd and Dirs are the session's directories. Stored is how Cwd was stored: where a link is there
	// by now, Cwd is where that leads.
	Cwd    string   `json:"cwd"`
	Stored string   `json:"-"`
	Dirs   []string `json:"dirs,omitempty"`
	// Worktree is the branch of the git worktree that Cwd is, "" if it is not one that
	// parley made, and From the directory for which it was made.
	Worktree string `json:"worktree,omitempty"`
	From     string `json:"from,omitempty"`
	// Origin is the session whose conversation this one continues, and OriginPrompt the
	// number of the prompt before which it left that.
	Origin       ID  `json:"origin,omitempty"`
	OriginPrompt int `json:"originPrompt,omitempty"`
	// Retells means that the first prompt since then sends the conversation along.
	Retells bool `json:"retells,omitempty"`
}

// Store is a directory of logs. It is safe for concurrent use, also by several
// processes.
type Store struct {
	dir string
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
	m.ID = cmp.Or(m.ID, NewID(m.Created))
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

// dyingTime is how long a process that was killed may still hold what it has locked.
const dyingTime = 400 * time.Millisecond

// Continue opens a log to write more, after a moment if another process is just ending. The error is
// ErrInUse if one is writing it, and ErrNotStored if there is none.
func (s *Store) Continue(id ID) (*Log, error) {
	l, err := s.openLog(id, 0)
	for waited := time.Duration(0); errors.Is(err, ErrInUse) && waited < dyingTime; waited += dyingTime / 4 {
		time.Sleep(dyingTime / 4)
		l, err = s.openLog(id, 0)
	}
	if err == nil {
		s.mark(l)
	}
	return l, err
}

// Delete removes a log that is not being written.
func (s *Store) Delete(id ID) error {
	l, err := s.openLog(id, 0)
	if err != nil {
		return err
	}
	defer l.Close()
	drafts := s.NewDraft(string(id)).stored()
	for _, path := range append(drafts, l.path, s.viewPath(id), s.markPath(id)) {
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
	if err := l.own(kindTitle, titled{title}); err != nil {
		return err
	}
	_ = os.Chtimes(s.dir, time.Time{}, time.Now()) // see stamp: at worst a list shows the old title
	return nil
}

func (s *Store) path(id ID) (string, error) {
	if !id.valid() {
		return "", fmt.Errorf("%q: %w", id, ErrNotStored)
	}
	return filepath.Join(s.dir, string(id)+logSuffix), nil
}

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

func named(id ID, err error) error {
	if errors.Is(err, os.ErrNotExist) {
		err = ErrNotStored
	}
	return fmt.Errorf("the stored session %s: %w", id, err)
}

// While a log is being written, the directory openDir contains an empty file of the
// same name. Closing the log removes it. If the file is there and the log is not
// locked, the program that wrote the log was killed, or has left the session unfinished.
const openDir = "open"

// Marks is the directory of these files. It changes when a log is opened, closed or forgotten.
func (s *Store) Marks() string { return filepath.Join(s.dir, openDir) }

func (s *Store) markPath(id ID) string { return filepath.Join(s.dir, openDir, string(id)) }

// mark creates the marker file of a log. Best effort: without it the session is stored,
// but cannot be offered for recovery.
func (s *Store) mark(l *Log) {
	path := s.markPath(l.id)
	if err := config.MakeDir(filepath.Dir(path)); err != nil {
		return
	}
	_ = os.Remove(path) // that it is made again changes the directory
	if err := os.WriteFile(path, nil, fileMode); err == nil {
		l.marked = path
	}
}

// Interrupted returns the sessions of a directory, or of a worktree made for it, whose
// writer was killed or has left them, newest first; "" is all directories. It looks only at sessions with a
// marker file.
func (s *Store) Interrupted(cwd string) ([]ID, error) {
	entries, err := os.ReadDir(filepath.Join(s.dir, openDir))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("look for interrupted sessions: %w", err)
	}
	var found []Meta
	for _, e := range entries {
		id := ID(e.Name())
		l, err := s.openLog(id, 0)
		if err != nil {
			if errors.Is(err, ErrNotStored) {
				_ = s.Forget(id)
			}
			continue // another process writes it
		}
		_ = l.Close()
		if m, err := s.Meta(id); err == nil && (cwd == "" || m.Cwd == cwd || m.From == cwd) {
			found = append(found, m)
		}
	}
	slices.SortFunc(found, func(a, b Meta) int { return b.Created.Compare(a.Created) })
	ids := make([]ID, len(found))
	for i, m := range found {
		ids[i] = m.ID
	}
	return ids, nil
}

// Forget removes the marker file of a session. The session stays.
func (s *Store) Forget(id ID) error {
	if err := os.Remove(s.markPath(id)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("forget that the session %s was not ended: %w", id, err)
	}
	return nil
}

// Bounds limit what is kept. Zero means no limit.
type Bounds struct {
	// Age is how long a session is kept after its last write.
	Age time.Duration
	// Bytes limits the size of all logs together: the last written ones stay.
	Bytes int64
}

// Excess returns the sessions that exceed the bounds, last written first. Some may be
// open.
func (s *Store) Excess(b Bounds, now time.Time) ([]ID, error) {
	files, err := s.logs()
	if err != nil {
		return nil, err
	}
	slices.SortFunc(files, func(a, b logFile) int { return b.changed.Compare(a.changed) })
	var beyond []ID
	total := int64(0)
	for _, f := range files {
		total += f.size
		if b.Age > 0 && now.Sub(f.changed) > b.Age || b.Bytes > 0 && total > b.Bytes {
			beyond = append(beyond, f.id)
		}
	}
	return beyond, nil
}

// Prune deletes the sessions that exceed the bounds, except those that are open
// anywhere, and returns the deleted ones.
func (s *Store) Prune(ctx context.Context, b Bounds, now time.Time) ([]ID, error) {
	beyond, err := s.Excess(b, now)
	if err != nil {
		return nil, err
	}
	var gone []ID
	var errs error
	for _, id := range beyond {
		if err := ctx.Err(); err != nil {
			return gone, errors.Join(errs, err)
		}
		switch err := s.Delete(id); {
		case err == nil:
			gone = append(gone, id)
		case !errors.Is(err, ErrInUse) && !errors.Is(err, ErrNotStored):
			errs = errors.Join(errs, err)
		}
	}
	return gone, errs
}

// pruneEvery is the minimum time between two runs of PruneDaily.
const pruneEvery = 24 * time.Hour

// PruneDaily is Prune, unless any process has run it within the last day. A file's
// modification time records the last run.
func (s *Store) PruneDaily(ctx context.Context, b Bounds, now time.Time) error {
	stamp := filepath.Join(s.dir, "pruned")
	info, err := os.Stat(stamp)
	switch {
	case err == nil && now.Sub(info.ModTime()) < pruneEvery:
		return nil
	case err != nil && !errors.Is(err, os.ErrNotExist):
		return fmt.Errorf("prune the stored sessions: %w", err)
	}
	if _, err := os.Stat(s.dir); errors.Is(err, os.ErrNotExist) {
		return nil // nothing is stored
	}
	if err = os.WriteFile(stamp, nil, fileMode); err == nil {
		err = os.Chtimes(stamp, now, now)
	}
	if err != nil {
		return fmt.Errorf("prune the stored sessions: %w", err)
	}
	_, err = s.Prune(ctx, b, now)
	return err
}
