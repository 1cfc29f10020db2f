package diffview

import (
	"strings"

	"github.com/aymanbagabas/go-udiff"
)

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
