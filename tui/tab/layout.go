package tab

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"parley/internal/conversation"
	"parley/internal/termtext"
	"parley/tui/dialog"
	"parley/tui/theme"
)

// Screen is a drawn tab.
type Screen struct {
	// Lines are at most height lines of at most width cells.
	Lines []string
	// Cursor is nil if there is none.
	Cursor *tea.Cursor
}

// layout is the position of the parts, in lines from the top.
type layout struct {
	dialog, dialogEnd int
	// prompt is the first line of the composer's view. Its first popup lines are drawn one line higher, above the rule.
	prompt, popup int
}

// composerLine returns the line of the composer's view on a line of the screen, or -1.
func (l layout) composerLine(y int) int {
	y -= l.prompt
	switch {
	case l.popup == 0 || y >= l.popup:
		return y
	case y == l.popup-1: // the rule
		return -1
	}
	return y + 1
}

// onDialog reports whether a line of the screen belongs to the dialog.
func (l layout) onDialog(y int) bool { return y >= l.dialog && y < l.dialogEnd }

// Draw draws the tab: transcript, dialog, activity, queue, composer and two lines of
// status. A full-screen page or command is drawn alone.
func (t *Tab) Draw(width, height int) Screen {
	d := newDrawing(t, width, height)
	if focus := t.focus(); focus != nil && focus.covers() {
		return d.fullScreen(focus)
	}
	return d.whole()
}

// drawing draws one frame of a tab.
type drawing struct {
	tab           *Tab
	width, height int
	info          *statusInfo
	asks          bool // the top dialog is a question
	reads         bool // the transcript has the keys
}

func newDrawing(t *Tab, width, height int) *drawing {
	t.width, t.height = width, height
	return &drawing{t, width, height, newStatusInfo(t), t.dialogs.Asks(), t.reads()}
}

func (d *drawing) whole() Screen {
	t := d.tab
	var foot, panel dialog.View
	if d.asks && !d.reads {
		// A question takes all rows except those of the prompt and the status, which are drawn
		// after it because the hints depend on what is visible.
		least := d.foot(true)
		panel = t.panel.draw(d.width, d.height-len(least.Lines))
		foot = d.foot(d.crowded())
		if len(panel.Lines)+leastAbove > d.height-len(foot.Lines) {
			foot = d.foot(true)
		}
	} else {
		foot = d.foot(d.crowded())
		panel = t.panel.draw(d.width, d.height-len(foot.Lines))
	}
	room := d.height - len(foot.Lines)
	lines := make([]string, 0, d.height)
	if t.empty() && !d.asks && len(panel.Lines) > 0 {
		// The panel is below the welcome, and the remaining space below the panel.
		if free := room - len(panel.Lines) - welcomeHeight - 1; free > 0 {
			foot.Lines = append(make([]string, free), foot.Lines...)
			t.prompt.line += free
			room -= free
		}
	}
	if above := room - len(panel.Lines); above > 1 && len(panel.Lines) > 0 {
		lines = append(append(lines, d.transcript(above-1)...), "")
	} else if above > 0 {
		lines = append(lines, d.transcript(above)...)
	}
	return d.compose(lines, panel, foot)
}

// compose joins the conversation, the panel and the foot, and places the cursor of the
// focused layer.
func (d *drawing) compose(lines []string, panel, foot dialog.View) Screen {
	t := d.tab
	at := len(lines)
	end := at + len(panel.Lines)
	t.area = layout{dialog: at, dialogEnd: end, prompt: end + t.prompt.line - t.prompt.popup, popup: t.prompt.popup}
	s := Screen{Lines: append(append(lines, panel.Lines...), foot.Lines...)}
	switch focus := t.focus(); {
	case t.prompt.finding != nil:
		s.Cursor = t.prompt.finding
	case focus == layer(t.panel) && panel.Cursor != nil:
		c := *panel.Cursor
		c.Y += at
		s.Cursor = &c
	case focus == layer(t.prompt) && foot.Cursor != nil:
		c := *foot.Cursor
		c.Y += t.area.prompt
		s.Cursor = &c
	}
	s.cut(d.width, d.height)
	return s
}

// leastAbove is how many lines stay above a question before it takes room from the prompt.
const leastAbove = 3

