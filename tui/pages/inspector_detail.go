package pages

import (
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/internal/record"
	"parley/internal/termtext"
	"parley/tui/list"
	"parley/tui/markdown"
	"parley/tui/theme"
)

const (
	// mostShown is how many bytes of messages are shown in full at once.
	mostShown = 2 << 20
	// mostOfRun is how many messages of a run are shown in full.
	mostOfRun = 50
	// mostColoured is how many bytes of JSON are coloured at once.
	mostColoured = 64 << 10
)

// detail is what the marked line of the list stands for, in full.
type detail struct {
	list.Scroll
	shows    uint64 // the first message of the line that is shown, of so many
	count    int
	answered bool // as it is shown
	stale    bool // it must be read again whatever is shown
	loading  bool

	lines []detailLine
	// rows are the lines laid out for layout.
	layout termtext.Layout
	rows   []piece

	seek bool // scroll to what is looked for when it is laid out
}

// detailLine is a line of it, fit to be drawn.
type detailLine struct {
	text  string
	look  look
	spans []markdown.CodeSpan // its colours, nil for none
}

type look uint8

const (
	plainText look = iota
	jsonText
	heading
	wrong
	faint
)

// piece is a part of a line that has a row for itself.
type piece struct {
	line, from, to int
	text           string // of prose, which is wrapped
}

// loadedMsg: messages were read, to be shown.
type loadedMsg struct {
	round    int
	shows    uint64
	count    int
	answered bool
	lines    []detailLine
}

// load reads what the marked line stands for, if that is not what is shown.
func (v *Inspector) load() tea.Cmd {
	d, rows := v.detail, v.list.selected()
	if d == nil || d.loading || len(rows) == 0 {
		return nil
	}
	first := v.list.rows[rows[0]]
	if d.shows == first.Number && d.count == len(rows) && d.answered == first.answered && !d.stale {
		return nil
	}
	d.loading, d.stale = true, false
	messages := make([]row, 0, min(len(rows), mostOfRun))
	for _, i := range rows[:min(len(rows), mostOfRun)] {
		messages = append(messages, v.list.rows[i])
	}
	ring, round, count, th := v.opt.Ring, v.round, len(rows), v.opt.Theme
	return func() tea.Msg {
		numbers := make([]uint64, len(messages))
		for i := range messages {
			numbers[i] = messages[i].Number
		}
		all, left := bodies(ring, numbers, mostShown)
		return loadedMsg{round, first.Number, count, first.answered, linesOf(messages, all, left, count, th)}
	}
}

// loaded shows what was read, and reads what was marked meanwhile.
func (v *Inspector) loaded(msg loadedMsg) tea.Cmd {
	d := v.detail
	if d == nil || msg.round != v.round {
		if d != nil {
			d.loading = false
			return v.load()
		}
		return nil
	}
	d.loading = false
	if d.shows != msg.shows || len(d.lines) == 0 {
		d.Top, d.seek = 0, true
	}
	d.shows, d.count, d.answered, d.lines = msg.shows, msg.count, msg.answered, msg.lines
	d.forget()
	return v.load()
}

// forget forgets what was laid out.
func (d *detail) forget() { d.layout, d.rows = termtext.Layout{}, nil }

// linesOf returns the lines of messages with their bodies.
func linesOf(messages []row, bodies []body, left, count int, th *theme.Theme) (out []detailLine) {
	first := &messages[0]
	add := func(text string, look look) { out = append(out, detailLine{text: text, look: look}) }
	for _, line := range headOf(first, messages, count) {
		add(termtext.VisibleLine(line), faint)
	}
	for _, w := range first.Wrong {
		add(termtext.VisibleLine("✗ "+wrongWords(w)), wrong)
	}
	if text := textOf(messages, bodies); text != "" {
		add("", plainText)
		add("text", heading)
		for line := range strings.SplitSeq(termtext.Visible(text), "\n") {
			add(line, plainText)
		}
	}
	room := mostColoured
	for _, body := range bodies {
		add("", plainText)
		if len(messages) > 1 {
			add(fmt.Sprintf("%d of %d  %s", body.at+1, count, clock(messages[body.at].Time)), heading)
		}
		text := strings.TrimRight(termtext.Visible(cut(body.text)), "\n")
		if first.Kind >= record.NoiseMessage {
			for line := range strings.SplitSeq(text, "\n") {
				add(line, plainText)
			}
			continue
		}
		out = append(out, jsonLines(text, len(text) <= room, th)...)
		room -= len(text)
	}
	if more := left + count - len(messages); more > 0 {
		add("", plainText)
		add(leftWords(more, count), faint)
	}
	return out
}

