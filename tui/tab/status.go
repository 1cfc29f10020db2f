package tab

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"charm.land/bubbles/v2/spinner"

	"parley/acpclient"
	"parley/internal/app"
	"parley/internal/command"
	"parley/internal/conversation"
	"parley/internal/termtext"
	"parley/tui/theme"
	"parley/tui/toolview"
)

// slowStart is when a starting agent is reported as slow.
const slowStart = 3 * time.Second

// statusInfo draws the status of a tab's session in the lines around the prompt: activity, settings,
// context and the progress of a start.
type statusInfo struct {
	*Tab
	Theme        *theme.Theme
	Conversation *conversation.Conversation // nil without a session
	l            *live                      // nil unless the session runs here or in a host
}

func newStatusInfo(t *Tab) *statusInfo {
	f := &statusInfo{Tab: t, Theme: t.program.Theme}
	f.l, _ = t.live()
	if _, none := t.state.(*unopened); !none {
		f.Conversation = t.conv()
	}
	return f
}

// still reports whether nothing is animated.
func (f *statusInfo) still() bool { return f.program.ReducedMotion }

// connects reports whether the agent is on the network.
func (f *statusInfo) connects() bool {
	if f.l != nil {
		return f.l.Session.About().Connects
	}
	return f.agent().Address != ""
}

// quiet returns for how long nothing has happened in the session; 0 in a replay.
func (f *statusInfo) quiet() time.Duration {
	if f.l == nil {
		return 0
	}
	return f.now().Sub(f.l.heard)
}

// stderr returns the end of what a starting agent has written there.
func (f *statusInfo) stderr() string {
	if f.l == nil {
		return ""
	}
	return f.l.stderr
}

// slow draws a switch that the agent does not answer, and the key that switches back; "" without one.
func (f *statusInfo) slow() string {
	if f.l == nil {
		return ""
	}
	option, to := f.l.options.Slow()
	if option == nil {
		return ""
	}
	words := settingLabel(option) + " → " + settingValue(option, to.Value) + ": no answer yet"
	return "  " + f.Theme.Warning.Render(words) + "  " + f.Theme.Accent.Render(f.keyOf(command.Cancel)+" switches back")
}

// Activity draws the work in progress.
func (f *statusInfo) Activity() string {
	th, now, slow := f.Theme, f.now(), f.slow()
	left := ""
	r, replay := f.state.(*replaying)
	switch c := f.Conversation; {
	case c == nil:
		left = f.openingLine()
	case replay && asked(c):
		left = r.Asks(c)
	case replay && c.Gone():
		// The badge says so, and nothing can be done about it.
	case f.stored.readOnly != "":
		left = "  " + th.Warning.Render(termtext.Line(f.stored.readOnly))
	case f.l != nil && f.l.Session.Link() != app.LinkUp:
		left = "  " + th.Error.Render("✗ "+f.l.Session.Link().Text())
	case f.l != nil && f.l.signIn.dialog != nil:
		left = "  " + th.Accent.Render("Waiting for you to sign in")
	case c.Phase == conversation.PhaseStarting:
		left = f.startLine()
	case c.Phase == conversation.PhaseOpening:
		left = f.spin()
		if quiet := f.quiet(); quiet >= longStart {
			left += f.unanswered(quiet) + "  "
		}
		left += th.Muted.Render("opening the session")
	case c.Turn.Running && !c.Turn.Cancelling.IsZero():
		left = f.spin() + th.Warning.Render("cancelling") + th.Muted.Render(f.elapsed(now.Sub(c.Turn.Cancelling)))
		if now.Sub(c.Turn.Cancelling) >= slowCancel {
			left += th.Muted.Render("  the agent does not respond: " + f.keyOf(command.Cancel) + " to stop it")
		}
	case asked(c):
		left = "  " + th.Accent.Render("Waiting for you")
		if c.Turn.Running {
			left += f.planStep()
		}
	case c.Gone():
		left = f.goneLine()
	case slow != "" && !c.Turn.Running:
		left = slow
	case c.Turn.Running:
		left = f.spin() + th.Muted.Render("working"+f.elapsed(c.Turn.Worked(now)))
		if quiet := f.quiet(); quiet >= app.LongQuiet && !f.still() && !c.Agent.SkipsAhead() { // it pauses for reading
			left += th.Muted.Render("  no update for " + termtext.Elapsed(quiet))
		}
		left += slow
		if c.Work.State == acpclient.WorkRequiresAction {
			left += "  " + th.Accent.Render("the agent waits for you")
		}
		left += f.planStep()
	case c.WaitsForLimit():
		left = "  " + th.Accent.Render(app.LimitWaitText(c, now)) + th.Muted.Render(", "+app.InText(c.LimitWait, now))
	case c.Busy():
		left = "  " + th.Muted.Render(outsideTurns(&c.State)) + "  " + th.Accent.Render(f.keyOf(command.Background)) + th.Muted.Render(" shows it")
	}
	return left
}

