package transcript

import (
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

func newDiffBody(path string, before *string, after string, env *environment) *diffBody {
	b := &diffBody{Diff: diffview.New(path, before, after), before: before, after: after}
	b.place(env)
	return b
}

// place takes what is known of where the change stands in its file.
func (b *diffBody) place(env *environment) {
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

// placeDiffs numbers the changes of a call as far as their places are known now.
func (t *toolCall) placeDiffs() {
	for _, b := range t.bodies {
		if d, ok := b.(*diffBody); ok && d.asOf != t.env.sites.Version() {
			d.place(t.env)
		}
	}
}

// headDiffs gives each change its path where there are several.
func (t *toolCall) headDiffs() {
	several := len(t.changedFiles()) > 1
	for _, b := range t.bodies {
		if d, ok := b.(*diffBody); ok {
			d.headed = several
		}
	}
}

// changedFiles are the paths of the files that the call changes, each once.
func (t *toolCall) changedFiles() []string {
	var paths []string
	seen := map[string]bool{}
	for _, b := range t.bodies {
		if d, ok := b.(*diffBody); ok && !seen[d.Path()] {
			seen[d.Path()] = true
			paths = append(paths, d.Path())
		}
	}
	return paths
}
