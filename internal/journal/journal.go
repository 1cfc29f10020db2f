// Package journal remembers what was changed on this machine in a session: every
// change of a file with what it held before and after, so that it can be reviewed
// and taken back.
//
// It learns of changes in three ways: package fs tells of every write before it
// happens ([Journal.Serve]); the session's events tell of what the agent has
// edited by itself ([Journal.Watch]); and git tells which files of the work tree
// are others at the end of a turn than at its beginning.
//
// A journal is a directory: a log that is only appended, and a store of contents
// by their hash. A write is logged before the file changes and once more when it
// has, so that the log agrees with the file however parley ends.
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
	"strings"
	"sync"
	"time"

	"parley/fs"
)

// Options say where a journal is, and how much it may keep.
type Options struct {
	// Dir is the directory of all journals. It is made if it is not there.
	Dir string
	// Cwd is the session's working directory, Roots are all its directories.
	// They are absolute.
	Cwd   string
	Roots []string
	// Ignore is a directory of which nothing is recorded: what parley writes for itself
	// may stand in the session's directories. It may be empty.
	Ignore string
	// Session, if it is not empty, is the agent's session that is opened again: if
	// there is a journal of it, that one goes on.
	Session string
	// MaxBytes bounds what all journals together take on the disk, and MaxAge how
	// old they become. 0 is DefaultMaxBytes, DefaultMaxAge.
	MaxBytes int64
	MaxAge   time.Duration
	// Now is the clock; nil is time.Now.
	Now func() time.Time
}

// What is kept if nobody says something else.
const (
	DefaultMaxBytes = 512 << 20
	DefaultMaxAge   = 30 * 24 * time.Hour
)

// maxImage is the largest file, in bytes, of which the content is kept.
const maxImage = 16 << 20

var (
	errInUse  = errors.New("another process has it open")
	errClosed = errors.New("the journal is closed")
)

// Journal is the record of a session. All methods may be called from any
// goroutine. Those that take a context read or write files, the others do not.
type Journal struct {
	opt   Options
	dir   string // of this journal
	cwd   string // without symbolic links
	roots []string
	log   *log
	store *store
	files *fs.FS // set by Serve

	mu      sync.Mutex // guards what follows
	history *history
	acting  *act  // what the person does to a file at this moment
	trouble error // the last thing that could not be recorded
	limits  string
	version int           // counts what Files and Turns may tell anew
	changed chan struct{} // closed when version is another

	reviewing sync.Mutex // one review changes files at a time

	watch watcher
}

// act is what the person does to a file.
type act struct {
	path    string
	number  int
	reverts []int
}

// Open opens a journal for a session that begins.
func Open(opt Options) (*Journal, error) {
	if opt.MaxBytes == 0 {
		opt.MaxBytes = DefaultMaxBytes
	}
	if opt.MaxAge == 0 {
		opt.MaxAge = DefaultMaxAge
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
		if j.opt.Ignore, err = fs.Resolve(opt.Ignore); err != nil {
			return nil, err
		}
	}
	for _, root := range opt.Roots {
		if root, err = fs.Resolve(root); err != nil {
			return nil, err
		}
		j.roots = append(j.roots, root)
	}
	if err := j.openFiles(); err != nil {
		return nil, fmt.Errorf("open the journal of changes in %s: %w", opt.Dir, err)
	}
	j.watch.start(j)
	return j, nil
}

// prefix begins the names of the journals of a working directory.
func prefix(cwd string) string {
	sum := sha256.Sum256([]byte(cwd))
	return hex.EncodeToString(sum[:6]) + "-"
}

// openFiles goes on with the journal of an earlier run, or makes a new one.
func (j *Journal) openFiles() error {
	if err := os.MkdirAll(j.opt.Dir, 0o700); err != nil {
		return err
	}
	if j.opt.Session != "" && j.reopen() {
		return nil
	}
	name := prefix(j.cwd) + j.opt.Now().UTC().Format("20060102T150405.000") + "-" + rand.Text()[:6]
	if err := j.openDir(filepath.Join(j.opt.Dir, name)); err != nil {
		return err
	}
	return j.log.add(record{Kind: kindOpen, Dir: j.cwd, At: j.opt.Now()}, false)
}

