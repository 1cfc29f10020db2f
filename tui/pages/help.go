package pages

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley/config"
	"parley/internal/command"
	"parley/internal/termtext"
	"parley/tui/dialog"
	"parley/tui/list"
	"parley/tui/theme"
)

// Help lists all actions with their keys. Typing leaves those that have the words.
type Help struct {
	page
	text
	now    []config.Action // the first ones
	filter list.Input
}

// NewHelp shows the help. It begins with the actions that matter now.
func NewHelp(env Env, now ...config.Action) *Help {
	return &Help{page: newPage(env, "", nil), now: now, filter: list.Input{Hint: "type an action or a key"}}
}

// helpRow is an action with its keys.
type helpRow struct{ keys, text string }

// helpRow returns the row of an action.
func (d *Help) helpRow(a config.Action) helpRow {
	b := d.Keys.Binding(a)
	if !b.Enabled() {
		return helpRow{keys: "no key", text: b.Help().Desc}
	}
	return helpRow{keys: keyNames(d.Keys.For(a)), text: b.Help().Desc}
}

// helpRows returns the rows of a group that have all words. The keys that are not shown,
// the action's name in the configuration and related words count, too. Without words, the
// actions that matter now are not repeated.
func (d *Help) helpRows(group config.Group, words []string) []helpRow {
	var rows []helpRow
	for _, a := range group.Actions {
		if len(words) == 0 && slices.Contains(d.now, a.Action) {
			continue
		}
		row, keys := d.helpRow(a.Action), strings.Join(d.Keys.For(a.Action), " ")
		all := strings.ToLower(strings.Join([]string{row.keys, row.text, string(a.Action), keys, a.Words}, "\n"))
		if !slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(all, word) }) {
			rows = append(rows, row)
		}
	}
	return rows
}

// keyNames returns keys in a few words: the first and the last if there are many.
func keyNames(keys []string) string {
	const most = 3
	for i, name := range keys {
		keys[i] = config.ShownKey(name)
	}
	if len(keys) > most {
		return keys[0] + " … " + keys[len(keys)-1]
	}
	return strings.Join(keys, "  ")
}

// roomForAll is the width from which on there is room for all keys of an action, and
// roomForKeys that from which on the keys have a column of their own; apart is what
// separates two columns of rows.
const (
	roomForAll  = 60
	roomForKeys = 48
	apart       = 4
)

// actions lays out the actions that have the words.
func (d *Help) actions(width int) []string {
	th, words := d.Theme, strings.Fields(strings.ToLower(d.filter.Text()))
	var sections []helpSection
	if len(d.now) > 0 && len(words) == 0 {
		now := helpSection{name: "Now"}
		for _, a := range d.now {
			now.rows = append(now.rows, d.helpRow(a))
		}
		if slices.Contains(d.now, command.Send) {
			now.rows = append(now.rows, helpRow{"/  @  !", "Begin a command, a file, a shell command"})
		}
		sections = append(sections, now)
	}
	for _, group := range d.Keys.Actions().Groups() {
		if rows := d.helpRows(group, words); len(rows) > 0 {
			sections = append(sections, helpSection{group.Title, rows})
		}
	}
	out := drawSections(sections, width, th)
	for _, word := range words {
		marks := list.NewQuery(word).Marks(out)
		out = list.Highlight(out, marks, func(_ int, text string) string { return th.Accent.Bold(true).Underline(true).Render(text) })
	}
	if len(out) == 0 {
		for _, line := range termtext.Wrap("No match. Search the guide: "+guideKey, width) {
			out = append(out, th.Muted.Render(line))
		}
	}
	return out
}

// helpSection is a context with its rows.
type helpSection struct {
	name string
	rows []helpRow
}

// drawSections draws sections below each other, in two columns where there is room. The
// keys have the same width in all of them.
func drawSections(sections []helpSection, width int, th *theme.Theme) (out []string) {
	two := width >= roomForTwo
	room, column := width, 0
	if two {
		room = (width - apart) / 2
	}
	for _, s := range sections {
		for i := range s.rows {
			if two || width < roomForAll {
				s.rows[i].keys = shorter(s.rows[i].keys)
			}
			column = max(column, termtext.Width(s.rows[i].keys))
		}
	}
	column = min(column, max(4, room/2))
	for i, s := range sections {
		if i > 0 {
			out = append(out, "")
		}
		out = append(out, th.DialogTitle.Render(termtext.Truncate(s.name, width, "…")))
		switch {
		case width < roomForKeys:
			out = append(out, drawNarrow(s.rows, width, th)...)
		case !two:
			out = append(out, slices.Concat(drawColumn(s.rows, column, room, th)...)...)
		default:
			half := (len(s.rows) + 1) / 2
			left, right := drawColumn(s.rows[:half], column, room, th), drawColumn(s.rows[half:], column, room, th)
			for i := range left {
				var other []string
				if i < len(right) {
					other = right[i]
				}
				out = append(out, beside(left[i], other, room+apart, "")...)
			}
		}
	}
	return out
}

