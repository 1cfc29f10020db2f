package pages

import (
	"context"
	"fmt"
	"strings"
	"time"

	"charm.land/lipgloss/v2"

	"parley/internal/record"
	"parley/internal/schema"
	"parley/internal/termtext"
	"parley/tui/dialog"
	"parley/tui/markdown"
	"parley/tui/theme"
)

const (
	// besideWidth is the minimum width for showing a message beside the list, not below it.
	besideWidth = 110
	// narrowWidth is the minimum width for all words of the head.
	narrowWidth = 56
)

// inspectorParts is the size and position of the parts.
type inspectorParts struct {
	list, rows   int  // the size of the list
	beside       bool // the message in full is beside it
	width, lines int  // the size of that, 0 if there is none
}

// parts divides the view.
func (v *Inspector) parts() inspectorParts {
	room := bodyHeight(v.height)
	p := inspectorParts{list: v.width, rows: room}
	if v.detail == nil {
		return p
	}
	if v.width >= besideWidth {
		p.beside, p.list = true, v.width*45/100
		p.width, p.lines = v.width-p.list-3, room
		return p
	}
	p.rows = max(1, min(room*2/5, room-4))
	p.width, p.lines = max(1, v.width-4), max(0, room-p.rows-1)
	return p
}

// View implements dialog.Dialog.
func (v *Inspector) View(width, height int) dialog.View {
	v.width, v.height = width, height
	p := v.parts()
	v.list.Fit(len(v.list.runs), p.rows)
	body := v.rows(p)
	if v.detail != nil && p.lines > 0 {
		v.detail.lay(p.width, v.Theme, v.detail.source.lay)
		shown := append(v.detail.draw(p.lines), make([]string, p.lines)...)[:p.lines]
		if p.beside {
			body = beside(body, beside(nil, shown, 1, ""), p.list+1, v.Theme.Rule.Render("│"))
		} else {
			body = append(append(body, v.Theme.Rule.Render(strings.Repeat("─", width))), beside(nil, shown, 3, "")...)
		}
	}
	idle := ""
	if v.detail == nil {
		idle = v.about()
	}
	return v.draw(v.title(width), v.columns(p), body, idle, v.Theme.Error, width, height)
}

// title says what is shown, and how much there is.
func (v *Inspector) title(width int) string {
	about := "all messages"
	if width < narrowWidth {
		about = "all"
	}
	if chips := v.list.filter.chips(); len(chips) > 0 {
		about = termtext.VisibleLine(strings.Join(chips, " · "))
	}
	if v.version > 0 {
		about = fmt.Sprintf("ACP %d · %s", v.version, about)
	}
	return v.head("Inspector", about, v.state(), width)
}

// state says how many messages there are, and whether the list goes on.
func (v *Inspector) state() string {
	th, later := v.Theme, v.list.later()
	all := len(v.list.rows) - later
	words := theme.Grouped(all)
	if n := len(v.list.shown); n != all {
		words = theme.Grouped(n) + " of " + words
	}
	if v.width >= narrowWidth {
		words += " messages"
	}
	out := th.Muted.Render(words)
	if v.list.wrong > 0 {
		out += "  " + th.Error.Render(fmt.Sprintf("✗ %s invalid", theme.Grouped(v.list.wrong)))
	}
	switch {
	case later > 0:
		out += "  " + th.Warning.Render(fmt.Sprintf("paused, %s new", theme.Grouped(later)))
	case v.list.paused:
		out += "  " + th.Warning.Render("paused")
	case v.behind:
		out += "  " + th.Muted.Render("reading…")
	case v.list.Follow:
		out += "  " + th.Success.Render("live")
	}
	return out
}

// widths are the widths of the list's columns; 0 hides a column that has no room.
type widths struct{ time, label, took, summary int }

const (
	clockWidth = len("15:04:05.000")
	tookWidth  = 7
	// leastSummary is the minimum width of a useful summary.
	leastSummary = 20
	// leastLabel is the minimum width of names for showing the time, too.
	leastLabel = 24
)

