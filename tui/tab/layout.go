package tab

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"parley/config"
	"parley/internal/conversation"
	"parley/internal/termtext"
	"parley/tui/dialog"
	"parley/tui/theme"
)

// Screen is what is drawn.
type Screen struct {
	// Lines are as many terminal lines as there is room for, none too wide.
	Lines []string
	// Cursor is where the cursor stands, nil if there is none.
	Cursor *tea.Cursor
}

// layout says where the parts stand, in lines from the top.
type layout struct {
	dialog, dialogEnd int
	// prompt is where the composer's view would begin if nothing stood within it:
	// popup lines of it stand one line higher, above the rule.
	prompt, popup int
}

// composerLine is the line of the composer's view on a line of the screen, -1 if it
// is none of its lines.
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

// composerRow is the line of the composer's view for a line of the screen, which may be
// above it or below it. A line above its first row counts as one of the popup.
func (l layout) composerRow(y int) int { return y - l.prompt }

// Draw draws the tab into so many columns and lines: the transcript, an open
// dialog, what goes on, waiting prompts, the composer, and two lines of status.
func (t *Tab) Draw(width, height int) Screen {
	t.width, t.height = width, height
	if t.commands.Covers() {
		return t.insideScreen(width, height)
	}
	if d, ok := t.dialogs.Top().(covering); ok {
		return t.wholeScreen(d, width, height)
	}
	foot := t.footer(width, height)
	room := height - len(foot.lines)
	panel := t.panel(width, room)
	lines := make([]string, 0, height)
	if above := room - len(panel.Lines); above > 1 && len(panel.Lines) > 0 {
		lines = append(append(lines, t.transcriptLines(width, above-1)...), "")
	} else if above > 0 {
		lines = append(lines, t.transcriptLines(width, above)...)
	}
	t.area = layout{dialog: len(lines), dialogEnd: len(lines) + len(panel.Lines), prompt: room + foot.prompt - foot.popup, popup: foot.popup}
	lines = append(lines, panel.Lines...)
	lines = append(lines, foot.lines...)

	s := Screen{Lines: lines}
	switch {
	case foot.finding != nil:
		s.Cursor = foot.finding
	case panel.Cursor != nil:
		c := *panel.Cursor
		c.Y += t.area.dialog
		s.Cursor = &c
	case foot.cursor != nil && !t.reader.Focused() && t.composerActive():
		c := *foot.cursor
		c.Y += t.area.prompt
		s.Cursor = &c
	}
	s.cut(width, height)
	return s
}

// footer is what stands below the transcript and the dialogs.
type footer struct {
	lines  []string
	prompt int // the line of them at which the prompt begins
	popup  int // how many lines of the popup stand above it
	// finding is the cursor among the words that are looked for, and cursor that of the
	// prompt, counted from its first line; each is nil if there is none.
	finding, cursor *tea.Cursor
}

// footer draws what stands below the transcript.
func (t *Tab) footer(width, height int) footer {
	now := t.facts()
	t.composer.SetWidth(width)
	t.composer.SetMaxHeight(max(1, height/3))
	prompt, cursor := t.composer.View()
	crowded := t.crowded(height)
	if crowded && !t.dialogs.Asks() {
		return t.bareFooter(now, width, height)
	}
	queue := t.outbox.Lines(width)
	plan := now.Plan(t.planOpen, width, height)
	if crowded {
		queue, plan = queue[:min(len(queue), 1)], nil
	}
	below := make([]string, 0, len(prompt)+len(plan)+len(queue)+5)
	said, column := t.said(t.reader.Itself(), now.Activity(), t.reader.Place(), width)
	if !crowded || t.toast.text != "" {
		below = append(below, said)
	}
	below = append(below, plan...)
	below = append(below, queue...)
	popup := t.composer.PopupHeight()
	below = append(below, prompt[:popup]...)
	edge := t.ruleLine(width)
	if words := t.ruleWords(); words != "" {
		below = append(below, labelledRule(t.program.Theme, words, width))
	} else {
		below = append(below, edge)
	}
	f := footer{prompt: len(below), popup: popup, cursor: cursor}
	if t.replay != nil {
		prompt, f.cursor = []string{t.replay.Line(width)}, nil
	}
	below = append(below, prompt[popup:]...)
	if !crowded {
		below = append(below, edge)
	}
	below = append(below, now.Line(width), t.hintLine(width))
	if column >= 0 {
		f.finding = tea.NewCursor(column, height-len(below))
	}
	if len(below) > height { // a terminal too small for everything
		cut := min(len(below)-height, f.prompt)
		below, f.prompt = below[cut:], f.prompt-cut
		below = below[:min(len(below), height)]
	}
	f.lines = below
	return f
}

// bareFooter is the footer below a dialog that takes all that is typed.
func (t *Tab) bareFooter(now *statusFacts, width, height int) footer {
	lines := []string{now.Line(width), t.hintLine(width)}
	if t.toast.text != "" {
		said, _ := t.said(nil, "", "", width)
		lines = append([]string{said}, lines...)
	}
	lines = lines[max(0, len(lines)-height):]
	return footer{lines: lines, prompt: len(lines)}
}

