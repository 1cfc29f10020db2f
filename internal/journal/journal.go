// Package journal records every change of a file in a session, with its content before
// and after, so that the user can review and undo it.
//
// It learns of changes in three ways: package fs announces every write
// ([Journal.Serve]); the session's events report edits that the agent made itself
// ([Journal.Watch]); and git lists the files of the work tree that changed during a turn.
//
// A journal is a directory: an append-only log, and a store of contents by their hash.
// It logs a write before the file changes and again afterwards, so that after a crash
// the log agrees with the file, except for a last change that looking at the file
// settles.
//
// Watch only queues events. One goroutine reads the files that a tool call is about to
// edit, records the result, and asks git at the beginning and end of each turn. The base of
// a change is what it saw of the file just before; what has changed between that and the
// beginning of the turn is no part of it. A call has changed what parley watched while it ran,
// and of a call that reports diffs only what the file confirms.
//
// A change that is only found at the end of the turn may be the user's own. It belongs to
// the seen part of the file, which undoing the turn leaves alone, like whatever the user
// wrote between turns.
//
// What goes back is what parley itself has seen. What only the agent says of a file is shown
// ([Provenance]). Every act of the user's asks about the files that a write of the agent's
// would ask about ([Gate]).
//
// A change is live unless a live change undoes it; undo, redo and their undo all follow
// from that. An undo replays the change backwards on the current content: a merge by
// lines, or a conflict. The review compares the current content with the result of such an
// undo, so that it shows only the agent's changes.
//
// Undoing or rewinding a turn changes several files: all of them, or none. Each is tried
// before the first is written. The log records the beginning of the act and its end. If a kill
// comes between the two, opening the journal takes the act back.
package journal

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"parley/config"
	"parley/fs"
)

// Options configure a journal.
type Options struct {
	// Dir is the directory of all journals. Open creates it.
	Dir string
	// Cwd is the session's working directory, Roots are all its directories. They are
	// absolute.
	Cwd   string
	Roots []string
	// Ignore is a directory to leave out, because parley's own files may be below the
	// session's directories. It may be empty.
	Ignore string
	// Session is the id of the agent's session that is being reopened, or "". If it has
	// a journal, that one continues. A session and its forks share one journal: the first
	// of them to be opened continues it.
	Session string
	// MaxBytes bounds the disk space of all journals together, MaxAge how long they are
	// kept. 0 means defaultMaxBytes and defaultMaxAge.
	MaxBytes int64
	MaxAge   time.Duration
	// Now is the clock; nil means time.Now.
	Now func() time.Time
}

// The default bounds.
const (
	defaultMaxBytes = 512 << 20
	defaultMaxAge   = 30 * 24 * time.Hour
)

// maxImage is the largest file, in bytes, whose content is stored.
const maxImage = 16 << 20

var (
	// ErrUnkept means that the content which a write of the agent's would replace cannot be
	// kept. Nothing was written.
	ErrUnkept = errors.New("what it contains cannot be kept for undo")

	errInUse  = errors.New("another process has it open")
	errClosed = errors.New("the journal is closed")
)

// Journal records the changes of a session. It is safe for concurrent use. Methods with
// a context read or write files, the others do not.
type Journal struct {
	opt   Options
	dir   string // of this journal
	cwd   string // without symbolic links
	roots []string
	log   *log // of a file that ready opens
	store *store

	opening sync.Mutex // held while the files are opened
	closed  bool       // guarded by opening
	files   *fs.FS     // set by Serve
	gate    Gate       // set by Serve

	mu      sync.Mutex // guards what follows
	history *history
	acting  *record // the user's change in progress
	// forgone is the file that may be written next though its content is not kept; "" is
	// none.
	forgone string
	trouble error // the last change that could not be recorded
	// unopened is why the files could not be opened, nil when they are open.
	unopened error
	limits   string
	version  int           // increases when Files or Turns may return something new
	changed  chan struct{} // closed when version changes
	summary  *Summary      // of the version; nil until somebody wants it

	reviewing sync.Mutex  // one review changes files at a time
	recovered []Recovered // the acts that Open took back

	watch watcher
	lines lineCounter
}