func (p inspectorParts) widths() widths {
	w := widths{took: tookWidth, time: clockWidth + 2}
	room := p.list - 3 - w.time - 4 - 1 - w.took
	if room < leastLabel {
		room += w.time
		w.time = 0
	}
	if w.label = min(36, room/2); w.label >= 18 && room-w.label-2 >= leastSummary {
		w.summary = room - w.label - 2
		return w
	}
	w.label = max(1, room)
	return w
}

// columns name the columns of the list.
func (v *Inspector) columns(p inspectorParts) string {
	w := p.widths()
	line := "   " + padEnd("time", w.time)[:w.time] + "    " + padEnd("message", w.label) + " " + padStart("took", w.took)
	if w.summary > 0 {
		line += "  summary"
	}
	return v.Theme.Faint.Render(termtext.Truncate(line, p.list, ""))
}

func padEnd(s string, width int) string {
	return s + strings.Repeat(" ", max(0, width-termtext.Width(s)))
}

func padStart(s string, width int) string {
	return strings.Repeat(" ", max(0, width-termtext.Width(s))) + s
}

// rows draws the visible lines of the list.
func (v *Inspector) rows(p inspectorParts) []string {
	l, th := &v.list, v.Theme
	out := make([]string, 0, p.rows)
	if len(l.runs) == 0 {
		words := "No messages yet."
		if len(l.rows) > 0 {
			words = "No message matches this filter."
		}
		out = append(out, "   "+th.Muted.Render(termtext.Truncate(words, max(0, p.list-3), "…")))
	}
	var mate uint64
	paired := false
	if rows := l.selected(); len(rows) > 0 {
		mate, paired = partner(&l.rows[rows[0]])
	}
	w := p.widths()
	for line := l.Top; line < l.End(); line++ {
		first := l.first(line)
		mark := " "
		switch {
		case line == l.Mark:
			mark = th.Accent.Render("❯")
		case paired && first.Number == mate:
			mark = th.Accent.Render("•")
		}
		out = append(out, " "+mark+" "+v.row(first, l.run(line), w, line == l.Mark))
	}
	return append(out, make([]string, max(0, p.rows-len(out)))...)
}

// row draws a line of the list.
func (v *Inspector) row(first *row, run []int32, w widths, current bool) string {
	th := v.Theme
	style := th.Text
	switch {
	case len(first.Wrong) > 0:
		style = th.Error
	case first.Failed, first.Kind == record.StderrMessage:
		style = th.Warning
	case first.Kind == record.NoiseMessage:
		style = th.Faint
	case first.Kind == record.Answer:
		style = th.Muted
	}
	arrow := th.Info.Render("←")
	if first.Sent {
		arrow = th.Accent.Render("→")
	}
	sign := " "
	if len(first.Wrong) > 0 {
		sign = th.Error.Render("✗")
	}
	times := ""
	if n := len(run); n > 1 {
		times = " ×" + theme.Grouped(n)
	}
	label := termtext.Truncate(termtext.VisibleLine(first.Label()), max(1, w.label-termtext.Width(times)), "…")
	label = padEnd(style.Bold(current).Render(label)+th.Accent.Render(times), w.label)
	took := first.TookWords()
	if first.Kind == record.Request && !first.answered {
		took = "…"
	}
	line := arrow + " " + sign + " " + label + " " + th.Muted.Render(padStart(took, w.took))
	if w.summary > 0 {
		line += "  " + v.summary(first, run, w.summary)
	}
	if w.time > 0 {
		return th.Faint.Render(clock(first.Time)) + "  " + line
	}
	return line
}

