package pages

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"charm.land/lipgloss/v2"

	"parley/internal/app"
	"parley/internal/command"
	"parley/internal/journal"
	"parley/internal/session"
	"parley/internal/termtext"
	"parley/tui/dialog"
	"parley/tui/list"
	"parley/tui/theme"
	"parley/tui/toolview"
)

// changesList is the files that have changed: those of the agent, and below a heading
// those that parley only saw.
type changesList struct {
	list.Window
	files []*journal.File // nil is the heading
	// counts has the counts of parts. Those of an earlier list are shown until they are
	// counted again.
	counts map[journal.Part]count
	round  int // counts the lists
}

// count holds how much of a file has changed in a round of the list.
type count struct {
	round          int
	state          state
	added, removed int
	link           string // says what is or was a link
	from           string // where the file was
	reported       bool   // only the agent says what the file contained
	unmarked       bool   // it has lost its byte order mark
}

// state is how a file has changed.
type state uint8

const (
	changed state = iota
	created
	deleted
	moved
	same   // unchanged
	binary // it has no lines
	lost   // its content before is unknown
	modeChanged
	unreadable
)

// countOf returns how a file has changed, from the result of its comparison.
func countOf(c *journal.Comparison, err error) count {
	switch {
	case errors.Is(err, journal.ErrNothing):
		return count{state: same}
	case err != nil:
		return count{state: unreadable}
	}
	n := count{added: c.Added, removed: c.Removed, link: app.LinkWords(c), from: c.From, reported: c.Reported, unmarked: c.Unmarked()}
	switch {
	case c.Before.Lost:
		n.state = lost
	case c.From != "":
		n.state = moved
	case c.Same():
		n.state = same
	case c.Before.Absent:
		n.state = created
	case c.Now.Absent:
		n.state = deleted
	case c.Binary:
		n.state = binary
	case c.Before.Content == c.Now.Content:
		n.state = modeChanged
	}
	return n
}

// set takes a new list; the mark stays on its file.
func (l *changesList) set(files []journal.File) {
	marked := l.selected()
	var seen []*journal.File
	l.files = nil
	for i := range files {
		if f := &files[i]; f.Seen {
			seen = append(seen, f)
		} else {
			l.files = append(l.files, f)
		}
	}
	if len(seen) > 0 {
		l.files = append(append(l.files, nil), seen...)
	}
	if marked != nil {
		if i := slices.Index(l.files, l.of(marked.Part)); i >= 0 {
			l.Mark = i
		}
	}
	l.round++
	l.fit(l.Height)
}

// fit takes the room there is.
func (l *changesList) fit(height int) {
	l.Fit(len(l.files), height)
	l.skip(1)
}

// skip moves the mark off the heading, if possible in the direction of n.
func (l *changesList) skip(n int) {
	switch {
	case len(l.files) == 0 || l.selected() != nil:
	case n < 0 && l.Mark > 0:
		l.Move(-1)
	default:
		l.Move(1)
	}
}

// of returns the file of a part, or nil.
func (l *changesList) of(part journal.Part) *journal.File {
	for _, f := range l.files {
		if f != nil && f.Part == part {
			return f
		}
	}
	return nil
}

// selected returns the marked file, or nil.
func (l *changesList) selected() *journal.File {
	if l.Mark < 0 || l.Mark >= len(l.files) {
		return nil
	}
	return l.files[l.Mark]
}

// heading names the files that are not the agent's.
func (l *changesList) heading() string {
	if slices.ContainsFunc(l.files, func(f *journal.File) bool { return f != nil && slices.Contains(f.Sources, journal.SourceSeen) }) {
		return "Changed during the turn, not through parley"
	}
	return "Merged by you"
}

// atOnce is the number of files compared at a time.
const atOnce = 32

// count compares the files that are not yet, those in sight first.
func (v *Review) count() {
	v.latest(&v.counting, func() func(context.Context) func() {
		l := &v.list
		var parts []journal.Part
		for i := range l.files {
			f := l.files[(i+l.Top)%len(l.files)]
			if f == nil || f.Kept || len(parts) == atOnce {
				continue
			}
			if c, ok := l.counts[f.Part]; !ok || c.round != l.round {
				parts = append(parts, f.Part)
			}
		}
		if len(parts) == 0 {
			return nil
		}
		since, round := v.since(), l.round
		return func(ctx context.Context) func() {
			found := map[journal.Part]count{}
			for _, part := range parts {
				c := countOf(session.Do(ctx, v.session, session.CompareFile{Part: part, Since: since}))
				c.round = round
				found[part] = c
			}
			return func() {
				if l.counts == nil {
					l.counts = map[journal.Part]count{}
				}
				maps.Copy(l.counts, found)
				v.count()
			}
		}
	})
}

// View implements dialog.Dialog.
func (v *Review) View(width, height int) dialog.View {
	rows := bodyHeight(height)
	v.list.fit(rows)
	head, lines := v.listHead, v.listLines
	if v.pane != nil {
		v.pane.lay(v.Diffs, max(1, width-margin), rows)
		head, lines = v.paneHead, v.paneLines
	}
	return v.draw(head(width), "", lines(width, rows), v.about(), v.Theme.Faint, width, height)
}

