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

// place is a path as it is written for people, and where it leads.
type location struct {
	words  string
	target toolview.Target
}

// lines draw a place: in red, and with words that say so, if it leads out of the
// session's directories.
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

// locations are where a call works, as far as its changes do not say that.
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

// locationKeys are the names under which agents give paths in the raw input of a call.
var locationKeys = slices.Concat(pathKeys, dirKeys, []string{
	"source", "destination", "src", "dst", "old_path", "new_path", "oldPath", "newPath",
	"source_path", "destination_path", "sourcePath", "destinationPath", "dir_path", "dirPath",
})

// Paths are all paths that a permission names.
func (d *Permission) Paths() []string {
	t := d.asked.Asked
	all := append(toolview.ShownPaths(t), texts(t.RawInput, locationKeys)...)
	slices.Sort(all)
	return slices.Compact(all)
}

// outsidePaths are those of the paths that lead out of the session's directories, in one
// text.
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

// directory is where the raw input of a call says that a command runs, "" if it does
// not say.
func directory(t *conversation.ToolCall) string {
	if all := texts(t.RawInput, dirKeys); len(all) > 0 {
		return all[0]
	}
	return ""
}

// texts are the texts that stand under some keys of a JSON object, in the order of the
// keys.
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

// labelledLocation shows a path below or behind its label.
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