// summary says what is in a line, in as many cells as there are for it.
func (v *Inspector) summary(first *row, run []int32, width int) string {
	style := v.Theme.Muted
	if first.Failed {
		style = v.Theme.Warning
	}
	text := first.Summary
	if first.Text {
		for _, i := range run[1:] {
			if len(text) > 4*width {
				break
			}
			text += v.list.rows[i].Summary
		}
	} else if len(run) > 1 {
		text = v.list.rows[run[len(run)-1]].Summary // the last one is the newest
	}
	return style.Render(termtext.Truncate(termtext.VisibleLine(text), width, "…"))
}

// about says what is wrong with the marked message.
func (v *Inspector) about() string {
	rows := v.list.selected()
	if len(rows) == 0 || len(v.list.rows[rows[0]].Wrong) == 0 {
		return ""
	}
	wrong := v.list.rows[rows[0]].Wrong
	words := "✗ " + wrongWords(wrong[0])
	if n := len(wrong) - 1; n > 0 {
		words += fmt.Sprintf("  and %d more", n)
	}
	return termtext.VisibleLine(words)
}

// wrongWords say what about a message breaks the schema.
func wrongWords(w *schema.Violation) string { return w.Part + w.Path + ": " + w.Reason }

const (
	// mostShown limits the bytes of messages that are shown in full.
	mostShown = 2 << 20
	// mostOfRun limits the messages of a run that are shown in full.
	mostOfRun = 50
	// mostColoured limits the bytes of JSON that are coloured.
	mostColoured = 64 << 10
	// colouring bounds how long a lexer may take for a message, beside the screen. It is a
	// multiple of what it takes for mostColoured bytes.
	colouring = 2 * time.Second
)

// detail shows the marked line of the list in full.
type detail struct {
	text
	shows    uint64 // the first message of the line that is shown, of so many
	count    int
	answered bool // as it is shown
	stale    bool // it must be read again whatever is shown
	source   detailLines
}

type detailLines []detailLine

// detailLine is a line that is fit to be drawn. One with spans is code, which is not wrapped
// between words.
type detailLine struct {
	text  string
	style lipgloss.Style
	spans []markdown.CodeSpan
}

// load reads what the marked line stands for, unless that is shown.
func (v *Inspector) load() {
	v.latest(&v.reading, func() func(context.Context) func() {
		d, rows := v.detail, v.list.selected()
		if d == nil || len(rows) == 0 {
			return nil
		}
		first := v.list.rows[rows[0]]
		if d.shows == first.Number && d.count == len(rows) && d.answered == first.answered && !d.stale {
			return nil
		}
		d.stale = false
		var messages []row
		for _, i := range rows[:min(len(rows), mostOfRun)] {
			messages = append(messages, v.list.rows[i])
		}
		count, ring, th, width := len(rows), v.opt.Ring, v.Theme, v.parts().width
		return func(context.Context) func() {
			source := linesOf(messages, ring, count, th)
			lines := source.lay(width)
			return func() {
				if another := d.shows != first.Number || d.source == nil; another {
					d.Top = 0
				}
				d.shows, d.count, d.answered, d.source = first.Number, count, first.answered, source
				d.theme, d.layout, d.lines = th, termtext.NewLayout(width), lines
				d.find(v.sought.String(), 0)
				v.load() // the mark may have moved on
			}
		}
	})
}