// listHead says which turns are looked at, and how much has changed.
func (v *Review) listHead(width int) string {
	right := v.tally(func(f *journal.File) bool { return !f.Seen })
	_, title := v.scopeWords()
	return v.head(title, "", right, width)
}

// tally counts the files of a kind, and their lines once all are compared.
func (v *Review) tally(of func(*journal.File) bool) string {
	var sum toolview.Counts
	n, known := 0, true
	for _, f := range v.list.files {
		if f == nil || !of(f) {
			continue
		}
		c, ok := v.list.counts[f.Part]
		if !ok || c.state != same {
			n++
		}
		known = known && (ok || f.Kept)
		if !f.Kept {
			sum.Added, sum.Removed = sum.Added+c.added, sum.Removed+c.removed
		}
	}
	if n == 0 {
		return ""
	}
	words := v.Theme.Muted.Render(termtext.Count(n, "file"))
	if known {
		words += "  " + sum.Styled(v.Theme)
	}
	return words
}

// listLines draws the visible files.
func (v *Review) listLines(width, rows int) (lines []string) {
	th := v.Theme
	if len(v.list.files) == 0 {
		words, _ := v.scopeWords()
		said := ""
		if limits := v.session.Journal().Limits; limits != "" {
			said = "But " + limits + ".\n\n"
		}
		for line := range strings.SplitSeq("No changes "+words+".\n\n"+said+
			"Lists files that the agent writes through parley, files that it reports as edited and, in a git work tree, files that changed during the turn. Ignored files, and files untracked when the turn began, appear only if the agent reports them.", "\n") {
			for _, part := range termtext.Wrap(line, max(1, width-4)) {
				lines = append(lines, "  "+th.Muted.Render(part))
			}
		}
		return lines[:min(len(lines), rows)]
	}
	for i := v.list.Top; i < v.list.End(); i++ {
		if f := v.list.files[i]; f == nil {
			right := v.tally(func(f *journal.File) bool { return f.Seen })
			left := "  " + th.Muted.Render(termtext.Truncate(v.list.heading(), max(1, width-6-termtext.Width(right)), "…"))
			lines = append(lines, left+strings.Repeat(" ", max(1, width-1-termtext.Width(left)-termtext.Width(right)))+right)
		} else {
			lines = append(lines, v.fileLine(f, i == v.list.Mark, width))
		}
	}
	return append(lines, v.preview(width, rows-len(lines))...)
}

// leastPreview is the minimum number of free rows for a diff below the list.
const leastPreview = 4

// preview draws the beginning of the marked file's diff below the list.
func (v *Review) preview(width, rows int) []string {
	if v.compared.part != v.selected() || v.compared.diff == nil || rows < leastPreview {
		return nil
	}
	layout := v.Diffs.Layout(v.compared.diff, max(1, width-margin))
	shown := rows - 1
	if layout.Len() > shown {
		shown--
	}
	lines := layout.Lines(0, shown, v.Theme)
	if more := layout.Len() - len(lines); more > 0 {
		lines = append(lines, v.Theme.Faint.Render("… "+termtext.Count(more, "more line")))
	}
	return append([]string{""}, beside(nil, lines, margin, "")...)
}

// sign returns the letter of a file's state, and its style.
func (v *Review) sign(s state) (string, lipgloss.Style) {
	th := v.Theme
	switch s {
	case created:
		return "A", th.DiffAddedCounter
	case deleted:
		return "D", th.DiffRemovedCounter
	case moved:
		return "R", th.Info
	case same:
		return "=", th.Faint
	case lost, unreadable:
		return "?", th.Warning
	}
	return "M", th.Info
}

// fileLine draws a file in the list.
func (v *Review) fileLine(f *journal.File, marked bool, width int) string {
	th := v.Theme
	c, known := v.list.counts[f.Part]
	sign, style := v.sign(c.state)
	right := v.countWords(c)
	switch {
	case f.Kept:
		sign, style, right = "✓", th.Success, th.Faint.Render("kept")
	case !known:
		sign, style, right = "·", th.Faint, th.Faint.Render("…")
	}
	mark, name := "  ", th.Text
	if marked {
		mark, name = th.Accent.Render("❯")+" ", th.Strong
	}
	if f.Kept || c.state == same && known {
		name = th.Muted
	}
	room := max(1, width-termtext.Width(right)-8)
	path := v.at.Path(f.Path)
	if c.from != "" {
		path = v.at.Path(c.from) + " → " + path
	}
	left := " " + mark + style.Render(sign) + "  " + name.Render(termtext.TruncateStart(termtext.VisibleLine(path), room, "…"))
	return left + strings.Repeat(" ", max(1, width-1-termtext.Width(left)-termtext.Width(right))) + right
}