// planStep draws the progress of the plan and its current step, or "" if nothing is left to
// do.
func (f *statusInfo) planStep() string {
	p := f.Conversation.Progress()
	if p.Step == "" {
		return ""
	}
	th := f.Theme
	return "  " + th.Muted.Render(fmt.Sprintf("%d/%d", p.Done, p.All)) + " " + th.Text.Render(termtext.Line(p.Step))
}

// outsideTurns describes work outside turns.
func outsideTurns(s *conversation.State) string {
	w := &s.Work
	switch n := len(w.Background) + len(s.Tasks) + len(s.RunningSubagents()); {
	case w.State == acpclient.WorkRequiresAction:
		return "the agent waits for you"
	case w.State != acpclient.WorkIdle && w.State != "":
		return "the agent works in the background"
	case n == 1:
		return "1 task in the background"
	default:
		return fmt.Sprintf("%d tasks in the background", n)
	}
}

// spin draws the spinner, or a fixed mark without animations.
func (f *statusInfo) spin() string {
	mark := "●"
	if frames := spinner.MiniDot.Frames; !f.still() {
		mark = frames[f.ticks%len(frames)]
	}
	return f.Theme.Accent.Render(mark) + " "
}

// elapsed returns an elapsed time, or "" without animations.
func (f *statusInfo) elapsed(d time.Duration) string {
	if f.still() {
		return ""
	}
	return " " + termtext.Elapsed(d)
}

// Line draws the status line: options, usage, agent and directory. If it is too narrow, agent
// and directory are dropped first, then options; the rest is shortened before more is dropped.
func (f *statusInfo) Line(width int) string {
	th := f.Theme
	left, badge := f.parts()
	// Align the text of a badge with other text.
	edge := "  "
	if badge {
		edge = " "
	}
	fits := func(right string) bool {
		return termtext.Width(edge+joinParts(left))+termtext.Width(right)+2 <= width
	}
	dir, branch := th.Muted.Render(toolview.PathsIn("").Path(f.cwd)), ""
	if f.branch != "" {
		branch = th.Faint.Render(" on ") + th.Muted.Render(f.branch)
		if f.worktree != nil {
			branch += th.Accent.Render(" worktree")
		}
	}
	right := dir + branch
	usual := slices.Clone(left)
	for i, p := range left {
		left[i].text = cmp.Or(p.whole, p.text)
	}
	if !fits(right) {
		left = usual
	}
	if !fits(right) {
		left = slices.DeleteFunc(left, func(p statusPart) bool { return p.rank == rankAgent })
	}
	for _, less := range []string{dir, ""} {
		if !fits(right) {
			right = less
		}
	}
	var usage []statusPart // dropped before the model
	for len(left) > 1 && !fits(right) {
		least := leastPart(left)
		short := shortens(left)
		if left[least].rank < rankUsage || short < 0 {
			if left[least].rank == rankUsage {
				usage = append(usage, left[least])
			}
			left = slices.Delete(left, least, least+1)
		} else {
			left[short].text, left[short].short = left[short].short[0], left[short].short[1:]
		}
	}
	for _, p := range slices.Backward(usage) { // a model that does not fit leaves room
		if left = append(left, p); !fits(right) {
			left = left[:len(left)-1]
		}
	}
	return termtext.JoinSides(edge+joinParts(left), right+" ", width)
}