// linesOf returns the lines of messages of a run of count.
func linesOf(messages []row, ring *record.Ring, count int, th *theme.Theme) (out detailLines) {
	numbers := make([]uint64, len(messages))
	for i := range messages {
		numbers[i] = messages[i].Number
	}
	all, left := bodies(ring, numbers, mostShown)
	first := &messages[0]
	add := func(text string, style lipgloss.Style) {
		for line := range strings.SplitSeq(text, "\n") {
			out = append(out, detailLine{text: line, style: style})
		}
	}
	for _, line := range headOf(first, messages, count) {
		add(termtext.VisibleLine(line), th.Muted)
	}
	for _, w := range first.Wrong {
		add(termtext.VisibleLine("✗ "+wrongWords(w)), th.Error)
	}
	if len(messages) > 1 && first.Text {
		var text strings.Builder
		for _, body := range all {
			text.WriteString(record.MessageText([]byte(body.text)))
		}
		if text.Len() > 0 {
			add("", th.Text)
			add("text", th.Accent)
			add(termtext.Visible(text.String()), th.Text)
		}
	}
	room := mostColoured
	for _, body := range all {
		add("", th.Text)
		if len(messages) > 1 {
			add(fmt.Sprintf("%d of %d  %s", body.at+1, count, clock(messages[body.at].Time)), th.Accent)
		}
		text := body.text
		if len(text) > mostShown {
			text = strings.ToValidUTF8(text[:mostShown], "") + fmt.Sprintf("\n… and %s bytes more", theme.Grouped(len(text)-mostShown))
		}
		text = strings.TrimRight(termtext.Visible(text), "\n")
		if first.Kind >= record.NoiseMessage {
			add(text, th.Text)
			continue
		}
		out = append(out, jsonLines(text, len(text) <= room, th)...)
		room -= len(text)
	}
	if more := left + count - len(messages); more > 0 {
		words := fmt.Sprintf("%s more not shown: too many, or no longer kept.", theme.Grouped(more))
		if count == 1 {
			words = "The message is no longer kept."
		}
		add("", th.Text)
		add(words, th.Muted)
	}
	return out
}

// jsonLines are the lines of JSON that is fit to be drawn, in colours if so wished.
func jsonLines(body string, coloured bool, th *theme.Theme) (out detailLines) {
	var colours [][]markdown.CodeSpan
	if coloured {
		colours, _ = markdown.CodeColors(body, "message.json", th, colouring)
	}
	for line := range strings.SplitSeq(body, "\n") {
		l := detailLine{line, th.Text, []markdown.CodeSpan{{Text: line}}}
		if i := len(out); i < len(colours) {
			l.spans = colours[i]
		}
		out = append(out, l)
	}
	return out
}

// headOf says what messages are.
func headOf(first *row, messages []row, count int) []string {
	from := "from the agent"
	if first.Sent {
		from = "from parley"
	}
	kind := first.Kind.String()
	if first.ID != "" {
		kind += " " + first.ID
	}
	if count > 1 {
		kind = fmt.Sprintf("%s %ss", theme.Grouped(count), kind)
	}
	size := 0
	for i := range messages {
		size += messages[i].Size
	}
	out := []string{fmt.Sprintf("%s · %s · %s · %s bytes", kind, from, clock(first.Time), theme.Grouped(size))}
	switch {
	case first.Kind == record.Answer && first.Method != "":
		out = append(out, "answers "+first.Method+" after "+first.TookWords())
	case first.Kind == record.Answer:
		out = append(out, "its request is unknown")
	case first.Kind == record.Request && first.answered:
		out = append(out, "answered after "+first.TookWords())
	case first.Kind == record.Request:
		out = append(out, "not answered yet")
	}
	return out
}

// clock is a time as it is shown.
func clock(t time.Time) string { return t.Local().Format("15:04:05.000") }

// lay lays the lines out in a width.
func (all detailLines) lay(width int) (out []string) {
	for _, l := range all {
		if l.spans == nil {
			for _, part := range termtext.Wrap(l.text, width) {
				out = append(out, l.style.Render(part))
			}
			continue
		}
		from := 0
		for _, to := range termtext.CurrentMethod().Ends(l.text, width) {
			out = append(out, l.code(from, to))
			from = to
		}
	}
	return out
}

// code draws a part of a line in the colours of code.
func (l *detailLine) code(from, to int) string {
	var b strings.Builder
	at := 0
	for _, s := range l.spans {
		begin, end := max(at, from), min(at+len(s.Text), to)
		at += len(s.Text)
		if begin >= end {
			continue
		}
		style := l.style
		if s.Color != nil {
			style = style.Foreground(s.Color)
		}
		b.WriteString(style.Render(l.text[begin:end]))
	}
	return b.String()
}
