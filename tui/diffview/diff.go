// Package diffview draws the change of one text file for a terminal: unified, or side
// by side where there is room.
//
//	d := diffview.New(path, oldText, newText) // cheap: nothing is compared yet
//	l := d.Layout(width, true)                // compares once, measures once per width
//	lines := l.Lines(top, top+height, th)     // draws only these lines
//
// Comparing, measuring and drawing are bounded for every input: a change that is too
// large for an exact comparison is compared more coarsely, and only a part of a very
// long line is drawn; the view says so in both cases.
//
// The texts are untrusted: control characters are drawn as symbols, and the output
// contains no escape sequences but colours.
package diffview

import (
	"strings"
	"sync"

	"github.com/aymanbagabas/go-udiff"

	"parley/internal/termtext"
	"parley/tui/theme"
)

// Diff is the change of one file from one text to another. It is immutable except for
// its caches, and safe for concurrent use: a first call of Stats in the background
// saves Layout the comparison.
type Diff struct {
	path             string
	created          bool // there was no old text at all
	oldText, newText string

	compared sync.Once
	comparison

	mu      sync.Mutex // guards what follows
	context int        // unchanged lines around a change
	first   int        // line number where the texts begin, 0 if unknown
	layouts map[bool]*Layout
	method  termtext.Method    // how clips and words were measured
	clips   map[lineKey]string // texts of lines too long to be drawn whole
	words   map[[2]int32]emphasis
	inkOf   *theme.Theme
	ink     ink
	syntax  syntax
}

// comparison is the result of comparing the two texts.
type comparison struct {
	old, new       []string // lines without their newline
	edits          []termtext.LineEdit
	coarse         bool   // compared coarsely: shows more than has changed
	showCR         bool   // line endings are mixed, so carriage returns are drawn
	endings        string // how all line endings changed, "" if they did not
	finalNewline   string // how the final newline changed, "" if it did not
	added, removed int
}

// lineKey identifies a line of one of the texts.
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

// New returns the diff of the file at path from oldText, nil for a new file, to
// newText, empty for a deleted one. It returns at once. The texts are whole files
// unless SetFirstLine is called.
func New(path string, oldText *string, newText string) *Diff {
	d := &Diff{path: path, newText: newText, context: DefaultContext, first: 1, created: oldText == nil}
	if oldText != nil {
		d.oldText = *oldText
	}
	return d
}

// SetFirstLine sets the line of the file at which the texts begin, counted from 1. 0
// means unknown: then no line numbers are drawn.
func (d *Diff) SetFirstLine(n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if n != d.first {
		d.first, d.layouts = n, nil
	}
}

// Whole is a context of the whole file.
const Whole = 1 << 30

// SetContext sets how many unchanged lines are drawn around a change; the default is 3.
func (d *Diff) SetContext(lines int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if lines = max(lines, 0); lines != d.context {
		d.context, d.layouts = lines, nil
	}
}

// Change is the kind of a change.
type Change uint8

const (
	// Changed means that the file existed before and exists now.
	Changed Change = iota
	// Created means that the file did not exist before, or was empty.
	Created
	// Deleted means that the file is empty now, or gone.
	Deleted
)

// Change returns the kind of change, as far as the texts show it.
func (d *Diff) Change() Change {
	switch {
	case d.created || d.oldText == "" && d.newText != "":
		return Created
	case d.newText == "" && d.oldText != "":
		return Deleted
	}
	return Changed
}

// Path returns the path passed to New, which may be any text.
func (d *Diff) Path() string { return d.path }

// Stats counts the added and removed lines. The first call compares the texts.
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
		c.edits, c.coarse = termtext.CompareLines(c.old, c.new)
		for _, e := range c.edits {
			c.removed += e.OldEnd - e.OldStart
			c.added += e.NewEnd - e.NewStart
		}
		crlf := strings.Count(oldText, "\r\n") + strings.Count(newText, "\r\n")
		c.showCR = crlf > 0 && crlf < strings.Count(oldText, "\n")+strings.Count(newText, "\n")
		c.finalNewline = finalNewline(oldText, newText, d.created)
	})
}

// finalNewline describes the end of the last line, "" if it is ordinary.
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

// splitLines splits a text into lines without their newlines. A newline ends a line and
// does not begin another.
func splitLines(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}

// Patch returns the change as a unified diff with three lines of context, for tools
// that apply one. It contains the texts' own bytes, which are not safe to draw. It is
// empty if nothing has changed.
func (d *Diff) Patch() (string, error) {
	d.compare()
	before, after := d.name("a"), d.name("b")
	switch d.Change() {
	case Created:
		before = "/dev/null"
	case Deleted:
		after = "/dev/null"
	}
	if d.endings != "" { // the lines were compared without their ends
		return udiff.Unified(before, after, d.oldText, d.newText), nil
	}
	oldAt, newAt := byteOffsets(d.oldText, len(d.old)), byteOffsets(d.newText, len(d.new))
	var edits []udiff.Edit
	for _, e := range d.edits {
		edits = append(edits, udiff.Edit{
			Start: oldAt[e.OldStart], End: oldAt[e.OldEnd], New: d.newText[newAt[e.NewStart]:newAt[e.NewEnd]],
		})
	}
	if n := len(d.edits); d.finalNewline != "" && (n == 0 || d.edits[n-1].OldEnd < len(d.old)) {
		// The last lines differ only in their newline, which the comparison ignores.
		edits = append(edits, udiff.Edit{
			Start: oldAt[max(0, len(d.old)-1)], End: len(d.oldText), New: d.newText[newAt[max(0, len(d.new)-1)]:],
		})
	}
	return udiff.ToUnified(before, after, d.oldText, edits, DefaultContext)
}

// name returns the path as in patches, below a or b.
func (d *Diff) name(side string) string { return side + "/" + strings.TrimPrefix(d.path, "/") }

// byteOffsets returns where each of a text's lines begins, and its end.
func byteOffsets(text string, lines int) []int {
	at := make([]int, 1, lines+1)
	for i := range len(text) {
		if text[i] == '\n' && i+1 < len(text) {
			at = append(at, i+1)
		}
	}
	if text != "" {
		at = append(at, len(text))
	}
	return at
}
