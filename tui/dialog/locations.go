package dialog

import (
	"encoding/json"
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

// locationKeys are the keys under which agents give paths in a call's raw input.
var locationKeys = slices.Concat(pathKeys, dirKeys, []string{
	"source", "destination", "src", "dst", "old_path", "new_path", "oldPath", "newPath",
	"source_path", "destination_path", "sourcePath", "destinationPath", "dir_path", "dirPath",
})

// Paths returns all paths that a permission names.
func (d *Permission) Paths() []string {
	t := d.asked.Asked
	all := append(toolview.ShownPaths(t), texts(t.RawInput, locationKeys)...)
	slices.Sort(all)
	return slices.Compact(all)
}

// outsidePaths returns the paths outside the session's directories, as one string.
func (d *Permission) outsidePaths() string {
	if d.env.Reach == nil {
		return ""
	}
	var b strings.Builder
	for _, path := range d.Paths() {
		if s := d.env.Reach.Of(path); s.Outside {
			b.WriteString(path + "\x00" + s.Real + "\x00")
		}
	}
	return b.String()
}

// directory returns the command's directory in a call's raw input, or "".
func directory(t *conversation.ToolCall) string {
	if all := texts(t.RawInput, dirKeys); len(all) > 0 {
		return all[0]
	}
	return ""
}

// texts returns the strings under some keys of a JSON object, in the order of the keys.
func texts(raw json.RawMessage, keys []string) []string {
	var in map[string]json.RawMessage
	if json.Unmarshal(raw, &in) != nil {
		return nil
	}
	var all []string
	for _, key := range keys {
		var s string
		if json.Unmarshal(in[key], &s) == nil && s != "" {
			all = append(all, s)
		}
	}
	return all
}

// labelledLocation draws a path behind its label.
func labelledLocation(label, path string, leads toolview.Target) content {
	return newBlock(func(p paper) []string {
		lead := p.th.Muted.Render(label) + "  "
		lines := location{termtext.VisibleLine(path), leads}.lines(max(1, p.width-termtext.Width(label)-2), p.th.Text, p.th)
		for i := range lines {
			lines[i] = lead + lines[i]
			lead = strings.Repeat(" ", termtext.Width(label)+2)
		}
		return lines
	})
}
