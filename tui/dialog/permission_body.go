package dialog

import (
	"slices"
	"strings"

	"charm.land/lipgloss/v2"

	"parley/internal/termtext"
	"parley/tui/diffview"
	"parley/tui/markdown"
	"parley/tui/theme"
	"parley/tui/toolview"
)

// parts returns what the permission asks about.
func (d *Permission) parts() []toolview.Part {
	return toolview.PathsIn(d.env.Cwd).Asked(d.asked, d.asker, d.env.Facts)
}

// bodyOf returns the parts of a question as content.
func bodyOf(parts []toolview.Part, diffs *diffview.Preference, context int) column {
	var all column
	for _, part := range parts {
		var c content = newBlock(func(p renderContext) []string { return drawPart(part, p) })
		if part.Look == toolview.LookDiff {
			part.Diff.SetContext(context)
			c = newChange(part, diffs)
		}
		if part.Tight {
			all = append(all, c)
		} else {
			all.add(c)
		}
	}
	return all
}

// drawPart draws a part that is no change of a file.
func drawPart(part toolview.Part, p renderContext) []string {
	th := p.th
	switch part.Look {
	case toolview.LookPlain:
		return styled(termtext.Wrap(part.Text, p.width), th.Text)
	case toolview.LookStrong:
		return styled(termtext.Wrap(part.Text, p.width), th.Strong)
	case toolview.LookWarning:
		return styled(prose(part.Text, p.width), th.Warning)
	case toolview.LookAsker:
		return []string{accent(th).Render(cut(part.Text, p.width))}
	case toolview.LookHead:
		return behind(accent(th).Render(part.Icon+" "+part.Label), p.width, func(w int) []string {
			lines := drawPlaces(part.Places, w, th.Strong, th)
			if part.Text != "" {
				lines = append(lines, behindBar(part.Text, th.Muted, renderContext{w, th})...)
			}
			return lines
		})
	case toolview.LookCommand:
		return hang(accent(th).Render("$")+" ", "  ", styled(termtext.Break(part.Text, max(1, p.width-2)), th.Text))
	case toolview.LookPlaces:
		style := th.Text
		if part.Label == "" {
			style = th.Strong
		}
		return behind(th.Muted.Render(part.Label), p.width, func(w int) []string { return drawPlaces(part.Places, w, style, th) })
	case toolview.LookQuote:
		return behindBar(part.Text, th.Muted, p)
	case toolview.LookField:
		label := th.Muted.Render(part.Label)
		switch {
		case len(part.Places) > 0:
			return behind(label, p.width, func(w int) []string { return drawPlaces(part.Places, w, th.Text, th) })
		case strings.Contains(part.Text, "\n") || termtext.Width(part.Label)+2+termtext.Width(part.Text) > p.width:
			return append([]string{label}, behindBar(part.Text, th.Text, p)...)
		}
		return []string{label + "  " + th.Text.Render(part.Text)}
	case toolview.LookVerbatim:
		return styled(termtext.Break(termtext.Visible(strings.TrimRight(part.Text, "\n")), p.width), th.Text)
	case toolview.LookMarkdown:
		return markdown.Draw(part.Text, p.width, p.th)
	case toolview.LookItems:
		var out []string
		for _, item := range part.Items {
			lines := styled(termtext.Wrap(item, max(1, p.width-2)), th.Text)
			out = append(out, hang(th.Muted.Render("• "), "  ", lines)...)
		}
		return out
	case toolview.LookTasks:
		var out []string
		for _, task := range part.Tasks {
			out = append(out, toolview.Task(task, th, p.width)...)
		}
		return out
	}
	return styled(termtext.Wrap(part.Text, p.width), th.Muted)
}

