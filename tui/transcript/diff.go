package transcript

import (
	"iter"

	"parley/tui/diffview"
	"parley/tui/toolview"
)

// diffBody draws a change of a file.
type diffBody struct {
	*diffview.Diff
	before *string
	after  string

	position toolview.DiffPosition
	asOf     uint64 // the version of the positions when position was looked up
	deletes  bool   // the agent says that it deletes the file
	headed   bool   // one of several: its path is above it
}

// locate looks up the position of the change in its file.
func (b *diffBody) locate(env *environment) {
	b.asOf = env.positions.Version()
	if position := env.positions.Of(b.Path(), b.before, b.after); position != b.position {
		b.position = position
		before, after := position.Whole(b.before, b.after)
		b.Diff = diffview.New(b.Path(), before, after)
	}
	b.SetFirstLine(b.position.Line)
}

const fateDeleted = "deleted"

// fate says whether the change creates or deletes the file, else "".
func (b *diffBody) fate() string {
	switch {
	case b.deletes || b.position.Deleted:
		return fateDeleted
	case b.Change() == diffview.Created:
		return "new file"
	}
	return ""
}

// heading names the file of one change among several.
func (b *diffBody) heading(width int, env *environment) string {
	th := env.theme
	added, removed := b.Stats()
	line := th.DiffPath.Render(env.places.Path(b.Path())) + " " + toolview.Counts{Added: added, Removed: removed}.Styled(th)
	if fate := b.fate(); fate != "" {
		line += " " + th.Muted.Render(fate)
	}
	return fit(line, width)
}

func (b *diffBody) len(width int, env *environment) int {
	length := env.diffs.Layout(b.Diff, width).Len()
	if b.headed {
		length++
	}
	return length
}

func (b *diffBody) slice(from, to, width int, env *environment) []string {
	l := env.diffs.Layout(b.Diff, width)
	if !b.headed {
		return l.Lines(from, to, env.theme)
	}
	lines := l.Lines(from-1, to-1, env.theme)
	if from == 0 {
		lines = append([]string{b.heading(width, env)}, lines...)
	}
	return lines
}

func (b *diffBody) peek(width int, env *environment) ([]string, int) {
	l := b.Layout(width, diffview.Unified)
	shown := diffPeek
	if l.Len() <= diffPeek+1 {
		shown = l.Len() // a single further line needs no more room than saying so
	}
	lines, more := l.Head(shown, env.theme)
	if b.headed {
		lines = append([]string{b.heading(width, env)}, lines...)
	}
	return lines, more
}

// diffs returns the diffs of the call.
func (t *toolCall) diffs() iter.Seq[*diffBody] {
	return func(yield func(*diffBody) bool) {
		for _, b := range t.bodies {
			if d, ok := b.(*diffBody); ok && !yield(d) {
				return
			}
		}
	}
}

// changedFiles returns the paths of the files that the call changes.
func (t *toolCall) changedFiles() []string {
	var paths []string
	seen := map[string]bool{}
	for d := range t.diffs() {
		if !seen[d.Path()] {
			seen[d.Path()] = true
			paths = append(paths, d.Path())
		}
	}
	return paths
}

// Diffs returns the session's preference for diffs, for other views to share.
func (l *List) Diffs() *diffview.Preference { return l.diffs }

// barWidth is the width of the rule left of a tool call's bodies.
const barWidth = 2

// ToggleDiffs toggles side-by-side diffs. It reports false if the view is too narrow
// for them.
func (l *List) ToggleDiffs() bool { return l.diffs.Toggle(l.width - gutter - 1 - barWidth) }

// HasDiff reports whether the selected item shows a change of a file.
func (l *List) HasDiff() bool {
	if l.Selected() == nil {
		return false
	}
	call, ok := callOf(l.at(l.selected))
	if !ok {
		return false
	}
	for range call.diffs() {
		return true
	}
	return false
}

// WidenContext expands the selected item and shows more lines around its changes: some,
// then all of the file, then the default. It reports false if the item has no diff.
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

// widthOf returns the width of a body. A side-by-side diff is wider than text.
func (t *toolCall) widthOf(b body, width int) int {
	if d, ok := b.(*diffBody); ok {
		if wide := t.env.wide - barWidth; t.env.diffs.SideBySide(d.Diff, wide) {
			return wide
		}
	}
	return width - barWidth
}
