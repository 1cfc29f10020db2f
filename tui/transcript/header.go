package transcript

import (
	"fmt"
	"strings"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/termtext"
	"parley/tui/toolview"
)

// header is what stands for the call: what it does, and what came of it. Where there
// is not room for both, the former is cut.
func (t *toolCall) header(width int) []string {
	title, _ := t.env.places.Heading(t.item)
	line, end := t.summary(title), t.outcome()
	if t.expanded {
		line += end
		if name := termtext.Line(t.item.Name); name != "" && name != title {
			line += t.env.theme.Faint.Render("  " + name)
		}
		return append(termtext.Wrap(line, width), t.restOfTitle(width)...)
	}
	if room := width - termtext.Width(end); room >= width/2 {
		return []string{fit(line, room) + end}
	}
	return []string{fit(line+end, width)}
}

// summary is what the call does: kind, title, where, how much it changes.
func (t *toolCall) summary(title string) string {
	th := t.env.theme
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
	return line
}

// outcome is what came of the call: how long it took, what the person answered, how
// it ended.
func (t *toolCall) outcome() (line string) {
	th := t.env.theme
	line = t.nested()
	if words := t.timing(); words != "" {
		line += th.Faint.Render("  " + words)
	}
	if a := t.item.Answer; a != nil && !a.Cancelled {
		line += th.Faint.Render("  " + answerWords(a))
	}
	switch {
	case t.item.Cancelled:
		line += th.Warning.Render("  cancelled")
	case t.item.Rejected:
		line += th.Warning.Render("  rejected")
	case t.item.Status == acpclient.ToolFailed:
		line += th.Error.Render("  failed")
	}
	return line
}

// answerWords say who answered the question about a call, and how. Of a rule it is
// told where it lives.
func answerWords(a *conversation.PermissionAnswer) string {
	if a.Rule == "" {
		return "you: " + termtext.Line(a.Option.Name)
	}
	return fmt.Sprintf("rule: %s (%s)", termtext.VisibleLine(a.Rule), termtext.VisibleLine(a.Source))
}

// restOfTitle are the lines of a title of several lines behind the first.
func (t *toolCall) restOfTitle(width int) []string {
	_, rest, more := strings.Cut(strings.TrimSpace(toolview.Title(t.item, termtext.Block)), "\n")
	if !more {
		return nil
	}
	const lead = 2
	out := wrap(rest, width-lead, t.env.theme.Title)
	for i := range out {
		out[i] = strings.Repeat(" ", lead) + out[i]
	}
	return out
}

// location is the first place that the call works on, or the first file that it
// changes, unless the title names it.
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

// changes counts the changed lines of all diffs, and reports whether there are
// diffs.
func (t *toolCall) changes() (counts toolview.Counts, any bool) {
	for d := range t.diffs() {
		added, removed := d.Stats()
		counts.Added, counts.Removed, any = counts.Added+added, counts.Removed+removed, true
	}
	return counts, any
}

// fate is what becomes of the files that the call changes, if it is the same for all; ""
// if they are only changed.
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
