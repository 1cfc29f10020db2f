package diffview

import "parley/internal/termtext"

// DefaultContext is the default number of unchanged lines around a change.
const DefaultContext = 3

// none means that there is no line.
const none int32 = -1

// row is one logical line of the view, which takes one or more lines of the screen. The
// rows of a diff are computed once per mode.
type row struct {
	kind rowKind
	// The lines that it shows, from 0, or none. In the unified view a removed or added
	// row has both if the lines are a pair, whose words are compared.
	old, new int32
}

type rowKind uint8

const (
	contextRow rowKind = iota
	removedRow
	addedRow
	changedRow // side by side: removed on the left, added on the right
	gapRow     // replaces hidden unchanged lines; old is their number
	noteRow    // a note about the change; old is one of the notes below
)

// The notes that a noteRow can show.
const (
	sameNote int32 = iota
	emptyNote
	coarseNote
	newlineNote
	endingsNote
)

// note returns the words of a note.
func (d *Diff) note(which int32) string {
	switch which {
	case emptyNote:
		return "empty file"
	case coarseNote:
		return "large change, compared coarsely"
	case newlineNote:
		return d.finalNewline
	case endingsNote:
		return d.endings
	}
	return "no changes"
}

// rows returns the rows of the view. d.mu must be held.
func (d *Diff) rows(mode Mode) []row {
	var rows []row
	if d.coarse {
		rows = append(rows, row{kind: noteRow, old: coarseNote})
	}
	if d.endings != "" {
		rows = append(rows, row{kind: noteRow, old: endingsNote})
	}
	oldAt, newAt := 0, 0 // the first lines without a row
	for i, e := range d.edits {
		// Unchanged lines before the edit. Those after the previous edit already have
		// rows.
		from := max(oldAt, e.OldStart-d.context)
		if from == oldAt+1 && i > 0 {
			from = oldAt // a gapRow for one line would save nothing
		}
		if from > oldAt && i > 0 {
			rows = append(rows, row{kind: gapRow, old: int32(from - oldAt)})
		}
		newAt = e.NewStart - (e.OldStart - from)
		rows = appendContext(rows, from, newAt, e.OldStart-from)
		rows = appendEdit(rows, e, mode)
		oldAt, newAt = e.OldEnd, e.NewEnd
		next := len(d.old)
		if i+1 < len(d.edits) {
			next = d.edits[i+1].OldStart
		}
		n := min(d.context, next-oldAt)
		rows = appendContext(rows, oldAt, newAt, n)
		oldAt += n
	}
	if d.finalNewline != "" {
		rows = append(rows, row{kind: noteRow, old: newlineNote})
	}
	if len(rows) == 0 {
		which := sameNote
		if d.oldText == "" && d.newText == "" {
			which = emptyNote
		}
		rows = append(rows, row{kind: noteRow, old: which})
	}
	return rows
}

// appendContext appends rows for n unchanged lines.
func appendContext(rows []row, old, new, n int) []row {
	for i := range n {
		rows = append(rows, row{kind: contextRow, old: int32(old + i), new: int32(new + i)})
	}
	return rows
}

// appendEdit appends the rows of an edit. It pairs its first removed line with its
// first added one, the second with the second, and so on.
func appendEdit(rows []row, e termtext.LineEdit, mode Mode) []row {
	removed, added := e.OldEnd-e.OldStart, e.NewEnd-e.NewStart
	at := func(start, i, n int) int32 {
		if i < n {
			return int32(start + i)
		}
		return none
	}
	if mode == Split {
		for i := range max(removed, added) {
			rows = append(rows, row{kind: changedRow, old: at(e.OldStart, i, removed), new: at(e.NewStart, i, added)})
		}
		return rows
	}
	for i := range removed {
		rows = append(rows, row{kind: removedRow, old: int32(e.OldStart + i), new: at(e.NewStart, i, added)})
	}
	for i := range added {
		rows = append(rows, row{kind: addedRow, old: at(e.OldStart, i, removed), new: int32(e.NewStart + i)})
	}
	return rows
}
