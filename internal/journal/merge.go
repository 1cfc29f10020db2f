package journal

import (
	"slices"
	"strings"

	"parley/internal/termtext"
)

// Hunk is one change between two texts: lines of the first, counted from 0, that became
// lines of the second. Ends are exclusive.
type Hunk = termtext.LineEdit

// Hunks returns the changes from one text to another, in order. Lines that differ only
// in their ends are changed.
func Hunks(before, after string) []Hunk {
	edits, _ := termtext.CompareLines(termtext.SplitLines(before), termtext.SplitLines(after))
	return edits
}

// withHunk applies a hunk of the changes from base to other to base.
func withHunk(base, other string, h Hunk) string {
	old, lines := termtext.SplitLines(base), termtext.SplitLines(other)
	return strings.Join(slices.Concat(old[:h.OldStart], lines[h.NewStart:h.NewEnd], old[h.OldEnd:]), "")
}

// merge applies the changes from base to theirs to ours. Where both changed the same
// lines in different ways, clean is false, and merged has the lines of ours, or those of
// theirs if preferTheirs is set.
func merge(base, ours, theirs string, preferTheirs bool) (merged string, clean bool) {
	switch {
	case ours == theirs, base == theirs:
		return ours, true
	case base == ours:
		return theirs, true
	}
	m := merger{base: termtext.SplitLines(base), clean: true, preferTheirs: preferTheirs}
	m.ours.lines, m.theirs.lines = termtext.SplitLines(ours), termtext.SplitLines(theirs)
	m.ours.edits, _ = termtext.CompareLines(m.base, m.ours.lines)
	m.theirs.edits, _ = termtext.CompareLines(m.base, m.theirs.lines)
	for len(m.ours.edits) > 0 || len(m.theirs.edits) > 0 {
		switch {
		case m.ours.around(&m.theirs), m.theirs.around(&m.ours):
			m.takeBoth()
		case len(m.theirs.edits) == 0 || len(m.ours.edits) > 0 && before(m.ours.edits[0], m.theirs.edits[0]):
			m.take(&m.ours)
		case len(m.ours.edits) == 0 || before(m.theirs.edits[0], m.ours.edits[0]):
			m.take(&m.theirs)
		default:
			m.takeBoth()
		}
	}
	m.out = append(m.out, m.base[m.at:]...)
	// The last line of a text, without an end, must not run into another.
	unended := func(line string) bool { return !strings.HasSuffix(line, "\n") }
	switch {
	case !slices.ContainsFunc(m.out[:max(0, len(m.out)-1)], unended):
		return strings.Join(m.out, ""), m.clean
	case preferTheirs:
		return theirs, false
	}
	return ours, false
}

// merger merges lines; out is the merge of base up to at.
type merger struct {
	base         []string
	ours, theirs side
	preferTheirs bool
	out          []string
	at           int
	clean        bool
}

// side is one of the texts to merge, with the edits from base that are not merged yet.
type side struct {
	lines []string
	edits []Hunk
}

// before reports whether a ends before b begins. Two insertions in the same place have
// no order.
func before(a, b Hunk) bool {
	if a.OldStart == b.OldStart && a.OldEnd == b.OldEnd {
		return false
	}
	return a.OldEnd <= b.OldStart
}

// around reports whether the next edits of a side, one after the other, enclose an edit of
// the other side, with no line between that neither has changed. Then nothing says which
// lines the other side's edit is about: of several ways to compare two texts, CompareLines
// gives one.
func (s *side) around(other *side) bool {
	return len(s.edits) > 1 && len(other.edits) > 0 && s.edits[0].OldEnd == other.edits[0].OldStart && other.edits[0].OldEnd == s.edits[1].OldStart
}

// take merges the next edit of one side.
func (m *merger) take(s *side) {
	e := s.edits[0]
	s.edits = s.edits[1:]
	m.out = append(m.out, m.base[m.at:e.OldStart]...)
	m.out = append(m.out, s.lines[e.NewStart:e.NewEnd]...)
	m.at = e.OldEnd
}

// takeBoth merges the next edits of both sides, which overlap or enclose each other, and all
// that overlap these.
func (m *merger) takeBoth() {
	start := min(m.ours.edits[0].OldStart, m.theirs.edits[0].OldStart)
	end := max(m.ours.edits[0].OldEnd, m.theirs.edits[0].OldEnd)
	ours, theirs := 1, 1
	switch {
	case m.ours.around(&m.theirs):
		ours, end = 2, m.ours.edits[1].OldEnd
	case m.theirs.around(&m.ours):
		theirs, end = 2, m.theirs.edits[1].OldEnd
	}
	for grown := true; grown; {
		grown = m.ours.within(&ours, &end)
		grown = m.theirs.within(&theirs, &end) || grown
	}
	mine, other := m.ours.replace(ours, start, end), m.theirs.replace(theirs, start, end)
	if !slices.Equal(mine, other) {
		m.clean = false
		if m.preferTheirs {
			mine = other
		}
	}
	m.out = append(m.out, m.base[m.at:start]...)
	m.out = append(m.out, mine...)
	m.at = end
}

// within counts the edits that begin before end, which it moves to the end of the last
// one. It reports whether there are more than before.
func (s *side) within(count, end *int) bool {
	was := *count
	for *count < len(s.edits) && s.edits[*count].OldStart < *end {
		*end = max(*end, s.edits[*count].OldEnd)
		*count++
	}
	return *count > was
}

// replace returns what the next edits, as many as count, make of base from start to end.
func (s *side) replace(count, start, end int) []string {
	first, last := s.edits[0], s.edits[count-1]
	s.edits = s.edits[count:]
	return s.lines[first.NewStart-(first.OldStart-start) : last.NewEnd+(end-last.OldEnd)]
}
