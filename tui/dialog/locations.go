package dialog

import (
	"slices"
	"strings"

	"charm.land/lipgloss/v2"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/termtext"
	"parley/tui/theme"
	"parley/tui/toolview"
)

// location is a path as shown to people, and its target.
type location struct {
	words  string
	target toolview.Target
}

// lines draws the location, in red and with a warning if it is outside the session's
// directories.
func (pl location) lines(width int, style lipgloss.Style, th *theme.Theme) []string {
	words := pl.words
	if pl.target.Real != "" {
		words += " → " + termtext.VisibleLine(pl.target.Real)
	}
	if !pl.target.Outside {
		return styled(exact(words, width), style)
	}
	out := styled(exact(words, width), th.Error)
	const note = "outside the project"
	if last := len(out) - 1; termtext.Width(out[last])+2+len(note) <= width {
		out[last] += "  " + th.Warning.Render(note)
		return out
	}
	return append(out, styled(exact(note, width), th.Warning)...)
}

// locations returns where a call works, except the paths of its diffs.
func (c callContent) locations(t *conversation.ToolCall) []location {
	var all []location
	for _, l := range c.at.ShownLocations(t.Locations) {
		changed := slices.ContainsFunc(t.Content, func(d acpclient.ToolCallContent) bool {
			return d.Type == acpclient.ToolContentDiff && d.Path == l.Path
		})
		if changed && l.Line == nil {
			continue
		}
		all = append(all, location{c.at.Location(l), c.reach.Of(l.Path)})
	}
	return all
}

// outsidePaths returns the paths outside the session's directories, as one string.
func (d *Permission) outsidePaths() string {
	if d.env.Reach == nil {
		return ""
	}
	var b strings.Builder
	for _, path := range toolview.NamedPaths(d.asked.Asked) {
		if s := d.env.Reach.Of(path); s.Outside {
			b.WriteString(path + "\x00" + s.Real + "\x00")
		}
	}
	return b.String()
}

// labelledLocation draws a path behind its label.
func labelledLocation(label, path string, leads toolview.Target) content {
	return newBlock(func(p renderContext) []string {
		lead := p.th.Muted.Render(label) + "  "
		lines := location{termtext.VisibleLine(path), leads}.lines(max(1, p.width-termtext.Width(label)-2), p.th.Text, p.th)
		for i := range lines {
			lines[i] = lead + lines[i]
			lead = strings.Repeat(" ", termtext.Width(label)+2)
		}
		return lines
	})
}

// aboutAsker names the subagent, as content of a panel.
func aboutAsker(a toolview.Asker) content {
	return vital{newBlock(func(p renderContext) []string {
		words := "from a subagent"
		if a.Name != "" {
			words += ": " + a.Name
		}
		return []string{p.th.Info.Render(cut(words, p.width))}
	})}
}
