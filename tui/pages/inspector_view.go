package pages

import (
	"fmt"
	"strings"

	"parley/config"
	"parley/internal/record"
	"parley/internal/schema"
	"parley/internal/termtext"
	"parley/tui/dialog"
	"parley/tui/list"
	"parley/tui/theme"
)

const (
	// besideWidth is from which width on a message stands beside the list, not below it.
	besideWidth = 110
	// narrowWidth is from which width on the head has room for all its words.
	narrowWidth = 56
)

// place says where the parts stand.
type inspectorLayout struct {
	list, rows   int  // the size of the list
	beside       bool // the message in full is beside it
	width, lines int  // the size of that, 0 if there is none
}

// place divides the view.
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
		for i := range shown {
			shown[i] = v.detailLine(i)
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

// detailLine draws a line of the message in full.
func (v *Inspector) detailLine(i int) string {
	if n := v.detail.Top + i; n < len(v.detail.rows) {
		return " " + v.detail.row(n, v.sought, v.opt.Theme)
	}
	return ""
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
		out += "  " + th.Error.Render(fmt.Sprintf("✗ %s wrong", theme.Grouped(v.list.wrong)))
	}
	switch n := v.unseen(); {
	case v.paused != nil && n > 0:
		out += "  " + th.Warning.Render(fmt.Sprintf("paused, %s new", theme.Grouped(n)))
	case v.paused != nil:
		out += "  " + th.Warning.Render("paused")
	case v.behind:
		out += "  " + th.Muted.Render("reading…")
	case v.list.Follow:
		out += "  " + th.Success.Render("live")
	}
	return out
}

// widths are those of the columns of the list. There is no gist where there is no room,
// and no time where names would have too little.
type widths struct{ time, label, took, summary int }

const (
	clockWidth = len("15:04:05.000")
	tookWidth  = 7
	// leastSummary is the least room in which a gist says something.
	leastSummary = 20
	// leastLabel is the least room for names beside which the time is shown.
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

// rows draw the lines of the list that are in sight.
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
	line := arrow + " " + sign + label + " " + th.Muted.Render(padStart(tookOf(first), w.took))
	if w.summary > 0 {
		line += "  " + v.summary(first, run, w.summary)
	}
	if w.time > 0 {
		return th.Faint.Render(clock(first.Time)) + "  " + line
	}
	return line
}

// tookOf is how long an answer took, or that it has yet to come.
func tookOf(r *row) string {
	if r.Kind == record.Request && !r.answered {
		return "…"
	}
	return r.TookWords()
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
		h.Add(config.ActionExpand, "show")
	} else {
		h.AddAll("scroll", config.ActionInspectorUp, config.ActionInspectorDown)
	}
	if v.paused == nil {
		h.Add(config.ActionInspectorPause, "pause")
	} else {
		h.Add(config.ActionInspectorPause, "resume")
	}
	if !v.sought.Empty() {
		h.AddAll("next", config.ActionFindNext, config.ActionFindPrev)
	} else {
		h.Add(config.ActionSearch, "find")
	}
	h.Add(config.ActionInspectorFilter, "filter")
	h.Add(config.ActionInspectorDirection, "way")
	h.Add(config.ActionInspectorKind, "kind")
	h.Add(config.ActionInspectorMethod, "method")
	h.Add(config.ActionInspectorWrong, "wrong")
	if len(v.list.filter.chips()) > 0 {
		h.Add(config.ActionInspectorAll, "all")
	}
	h.Add(config.ActionInspectorPair, "pair")
	h.Add(config.ActionCopy, "copy")
	h.Add(config.ActionInspectorSave, "save")
	h.Add(config.ActionInspectorFold, "fold")
	h.Add(config.ActionInspectorClose, "close")
	return h.List
}
