package app

import (
	"errors"
	"io/fs"
	"path/filepath"
	"sync/atomic"

	"parley/config"
	"parley/internal/conversation"
	"parley/internal/git"
	"parley/internal/record"
	"parley/internal/session"
	"parley/internal/store"
)

// StoreDir returns the directory of the stored sessions.
func StoreDir() string { return filepath.Join(config.StateDir(), "sessions") }

// StoreOf returns the store of sessions; nil if the configuration disables it.
func StoreOf(c *config.Config) *store.Store {
	if c.Store.Off {
		return nil
	}
	return store.New(StoreDir())
}

// stored is a recorder that stores its session. ID is "" until there is something to store;
// Stores reports whether the session can be opened again.
type stored interface {
	ID() store.ID
	Stores() bool
}

// storedBy returns the recorder that stores a session; nil if there is none.
func storedBy(k session.Recorder) stored {
	s, _ := k.(stored)
	return s
}

// recorder returns the recorder of a new session; nil if nothing is stored. The tour is not
// stored, since its project is temporary.
func (l *Launcher) recorder(a config.Agent, cwd string, dirs []string, id store.ID) session.Recorder {
	switch {
	case l.Store != nil && a.ID != TourID:
	case l.Unstored != "":
		return store.Temporary(l.Unstored)
	default:
		return nil
	}
	m := store.Meta{ID: id, Agent: a.ID, Cwd: cwd, Dirs: dirs, Command: givenCommand(a)}
	if t := git.WorktreeOf(cwd); t != nil {
		m.Worktree, m.From = t.Branch, git.Original(cwd)
	}
	return l.record(m, nil)
}

// givenCommand returns what a store.Meta has of an agent beside its id.
func givenCommand(a config.Agent) []string {
	if a.Source == "" { // from the command line
		return a.Words()
	}
	return nil
}

// record returns the recorder of sessions that begin with a meta. The first continues the log,
// if there is one.
func (l *Launcher) record(m store.Meta, log *store.Log) *store.Recorder {
	r := l.Store.Record(m, log)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.logs = append(l.logs, r)
	return r
}

// Recording records the first session that a Launcher makes. A nil one records nothing.
type Recording struct {
	writer *record.Writer

	taken atomic.Bool // a session is or was recorded
}

// CreateRecording creates the file of a recording; it returns nil for "".
func CreateRecording(path string) (*Recording, error) {
	if path == "" {
		return nil, nil
	}
	w, err := record.Create(path)
	switch {
	case errors.Is(err, fs.ErrExist):
		return nil, WithHint("Choose another name, or delete that file.", "record the session: %s already exists", path)
	case errors.Is(err, fs.ErrNotExist):
		return nil, WithHint("Create it first, or choose another place.", "record the session in %s: there is no directory %s", path, filepath.Dir(path))
	case err != nil:
		return nil, err
	}
	return &Recording{writer: w}, nil
}

// Close ends the recording and removes an empty file.
func (r *Recording) Close() error {
	if r == nil {
		return nil
	}
	return errors.Join(r.writer.Err(), r.writer.Close())
}

// Unused reports whether no session was recorded.
func (r *Recording) Unused() bool { return r != nil && !r.writer.Begun() }

// record sets up a session to be recorded, if it is the first. before are the events of the
// stored session that it continues.
func (r *Recording) record(h record.Header, secrets *record.Redactor, opt *session.Options, before []conversation.Event) error {
	if r == nil || r.taken.Swap(true) {
		return nil
	}
	if err := r.writer.Begin(h, secrets); err != nil {
		return err
	}
	if err := r.writer.Take(before); err != nil {
		return err
	}
	opt.Taps = append(opt.Taps, r.writer)
	return nil
}

// recordingOf returns the header of a session's recording, and the redactor of its secrets.
func (l *Launcher) recordingOf(a config.Agent, opt *session.Options) (record.Header, *record.Redactor) {
	c := opt.Command
	if c.Runs != nil {
		c = *c.Runs
	}
	h := record.Header{
		Parley: l.Version, Agent: a.ID, Command: append([]string{c.Path}, c.Args...), Cwd: opt.Cwd,
	}
	return h, RedactorFor(l.Config, a)
}