// parts returns the parts at the left of the status line. badge means that the first one
// is a badge.
func (f *statusInfo) parts() (left []statusPart, badge bool) {
	c, th := f.Conversation, f.Theme
	if c == nil {
		return nil, false
	}
	var fresh func(acpclient.ConfigID) bool
	bounds, changed := "", len(c.Files)
	if f.l != nil {
		fresh, bounds, changed = f.l.options.Fresh, f.l.Session.About().Bounds, f.l.changedFiles()
	}
	left, badge = settingsParts(c, fresh, th)
	if c.Gone() {
		words := " exited "
		if c.Phase == conversation.PhaseFailed {
			words = " failed "
		}
		left, badge = append([]statusPart{{text: th.BadgeError.Render(words), rank: rankMode}}, left...), true
	}
	if f.Kept() {
		left = append(left, statusPart{text: th.Muted.Render("kept"), rank: rankBounds})
	}
	if bounds != "" {
		left = append(left, statusPart{text: th.Muted.Render(termtext.Line(bounds)), rank: rankBounds})
	}
	if u := c.Usage; u != nil {
		left = append(left, usageParts(u, th)...)
	}
	left = append(left, limitParts(c.Limits, f.now(), th)...)
	if changed > 0 {
		left = append(left, statusPart{text: th.Muted.Render(termtext.Count(changed, "file") + " changed"), rank: rankChanged})
	}
	if name := c.Agent.Name(); name != "" {
		who := termtext.Line(strings.TrimSpace(name + " " + c.Agent.Info.Version))
		if v := c.Agent.Protocol; v > acpclient.ProtocolVersion {
			who += fmt.Sprintf(" ACP %d", v)
		}
		left = append(left, statusPart{text: th.Faint.Render(who), rank: rankAgent})
	}
	return left, badge
}

func joinParts(parts []statusPart) string {
	texts := make([]string, len(parts))
	for i, p := range parts {
		texts[i] = p.text
	}
	return strings.Join(texts, "  ")
}

// leastPart returns the index of the part that matters least, of equals the last.
func leastPart(parts []statusPart) int {
	least := 0
	for i, p := range parts {
		if p.rank <= parts[least].rank {
			least = i
		}
	}
	return least
}

// shortens returns the index of the part that takes a shorter form first, or -1.
func shortens(parts []statusPart) int {
	at := -1
	for i, p := range parts {
		if len(p.short) > 0 && (at < 0 || p.rank < parts[at].rank) {
			at = i
		}
	}
	return at
}

// usageParts draws the use of the context and the cost, if known.
func usageParts(u *acpclient.UsageUpdate, th *theme.Theme) (parts []statusPart) {
	switch {
	case u.Used == 0:
	case u.Size == 0:
		parts = append(parts, statusPart{text: th.Muted.Render(app.TokensText(u.Used) + " tokens"), rank: rankUsage})
	default:
		share := float64(u.Used) / float64(u.Size)
		style := th.Muted
		switch {
		case share >= 0.9:
			style = th.Error
		case share >= 0.75:
			style = th.Warning
		}
		percent := app.PercentText(share)
		whole := percent + " of " + app.TokensText(u.Size)
		parts = append(parts, statusPart{text: style.Render(whole + " context"), short: []string{style.Render(whole), style.Render(percent)}, rank: rankUsage})
	}
	if c := u.Cost; c != nil && c.Amount > 0 {
		parts = append(parts, statusPart{text: th.Muted.Render(conversation.Money(c)), rank: rankUsage})
	}
	return parts
}