// foot draws what is below the transcript; crowded hides what is optional to make room for a
// dialog.
func (d *drawing) foot(crowded bool) dialog.View {
	t, p, width, height := d.tab, d.tab.prompt, d.width, d.height
	t.composer.SetWidth(width)
	t.composer.SetMaxHeight(max(1, height/3))
	t.composer.SetPlaceholder(t.placeholder(d.asks))
	focus := t.focus() // drawing a question can change it
	t.composer.SetFocused(focus != layer(t.panel) || d.asks && !t.composer.Blank())
	lines, cursor := t.composer.View()
	status := d.statusLines()
	p.finding, p.popup = nil, 0
	listed := focus == layer(t.panel) && !d.asks // it gets all typed text
	if crowded && listed {
		if t.toast.current() != "" {
			status = append([]string{p.messageLine("", "", width)}, status...)
		}
		status = status[max(0, len(status)-height):]
		p.line = len(status)
		return dialog.View{Lines: status}
	}
	var queue []string
	if l, open := t.live(); open {
		queue = l.queue.Lines()
	}
	queue = append(queue, t.prompts.Lines()...)
	if crowded {
		queue = queue[:min(len(queue), 1)]
	}
	below := make([]string, 0, len(lines)+len(queue)+5)
	said, column := d.info.messageLine(width)
	switch {
	case !crowded:
		below = append(below, said)
	case t.toast.current() != "": // in place of the status, so that a question keeps its size
		status[0] = said
	}
	for _, line := range queue {
		below = append(below, termtext.Truncate(line, width, "…"))
	}
	if listed && t.composer.Empty() {
		below = append(below, status...)
		p.line = len(below)
		return dialog.View{Lines: below[max(0, len(below)-height):]}
	}
	p.popup = t.composer.PopupHeight()
	below = append(below, lines[:p.popup]...)
	th := t.program.Theme
	edge := p.rule.get(lineSource{theme: th, layout: termtext.NewLayout(width)}, func() string { return rule(th, width) })
	if words := p.ruleWords(); words != "" {
		below = append(below, labelledRule(th, words, width))
	} else if !crowded || p.popup > 0 {
		below = append(below, edge)
	}
	p.line = len(below)
	if r, is := t.state.(*replaying); is {
		below, cursor = append(below, r.draw(width, 1).Lines...), nil
	} else {
		below = append(below, lines[p.popup:]...)
	}
	if !crowded {
		below = append(below, edge)
	}
	below = append(below, status...)
	if column >= 0 {
		p.finding = tea.NewCursor(column, height-len(below))
	}
	if len(below) > height { // the terminal is too small for everything
		cut := min(len(below)-height, p.line)
		below, p.line = below[cut:], p.line-cut
		below = below[:min(len(below), height)]
	}
	return dialog.View{Lines: below, Cursor: cursor}
}

// lowHeight is the screen height below which a dialog hides what is optional.
const lowHeight = 16

// crowded reports whether a dialog takes keys and room is short.
func (d *drawing) crowded() bool {
	return d.height < lowHeight && d.tab.dialogs.Top() != nil && !d.reads
}

// ruleWords returns the text in the rule above the prompt.
func (p *promptLayer) ruleWords() string {
	t := p.tab
	words := t.composer.PopupCount()
	switch {
	case t.writes != nil:
		words = t.writes.words
	case t.composer.IsShell():
		words = "your shell"
	case t.composer.IsCommand():
		words = "your command, not a prompt"
	}
	if words == "" {
		words = t.composer.Usage()
	}
	if mode := t.composer.Mode(); mode != "" && words != "" {
		return mode + " · " + words
	} else if mode != "" {
		return mode
	}
	return words
}

// narrowWidth is the screen width below which lines may have to be cut.
const narrowWidth = 24

func (s *Screen) cut(width, height int) {
	if c := s.Cursor; c != nil && (c.X >= width || c.Y < 0 || c.Y >= height) {
		s.Cursor = nil
	}
	if width >= narrowWidth {
		return
	}
	for i, line := range s.Lines {
		s.Lines[i] = termtext.Truncate(line, width, "")
	}
}

// transcript draws the transcript, or the welcome while it is empty.
func (d *drawing) transcript(height int) []string {
	if !d.tab.empty() {
		return d.tab.reader.draw(d.width, height).Lines
	}
	ready := d.info.l != nil && d.info.Conversation.Phase == conversation.PhaseReady
	return welcome(d.tab.program, ready, d.info.StartTail(d.width, height-welcomeHeight), d.width, height)
}

// welcomeHeight is how many lines the welcome has at least.
const welcomeHeight = 3

