package journal

import (
	"slices"
	"strings"

	"parley/internal/linediff"
)

// Hunk is one change between two texts: lines of the first, counted from 0, that
// became lines of the second. Ends are exclusive.
type Hunk = linediff.Edit

// linesOf cuts a text into lines with their ends.
func linesOf(text string) []string {
	lines := strings.SplitAfter(text, "\n")
	if last := len(lines) - 1; lines[last] == "" {
		lines = lines[:last]
	}
	return lines
}

// Hunks are the changes from one text to another, in order. Lines that differ in
// their ends alone are changed.
func Hunks(before, after string) []Hunk {
	edits, _ := linediff.Compare(linesOf(before), linesOf(after))
	return edits
}

// withHunk is base, the text that the hunk's old lines are counted in, with the
// lines that the hunk makes of them.
func withHunk(base, other string, h Hunk) string {
	old, lines := linesOf(base), linesOf(other)
	return strings.Join(slices.Concat(old[:h.OldStart], lines[h.NewStart:h.NewEnd], old[h.OldEnd:]), "")
}

// flipped is the hunk that takes a hunk back.
func flipped(h Hunk) Hunk {
	return Hunk{OldStart: h.NewStart, OldEnd: h.NewEnd, NewStart: h.OldStart, NewEnd: h.OldEnd}
}

// merge does to ours what became of base in theirs. ok is false if both changed the
// same lines, and not alike: then the merge is a person's to make.
func merge(base, ours, theirs string) (merged string, ok bool) {
	switch {
	case ours == theirs, base == theirs:
		return ours, true
	case base == ours:
		return theirs, true
	}
	m := merger{base: linesOf(base), ours: linesOf(ours), theirs: linesOf(theirs)}
	ourEdits, _ := linediff.Compare(m.base, m.ours)
	theirEdits, _ := linediff.Compare(m.base, m.theirs)
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

// merger merges lines; out is what has been merged of base up to at.
type merger struct {
	base, ours, theirs []string
	out                []string
	at                 int
}

// before reports whether an edit is done with before another one begins. Two that
// insert at the same place have no order.
func before(a, b Hunk) bool {
	if a.OldStart == b.OldStart && a.OldEnd == b.OldEnd {
		return false
	}
	return a.OldEnd <= b.OldStart
}

// take takes the lines up to an edit, and those that it makes.
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

// ends reports whether every line that was merged but the last has its end: a line
// without one, which was the last of its text, must not run into another.
func (m *merger) ends() bool {
	for _, line := range m.out[:max(0, len(m.out)-1)] {
		if !strings.HasSuffix(line, "\n") {
			return false
		}
	}
	return true
}