// limitParts draws the limit of the user's plan that is closest, once half of it is used up or the
// agent warns.
func limitParts(limits []conversation.PlanLimit, now time.Time, th *theme.Theme) []statusPart {
	var closest conversation.PlanLimit
	used := 0.0 // of the closest, as far as that is known
	for _, l := range limits {
		is := l.Used
		switch {
		case l.Reached:
			is, l.Used = 1, 1
		case l.Near:
			is = max(is, 0.75)
		}
		if (l.Resets.IsZero() || l.Resets.After(now)) && is > used {
			closest, used = l, is
		}
	}
	style := th.Muted
	switch {
	case used < 0.5:
		return nil
	case used >= 0.9:
		style = th.Error
	case used >= 0.75:
		style = th.Warning
	}
	whole := style.Render(app.LimitText(closest, now))
	text := whole
	if closest.Used >= 0 {
		text = style.Render(app.LimitName(closest.Kind) + " " + app.PercentText(closest.Used))
	}
	return []statusPart{{text: text, whole: whole, rank: rankUsage}}
}

// messageLine draws the line below the transcript or a page: a toast, or else the left and
// right texts.
func (p *promptLayer) messageLine(left, right string, width int) string {
	t := p.tab
	th := t.program.Theme
	switch {
	case t.toast.current() != "":
		left = "  " + th.Warning.Render(t.toast.current())
	case t.input.mouseLent:
		left = "  " + th.Accent.Render("the terminal has the mouse until the next key")
	case left == "" && t.news && t.takesPrompts():
		left = "  " + th.Muted.Render("parley is now "+t.program.Version+": /news shows what is new")
	}
	if words := t.awaited.words(t.program.Keys); words != "" && t.toast.current() == "" {
		left = termtext.Truncate(left, width-termtext.Width(words+right)-4, "…") + "  " + th.Accent.Render(words)
	}
	return termtext.JoinSides(left, right+" ", width)
}

// messageLine draws the line below the transcript, with the find field while it is open.
// column is the cursor's, or -1.
func (r *reader) messageLine(left, right string, width int) (line string, column int) {
	if !r.find.open || r.toast.current() != "" && !r.find.writing {
		return r.message(left, right, width), -1
	}
	left, right, column = r.FindLine(width)
	return termtext.JoinSides(left, right+" ", width), column
}

// messageLine draws the line below the transcript.
func (f *statusInfo) messageLine(width int) (line string, column int) {
	return f.reader.messageLine(f.Activity(), f.reader.position(), width)
}

const (
	// slowCancel is when parley offers to stop an agent that ignores a cancel.
	slowCancel = app.SlowAnswer
	// showStderrAfter is when the stderr of a starting agent is shown. Most agents are ready
	// before anybody could read what they write.
	showStderrAfter = time.Second
	// longStart is when a starting agent is said not to answer, with the key that stops it.
	longStart = 10 * time.Second
	// startLines is how many lines of stderr are shown.
	startLines = 6
	// mostCommand bounds the command shown, in cells.
	mostCommand = 32
	// startBytes is how much of stderr is searched for these lines.
	startBytes = 8 << 10
)

// goneLine says that the agent is gone, why, and how to restart it.
func (f *statusInfo) goneLine() string {
	th, what, why := f.Theme, f.l.GoneText(), f.Conversation.Agent.Err
	line := "  " + th.Error.Render("✗ "+strings.ToLower(what[:1])+what[1:]) + "  " + th.Accent.Render(f.l.RestartText(f.l.Restart))
	if why != nil {
		line += "  " + th.Faint.Render(termtext.Line(why.Error()))
	}
	return line
}

