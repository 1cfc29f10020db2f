package pages

import (
	"fmt"
	"strings"

	"charm.land/lipgloss/v2"

	"parley/internal/app"
	"parley/internal/command"
	"parley/internal/journal"
	"parley/internal/termtext"
	"parley/tui/dialog"
	"parley/tui/list"
	"parley/tui/theme"
	"parley/tui/toolview"
)

// View implements dialog.Dialog.
func (v *Review) View(width, height int) dialog.View {
	rows := list.Rows(height)
	v.list.fit(rows)
	draw, head := v.listLines, v.listHead
	if v.pane != nil {
		v.pane.lay(v.opt.Diffs, max(1, width-margin), rows)
		draw, head = v.paneLines, v.paneHead
	}
	words, style := v.about(), v.opt.Theme.Faint
	if flash := v.opt.Host.Flash(); flash != "" {
		words, style = flash, v.opt.Theme.Text
	}
	lines, cursor := v.page.Draw(head(width), "", draw(width, rows), words, style, width, height)
	return dialog.View{Lines: lines, Cursor: cursor}
}

// listHead says which turns are looked at, and how much has changed.
func (v *Review) listHead(width int) string {
	var sum toolview.Counts
	known := true
	paths := map[string]bool{}
	for _, f := range v.list.files {
		c, ok := v.list.counts[f.Part]
		if !ok || c.state != same {
			paths[f.Path] = true
		}
		known = known && (ok || f.Kept)
		if !f.Kept {
			sum.Added, sum.Removed = sum.Added+c.added, sum.Removed+c.removed
		}
	}
	right := ""
	if n := len(paths); n > 0 {
		right = v.opt.Theme.Muted.Render(termtext.Count(n, "file"))
		if known {
			right += "  " + sum.Styled(v.opt.Theme)
		}
	}
	return v.page.Head(v.title(), "", right, width)
}

// listLines draws the visible files.
func (v *Review) listLines(width, rows int) []string {
	th := v.opt.Theme
	if len(v.list.files) == 0 {
		var lines []string
		for _, line := range []string{
			"No changes " + v.scopeWords() + ".",
			"",
			"Lists files that the agent writes through parley, files that it reports as edited and, in a git work tree, files that changed during the turn. Ignored files, and files untracked when the turn began, appear only if the agent reports them.",
		} {
			for _, part := range termtext.Wrap(line, max(1, width-4)) {
				lines = append(lines, "  "+th.Muted.Render(part))
			}
		}
		return lines[:min(len(lines), rows)]
	}
	var lines []string
	for i := v.list.Top; i < v.list.End(); i++ {
		f := v.list.file(i)
		if f == nil {
			lines = append(lines, "  "+th.Muted.Render(termtext.Truncate(seenHeading, max(1, width-4), "…")))
			continue
		}
		lines = append(lines, v.fileLine(f, i == v.list.Mark, width))
	}
	return append(lines, v.glimpseLines(width, rows-len(lines))...)
}

// leastGlimpse is the minimum number of free rows for a diff below the list.
const leastGlimpse = 4

// glimpseLines draw the beginning of the marked file's diff below the list.
func (v *Review) glimpseLines(width, rows int) []string {
	f := v.list.selected()
	if f == nil || v.glimpse.part != f.Part || v.glimpse.diff == nil || rows < leastGlimpse {
		return nil
	}
	indent := strings.Repeat(" ", margin)
	layout := v.opt.Diffs.Layout(v.glimpse.diff, max(1, width-margin))
	shown := rows - 1
	if layout.Len() > shown {
		shown--
	}
	diff, more := layout.Head(shown, v.opt.Theme)
	lines := []string{""}
	for _, line := range diff {
		lines = append(lines, indent+line)
	}
	if more > 0 {
		lines = append(lines, indent+v.opt.Theme.Faint.Render("… "+termtext.Count(more, "more line")))
	}
	return lines
}

