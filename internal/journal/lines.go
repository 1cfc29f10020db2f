package journal

import (
	"context"
	"maps"
	"sync"
	"time"
)

// lineCounter counts the changed lines of files beside everything else, and only while something
// changes.
type lineCounter struct {
	work sync.WaitGroup
	ctx  context.Context // nil until the journal is open

	// The journal's lock guards what follows.
	running bool
	counts  map[string]lineCount // by path
}

// lineCount is the number of lines that differ between two contents.
type lineCount struct {
	before, after  string // their hashes
	added, removed int
}

const (
	// countPause is how long changes are gathered before lines are counted.
	countPause = 250 * time.Millisecond
	// mostCounted is the largest file whose lines are counted, in bytes, and mostFilesCounted bounds
	// how many files are: beyond that nobody reads the number.
	mostCounted      = 1 << 20
	mostFilesCounted = 1000
)

// countLines counts what has changed, after a pause. j.mu must be held.
func (j *Journal) countLines() {
	c := &j.lines
	if c.ctx == nil || c.ctx.Err() != nil || c.running || len(j.history.changes) == 0 {
		return
	}
	c.running = true
	c.work.Go(func() {
		for j.countAll() {
		}
	})
}

// overall is what a file was before all changes, and what it is now.
type overall struct {
	path          string
	before, after Image
}

// uncounted returns the changed files whose count is out of date. j.mu must be held.
func (j *Journal) uncounted() (files []overall) {
	left := mostFilesCounted
	for path, o := range j.history.overall() {
		if left--; left < 0 {
			break
		}
		if c, known := j.lines.counts[path]; !known || c.before != o.before.Hash || c.after != o.after.Hash {
			files = append(files, o)
		}
	}
	return files
}

// countAll counts what is out of date, and reports whether there was any. The contents are read
// without a lock.
func (j *Journal) countAll() bool {
	select {
	case <-time.After(countPause):
	case <-j.lines.ctx.Done():
	}
	j.mu.Lock()
	files := j.uncounted()
	if j.lines.ctx.Err() != nil {
		files = nil
	}
	j.lines.running = len(files) > 0
	j.mu.Unlock()
	if len(files) == 0 {
		return false
	}
	counts := make(map[string]lineCount, len(files))
	for _, o := range files {
		if j.lines.ctx.Err() == nil {
			counts[o.path] = j.countIn(o)
		}
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.lines.counts == nil {
		j.lines.counts = map[string]lineCount{}
	}
	maps.Copy(j.lines.counts, counts)
	j.announce()
	return true
}

// countIn counts the lines of a file. Those of a file that is not text, too large or not kept count
// as none.
func (j *Journal) countIn(o overall) lineCount {
	c := lineCount{before: o.before.Hash, after: o.after.Hash}
	text := func(i Image) (string, bool) {
		if i.Absent {
			return "", true
		}
		if i.Lost || i.Size > mostCounted {
			return "", false
		}
		content, err := j.store.get(i)
		return content, err == nil && isText(content)
	}
	before, readable := text(o.before)
	after, alsoReadable := text(o.after)
	if readable && alsoReadable {
		for _, h := range Hunks(before, after) {
			c.added += h.NewEnd - h.NewStart
			c.removed += h.OldEnd - h.OldStart
		}
	}
	return c
}

// changedLines returns how many lines the changed files have gained and lost, as far as they are
// counted. j.mu must be held.
func (j *Journal) changedLines() (added, removed int) {
	if len(j.lines.counts) == 0 {
		return 0, 0
	}
	for path := range j.history.overall() {
		c := j.lines.counts[path]
		added, removed = added+c.added, removed+c.removed
	}
	return added, removed
}
