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

	"parley/tui/theme"
)

// Diff is the change of one file from one text to another. It is immutable but
// for its caches, and safe for concurrent use: a first call of Stats in the
// background does the comparing that Layout would do otherwise.
type Diff struct {
	path             string
	oldText, newText string

	compared sync.Once
	comparison

	mu      sync.Mutex // guards what follows
	layouts map[Mode]*Layout
	clips   map[lineKey]string // texts of lines too long to be drawn whole
	words   map[[2]int32]emphasis
	inkOf   *theme.Theme
	ink     ink
}

// comparison is what is known about the two texts once they are compared.
type comparison struct {
	old, new       []string // lines without their newline
	edits          []edit
	coarse         bool   // too large to be compared exactly: more shows as changed than was
	showCR         bool   // line endings are mixed, so carriage returns are drawn
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
// at once.
func New(path string, oldText *string, newText string) *Diff {
	d := &Diff{path: path, newText: newText}
	if oldText != nil {
		d.oldText = *oldText
	}
	return d
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
		c.old, c.new = splitLines(d.oldText), splitLines(d.newText)
		c.edits, c.coarse = compareLines(c.old, c.new)
		for _, e := range c.edits {
			c.removed += e.oldEnd - e.oldStart
			c.added += e.newEnd - e.newStart
		}
		c.showCR = mixedEndings(d.oldText, d.newText)
		if d.oldText != "" && d.newText != "" {
			before, after := strings.HasSuffix(d.oldText, "\n"), strings.HasSuffix(d.newText, "\n")
			switch {
			case before && !after:
				c.finalNewline = "newline at the end of the file removed"
			case after && !before:
				c.finalNewline = "newline at the end of the file added"
			}
		}
	})
}

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
