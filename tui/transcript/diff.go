package transcript

import (
	"iter"

	"parley/tui/diffview"
	"parley/tui/toolview"
)

// diffBody is a change of a file.
type diffBody struct {
	*diffview.Diff
	before *string
	after  string

	site    toolview.DiffPosition
	asOf    uint64 // the version of the sites that site is of
	deletes bool   // the agent says that the file goes
	headed  bool   // its path stands above it, as there are several
}

// locate takes what is known of where the change stands in its file.
func (b *diffBody) locate(env *environment) {
	b.asOf = env.sites.Version()
	b.site = env.sites.Of(b.Path(), b.before, b.after)
	b.SetFirstLine(b.site.Line)
}

const fateDeleted = "deleted"

// fate says what becomes of the file, "" if it is only changed.
func (b *diffBody) fate() string {
	switch {
	case b.deletes || b.site.Deleted:
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
		shown = l.Len() // the last line takes as much room as a word about it
	}
	lines, more := l.Head(shown, env.theme)
	if b.headed {
		lines = append([]string{b.heading(width, env)}, lines...)
	}
	return lines, more
}

// diffs are the changes that the call shows.
func (t *toolCall) diffs() iter.Seq[*diffBody] {
	return func(yield func(*diffBody) bool) {
		for _, b := range t.bodies {
			if d, ok := b.(*diffBody); ok && !yield(d) {
				return
			}
		}
	}
}

// changedFiles are the paths of the files that the call changes, each once.
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
	if !ok {
		return false
	}
	for range call.diffs() {
		return true
	}
	return false
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
