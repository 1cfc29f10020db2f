package journal

import "slices"

// lineCounter counts the changed lines of files, one file at a time, between the other work of the
// watcher. The journal's lock guards it.
type lineCounter struct {
	running bool
	counts  map[string]lineCount // by path
}

// lineCount is how many lines the agent's changes of a file have added and removed; none means that
// nothing of them is left.
type lineCount struct {
	added, removed int
	none           bool
}

// mostCounted is the largest file whose lines are counted, in bytes: a larger number is of no use.
const mostCounted = 1 << 20

// countLines counts what has changed. j.mu must be held.
func (j *Journal) countLines() {
	if !j.lines.running && len(j.history.uncounted) > 0 && j.watch.wake != nil { // else it does not watch yet
		j.lines.running = true
		j.watch.do(j.countNext)
	}
}

// countNext counts the lines of a file that is out of date, without a lock, and then those of the
// next one.
func (j *Journal) countNext(*turnWatch) {
	j.mu.Lock()
	var path string
	for path = range j.history.uncounted {
		delete(j.history.uncounted, path)
		break
	}
	j.mu.Unlock()
	c := j.countIn(path)
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.lines.counts == nil {
		j.lines.counts = map[string]lineCount{}
	}
	j.lines.counts[path] = c
	if len(j.history.uncounted) > 0 {
		j.watch.do(j.countNext)
		return
	}
	j.lines.running = false
	j.announce()
}

// countIn counts the lines of a file, as a comparison with what parley saw of it last. Those of a
// file that is not text, too large or not kept count as none.
func (j *Journal) countIn(path string) lineCount {
	j.mu.Lock()
	is := latest(j.history.byPath[path])
	j.mu.Unlock()
	p, lost := j.rewindPlan(0, Part{Path: path})
	if lost != nil || is.Size > mostCounted || slices.ContainsFunc(p.steps, step.large) {
		return lineCount{}
	}
	now, err := j.content(is)
	if err != nil {
		return lineCount{}
	}
	c := &Comparison{Part: Part{Path: path}, Now: versionOf(now)}
	c.compareWith(&p)
	j.fromElsewhere(c)
	return lineCount{c.Added, c.Removed, c.From == "" && c.Same()}
}

// large reports whether the lines of a step are not counted.
func (s step) large() bool {
	return s.from != nil && len(s.from.Content) > mostCounted || s.to != nil && len(s.to.Content) > mostCounted
}

// tally counts the files that the agent has changed, and their lines, as far as these are counted.
// What was only seen to change may be the work of others. j.mu must be held.
func (j *Journal) tally() (t Tally) {
	for path := range j.history.own() {
		if c := j.lines.counts[path]; !c.none {
			t.Files++
			t.Added += c.added
			t.Removed += c.removed
		}
	}
	return t
}