// shorter returns keys for a narrow column: only the first if they are too wide.
func shorter(keys string) string {
	const widest = 16
	if first, _, several := strings.Cut(keys, "  "); several && len(keys) > widest {
		return first + " …"
	}
	return keys
}

// drawNarrow draws rows without a column of keys: the text follows the keys, or stands
// below them if it is too long.
func drawNarrow(rows []helpRow, width int, th *theme.Theme) (out []string) {
	for _, r := range rows {
		keys := "  " + th.Key.Render(r.keys)
		if termtext.Width(r.keys)+termtext.Width(r.text)+4 <= width {
			out = append(out, keys+"  "+th.Muted.Render(r.text))
			continue
		}
		out = append(out, keys)
		for _, line := range termtext.Wrap(r.text, max(1, width-4)) {
			out = append(out, "    "+th.Muted.Render(line))
		}
	}
	return out
}

// drawColumn draws rows below each other, each in lines of its own, with keys of a width.
func drawColumn(rows []helpRow, column, width int, th *theme.Theme) [][]string {
	out := make([][]string, len(rows))
	for i, r := range rows {
		keys := []string{"  " + th.Key.Render(termtext.Truncate(r.keys, column, "…"))}
		texts := termtext.Wrap(r.text, max(1, width-column-4))
		for i := range texts {
			texts[i] = th.Muted.Render(texts[i])
		}
		out[i] = beside(keys, texts, column+4, "")
	}
	return out
}

// guideKey opens the guide from the help, beside the key that opens it everywhere.
const guideKey = "tab"

// Key implements dialog.Dialog.
func (d *Help) Key(msg tea.KeyPressMsg) dialog.Action {
	key, keys, words := msg.String(), d.Keys, d.filter.Text()
	switch {
	case config.Types(key) && (words != "" || !keys.Match(command.Help, key)): // whatever else the key may do
		d.filter.Key(msg)
	case keys.Match(command.DialogClose, key) && words != "":
		d.filter.Set("")
	case keys.Match(command.DialogClose, key), keys.Match(command.Help, key), keys.Match(command.DialogAccept, key):
		d.Guard.Ended(key)
		return dialog.Close{}
	case keys.Match(command.Guide, key), key == guideKey:
		return dialog.Run{Action: command.Guide} // the guide gets a second press of this key
	case !d.text.key(keys, msg):
		d.filter.Key(msg)
	}
	d.refilter(words)
	return nil
}

// refilter shows what has the words, unless they are as before.
func (d *Help) refilter(before string) {
	if d.filter.Text() != before {
		d.goTo(0)
		d.changed()
	}
}

// Paste implements dialog.Dialog.
func (d *Help) Paste(text string) dialog.Action {
	before := d.filter.Text()
	d.filter.Paste(text)
	d.refilter(before)
	return nil
}

// Mouse implements dialog.Dialog.
func (d *Help) Mouse(msg tea.MouseMsg, _, _ int) dialog.Action {
	if m, ok := msg.(tea.MouseWheelMsg); ok {
		d.Wheel(m)
	}
	return nil
}

// View implements dialog.Dialog.
func (d *Help) View(width, height int) dialog.View {
	th := d.Theme
	d.lay(max(1, min(width-2*margin, widestText)), th, d.actions)
	body := beside(nil, d.text.draw(bodyHeight(height)), margin, "")
	find, column := d.filter.Draw(max(1, width-5), th)
	v := d.page.draw(d.head("Help", "", d.hidden(), width), "  "+th.Accent.Render("/")+" "+find, body, "", th.Text, width, height)
	v.Cursor = tea.NewCursor(column+4, 1)
	return v
}

// Hints implements dialog.Dialog.
func (d *Help) Hints() []dialog.Hint {
	h := dialog.HintList{Keys: d.Keys}
	if d.Scrolls() {
		h.Add(command.DialogPageDown, "scroll")
	}
	h.List = append(h.List, dialog.Hint{Key: guideKey, Text: "guide"})
	if d.filter.Text() != "" {
		h.Add(command.DialogClose, "clear the filter")
	} else {
		h.Add(command.DialogClose, "close")
	}
	return h.List
}