// openingLine draws what is being opened, "" for nothing.
func (f *statusInfo) openingLine() string {
	a := f.agent()
	command := acpclient.Command{Path: a.Command, Args: a.Args}.String()
	switch o := f.opening; {
	case o == nil:
		return ""
	case o.preparing.Load() != nil:
		p := o.preparing.Load()
		line := f.spin() + f.Theme.Muted.Render(p.words)
		if !f.still() {
			line += f.Theme.Muted.Render(", " + termtext.Elapsed(f.now().Sub(p.since)) + "  esc skips it")
		}
		return line
	case !o.Spec.New():
		return f.Theme.Muted.Render("  reading the stored session")
	case f.connects():
		command = a.Listens()
	case command == "":
		return ""
	}
	return f.spin() + f.startWords(command)
}

// startLine draws the progress of a start.
func (f *statusInfo) startLine() string {
	th, c := f.Theme, f.Conversation
	left := f.spin() + f.startWords(c.Agent.Command)
	d := f.now().Sub(c.Agent.Since)
	if d < slowStart {
		return left
	}
	starting := f.startWords(cmp.Or(f.agent().Name, termtext.Truncate(termtext.Line(c.Agent.Command), mostCommand, "…")))
	left = f.spin() + th.Muted.Render("still ") + starting
	if !f.still() {
		left += th.Muted.Render(", " + termtext.Elapsed(d))
	}
	last := lastLines(f.stderr(), 1)
	switch {
	case d >= longStart:
		left = f.spin() + f.unanswered(d) + "  " + starting
	case len(last) > 0 && len(c.Items) > 0: // otherwise StartTail shows it
		left += th.Faint.Render("  " + last[0])
	}
	return left
}

// unanswered draws how long a starting agent has not answered, and the key that stops it.
func (f *statusInfo) unanswered(d time.Duration) string {
	silent := "no answer"
	if !f.still() {
		silent += " for " + termtext.Elapsed(d)
	}
	return f.Theme.Warning.Render(silent) + "  " + f.Theme.Accent.Render(f.keyOf(command.Cancel)+" stops it")
}

// startWords describes what is starting.
func (f *statusInfo) startWords(command string) string {
	starting := "starting "
	if f.connects() {
		starting = "connecting to "
	}
	return f.Theme.Muted.Render(starting + termtext.Line(command))
}

// StartTail draws the last lines that a starting agent has printed, or before it the setup of its worktree.
func (f *statusInfo) StartTail(width, height int) []string {
	th, most := f.Theme, max(0, min(startLines, height-1))
	var said []string
	var d time.Duration
	switch o := f.opening; {
	case o != nil && o.preparing.Load() != nil:
		said = o.preparing.Load().lines
		said = said[max(0, len(said)-most):]
	case f.Conversation == nil || f.Conversation.Phase != conversation.PhaseStarting:
		return nil
	default:
		if d = f.now().Sub(f.Conversation.Agent.Since); d < showStderrAfter {
			return nil
		}
		said = lastLines(f.stderr(), most)
	}
	if len(said) == 0 && !f.connects() && d >= longStart {
		return []string{"", "  " + th.Muted.Render(termtext.Truncate("The agent has not answered, and has printed nothing.", max(1, width-2), "…"))}
	}
	if len(said) == 0 {
		return nil
	}
	lines := []string{""}
	for _, line := range said {
		lines = append(lines, "  "+th.CodeBar.Render("│ ")+th.Muted.Render(termtext.Truncate(line, max(1, width-5), "…")))
	}
	return lines
}

// lastLines returns up to most of the last lines of stderr. Of a line overwritten with
// carriage returns, it returns the last state.
func lastLines(raw string, most int) []string {
	if len(raw) > startBytes {
		raw = raw[len(raw)-startBytes:]
		if i := strings.IndexByte(raw, '\n'); i >= 0 {
			raw = raw[i+1:]
		}
	}
	var lines []string
	for line := range strings.Lines(raw) {
		if line = app.LineOf(line); line != "" {
			lines = append(lines, line)
		}
	}
	return lines[max(0, len(lines)-most):]
}

// statusLines draws the status line and the hints of the focused layer.
func (d *drawing) statusLines() []string {
	return []string{d.info.Line(d.width), d.hintLine()}
}