// countWords says how much of a file has changed.
func (v *Review) countWords(c count) string {
	th := v.Theme
	counts := toolview.Counts{Added: c.added, Removed: c.removed}.Styled(th)
	if c.link != "" {
		counts = th.Muted.Render(c.link)
	}
	switch c.state {
	case same:
		return th.Faint.Render("unchanged")
	case binary:
		if c.link == "" {
			return th.Muted.Render("binary")
		}
	case lost:
		return th.Warning.Render("previous content unknown")
	case unreadable:
		return th.Warning.Render("unreadable")
	case modeChanged:
		return th.Muted.Render("mode")
	}
	if c.unmarked {
		counts = th.Warning.Render(app.Unmarked) + "  " + counts
	}
	if c.reported {
		return th.Warning.Render(app.AsReported) + "  " + counts
	}
	return counts
}

// paneHead says which file is shown, and which of its changes.
func (v *Review) paneHead(width int) string {
	p, th := v.pane, v.Theme
	right := ""
	about, _ := v.scopeWords()
	if c := v.shown(); c != nil {
		if n := len(p.spans); n > 0 {
			right = th.Muted.Render(fmt.Sprintf("change %d of %d", p.hunk()+1, n)) + "  " +
				toolview.Counts{Added: c.Added, Removed: c.Removed}.Styled(th)
		}
		switch countOf(c, nil).state {
		case created:
			about = "new · " + about
		case deleted:
			about = "deleted · " + about
		case moved:
			about = "moved from " + termtext.VisibleLine(v.at.Path(c.From)) + " · " + about
		}
		if v.part.Seen {
			about = "not through parley · " + about
		}
		if c.Unmarked() {
			about = app.Unmarked + " · " + about
		}
		if c.Reported {
			about = app.AsReported + " · " + about
		}
		if was, is := c.Before.Mode, c.Now.Mode; was != 0 && is != 0 && was != is {
			about = fmt.Sprintf("mode %o → %o · %s", was, is, about)
		}
	}
	return v.head(termtext.VisibleLine(v.at.Path(v.part.Path)), about, right, width)
}

// paneLines draws the visible changes.
func (v *Review) paneLines(width, _ int) []string {
	th := v.Theme
	if v.pane.layout == nil {
		return []string{"  " + th.Muted.Render(termtext.Truncate(v.noLines(), max(1, width-margin), "…"))}
	}
	return v.pane.lines(th, true, func(line, _ int) string {
		if v.commentOn(line) >= 0 {
			return th.Warning.Render("●")
		}
		return ""
	})
}

// noLines says why there are no lines of a file to show.
func (v *Review) noLines() string {
	c := v.shown()
	switch {
	case c == nil:
		return "Comparing…"
	case c.Before.Lost:
		return "The previous content is unknown: it was too large to keep, or changed before parley could read it."
	case app.LinkWords(c) != "":
		return termtext.Capital(app.LinkWords(c)) + "."
	case c.Before.Absent && c.Now.Absent:
		return "The new file is gone."
	case c.Before.Absent:
		return fmt.Sprintf("Binary: new file, %s bytes.", theme.Grouped(int(c.Now.Size)))
	case c.Now.Absent:
		return fmt.Sprintf("Binary: deleted file, %s bytes.", theme.Grouped(int(c.Before.Size)))
	}
	return fmt.Sprintf("Binary: %s bytes → %s bytes.", theme.Grouped(int(c.Before.Size)), theme.Grouped(int(c.Now.Size)))
}

// about returns what there is to say about the marked file or line.
func (v *Review) about() string {
	const unsure = "only the agent says what it contained"
	if v.pane != nil {
		if i := v.commentOn(v.pane.Mark); i >= 0 {
			return "● " + v.comments[i].text
		}
		switch c := v.shown(); {
		case c == nil:
		case c.Reported:
			return unsure + ": parley does not undo that"
		case v.pane.hunk() >= 0 && c.Conflicts[v.pane.hunk()]:
			return "these lines have changed since: parley cannot undo them"
		}
	}
	j, f := v.session.Journal(), v.list.selected()
	keys := v.Keys.For(command.ChangesComments)
	switch {
	case j.Failed != "":
		return "some changes were not recorded: " + termtext.Line(j.Failed)
	case j.Limits != "":
		return j.Limits
	case len(v.comments) > 0 && len(keys) > 0:
		return fmt.Sprintf("comments pending: %d · %s adds them to the prompt", len(v.comments), keys[0])
	case f == nil || v.pane != nil:
		return ""
	}
	words := sources(f.Sources)
	if v.list.counts[f.Part].reported {
		words += "; " + unsure + ": parley does not undo that"
	}
	return words
}

// sources says how parley knows that a file has changed.
func sources(all []journal.Source) string {
	var words []string
	for _, s := range all {
		switch s {
		case journal.SourceWrite:
			words = append(words, "written through parley")
		case journal.SourceReport:
			words = append(words, "edit reported by the agent")
		case journal.SourceMerge:
			words = append(words, "merged by you; undoing the turn leaves it")
		case journal.SourceSeen:
			words = append(words, "changed during a turn, maybe by you; undoing the turn leaves it")
		}
	}
	return strings.Join(words, "; ")
}