// behind draws lines behind a label, or below it where there is little room.
func behind(label string, width int, lines func(width int) []string) []string {
	indent := termtext.Width(label)
	if indent == 0 {
		return lines(width)
	}
	if indent += 2; width < 2*indent {
		return append([]string{cut(label, width)}, lines(width)...)
	}
	if all := lines(width - indent); len(all) > 0 {
		return hang(label+"  ", strings.Repeat(" ", indent), all)
	}
	return []string{label}
}

// behindBar draws text in full behind a bar, so that it cannot imitate the dialog.
func behindBar(text string, style lipgloss.Style, p renderContext) []string {
	return barred(termtext.Break(text, max(1, p.width-2)), style, p.th)
}

// barred draws lines behind a bar.
func barred(lines []string, style lipgloss.Style, th *theme.Theme) []string {
	bar := th.CodeBar.Render("│ ")
	return hang(bar, bar, styled(lines, style))
}

// drawPlaces draws paths, those that lead out of the session's directories in red and with a warning.
func drawPlaces(places []toolview.Place, width int, style lipgloss.Style, th *theme.Theme) []string {
	var all []string
	for _, place := range places {
		if !place.Outside {
			all = append(all, styled(termtext.Break(place.String(), width), style)...)
			continue
		}
		out := styled(termtext.Break(place.String(), width), th.Error)
		if last := len(out) - 1; termtext.Width(out[last])+2+len(toolview.OutsideWords) <= width {
			out[last] += "  " + th.Warning.Render(toolview.OutsideWords)
		} else {
			out = append(out, styled(termtext.Break(toolview.OutsideWords, width), th.Warning)...)
		}
		all = append(all, out...)
	}
	return all
}

// quoted draws text in full, below a label and behind a bar.
func quoted(label, s string) content {
	return newBlock(func(p renderContext) []string {
		return append([]string{p.th.Muted.Render(label)}, behindBar(termtext.Visible(s), p.th.Text, p)...)
	})
}

// note is a line or two in a quiet colour.
func note(s string) content {
	return newBlock(func(p renderContext) []string { return drawPart(toolview.Part{Text: s}, p) })
}

// change is the change of a file, below its path.
type change struct {
	column // head and diff

	head *block
}

func newChange(part toolview.Part, shown *diffview.Preference) content {
	head := newBlock(func(p renderContext) []string {
		added, removed := part.Diff.Stats()
		counts := toolview.Counts{Added: added, Removed: removed}.Styled(p.th)
		if part.Text != "" {
			style := map[string]lipgloss.Style{toolview.ReplacesFile: p.th.Warning, toolview.UnknownBefore: p.th.Warning, toolview.NewFile: p.th.Success, toolview.DeletesFile: p.th.Error}[part.Text]
			counts += "  " + style.Render(part.Text)
		}
		lines := drawPlaces(part.Places, p.width, p.th.DiffPath, p.th)
		if last := len(lines) - 1; termtext.Width(lines[last])+2+termtext.Width(counts) <= p.width {
			lines[last] += "  " + counts
			return lines
		}
		return append(lines, counts)
	})
	return &change{column{head, diffPart{part.Diff, shown}}, head}
}

// diffPart is the change of a file without its path.
type diffPart struct {
	diff  *diffview.Diff
	shown *diffview.Preference
}

func (d diffPart) height(p renderContext) int { return d.shown.Layout(d.diff, p.width).Len() }

func (d diffPart) lines(p renderContext, from, to int) []string {
	return d.shown.Layout(d.diff, p.width).Lines(from, to, p.th)
}

// head draws what is asked, without the contents of the call, for a page that shows them below.
func head(parts []toolview.Part) func(width int, th *theme.Theme) []string {
	contents := []toolview.Look{toolview.LookDiff, toolview.LookMarkdown, toolview.LookVerbatim}
	body := bodyOf(slices.DeleteFunc(parts, func(p toolview.Part) bool { return slices.Contains(contents, p.Look) }), nil, 0)
	return func(width int, th *theme.Theme) []string {
		p := renderContext{width, th}
		return body.lines(p, 0, body.height(p))
	}
}
