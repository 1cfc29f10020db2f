package transcript

import (
	"slices"

	"parley/tui/diffview"
)

// Diffs is how the person wants to see diffs. Whoever shows others of the same
// session shares it.
func (l *List) Diffs() *diffview.Preference { return l.diffs }

// barWidth is the width of the rule left of what a tool call shows.
const barWidth = 2

// ToggleDiffs changes between diffs side by side and unified. It reports false if
// there is no room for the former.
func (l *List) ToggleDiffs() bool { return l.diffs.Toggle(l.width - gutter - 1 - barWidth) }

// HasDiff reports whether the selected item shows a change of a file.
func (l *List) HasDiff() bool {
	if l.Selected() == nil {
		return false
	}
	call, ok := callOf(l.at(l.selected))
	return ok && call.changesFiles()
}

// WidenContext shows more of the unchanged lines around the changes of the selected
// item, which it opens: some, then all of the file, then as few as at first. It
// reports false if the item shows no change.
func (l *List) WidenContext() bool {
	if !l.HasDiff() {
		return false
	}
	if !l.expanded[l.selected] {
		l.Toggle()
	}
	l.context[l.selected] = diffview.MoreContext(l.context[l.selected])
	l.reveal(l.selected)
	return true
}

// changesFiles reports whether the call shows a change of a file.
func (t *toolCall) changesFiles() bool {
	return slices.ContainsFunc(t.bodies, func(b body) bool { _, is := b.(*diffBody); return is })
}

// setContext sets how many unchanged lines are shown around changes; 0 is as many as
// at first.
func (t *toolCall) setContext(lines int) {
	for _, b := range t.bodies {
		if d, ok := b.(*diffBody); ok {
			d.SetContext(max(lines, diffview.DefaultContext))
		}
	}
}

// widthOf is the width for a body: that of text, unless it is a change that is shown
// side by side, which is wider.
func (t *toolCall) widthOf(b body, width int) int {
	if d, ok := b.(*diffBody); ok {
		if wide := t.bodyWidth(t.env.wide); t.env.diffs.SideBySide(d.Diff, wide) {
			return wide
		}
	}
	return t.bodyWidth(width)
}