// Open opens a journal for a session that begins. If its files cannot be opened, it records
// nothing, refuses writes that replace something with ErrUnkept, and tries again before each
// change: see [Journal.Unopened].
func Open(opt Options) (*Journal, error) {
	if opt.MaxBytes == 0 {
		opt.MaxBytes = defaultMaxBytes
	}
	if opt.MaxAge == 0 {
		opt.MaxAge = defaultMaxAge
	}
	if opt.Now == nil {
		opt.Now = time.Now
	}
	j := &Journal{opt: opt, history: newHistory(), changed: make(chan struct{})}
	var err error
	if j.cwd, err = fs.Resolve(opt.Cwd); err != nil {
		return nil, err
	}
	if opt.Ignore != "" {
		if real, err := fs.Resolve(opt.Ignore); err == nil {
			j.opt.Ignore = real
		}
	}
	for _, root := range opt.Roots {
		if root, err = fs.Resolve(root); err != nil {
			return nil, err
		}
		j.roots = append(j.roots, root)
	}
	j.openFiles()
	j.watch.start(j)
	j.mu.Lock()
	defer j.mu.Unlock()
	j.countLines() // of an earlier run
	return j, nil
}

// Unopened returns why the journal records nothing yet, nil if it does.
func (j *Journal) Unopened() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.unopened
}

// prefix returns the prefix of the names of a working directory's journals.
func prefix(cwd string) string {
	sum := sha256.Sum256([]byte(cwd))
	return hex.EncodeToString(sum[:6]) + "-"
}

// openFiles continues the journal of an earlier run, or creates a new one.
func (j *Journal) openFiles() {
	reopened := j.opt.Session != "" && j.reopen()
	j.recoverOthers()
	if reopened {
		return
	}
	j.dir = filepath.Join(j.opt.Dir, prefix(j.cwd)+j.opt.Now().UTC().Format("20060102T150405.000")+"-"+rand.Text()[:6])
	j.store, j.log = newStore(j.dir, j.opt.MaxBytes/2), new(log)
	j.history = newHistory()
	j.history.dir = j.cwd
	_ = j.ready() // Unopened says why not
}