// colouring bounds how long a lexer may take for a message, beside the screen. It is a
// multiple of what it takes for mostColoured bytes.
const colouring = 2 * time.Second

// jsonLines are the lines of JSON that is fit to be drawn, in colours if so wished.
func jsonLines(body string, coloured bool, th *theme.Theme) (out []detailLine) {
	var colours [][]markdown.CodeSpan
	if coloured {
		colours, _ = markdown.CodeColors(body, "message.json", th, colouring)
	}
	for line := range strings.SplitSeq(body, "\n") {
		l := detailLine{text: line, look: jsonText}
		if i := len(out); i < len(colours) {
			l.spans = colours[i]
		}
		out = append(out, l)
	}
	return out
}

// leftWords says that messages are left out.
func leftWords(n, count int) string {
	if count == 1 {
		return "The message is no longer kept."
	}
	return fmt.Sprintf("%s more not shown: too many, or no longer kept.", theme.Grouped(n))
}

// cut bounds what is shown of one message.
func cut(body string) string {
	if len(body) <= mostShown {
		return body
	}
	return strings.ToValidUTF8(body[:mostShown], "") + fmt.Sprintf("\n… and %s bytes more", theme.Grouped(len(body)-mostShown))
}

// textOf returns the joined text of messages of which each continues the one before.
func textOf(messages []row, bodies []body) string {
	if len(messages) < 2 || !messages[0].Text {
		return ""
	}
	var b strings.Builder
	for _, body := range bodies {
		b.WriteString(record.MessageText([]byte(body.text)))
	}
	return b.String()
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

// lay puts the lines into rows.
func (d *detail) lay(width, height int, sought list.Query) {
	if layout := termtext.NewLayout(width); layout != d.layout {
		d.layout, d.rows = layout, d.rows[:0]
		for i, l := range d.lines {
			if l.look != jsonText {
				for _, part := range termtext.Wrap(l.text, width) {
					d.rows = append(d.rows, piece{line: i, text: part})
				}
				continue
			}
			from := 0
			for _, to := range termtext.CurrentMethod().Ends(l.text, width) {
				d.rows = append(d.rows, piece{line: i, from: from, to: to})
				from = to
			}
		}
		if d.seek && !sought.Empty() {
			d.Top = d.rowOf(sought) - height/3
		}
		d.seek = false
	}
	d.Fit(len(d.rows), height)
}

// rowOf is the first row that has what is looked for, 0 if none has.
func (d *detail) rowOf(sought list.Query) int {
	for i, l := range d.lines {
		at, _, found := sought.Next(l.text, 0)
		if !found {
			continue
		}
		return max(0, slices.IndexFunc(d.rows, func(p piece) bool {
			_, _, here := sought.Next(p.text, 0)
			return p.line == i && (p.to > at || here)
		}))
	}
	return 0
}

// row draws a row. sought are words that stand out.
func (d *detail) row(n int, sought list.Query, th *theme.Theme) string {
	p := d.rows[n]
	line := d.lines[p.line]
	text := p.text
	if line.look == jsonText {
		text = line.text[p.from:p.to]
	}
	style := th.Text
	switch line.look {
	case heading:
		style = th.Accent
	case wrong:
		style = th.Error
	case faint:
		style = th.Muted
	}
	if marks := sought.Marks([]string{text}); len(marks) > 0 {
		return list.Highlight([]string{style.Render(text)}, marks, func(_ int, text string) string { return th.Match.Render(text) })[0]
	}
	if line.look != jsonText {
		return style.Render(text)
	}
	return coloured(line, p, th)
}

// coloured draws a part of a line of JSON in the colours of code.
func coloured(line detailLine, p piece, th *theme.Theme) string {
	if len(line.spans) == 0 {
		return th.Text.Render(line.text[p.from:p.to])
	}
	var b strings.Builder
	at := 0
	for _, s := range line.spans {
		from, to := max(at, p.from), min(at+len(s.Text), p.to)
		at += len(s.Text)
		if from >= to {
			continue
		}
		style := th.Text
		if s.Color != nil {
			style = style.Foreground(s.Color)
		}
		b.WriteString(style.Render(line.text[from:to]))
	}
	return b.String()
}
