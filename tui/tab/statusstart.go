package tab

import (
	"strings"
	"time"

	"parley/config"
	"parley/internal/conversation"
	"parley/internal/termtext"
	"parley/tui/toolview"
)

const (
	// slowCancel is when parley offers to stop an agent that ignores a cancel.
	slowCancel = 5 * time.Second
	// showStderrAfter is when the stderr of a starting agent is shown. Most agents write something and are ready before anybody could read it.
	showStderrAfter = time.Second
	// longStart is when the key that leaves a starting agent is shown.
	longStart = 10 * time.Second
	// startLines is how many lines of stderr are shown.
	startLines = 6
	// mostCommand bounds the command shown, in cells.
	mostCommand = 32
	// startBytes is how much of stderr is searched for these lines.
	startBytes = 8 << 10
)

// goneLine says that there is no agent, why, and how to restart it.
func (f *statusInfo) goneLine() string {
	th, what, why := f.Theme, "the agent has gone", f.Conversation.Agent.Err
	again := " starts it again"
	if f.Connects {
		what, again = "the connection is lost", " connects again"
	}
	switch {
	case f.Conversation.Phase == conversation.PhaseLost:
	case why != nil && f.Connects:
		what = "there is no connection"
	case why != nil:
		what = "the agent could not be started"
	default:
		what = "there is no session"
	}
	line := "  " + th.Error.Render("✗ "+what) + "  " + th.Accent.Render(keyOrPalette(f.Keys, config.ActionStartAgain)+again)
	if why != nil {
		line += "  " + th.Faint.Render(termtext.Line(why.Error()))
	}
	return line
}

// goneBadge draws the badge of a lost or failed agent.
func (f *statusInfo) goneBadge() string {
	words := " gone "
	if f.Conversation.Phase == conversation.PhaseFailed {
		words = " failed "
	}
	return f.Theme.BadgeError.Render(words)
}

// startLine draws the progress of a start.
func (f *statusInfo) startLine() string {
	th, c := f.Theme, f.Conversation
	command, starting := termtext.Line(c.Agent.Command), "starting "
	if f.Connects {
		starting = "connecting to "
	}
	left := f.spin() + th.Muted.Render(starting+command)
	d := f.Now.Sub(c.Agent.Since)
	if d < slowStart {
		return left
	}
	still := th.Muted.Render("still " + starting + termtext.Truncate(command, mostCommand, "…"))
	if !f.Still {
		still += th.Muted.Render(", " + toolview.Elapsed(d))
	}
	left = f.spin() + still
	last := lastLines(f.Stderr(), 1)
	switch {
	case d >= longStart:
		left = f.spin() + th.Accent.Render(f.key(config.ActionCancel)+" leaves it") + "  " + still
	case len(last) > 0 && len(c.Items) > 0: // otherwise StartTail shows it
		left += th.Faint.Render("  " + last[0])
	}
	return left
}

// StartTail draws the last stderr lines of a starting agent.
func (f *statusInfo) StartTail(width, height int) []string {
	if f.Conversation == nil || f.Conversation.Phase != conversation.PhaseStarting || f.Now.Sub(f.Conversation.Agent.Since) < showStderrAfter {
		return nil
	}
	th := f.Theme
	said := lastLines(f.Stderr(), min(startLines, height-1))
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
		line = strings.TrimRight(line, "\r\n")
		if i := strings.LastIndexByte(line, '\r'); i >= 0 {
			line = line[i+1:]
		}
		if line = strings.TrimRight(termtext.Line(line), " "); line != "" {
			lines = append(lines, line)
		}
	}
	return lines[max(0, len(lines)-max(0, most)):]
}
