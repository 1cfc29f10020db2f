package journal

// lineCounter counts the changed lines of files, one file at a time, between the other work of the
// watcher. The journal's lock guards it.
type lineCounter struct {
	running bool
	fresh   bool                 // counts have changed since they were announced
	counts  map[string]lineCount // by path
}

// lineCount is the number of lines that differ between two contents.
type lineCount struct {
	before, after  string // their hashes
	added, removed int
}

const (
	// mostCounted is the largest file whose lines are counted, in bytes, and mostFilesCounted bounds
	// how many files are: beyond that nobody reads the number.
	mostCounted      = 1 << 20
	mostFilesCounted = 1000
)

// countLines counts what has changed. j.mu must be held.
func (j *Journal) countLines() {
	if !j.lines.running && j.watch.wake != nil { // else it does not watch yet
		j.lines.running = true
		j.watch.do(j.countNext)
	}
}

// overall is what a file was before all changes, and what it is now.
type overall struct {
	path          string
	before, after Image
}

// uncounted returns a changed file whose count is out of date, if there is one. j.mu must be held.
func (j *Journal) uncounted() (o overall, found bool) {
	left := mostFilesCounted
	for path, o := range j.history.overall() {
		if left--; left < 0 {
			break
		}
		if c, known := j.lines.counts[path]; !known || c.before != o.before.Hash || c.after != o.after.Hash {
			return o, true
		}
	}
	return o, false
}

// countNext counts the lines of a file that is out of date, without a lock, and then those of the
// next one.
func (j *Journal) countNext(*turnWatch) {
	j.mu.Lock()
	o, found := j.uncounted()
	if j.lines.running = found; !found && j.lines.fresh {
		j.lines.fresh = false
		j.announce()
	}
	j.mu.Unlock()
	if !found {
		return
	}
	c := j.countIn(o)
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.lines.counts == nil {
		j.lines.counts = map[string]lineCount{}
	}
	j.lines.counts[o.path], j.lines.fresh = c, true
	j.watch.do(j.countNext)
}

// countIn counts the lines of a file. Those of a file that is not text, too large or not kept count
// as none.
func (j *Journal) countIn(o overall) lineCount {
	c := lineCount{before: o.before.Hash, after: o.after.Hash}
	text := func(i Image) (string, bool) {
		if i.Absent {
			return "", true
		}
		if i.Lost || i.Size > mostCounted || !i.Mode.IsRegular() {
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
