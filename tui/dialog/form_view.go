package dialog

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley/internal/app"
	"parley/internal/termtext"
	"parley/tui/list"
	"parley/tui/theme"
)

// formLine is a line of a form, and the target of a click on it.
type formLine struct {
	text string
	// field and choice are -1 if there is none.
	field, choice int
}

// maxChoices is how many choices of a field are visible.
const maxChoices = 6

// View implements [Dialog].
func (d *Form) View(width, maxHeight int) View {
	width = atMost(width)
	th, w := d.env.Theme, inner(width, maxHeight)
	d.viewed.resize(width, maxHeight)
	inert := d.env.Guard.inert()
	lines, from, to, cursor := d.draw(w, inert)
	d.lines = lines
	drawn := make(fixed, len(lines))
	for i, l := range lines {
		drawn[i] = l.text
	}
	said := d.message.height(renderContext{w, th})
	p := panel{th: th, title: d.title(), body: drawn, asked: drawn[:said], scroll: &d.scroll, cursor: cursor, inBody: true, focused: !inert}
	foot := d.buttons(w, inert)
	p.foot, p.keep = fixed(foot), len(foot)-1
	if maxHeight >= roomy {
		p.head = []string{""}
	}
	if inert {
		p.status, p.brief, p.cursor = inertWords, inertBrief, nil
	}
	if d.current() == nil && len(d.fields) > 0 {
		from, to = len(lines)-1, len(lines)
	}
	if d.follow && to > 0 {
		p.reveal(from, to, width, maxHeight)
	}
	v, place := p.view(width, maxHeight)
	d.placement = place
	d.viewed.note(&p, nil, place, w)
	return v
}

func (d *Form) title() string {
	title := cut(termtext.Line(d.agent), 40) + " asks"
	if s := d.asked.Request.RequestedSchema; s != nil && termtext.Line(s.Title) != "" {
		title += ": " + termtext.Line(list.Clip(s.Title))
	}
	return title
}

// draw draws all fields. from and to are the lines of the focused one, cursor is its
// cursor.
func (d *Form) draw(w int, inert bool) (lines []formLine, from, to int, cursor *tea.Cursor) {
	th := d.env.Theme
	on := renderContext{w, th}
	for _, l := range d.message.lines(on, 0, d.message.height(on)) {
		lines = append(lines, formLine{l, -1, -1})
	}
	for i, f := range d.fields {
		lines = append(lines, formLine{"", -1, -1})
		start := len(lines)
		drawn, at := f.draw(w, i == d.focus && !inert, th)
		for _, l := range drawn {
			l.field = i
			lines = append(lines, l)
		}
		if i == d.focus {
			from, to = start, len(lines)
			if at != nil {
				at.Y += start
				cursor = at
			}
		}
	}
	return lines, from, to, cursor
}

// draw draws the field: name, description, value and error.
func (f *field) draw(w int, focused bool, th *theme.Theme) (lines []formLine, cursor *tea.Cursor) {
	const indent = "  "
	room := max(1, w-len(indent))
	add := func(s string) { lines = append(lines, formLine{s, -1, -1}) }

	for _, l := range f.heading(w, focused, th) {
		add(l)
	}
	about := renderContext{room, th}
	for _, l := range f.about.lines(about, 0, f.about.height(about)) {
		add(indent + l)
	}
	switch f.Kind {
	case app.TextField:
		bar := th.Faint.Render("│ ")
		if focused {
			bar = th.Accent.Render("│ ")
		}
		text, column := f.input.Draw(max(1, room-2), th)
		if focused {
			cursor = tea.NewCursor(len(indent)+2+column, len(lines))
		}
		add(indent + bar + text)
	case app.OneField, app.ManyField:
		lines = append(lines, f.drawChoices(w, focused, th)...)
	case app.OtherField:
		for _, l := range prose("unsupported field, left out", room) {
			add(indent + th.Warning.Render(l))
		}
	}
	for _, l := range marked("✗", f.problem, room, th.Error) {
		add(indent + l)
	}
	return lines, cursor
}

