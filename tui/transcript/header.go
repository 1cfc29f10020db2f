package transcript

import (
	"fmt"
	"strings"

	"parley/acpclient"
	"parley/internal/termtext"
	"parley/tui/toolview"
)

// header draws what the call does (kind, title, location, changed lines) and its
// outcome. Without room for both, the former is cut.
func (t *toolCall) header(width int) []string {
	th := t.env.theme
	title, _ := t.env.places.Heading(t.item)
	line := th.ToolMark.Render(toolview.KindOf(t.item.Kind).Icon) + " " + th.Title.Render(title)
	if at := t.location(title); at != "" {
		line += " " + th.Muted.Render(at)
	}
	if counts, any := t.changes(); any {
		line += " " + counts.Styled(th)
		if fate := t.fate(); fate != "" {
			line += " " + th.Muted.Render(fate)
		}
	}
	end := t.outcome()
	if !t.expanded {
		if room := width - termtext.Width(end); room >= width/2 {
			return []string{fit(line, room) + end}
		}
		return []string{fit(line+end, width)}
	}
	line += end
	if name := termtext.Line(t.item.Name); name != "" && name != title {
		line += th.Faint.Render("  " + name)
	}
	out := termtext.Wrap(line, width)
	if _, rest, more := strings.Cut(strings.TrimSpace(toolview.Title(t.item, termtext.Block)), "\n"); more {
		for _, line := range wrap(rest, width-2, th.Title) {
			out = append(out, "  "+line)
		}
	}
	return out
}

// outcome says how many nested calls there are, how long the call took, who answered
// the permission request, and how the call ended.
func (t *toolCall) outcome() (line string) {
	th := t.env.theme
	if n := t.item.Nested; n.Calls > 0 {
		line = "  " + th.Muted.Render(t.sign+termtext.Count(n.Calls, "call"))
		if n.Running > 0 {
			line += th.Muted.Render(fmt.Sprintf(", %d running", n.Running))
		}
		if n.Failed > 0 {
			line += th.Muted.Render(", ") + th.Error.Render(fmt.Sprintf("%d failed", n.Failed))
		}
	}
	words := worked(t.took)
	if t.item.Running() && t.took > 0 {
		words = toolview.Elapsed(t.took)
	}
	if words != "" {
		line += th.Faint.Render("  " + words)
	}
	if a := t.item.Answer; a != nil && !a.Cancelled {
		words := "you: " + termtext.Line(a.Option.Name)
		if a.Rule != "" {
			words = fmt.Sprintf("rule: %s (%s)", termtext.VisibleLine(a.Rule), termtext.VisibleLine(a.Source))
		}
		line += th.Faint.Render("  " + words)
	}
	switch {
	case t.item.Cancelled:
		line += th.Warning.Render("  cancelled")
	case t.item.Rejected:
		line += th.Warning.Render("  rejected")
	case t.item.Status == acpclient.ToolFailed:
		words := "failed"
		if code := t.item.ExitCode; code != nil && *code != 0 {
			words = fmt.Sprintf("exit code %d", *code)
		}
		line += th.Error.Render("  " + words)
	}
	return line
}

// location returns the first location of the call, or the first file that it changes,
// unless the title names it.
func (t *toolCall) location(title string) string {
	at := t.env.places
	locations := at.ShownLocations(t.item.Locations)
	if len(locations) == 0 {
		for _, path := range t.changedFiles() {
			locations = append(locations, acpclient.ToolCallLocation{Path: path})
		}
	}
	if len(locations) == 0 {
		return ""
	}
	first := locations[0]
	if strings.Contains(title, at.Path(first.Path)) || strings.Contains(title, termtext.Line(first.Path)) {
		return ""
	}
	words := at.Location(first)
	if n := len(locations); n > 1 {
		words += fmt.Sprintf(" and %d more", n-1)
	}
	return words
}

// changes counts the changed lines of all diffs. It reports false without diffs.
func (t *toolCall) changes() (counts toolview.Counts, any bool) {
	for d := range t.diffs() {
		added, removed := d.Stats()
		counts.Added, counts.Removed, any = counts.Added+added, counts.Removed+removed, true
	}
	return counts, any
}

// fate says whether the call creates or deletes files, if it does the same to all;
// else "".
func (t *toolCall) fate() string {
	first, some := "", false
	for d := range t.diffs() {
		switch {
		case !some:
			first, some = d.fate(), true
		case d.fate() != first:
			return ""
		}
	}
	return first
}
