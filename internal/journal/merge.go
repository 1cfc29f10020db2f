package journal

import (
	"slices"
	"strings"

	"parley/internal/termtext"
)

// Hunk is one change between two texts: lines of the first, counted from 0, that became
// lines of the second. Ends are exclusive.
type Hunk = termtext.LineEdit

// linesOf splits a text into lines, including their ends.
func linesOf(text string) []string {
	lines := strings.SplitAfter(text, "\n")
	if last := len(lines) - 1; lines[last] == "" {
		lines = lines[:last]
	}
	return lines
}

// Hunks returns the changes from one text to another, in order. Lines that differ only
// in their ends are changed.
func Hunks(before, after string) []Hunk {
	edits, _ := termtext.CompareLines(linesOf(before), linesOf(after))
	return edits
}

// withHunk applies a hunk of the changes from base to other to base.
func withHunk(base, other string, h Hunk) string {
	old, lines := linesOf(base), linesOf(other)
	return strings.Join(slices.Concat(old[:h.OldStart], lines[h.NewStart:h.NewEnd], old[h.OldEnd:]), "")
}

// flipped returns the inverse hunk.
func flipped(h Hunk) Hunk {
	return Hunk{OldStart: h.NewStart, OldEnd: h.NewEnd, NewStart: h.OldStart, NewEnd: h.OldEnd}
}

// merge applies the changes from base to theirs to ours. ok is false if both changed
// the same lines in different ways.
func merge(base, ours, theirs string) (merged string, ok bool) {
	switch {
	case ours == theirs, base == theirs:
		return ours, true
	case base == ours:
		return theirs, true
	}
	m := merger{base: linesOf(base), ours: linesOf(ours), theirs: linesOf(theirs)}
	ourEdits, _ := termtext.CompareLines(m.base, m.ours)
	theirEdits, _ := termtext.CompareLines(m.base, m.theirs)
	for len(ourEdits) > 0 || len(theirEdits) > 0 {
		switch {
		case len(theirEdits) == 0 || len(ourEdits) > 0 && before(ourEdits[0], theirEdits[0]):
			m.take(ourEdits[0], m.ours)
			ourEdits = ourEdits[1:]
		case len(ourEdits) == 0 || before(theirEdits[0], ourEdits[0]):
			m.take(theirEdits[0], m.theirs)
			theirEdits = theirEdits[1:]
		case m.alike(ourEdits[0], theirEdits[0]):
			m.take(ourEdits[0], m.ours)
			ourEdits, theirEdits = ourEdits[1:], theirEdits[1:]
		default:
			return "", false
		}
	}
	m.out = append(m.out, m.base[m.at:]...)
	return strings.Join(m.out, ""), m.ends()
}

// merger merges lines; out is the merge of base up to at.
type merger struct {
	base, ours, theirs []string
	out                []string
	at                 int
}

// before reports whether a ends before b begins. Two insertions in the same place have
// no order.
func before(a, b Hunk) bool {
	if a.OldStart == b.OldStart && a.OldEnd == b.OldEnd {
		return false
	}
	return a.OldEnd <= b.OldStart
}

// take appends the lines up to an edit, and the edit's own lines.
func (m *merger) take(e Hunk, lines []string) {
	m.out = append(m.out, m.base[m.at:e.OldStart]...)
	m.out = append(m.out, lines[e.NewStart:e.NewEnd]...)
	m.at = e.OldEnd
}

// alike reports whether both made the same of the same lines.
func (m *merger) alike(a, b Hunk) bool {
	return a.OldStart == b.OldStart && a.OldEnd == b.OldEnd &&
		slices.Equal(m.ours[a.NewStart:a.NewEnd], m.theirs[b.NewStart:b.NewEnd])
}

// ends reports whether every merged line but the last has its end: the last line of a
// text, without an end, must not run into another.
func (m *merger) ends() bool {
	for _, line := range m.out[:max(0, len(m.out)-1)] {
		if !strings.HasSuffix(line, "\n") {
			return false
		}
	}
	return true
}