// ready creates the files of a new journal unless they are open: a disk that was full may have
// room now.
func (j *Journal) ready() error {
	j.opening.Lock()
	defer j.opening.Unlock()
	switch {
	case j.log.opened():
		return nil
	case j.closed:
		return errClosed
	}
	err := j.create()
	if err != nil {
		err = fmt.Errorf("open the journal of changes in %s: %w", j.opt.Dir, err)
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.unopened = err
	j.bump()
	return err
}

// create creates the files, with the sessions and turns so far.
func (j *Journal) create() error {
	if err := config.MakeDir(j.store.dir); err != nil {
		return err
	}
	l, err := openLog(filepath.Join(j.dir, logName), func(record) {})
	if err != nil {
		return errors.Join(err, os.RemoveAll(j.dir))
	}
	records := []record{{Kind: kindOpen, Dir: j.cwd, At: j.opt.Now()}}
	j.mu.Lock()
	for _, id := range j.history.sessions {
		records = append(records, record{Kind: kindSession, Session: id})
	}
	for _, t := range j.history.turns {
		records = append(records, record{Kind: kindTurn, Turn: t.Number, At: t.At, Prompt: t.Prompt})
	}
	j.mu.Unlock()
	for _, r := range records {
		if err := l.add(r, false); err != nil {
			return errors.Join(err, l.close(), os.RemoveAll(j.dir))
		}
	}
	j.log.take(l)
	return nil
}

func (j *Journal) openDir(dir string) (err error) {
	if err := config.MakeDir(dir); err != nil {
		return err
	}
	j.store = newStore(dir, j.opt.MaxBytes/2)
	if err := config.MakeDir(j.store.dir); err != nil {
		return err
	}
	j.history = newHistory()
	if j.log, err = openLog(filepath.Join(dir, logName), j.history.apply); err != nil {
		return err
	}
	j.dir = dir
	j.history.dir = j.cwd
	return nil
}

const logName = "log"

// Close closes the journal. It records the changes of a running turn until ctx ends,
// and removes a journal without changes.
func (j *Journal) Close(ctx context.Context) error {
	j.watch.stop(ctx)
	if j.files != nil {
		_ = j.files.Close()
	}
	j.opening.Lock()
	defer j.opening.Unlock()
	j.closed = true
	j.mu.Lock()
	defer j.mu.Unlock()
	if !j.log.opened() {
		return nil
	}
	err := j.log.close()
	if len(j.history.changes) == 0 {
		err = errors.Join(err, os.RemoveAll(j.dir))
	}
	return err
}

// Gate decides which files are written without asking the user.
type Gate interface {
	// Ask asks the user about a write of their own, unless the agent may write the file
	// without a question. act is "undo", "redo", "rewind" or [ActMerge]; before and after are what the
	// file contains then, nil for no file. The error says that it must not happen.
	Ask(ctx context.Context, act, path string, before, after *fs.Snapshot) error
}

// Serve records all writes of f. f must not be in use yet; reviews read and write files
// through it, as gate allows. The journal closes f.
func (j *Journal) Serve(f *fs.FS, gate Gate) {
	f.SetRecord(j.record)
	j.files, j.gate = f, gate
}

// Forgo lets the next write of a file happen even if what it replaces cannot be kept.
func (j *Journal) Forgo(path string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.forgone = path
}

// record is the journal's [fs.Record]. It refuses a write of the agent's with ErrUnkept.
func (j *Journal) record(path string, before, after *fs.Snapshot) (done func(error), err error) {
	was, is := j.keep(before, true), j.keep(after, true)
	if is.Mode == 0 && !is.Absent {
		is.Mode = fileMode(was.Mode)
	}
	c := record{Kind: kindChange, Path: path, Source: SourceWrite}
	j.mu.Lock()
	kept, forgone := !was.Lost || was.same(is), j.forgone == path
	if forgone {
		kept, j.forgone = true, ""
	}
	if a := j.acting; a != nil && a.Path == path {
		c, kept, j.acting = *a, true, nil
	}
	j.mu.Unlock()
	if c.Source == SourceWrite && was.same(is) {
		return func(error) {}, nil // it changes nothing
	}
	c.Before, c.After = &was, &is
	if !kept {
		return nil, ErrUnkept
	}
	id, err := j.addLogged(c, true)
	ended := func(err error) {
		end := record{Kind: kindDone, ID: id}
		if err != nil {
			end.Kind = kindFailed
		}
		j.note(j.log.add(end, false)) // outside the lock, so that readers do not wait for the disk
		j.mu.Lock()
		j.history.apply(end)
		j.bump()
		j.mu.Unlock()
	}
	if j.note(err); err != nil && c.Source == SourceWrite && !was.Absent && !forgone {
		ended(err)
		return nil, ErrUnkept
	}
	return ended, nil
}

// add is addLogged for what has already happened.
func (j *Journal) add(r record, sync bool) {
	_, err := j.addLogged(r, sync)
	j.note(err)
}

// addLogged logs a change or an agreement, and returns its number. It belongs to the running
// turn unless it names its own, or an act.
func (j *Journal) addLogged(r record, sync bool) (id int, err error) {
	if err := j.ready(); err != nil {
		return 0, err
	}
	j.mu.Lock()
	j.history.lastID++
	if r.ID = j.history.lastID; r.Act == 0 && r.Turn == 0 {
		r.Turn = j.history.turn()
	}
	j.history.apply(r)
	j.bump()
	j.mu.Unlock()
	return r.ID, j.log.add(r, sync) // outside the lock, so that readers do not wait for the disk
}

// keep stores the content of a file, within the bounds. With sync it survives a crash of
// the machine.
func (j *Journal) keep(h *fs.Snapshot, sync bool) Image {
	i := imageOf(h)
	switch {
	case i.Absent:
	case i.Size > maxImage || j.ready() != nil:
		i.Lost = true
	default:
		if err := j.store.put(i.Hash, h.Content, sync); err != nil {
			i.Lost = true
			j.note(err)
		}
	}
	return i
}

// note remembers that something could not be recorded.
func (j *Journal) note(err error) {
	if err != nil {
		j.mu.Lock()
		defer j.mu.Unlock()
		j.trouble = err
		j.bump()
	}
}

// bump increases the version. j.mu must be held.
func (j *Journal) bump() {
	j.version++
	j.announce()
	j.countLines()
}

// announce makes a new summary. j.mu must be held.
func (j *Journal) announce() {
	j.summary = nil
	close(j.changed)
	j.changed = make(chan struct{})
}

// lastID returns the number of the last recorded change.
func (j *Journal) lastID() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.history.lastID
}