// low is the height of the screen below which an open dialog takes the room of what the
// person can do without meanwhile.
const low = 16

// crowded reports whether a dialog that takes keys is open where there is little room.
func (t *Tab) crowded(height int) bool {
	return height < low && t.dialogs.Top() != nil && !t.reader.Reads()
}

// ruleWords stand in the rule above the prompt.
func (t *Tab) ruleWords() string {
	words := t.composer.PopupCount()
	switch {
	case t.composer.IsShell():
		words = "your shell"
	case t.composer.IsCommand():
		words = "a command of yours, not a prompt"
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

// panel draws the dialog on top, if there is one. A question that waits while the
// transcript is read leaves it more room.
func (t *Tab) panel(width, room int) dialog.View {
	d := t.dialogs.Top()
	if d == nil {
		return dialog.View{}
	}
	// Where there is no room at all, it is told so: it takes no answer then.
	most := max(0, room*2/3, min(room, 12))
	if t.list == nil || len(t.conv.Items) == 0 {
		most = max(most, room-welcomeHeight-1) // there is nothing behind it that anybody would miss
	}
	words := ""
	if t.reader.Reads() {
		most = max(0, room/3, min(room, 4))
		words = t.keyOf(config.ActionFocusPrompt) + " to answer"
	}
	t.program.Guard.Aside(words)
	v := d.View(width, most)
	v.Lines = v.Lines[:min(len(v.Lines), max(0, room))]
	return v
}

// narrow is the width below which not every part can keep to it.
const narrow = 24

// cut makes it fit where there is too little room for it.
func (s *Screen) cut(width, height int) {
	if c := s.Cursor; c != nil && (c.X >= width || c.Y < 0 || c.Y >= height) {
		s.Cursor = nil
	}
	if width >= narrow {
		return
	}
	for i, line := range s.Lines {
		s.Lines[i] = termtext.Truncate(line, width, "")
	}
}

// transcriptLines draw the transcript, or what stands in its place while nothing
// has happened.
func (t *Tab) transcriptLines(width, height int) []string {
	if t.list == nil || len(t.conv.Items) == 0 {
		ready := t.replay == nil && t.conv != nil && t.conv.Phase == conversation.PhaseReady
		tail := t.facts().StartTail(width, height-welcomeHeight)
		if ready {
			tail = t.optionTail()
		}
		return welcome(t.program, ready, tail, width, height)
	}
	t.list.SetSize(width, height)
	if !t.program.ReducedMotion { // else no clock counts
		t.list.SetNow(t.sessionNow())
	}
	t.reader.SetRows(height)
	return t.list.Lines()
}

// welcomeHeight is how many lines stand above what is added to the welcome.
const welcomeHeight = 3

// welcome stands where the transcript will. Once the session is ready it says what
// to do; before, it may end with what is known of the start.
func welcome(p Program, ready bool, start []string, width, height int) []string {
	th := p.Theme
	text := []string{
		"",
		"  " + th.Accent.Bold(true).Render("parley") + " " + th.Faint.Render(p.Version),
		"  " + th.Muted.Render("a calm place to work with coding agents"),
	}
	if ready {
		text = append(text, "",
			"  "+th.Text.Render("Ask for something, or type ")+th.Key.Render("/")+th.Text.Render(" for commands and ")+th.Key.Render("@")+th.Text.Render(" for files."))
	}
	text = append(text, start...)
	lines := make([]string, height)
	for i := range min(height, len(text)) {
		lines[i] = termtext.Truncate(text[i], width, "…")
	}
	return lines
}

// optionTail says with what the session begins, as it is written behind --option and in
// the configuration. The status line has the names that the agent gives to people.
func (t *Tab) optionTail() []string {
	var all []string
	for i := range t.conv.Options {
		o := &t.conv.Options[i]
		if v, _ := t.conv.OptionValue(o); !v.IsBool {
			all = append(all, termtext.Line(string(o.ID)+"="+string(v.ID)))
		}
	}
	if len(all) == 0 {
		return nil
	}
	return []string{"", "  " + t.program.Theme.Faint.Render("It begins with "+strings.Join(all, "  "))}
}

// rule is a line across the screen.
func rule(th *theme.Theme, width int) string {
	return lipgloss.NewStyle().Foreground(th.Border).Render(strings.Repeat("─", width))
}

// ruleLine is the rule above and below the prompt.
func (t *Tab) ruleLine(width int) string {
	th := t.program.Theme
	return t.rule.get(lineSource{theme: th, layout: termtext.NewLayout(width)}, func() string { return rule(th, width) })
}

// labelledRule is a rule with a few words near its end.
func labelledRule(th *theme.Theme, words string, width int) string {
	const behind = 2
	room := width - termtext.Width(words) - 2 - behind
	if room < behind {
		return rule(th, width)
	}
	return rule(th, room) + " " + th.Muted.Render(words) + " " + rule(th, behind)
}
