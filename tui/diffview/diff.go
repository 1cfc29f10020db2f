// Package diffview draws the change of one text file for a terminal: unified,
// or side by side where there is room.
//
//	d := diffview.New(path, oldText, newText) // cheap: nothing is compared yet
//	l := d.Layout(width, diffview.Auto)       // compares once, measures once per width
//	lines := l.Lines(top, top+height, th)     // draws these lines and no others
//
// Comparing, measuring and drawing are bounded for every input: a change that is
// too large to be compared exactly is compared more coarsely, and the view says
// so; of a very long line a part is drawn, and the view says how much is not.
//
// The texts are taken as hostile: control characters are drawn as symbols, and
// what is drawn holds no escape sequence but colours.
package diffview

import (
	"strings"
	"sync"

	"parley/internal/linediff"
	"parley/internal/termtext"
	"parley/tui/theme"
)

// Diff is the change of one file from one text to another. It is immutable but
// for its caches, and safe for concurrent use: a first call of Stats in the
// background does the comparing that Layout would do otherwise.
type Diff struct {
	path             string
	created          bool // there was no old text at all
	oldText, newText string

	compared sync.Once
	comparison

	mu      sync.Mutex // guards what follows
	context int        // unchanged lines around a change
	first   int        // number of the texts' first line, 0 if it is not known
	layouts map[Mode]*Layout
	method  termtext.Method    // how clips and words were measured
	clips   map[lineKey]string // texts of lines too long to be drawn whole
	words   map[[2]int32]emphasis
	inkOf   *theme.Theme
	ink     ink
	syntax  syntax
}

// comparison is what is known about the two texts once they are compared.
type comparison struct {
	old, new       []string // lines without their newline
	edits          []linediff.Edit
	coarse         bool   // too large to be compared exactly: more shows as changed than was
	showCR         bool   // line endings are mixed, so carriage returns are drawn
	endings        string // says what changed about all line endings, "" if nothing
	finalNewline   string // says what happened to the newline at the end, "" if nothing
	added, removed int
}

// lineKey names a line of one of the texts.
type lineKey struct {
	side side
	line int32
}

// side is one of the two texts.
type side uint8

const (
	oldSide side = iota
	newSide
)

// New makes the diff of the file at path from oldText, which is nil for a file
// that was not there, to newText, which is empty for a deleted one. It returns
// at once. The texts are taken to be whole files until SetFirstLine says
// something else.
func New(path string, oldText *string, newText string) *Diff {
	d := &Diff{path: path, newText: newText, context: DefaultContext, first: 1, created: oldText == nil}
	if oldText != nil {
		d.oldText = *oldText
	}
	return d
}

// SetFirstLine says which line of the file the texts begin with, counted from 1.
// 0 says that this is not known: then no line numbers are drawn.
func (d *Diff) SetFirstLine(n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if n != d.first {
		d.first, d.layouts = n, nil
	}
}

// Whole is as much context as there is.
const Whole = 1 << 30

// SetContext sets how many unchanged lines are drawn around a change; it begins
// with 3.
func (d *Diff) SetContext(lines int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if lines = max(lines, 0); lines != d.context {
		d.context, d.layouts = lines, nil
	}
}

// Change is what became of the file.
type Change uint8

const (
	// Changed is a file that was there before and after.
	Changed Change = iota
	// Created is one that was not there before, or empty.
	Created
	// Deleted is one that is empty now, or gone.
	Deleted
)

// Change tells what became of the file, as far as the texts show it.
func (d *Diff) Change() Change {
	switch {
	case d.created || d.oldText == "" && d.newText != "":
		return Created
	case d.newText == "" && d.oldText != "":
		return Deleted
	}
	return Changed
}

// Path is the path as it was given to New. It may hold anything.
func (d *Diff) Path() string { return d.path }

// Stats counts the lines that were added and removed. The first call compares
// the texts.
func (d *Diff) Stats() (added, removed int) {
	d.compare()
	return d.added, d.removed
}

// compare compares the texts, once.
func (d *Diff) compare() {
	d.compared.Do(func() {
		c := &d.comparison
		oldEnding, newEnding := endingOf(d.oldText), endingOf(d.newText)
		oldText, newText := d.oldText, d.newText
		if oldEnding.uniform() && newEnding.uniform() && oldEnding != newEnding {
			c.endings = "all line endings changed from " + oldEnding.String() + " to " + newEnding.String()
			oldText, newText = withoutCR(oldText), withoutCR(newText)
		}
		c.old, c.new = splitLines(oldText), splitLines(newText)
		c.edits, c.coarse = linediff.Compare(c.old, c.new)
		for _, e := range c.edits {
			c.removed += e.OldEnd - e.OldStart
			c.added += e.NewEnd - e.NewStart
		}
		c.showCR = mixedEndings(oldText, newText)
		c.finalNewline = finalNewline(oldText, newText, d.created)
	})
}

// finalNewline says what is odd about the last line's end, "" if nothing is.
func finalNewline(before, after string, created bool) string {
	had, has := strings.HasSuffix(before, "\n"), strings.HasSuffix(after, "\n")
	switch {
	case after == "" || before == "" && !created:
	case created && !has:
		return "no newline at the end of the file"
	case had && !has:
		return "newline at the end of the file removed"
	case before != "" && has && !had:
		return "newline at the end of the file added"
	}
	return ""
}

// ending is how the lines of a text end.
type ending uint8

const (
	noEnding ending = iota
	lf
	crlf
	mixed
)

func (e ending) uniform() bool { return e == lf || e == crlf }

func (e ending) String() string {
	if e == crlf {
		return "CRLF"
	}
	return "LF"
}

func endingOf(text string) ending {
	all, cr := strings.Count(text, "\n"), strings.Count(text, "\r\n")
	switch {
	case all == 0:
		return noEnding
	case cr == 0:
		return lf
	case cr == all:
		return crlf
	}
	return mixed
}

func withoutCR(text string) string { return strings.ReplaceAll(text, "\r\n", "\n") }

// splitLines splits a text into lines without their newlines. A newline ends a
// line and does not begin another.
func splitLines(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}

// mixedEndings reports whether some lines of the texts end with CRLF and others
// with LF alone.
func mixedEndings(texts ...string) bool {
	crlf, all := 0, 0
	for _, text := range texts {
		crlf += strings.Count(text, "\r\n")
		all += strings.Count(text, "\n")
	}
	return crlf > 0 && crlf < all
}