// withFiles calls do with the FS for a file: the session's own, or, for a file outside its
// directories, one for the file's directory.
func (j *Journal) withFiles(path string, do func(*fs.FS) error) error {
	if j.files != nil && j.inside(path) {
		return do(j.files)
	}
	dir := filepath.Dir(path)
	for dir != filepath.Dir(dir) {
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			break
		}
		dir = filepath.Dir(dir)
	}
	f, err := fs.New(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	f.SetRecord(j.record)
	return do(f)
}

// ignored reports whether a file is parley's own.
func (j *Journal) ignored(path string) bool {
	if strings.HasPrefix(filepath.Base(path), ".parley-") {
		return true // a temporary file
	}
	return j.opt.Ignore != "" && below(j.opt.Ignore, path)
}

// inside reports whether a path is in one of the session's directories.
func (j *Journal) inside(path string) bool {
	return slices.ContainsFunc(j.roots, func(root string) bool { return below(root, path) })
}

// displaced reports whether what is at a path is neither a file nor a link, such as a directory, or
// whether a directory on the way to it, in the session's, is none, or a link.
func (j *Journal) displaced(path string) bool {
	if info, err := os.Lstat(path); err == nil && info.Mode().Type()&^os.ModeSymlink != 0 {
		return true
	}
	for dir := filepath.Dir(path); dir != j.cwd && below(j.cwd, dir); dir = filepath.Dir(dir) {
		if info, err := os.Lstat(dir); err == nil && !info.IsDir() {
			return true
		}
	}
	return false
}

// below reports whether a path is a directory or in it.
func below(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

// reopen continues the newest journal of the reopened session, if no other process has
// it open.
func (j *Journal) reopen() bool {
	all, _ := os.ReadDir(j.opt.Dir) // sorted by name, and so by time
	for _, d := range slices.Backward(all) {
		if !d.IsDir() || !strings.HasPrefix(d.Name(), prefix(j.cwd)) {
			continue
		}
		if j.openDir(filepath.Join(j.opt.Dir, d.Name())) != nil {
			continue
		}
		if !slices.Contains(j.history.sessions, j.opt.Session) {
			_ = j.log.close()
			continue
		}
		j.settle()
		j.recover()
		return true
	}
	return false
}

// settle completes the log of writes that a kill interrupted: the contents of the files
// show whether they happened.
func (j *Journal) settle() {
	for _, c := range slices.Clone(j.history.changes) {
		if !c.open {
			continue
		}
		end := record{Kind: kindDone, ID: c.id}
		if now, err := j.now(context.Background(), c.path); err == nil && now.same(c.before) && !c.before.same(c.after) {
			end.Kind = kindFailed
		}
		_ = j.log.add(end, false)
		j.history.apply(end)
	}
}

// prune removes journals that are too old, and then the oldest ones while all together
// are too large. It spares open ones.
func (j *Journal) prune() {
	type old struct {
		dir  string
		used time.Time
		size int64
	}
	all, err := os.ReadDir(j.opt.Dir)
	if err != nil {
		return // nothing to remove
	}
	var kept []old
	var sum int64
	for _, d := range all {
		o := old{dir: filepath.Join(j.opt.Dir, d.Name())}
		info, err := os.Stat(filepath.Join(o.dir, logName))
		if err != nil || o.dir == j.dir {
			continue
		}
		o.used, o.size = info.ModTime(), diskUse(o.dir)
		if j.opt.Now().Sub(o.used) > j.opt.MaxAge {
			_ = remove(o.dir)
			continue
		}
		kept, sum = append(kept, o), sum+o.size
	}
	slices.SortFunc(kept, func(a, b old) int { return a.used.Compare(b.used) })
	for _, o := range kept {
		if sum <= j.opt.MaxBytes/2 {
			return
		}
		if remove(o.dir) == nil {
			sum -= o.size
		}
	}
}

// remove removes a journal, unless another process has it open.
func remove(dir string) error {
	f, err := os.OpenFile(filepath.Join(dir, logName), os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := lock(f); err != nil {
		return err
	}
	return os.RemoveAll(dir)
}
