package pages

import (
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/internal/command"
	"parley/internal/record"
	"parley/internal/schema"
	"parley/internal/termtext"
	"parley/tui/dialog"
	"parley/tui/list"
	"parley/tui/markdown"
	"parley/tui/theme"
)

const (
	// besideWidth is the minimum width for showing a message beside the list, not below it.
	besideWidth = 110
	// narrowWidth is the minimum width for all words of the head.
	narrowWidth = 56
)

// inspectorLayout is the size and position of the parts.
type inspectorLayout struct {
	list, rows   int  // the size of the list
	beside       bool // the message in full is beside it
	width, lines int  // the size of that, 0 if there is none
}

// layout divides the view.
func (v *Inspector) layout() inspectorLayout {
	room := list.Rows(v.height)
	p := inspectorLayout{list: v.width, rows: room}
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
	p := v.layout()
	v.list.Fit(len(v.list.runs), p.rows)
	body := v.rows(p)
	if v.detail != nil && p.lines > 0 {
		v.detail.lay(p.width, p.lines, v.sought)
		shown := make([]string, p.lines)
		for i := v.detail.Top; i < v.detail.End(); i++ {
			shown[i-v.detail.Top] = " " + v.detail.row(i, v.sought, v.opt.Theme)
		}
		if p.beside {
			body = list.Beside(body, shown, p.list+1, v.opt.Theme.Rule.Render("│"))
		} else {
			body = append(append(body, v.opt.Theme.Rule.Render(strings.Repeat("─", width))), list.Beside(nil, shown, 2, "")...)
		}
	}
	words, style := "", v.opt.Theme.Text
	if flash := v.opt.Host.Flash(); flash != "" {
		words = flash
	} else if v.detail == nil {
		words, style = v.about(), v.opt.Theme.Error
	}
	lines, cursor := v.page.Draw(v.head(width), v.columns(p), body, words, style, width, height)
	return dialog.View{Lines: lines, Cursor: cursor}
}

// head says what is shown, and how much there is.
func (v *Inspector) head(width int) string {
	chips := v.list.filter.chips()
	about := "all messages"
	if width < narrowWidth {
		about = "all"
	}
	if len(chips) > 0 {
		about = termtext.VisibleLine(strings.Join(chips, " · "))
	}
	if v.version > 0 {
		about = fmt.Sprintf("ACP %d · %s", v.version, about)
	}
	return v.page.Head("Inspector", about, v.state(), width)
}