// seenHeading is the heading of the files that undoing a turn leaves alone.
const seenHeading = "Changed during the turn, not through parley"

// letter returns the letter of a file's state, and its style.
func (v *Review) letter(s state) (string, lipgloss.Style) {
	th := v.opt.Theme
	switch s {
	case created:
		return "A", th.DiffAddedCounter
	case deleted:
		return "D", th.DiffRemovedCounter
	case same:
		return "=", th.Faint
	case lost:
		return "?", th.Warning
	}
	return "M", th.Info
}

// fileLine draws a file in the list.
func (v *Review) fileLine(f *journal.File, marked bool, width int) string {
	th := v.opt.Theme
	c, known := v.list.counts[f.Part]
	sign, style := v.letter(c.state)
	right := v.countWords(c)
	switch {
	case f.Kept:
		sign, style, right = "✓", th.Success, th.Faint.Render("kept")
	case !known:
		sign, style, right = "·", th.Faint, th.Faint.Render("…")
	case c.err != nil:
		sign, style, right = "?", th.Warning, th.Warning.Render("unreadable")
	}
	mark, name := "  ", th.Text
	if marked {
		mark, name = th.Accent.Render("❯")+" ", th.Strong
	}
	if f.Kept || c.state == same && known {
		name = th.Muted
	}
	room := max(1, width-termtext.Width(right)-8)
	left := " " + mark + style.Render(sign) + "  " + name.Render(termtext.TruncateStart(termtext.VisibleLine(v.at.Path(f.Path)), room, "…"))
	return left + strings.Repeat(" ", max(1, width-1-termtext.Width(left)-termtext.Width(right))) + right
}

// countWords says how much of a file has changed.
func (v *Review) countWords(c count) string {
	th := v.opt.Theme
	counts := toolview.Counts{Added: c.added, Removed: c.removed}
	switch c.state {
	case same:
		return th.Faint.Render("unchanged")
	case binary:
		return th.Muted.Render("binary")
	case lost:
		return th.Warning.Render("previous content unknown")
	case modeChanged:
		return th.Muted.Render("mode")
	}
	if c.reported {
		return th.Warning.Render(app.AsReported) + "  " + counts.Styled(th)
	}
	return counts.Styled(th)
}

// paneHead says which file is shown, and which of its changes.
func (v *Review) paneHead(width int) string {
	p, th := v.pane, v.opt.Theme
	right := ""
	if n := len(p.spans); n > 0 {
		right = th.Muted.Render(fmt.Sprintf("change %d of %d", p.hunk()+1, n)) + "  " +
			toolview.Counts{Added: p.cmp.Added, Removed: p.cmp.Removed}.Styled(th)
	}
	about := v.scopeWords()
	switch {
	case p.state == created:
		about = "new · " + about
	case p.state == deleted:
		about = "deleted · " + about
	}
	if p.part.Seen {
		about = "not through parley · " + about
	}
	if p.cmp.Reported {
		about = app.AsReported + " · " + about
	}
	if was, is := p.cmp.Before.Mode, p.cmp.Now.Mode; was != 0 && is != 0 && was != is {
		about = fmt.Sprintf("mode %o → %o · %s", was, is, about)
	}
	return v.page.Head(termtext.VisibleLine(v.at.Path(p.part.Path)), about, right, width)
}

// margin is the width left of the changes, in cells.
const margin = 2

// paneLines draws the visible changes.
func (v *Review) paneLines(width, rows int) []string {
	p, th := v.pane, v.opt.Theme
	if p.layout == nil {
		return []string{"  " + th.Muted.Render(termtext.Truncate(v.noLines(), max(1, width-margin), "…"))}
	}
	return p.lines(th, true, func(line, _ int) string {
		if v.commented(line) {
			return th.Warning.Render("●")
		}
		return ""
	})
}