// heading draws the name of a field, with its constraints beside it or below.
func (f *field) heading(w int, focused bool, th *theme.Theme) []string {
	const indent = "  "
	mark, name := indent, th.Strong
	if focused {
		mark, name = th.Accent.Render("❯")+" ", th.Accent.Bold(true)
	}
	var lines []string
	for _, l := range exact(f.Label(), max(1, w-len(indent))) {
		lines = append(lines, mark+name.Render(l))
		mark = indent
	}
	rules := f.Rules()
	if last := len(lines) - 1; last >= 0 && rules != "" && termtext.Width(lines[last])+2+termtext.Width(rules) <= w {
		lines[last] += "  " + th.Faint.Render(rules)
		return lines
	}
	for _, l := range prose(rules, max(1, w-len(indent))) {
		lines = append(lines, indent+th.Faint.Render(l))
	}
	return lines
}

// drawChoices draws the choices around the cursor. An unfocused field shows the picked
// ones.
func (f *field) drawChoices(w int, focused bool, th *theme.Theme) []formLine {
	var lines []formLine
	from, to := 0, len(f.Choices)
	if len(f.Choices) > maxChoices {
		from = max(0, min(f.at-maxChoices/2, len(f.Choices)-maxChoices))
		to = from + maxChoices
	}
	hidden := func(n int, arrow string) {
		if n > 0 {
			lines = append(lines, formLine{th.Info.Render("    " + arrow + " " + termtext.Count(n, "more choice")), -1, -1})
		}
	}
	hidden(from, "↑")
	for i := from; i < to; i++ {
		c := f.Choices[i]
		mark, name := "  ", th.Text
		if focused && i == f.at {
			mark, name = th.Accent.Render("❯")+" ", th.Strong
		}
		box := map[bool]string{true: "●", false: "○"}
		if f.Kind == app.ManyField {
			box = map[bool]string{true: "■", false: "□"}
		}
		tick := th.Muted.Render(box[false])
		if f.Picked[i] {
			tick = th.Success.Render(box[true])
		}
		title := termtext.VisibleLine(list.Clip(c.Title))
		if title == "" {
			title = termtext.VisibleLine(list.Clip(c.Const))
		}
		line := "  " + mark + tick + " " + name.Render(title)
		about := termtext.Line(list.Clip(c.Description))
		whole := line
		if about != "" {
			whole += "  " + th.Faint.Render(about)
		}
		if !focused || i != f.at || termtext.Width(whole) <= w {
			lines = append(lines, formLine{cut(whole, w), -1, i})
			continue
		}
		// Describe the choice under the cursor in full.
		const indent = "      "
		for j, l := range exact(title, max(1, w-len(indent))) {
			if j == 0 {
				l = "  " + mark + tick + " " + name.Render(l)
			} else {
				l = indent + name.Render(l)
			}
			lines = append(lines, formLine{l, -1, i})
		}
		for _, l := range prose(about, max(1, w-len(indent))) {
			lines = append(lines, formLine{indent + th.Muted.Render(l), -1, i})
		}
	}
	hidden(len(f.Choices)-to, "↓")
	return lines
}

func (d *Form) buttons(w int, inert bool) []string {
	th := d.env.Theme
	lines := marked("✗", d.problem, w, th.Error)
	row := d.buttonRow(th, inert, "  ")
	if termtext.Width(row) > w {
		row = d.buttonRow(th, inert, " ")
	}
	return append(lines, cut(row, w))
}

// buttonRow draws the buttons, with room around their names.
func (d *Form) buttonRow(th *theme.Theme, inert bool, room string) string {
	var row []string
	for i, b := range buttons {
		style := th.Badge
		switch {
		case inert:
			style = th.DialogInert
		case d.current() == nil && i == d.button:
			style = th.ChoiceSelected.Foreground(th.BorderFocused)
		}
		row = append(row, style.Render(room+b.name+room))
	}
	return strings.Join(row, "  ")
}