func (j *Journal) openDir(dir string) (err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	if j.store, err = openStore(filepath.Join(dir, "images"), j.opt.MaxBytes/2); err != nil {
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

// logName is the name of the log in the directory of a journal.
const logName = "log"

// Close ends the journal. What happened in a turn that still runs is looked for
// until ctx ends. A journal in which nothing happened leaves nothing behind.
func (j *Journal) Close(ctx context.Context) error {
	j.watch.stop(ctx)
	if j.files != nil {
		_ = j.files.Close() // nothing is written any more
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	err := j.log.close()
	if len(j.history.changes) == 0 {
		err = errors.Join(err, os.RemoveAll(j.dir))
	}
	return err
}

// Dir is the session's working directory, without symbolic links.
func (j *Journal) Dir() string { return j.cwd }

// Serve makes every write of f one of the journal's. f must not be in use yet, and
// is what files are read and written by when they are reviewed. The journal closes it.
func (j *Journal) Serve(f *fs.FS) {
	f.SetRecord(j.record)
	j.files = f
}

// record is told of a write that is about to happen; see [fs.Record].
func (j *Journal) record(path string, before, after *fs.Held) (done func(error)) {
	if real, err := fs.Resolve(path); err == nil {
		path = real
	}
	was, is := j.keep(before, true), j.keep(after, true)
	if is.Mode == 0 && !is.Absent {
		is.Mode = was.Mode
	}
	c := record{Kind: kindChange, Path: path, Before: &was, After: &is, Source: SourceWrite}
	j.mu.Lock()
	if a := j.acting; a != nil && a.path == path {
		c.Source, c.Act, c.Reverts = SourcePerson, a.number, a.reverts
		j.acting = nil
	}
	j.mu.Unlock()
	id := j.add(c, true)
	return func(err error) {
		end := record{Kind: kindDone, ID: id}
		if err != nil {
			end.Kind = kindFailed
		}
		failed := j.log.add(end, false) // nobody who only asks waits for the disk
		j.mu.Lock()
		j.note(failed)
		j.history.apply(end)
		j.bump()
		j.mu.Unlock()
	}
}

// add logs a change, or an agreement, and returns its number.
func (j *Journal) add(r record, sync bool) int {
	j.mu.Lock()
	j.history.lastID++
	r.ID, r.Turn = j.history.lastID, j.history.turn()
	j.history.apply(r)
	j.bump()
	j.mu.Unlock()
	// The disk may take its time: nobody who only asks waits for it.
	err := j.log.add(r, sync)
	j.mu.Lock()
	j.note(err)
	j.mu.Unlock()
	return r.ID
}

// keep stores what a file holds, as far as it may be kept. sync says that a crash of
// the machine must not take it away.
func (j *Journal) keep(h *fs.Held, sync bool) Image {
	i := imageOf(h)
	switch {
	case i.Absent:
	case i.Size > maxImage:
		i.Lost = true
	default:
		if err := j.store.put(i.Hash, h.Content, sync); err != nil {
			i.Lost = true
			j.mu.Lock()
			j.note(err)
			j.mu.Unlock()
		}
	}
	return i
}

// note remembers that something could not be recorded; j.mu is held.
func (j *Journal) note(err error) {
	if err != nil {
		j.trouble = err
		j.bump()
	}
}

// Trouble says in words what was not looked for, "" if nothing, and is the last thing
// that could not be recorded, nil if there is none.
func (j *Journal) Trouble() (limits string, failed error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.limits, j.trouble
}

// bump says that there may be more to tell; j.mu is held.
func (j *Journal) bump() {
	j.version++
	close(j.changed)
	j.changed = make(chan struct{})
}

// Changed waits until Version is another than that, or ctx ends, and returns it.
func (j *Journal) Changed(ctx context.Context, version int) int {
	for {
		j.mu.Lock()
		now, changed := j.version, j.changed
		j.mu.Unlock()
		if now != version {
			return now
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return version
		}
	}
}

// Len is how many files have changed.
func (j *Journal) Len() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return len(j.history.paths)
}

// Version changes whenever there may be more to tell.
func (j *Journal) Version() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.version
}

// filesFor is what reads and writes a file: the session's own FS, or, for a file
// that is in none of its directories, one for the directory that it is in. done
// releases it.
func (j *Journal) filesFor(path string) (f *fs.FS, done func(), err error) {
	if j.files != nil && j.inside(path) {
		return j.files, func() {}, nil
	}
	dir := filepath.Dir(path)
	for {
		if info, err := os.Stat(dir); err == nil && info.IsDir() || dir == filepath.Dir(dir) {
			break
		}
		dir = filepath.Dir(dir)
	}
	if f, err = fs.New(dir); err != nil {
		return nil, nil, err
	}
	f.SetRecord(j.record)
	return f, func() { _ = f.Close() }, nil
}

// ignored reports whether a file is parley's own.
func (j *Journal) ignored(path string) bool {
	if strings.HasPrefix(filepath.Base(path), ".parley-") {
		return true // a file that is being written
	}
	rel, err := filepath.Rel(j.opt.Ignore, path)
	return j.opt.Ignore != "" && err == nil && filepath.IsLocal(rel)
}

// inside reports whether a path is in one of the session's directories.
func (j *Journal) inside(path string) bool {
	for _, root := range j.roots {
		if rel, err := filepath.Rel(root, path); err == nil && filepath.IsLocal(rel) {
			return true
		}
	}
	return false
}