// state says how many messages there are, and whether the list goes on.
func (v *Inspector) state() string {
	th := v.opt.Theme
	words := theme.Grouped(len(v.list.rows))
	if n := len(v.list.shown); n != len(v.list.rows) {
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
	case v.paused != nil:
		words := "paused"
		if n := v.opt.Ring.Total() - v.paused.since; n > 0 {
			words += fmt.Sprintf(", %s new", theme.Grouped(n))
		}
		out += "  " + th.Warning.Render(words)
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

func (p inspectorLayout) widths() widths {
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
func (v *Inspector) columns(p inspectorLayout) string {
	w := p.widths()
	line := "   " + padEnd("time", w.time)[:w.time] + "    " + padEnd("message", w.label) + " " + padStart("took", w.took)
	if w.summary > 0 {
		line += "  summary"
	}
	return v.opt.Theme.Faint.Render(termtext.Truncate(line, p.list, ""))
}

func padEnd(s string, width int) string {
	return s + strings.Repeat(" ", max(0, width-termtext.Width(s)))
}

func padStart(s string, width int) string {
	return strings.Repeat(" ", max(0, width-termtext.Width(s))) + s
}

// rows draws the visible lines of the list.
func (v *Inspector) rows(p inspectorLayout) []string {
	l := &v.list
	out := make([]string, 0, p.rows)
	if len(l.runs) == 0 {
		words := "No messages yet."
		if len(l.rows) > 0 {
			words = "No message matches this filter."
		}
		out = append(out, "   "+v.opt.Theme.Muted.Render(termtext.Truncate(words, max(0, p.list-3), "…")))
	}
	var mate uint64
	paired := false
	if rows := l.selected(); len(rows) > 0 {
		mate, paired = partner(&l.rows[rows[0]])
	}
	w := p.widths()
	for line := l.Top; line < l.End(); line++ {
		first := l.first(line)
		mark := "   "
		switch {
		case line == l.Mark:
			mark = " " + v.opt.Theme.Accent.Render("❯") + " "
		case paired && first.Number == mate:
			mark = " " + v.opt.Theme.Accent.Render("•") + " "
		}
		out = append(out, mark+v.row(first, l.run(line), w, line == l.Mark))
	}
	for len(out) < p.rows {
		out = append(out, "")
	}
	return out
}

// row draws a line of the list.
func (v *Inspector) row(first *row, run []int32, w widths, current bool) string {
	th := v.opt.Theme
	label, style := first.Label(), th.Text
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
	if current {
		style = style.Bold(true)
	}
	arrow := th.Info.Render("←")
	if first.Sent {
		arrow = th.Accent.Render("→")
	}
	sign := "  "
	if len(first.Wrong) > 0 {
		sign = th.Error.Render("✗") + " "
	}
	times := ""
	if n := len(run); n > 1 {
		times = " ×" + theme.Grouped(n)
	}
	label = termtext.Truncate(termtext.VisibleLine(label), max(1, w.label-termtext.Width(times)), "…")
	label = style.Render(label) + th.Accent.Render(times) + strings.Repeat(" ", max(0, w.label-termtext.Width(label)-termtext.Width(times)))
	took := first.TookWords()
	if first.Kind == record.Request && !first.answered {
		took = "…"
	}
	line := arrow + " " + sign + label + " " + th.Muted.Render(padStart(took, w.took))
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
	th := v.opt.Theme
	style := th.Muted
	if first.Failed {
		style = th.Warning
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
	if len(rows) == 0 {
		return ""
	}
	wrong := v.list.rows[rows[0]].Wrong
	if len(wrong) == 0 {
		return ""
	}
	words := "✗ " + wrongWords(wrong[0])
	if n := len(wrong) - 1; n > 0 {
		words += fmt.Sprintf("  and %d more", n)
	}
	return termtext.VisibleLine(words)
}

// wrongWords say what about a message breaks the schema.
func wrongWords(w *schema.Violation) string {
	if w.Path == "" {
		return w.Part + ": " + w.Reason
	}
	return w.Part + w.Path + ": " + w.Reason
}

// Hints implements dialog.Dialog.
func (v *Inspector) Hints() []dialog.Hint {
	if v.page.Writes() {
		words := [...][2]string{filtering: {"apply", "cancel"}, searching: {"find", "cancel"}, saving: {"save", "cancel"}}[v.line]
		return []dialog.Hint{{Key: "enter", Text: words[0]}, {Key: "esc", Text: words[1]}}
	}
	h := dialog.HintList{Keys: v.opt.Keys}
	if v.detail == nil {
		h.Add(command.Expand, "show")
	} else {
		h.AddAll("scroll", command.InspectorUp, command.InspectorDown)
	}
	if v.paused == nil {
		h.Add(command.InspectorPause, "pause")
	} else {
		h.Add(command.InspectorPause, "resume")
	}
	if !v.sought.Empty() {
		h.AddAll("next", command.FindNext, command.FindPrev)
	} else {
		h.Add(command.Search, "find")
	}
	h.Add(command.InspectorFilter, "filter")
	h.Add(command.InspectorDirection, "direction")
	h.Add(command.InspectorKind, "kind")
	h.Add(command.InspectorMethod, "method")
	h.Add(command.InspectorWrong, "violations")
	if len(v.list.filter.chips()) > 0 {
		h.Add(command.InspectorAll, "all")
	}
	h.Add(command.InspectorPair, "pair")
	h.Add(command.Copy, "copy")
	h.Add(command.InspectorSave, "save")
	h.Add(command.InspectorFold, "fold")
	h.Add(command.InspectorClose, "close")
	return h.List
}

const (
	// mostShown limits the bytes of messages that are shown in full.
	mostShown = 2 << 20
	// mostOfRun limits the messages of a run that are shown in full.
	mostOfRun = 50
	// mostColoured limits the bytes of JSON that are coloured.
	mostColoured = 64 << 10
)

// detail shows the marked line of the list in full.
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
	if d == nil {
		return nil
	}
	d.loading = false
	if msg.round != v.round {
		return v.load()
	}
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
	if len(messages) > 1 && first.Text {
		var text strings.Builder
		for _, body := range bodies {
			text.WriteString(record.MessageText([]byte(body.text)))
		}
		if text.Len() > 0 {
			add("", plainText)
			add("text", heading)
			for line := range strings.SplitSeq(termtext.Visible(text.String()), "\n") {
				add(line, plainText)
			}
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
		words := fmt.Sprintf("%s more not shown: too many, or no longer kept.", theme.Grouped(more))
		if count == 1 {
			words = "The message is no longer kept."
		}
		add(words, faint)
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

// cut bounds what is shown of one message.
func cut(body string) string {
	if len(body) <= mostShown {
		return body
	}
	return strings.ToValidUTF8(body[:mostShown], "") + fmt.Sprintf("\n… and %s bytes more", theme.Grouped(len(body)-mostShown))
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