// commented reports whether there is a comment on a line of the view.
func (v *Review) commented(n int) bool {
	if len(v.comments) == 0 {
		return false
	}
	old, now := v.pane.layout.LinesAt(n)
	for _, c := range v.comments {
		if c.path == v.pane.part.Path && (!c.old && c.number == now+1 || c.old && now < 0 && c.number == old+1) {
			return true
		}
	}
	return false
}

// noLines says why there are no lines of a file to show.
func (v *Review) noLines() string {
	c := v.pane.cmp
	switch {
	case c.Before.Lost:
		return "The previous content is unknown: it was too large to keep, or changed before parley could read it."
	case c.Before.Absent:
		return fmt.Sprintf("Binary: new file, %s bytes.", theme.Grouped(int(c.Now.Size)))
	case c.Now.Absent:
		return fmt.Sprintf("Binary: deleted file, %s bytes.", theme.Grouped(int(c.Before.Size)))
	}
	return fmt.Sprintf("Binary: %s bytes → %s bytes.", theme.Grouped(int(c.Before.Size)), theme.Grouped(int(c.Now.Size)))
}

// about returns what there is to say about the marked file or line.
func (v *Review) about() string {
	if v.pane != nil {
		if l, ok := v.lineHere(); ok {
			if i := v.commentOn(l); i >= 0 {
				return "● " + v.comments[i].text
			}
		}
	}
	if p := v.pane; p != nil && p.cmp.NoUndo {
		return "only the agent says what it contained: parley does not undo that"
	}
	if p := v.pane; p != nil && p.hunk() >= 0 && p.cmp.Conflict(p.hunk()) {
		return "these lines have changed since: parley cannot undo them"
	}
	if j := v.session.Journal(); j.Failed != "" {
		return "some changes were not recorded: " + termtext.Line(j.Failed)
	} else if j.Limits != "" {
		return j.Limits
	}
	if n := len(v.comments); n > 0 {
		keys := v.opt.Keys.For(command.ChangesComments)
		if len(keys) > 0 {
			return fmt.Sprintf("comments pending: %d · %s adds them to the prompt", n, keys[0])
		}
	}
	if f := v.list.selected(); f != nil && v.pane == nil {
		words := sources(f.Sources)
		if c := v.list.counts[f.Part]; c.noUndo {
			words += "; only the agent says what it contained: parley does not undo that"
		} else if c.reported {
			words += "; only the agent says what it contained"
		}
		return words
	}
	return ""
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
		case journal.SourceSeen:
			words = append(words, "changed during a turn, maybe by you; undoing the turn leaves it")
		}
	}
	return strings.Join(words, "; ")
}

// Hints implements dialog.Dialog.
func (v *Review) Hints() []dialog.Hint {
	if v.page.Writes() {
		return []dialog.Hint{{Key: "enter", Text: "save"}, {Key: "esc", Text: "discard"}}
	}
	h := dialog.HintList{Keys: v.opt.Keys}
	if v.pane != nil {
		h.AddAll("hunk", command.HunkPrev, command.HunkNext)
		h.Add(command.ChangesKeep, "keep")
		h.Add(command.ChangesRevert, "undo")
		h.AddAll("the file", command.ChangesKeepAll, command.ChangesBackAll)
		h.Add(command.ChangesComment, "comment")
		h.Add(command.ChangesClose, "back")
		h.Add(command.Open, "edit")
		h.Add(command.CopyPatch, "patch")
		h.Add(command.DiffSplit, "side by side")
		h.Add(command.DiffContext, "context")
		return h.List
	}
	if len(v.list.files) > 0 {
		h.Add(command.Expand, "show")
		h.Add(command.ChangesKeep, "keep")
		h.Add(command.ChangesRevert, "undo")
	}
	j := v.session.Journal()
	if j.Undoable > 0 {
		h.Add(command.ChangesUndo, "undo turn")
	}
	if j.Redoable {
		h.Add(command.ChangesRedo, "redo")
	}
	h.Add(command.ChangesScope, "turn")
	h.Add(command.ChangesSince, "since")
	h.Add(command.ChangesClose, "close")
	return h.List
}