// welcome draws the empty transcript. Once the session is ready it says what to do; before, it
// ends with the given lines of a starting agent's output.
func welcome(p Program, ready bool, start []string, width, height int) []string {
	th := p.Theme
	text := []string{
		"",
		"  " + th.Accent.Bold(true).Render("parley") + " " + th.Faint.Render(p.Version),
		"  " + th.Muted.Render("a terminal client for ACP agents"),
	}
	if ready {
		text = append(text, "",
			"  "+th.Text.Render("Type a prompt, ")+th.Key.Render("/")+th.Text.Render(" for commands and ")+th.Key.Render("@")+th.Text.Render(" for files."))
	}
	text = append(text, start...)
	lines := make([]string, height)
	for i := range min(height, len(text)) {
		lines[i] = termtext.Truncate(text[i], width, "…")
	}
	return lines
}

// rule draws a line across the screen.
func rule(th *theme.Theme, width int) string {
	return lipgloss.NewStyle().Foreground(th.Border).Render(strings.Repeat("─", width))
}

// labelledRule draws a rule with a label near its end.
func labelledRule(th *theme.Theme, words string, width int) string {
	const behind = 2
	room := width - termtext.Width(words) - 2 - behind
	if room < behind {
		return rule(th, width)
	}
	return rule(th, room) + " " + th.Muted.Render(words) + " " + rule(th, behind)
}

// cachedLine is a drawn line that changes rarely. It is drawn again when its source
// changes.
type cachedLine struct {
	of    lineSource
	drawn string
}

// lineSource is everything that a line depends on.
type lineSource struct {
	theme  *theme.Theme
	layout termtext.Layout
	words  string
}

// get returns the line for a source, drawing it if needed.
func (k *cachedLine) get(of lineSource, draw func() string) string {
	if k.of != of {
		k.of, k.drawn = of, draw()
	}
	return k.drawn
}

// fullScreenDialog is a dialog that takes the whole screen.
type fullScreenDialog interface {
	dialog.Dialog
	Covers()
}

// fullScreen draws the layer with the focus alone, and its keys.
func (d *drawing) fullScreen(focus layer) Screen {
	d.tab.area = layout{dialogEnd: d.height, prompt: d.height}
	room := d.height
	if d.height > 2 {
		room-- // for the keys
	}
	s := Screen(focus.draw(d.width, room))
	for len(s.Lines) < room {
		s.Lines = append(s.Lines, "")
	}
	if room < d.height {
		last := d.hintLine()
		if d.asks && d.tab.toast.current() != "" { // the question hides that of the page
			last = d.tab.prompt.messageLine("", "", d.width)
		}
		s.Lines = append(s.Lines, last)
	}
	for i, line := range s.Lines {
		s.Lines[i] = termtext.Truncate(line, d.width, "")
	}
	s.cut(d.width, d.height)
	return s
}

// Covers reports whether the tab needs the whole screen: for an attached command, a
// full-screen page, or reading the transcript.
func (t *Tab) Covers() bool {
	focus := t.focus()
	return focus != nil && focus.covers() || t.reads()
}

// DrawInline draws the live part for inline mode, where the terminal keeps the transcript:
// running items, an open dialog, the queue, the prompt and the status. done are the lines
// of items finished since the last call; more means that there are further ones.
func (t *Tab) DrawInline(width, height int) (s Screen, done []string, more bool) {
	d := newDrawing(t, width, height)
	foot := d.foot(d.crowded())
	room := height - len(foot.Lines)
	panel := t.panel.draw(width, room)
	above := room - len(panel.Lines)
	var lines []string
	if !t.empty() {
		t.reader.list.SetSize(width, max(1, above))
		t.reader.list.SetNow(t.program.Now())
		t.reader.rows = max(1, above)
		done, more = t.reader.list.Finished()
		lines = t.reader.list.Rest(above)
	} else {
		lines = d.transcript(above)
		lines = lines[:min(len(lines), welcomeHeight+2)]
	}
	return d.compose(slices.Clone(lines), panel, foot), done, more
}

// mostRest bounds the lines of unfinished items left on the terminal.
const mostRest = 10_000

// Unprinted returns the lines that the terminal does not have yet, unfinished items included.
func (t *Tab) Unprinted(width int) []string {
	t.reader.list.SetSize(width, 1)
	var all []string
	for more := true; more; {
		var lines []string
		lines, more = t.reader.list.Finished()
		all = append(all, lines...)
	}
	return append(all, t.reader.list.Rest(mostRest)...)
}
