package tab

import (
	"context"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/config"
	"parley/internal/cells"
	"parley/internal/conversation"
	"parley/internal/safetext"
	"parley/tui/toolface"
)

const (
	// tellsStart is from when on it is shown what a starting agent writes on stderr:
	// most write something, and are ready before anybody could read it.
	tellsStart = time.Second
	// longStart is when it is offered in words to leave an agent that starts.
	longStart = 10 * time.Second
	// startLines is how many lines of its stderr are shown.
	startLines = 6
	// mostCommand is how much of its command is shown then, in cells.
	mostCommand = 32
	// startBytes is how much of its stderr these lines are looked for in.
	startBytes = 8 << 10
)

// startAgain starts an agent that has gone, and goes on with the session if it can.
func (t *Tab) startAgain() tea.Cmd {
	switch {
	case t.session == nil:
		return nil
	case !t.conv.Gone():
		return t.desk.Say("the agent is there: nothing has to be started")
	}
	t.dialogs.Close(t.restart) // which asks whether to
	t.session.Start()
	return nil
}

// goneLine says that the agent has gone, for as long as it has.
func (t *Tab) goneLine() string {
	th, what, why := t.program.Theme, "the agent has gone", t.conv.Agent.Err
	again := " starts it again"
	if t.session != nil && t.session.Connects() {
		what, again = "the connection is lost", " connects again"
	}
	switch {
	case t.conv.Phase == conversation.PhaseLost:
	case why != nil && t.session != nil && t.session.Connects():
		what = "there is no connection"
	case why != nil:
		what = "the agent could not be started"
	default:
		what = "there is no session"
	}
	line := "  " + th.Error.Render("✗ "+what) + "  " + th.Accent.Render(t.desk.Way(config.ActionStartAgain)+again)
	if why != nil {
		line += "  " + th.Faint.Render(safetext.Line(why.Error()))
	}
	return line
}

// goneBadge stands in the status line for as long as the agent has gone.
func (t *Tab) goneBadge() string {
	words := " gone "
	if t.conv.Phase == conversation.PhaseFailed {
		words = " failed "
	}
	return t.program.Theme.BadgeError.Render(words)
}

// starts reports whether the agent of a conversation is being started, or opens its
// first session.
func starts(c *conversation.Conversation) bool {
	return c.Phase == conversation.PhaseStarting || c.Phase == conversation.PhaseOpening && c.ID == ""
}

// leaveStart ends an agent that is being started. If it was to be the first one of
// the tab, another can be chosen.
func (t *Tab) leaveStart() tea.Cmd {
	if t.conv.ID != "" || len(t.conv.Items) > 0 { // there is something to read
		t.session.Kill()
		return nil
	}
	t.outbox.GiveBack(t.conv.Queue...)
	left := t.session
	t.agent, t.session, t.conv, t.list, t.reader, t.pump = config.Agent{}, nil, nil, nil, nil, nil
	end := func(ctx context.Context) {
		left.Close(ctx)
		left.Stream().Take() // who keeps the session gets the end of it
	}
	return tea.Batch(send(End{end}), t.chooseAgent())
}

// startLine says how a start goes.
func (t *Tab) startLine() string {
	th, c := t.program.Theme, t.conv
	command := safetext.Line(c.Agent.Command)
	left := t.spin() + th.Muted.Render("starting "+command)
	d := t.sessionNow().Sub(c.Agent.Since)
	if d < slowStart {
		return left
	}
	still := th.Muted.Render("still starting " + cells.Truncate(command, mostCommand, "…"))
	if !t.program.ReducedMotion {
		still += th.Muted.Render(", " + toolface.Elapsed(d))
	}
	left = t.spin() + still
	last := lastLines(t.session.Stderr(), 1)
	switch {
	case d >= longStart:
		left = t.spin() + th.Accent.Render(t.desk.Key(config.ActionCancel)+" leaves it") + "  " + still
	case len(last) > 0 && len(c.Items) > 0: // else it stands above, with more of them
		left += th.Faint.Render("  " + last[0])
	}
	return left
}

// startTail is the end of what a starting agent writes on stderr, as far as there is
// room for it.
func (t *Tab) startTail(width, height int) []string {
	if t.conv == nil || t.conv.Phase != conversation.PhaseStarting || t.sessionNow().Sub(t.conv.Agent.Since) < tellsStart {
		return nil
	}
	th := t.program.Theme
	said := lastLines(t.session.Stderr(), min(startLines, height-1))
	if len(said) == 0 {
		return nil
	}
	lines := []string{""}
	for _, line := range said {
		lines = append(lines, "  "+th.CodeBar.Render("│ ")+th.Muted.Render(cells.Truncate(line, max(1, width-5), "…")))
	}
	return lines
}

// lastLines are up to so many of the last lines of what a program wrote on stderr.
// Of a line that it wrote over and over, as progress is shown, it is the last state.
func lastLines(raw string, most int) []string {
	if len(raw) > startBytes {
		raw = raw[len(raw)-startBytes:]
		if i := strings.IndexByte(raw, '\n'); i >= 0 {
			raw = raw[i+1:]
		}
	}
	var lines []string
	for line := range strings.Lines(raw) {
		line = strings.TrimRight(line, "\r\n")
		if i := strings.LastIndexByte(line, '\r'); i >= 0 {
			line = line[i+1:]
		}
		if line = strings.TrimRight(safetext.Line(line), " "); line != "" {
			lines = append(lines, line)
		}
	}
	return lines[max(0, len(lines)-max(0, most)):]
}
