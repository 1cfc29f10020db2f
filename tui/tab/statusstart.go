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
	// longStart is when a starting agent is said not to answer, with the key that stops it.
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
	th, what, why := f.Theme, "the agent exited", f.Conversation.Agent.Err
	again := " restarts it"
	if f.Connects {
		what, again = "the connection is lost", " reconnects"
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
	left := f.spin() + f.startWords(c.Agent.Command)
	d := f.Now.Sub(c.Agent.Since)
	if d < slowStart {
		return left
	}
	starting, elapsed := f.startWords(termtext.Truncate(termtext.Line(c.Agent.Command), mostCommand, "…")), toolview.Elapsed(d)
	left = f.spin() + th.Muted.Render("still ") + starting
	silent := "no answer"
	if !f.Still {
		left += th.Muted.Render(", " + elapsed)
		silent += " for " + elapsed
	}
	last := lastLines(f.Stderr(), 1)
	switch {
	case d >= longStart:
		left = f.spin() + th.Warning.Render(silent) + "  " + th.Accent.Render(f.key(config.ActionCancel)+" stops it") + "  " + starting
	case len(last) > 0 && len(c.Items) > 0: // otherwise StartTail shows it
		left += th.Faint.Render("  " + last[0])
	}
	return left
}

// startWords says what is being started.
func (f *statusInfo) startWords(command string) string {
	starting := "starting "
	if f.Connects {
		starting = "connecting to "
	}
	return f.Theme.Muted.Render(starting + termtext.Line(command))
}

// StartTail draws the last lines that a starting agent has printed.
func (f *statusInfo) StartTail(width, height int) []string {
	if f.Conversation == nil || f.Conversation.Phase != conversation.PhaseStarting || f.Now.Sub(f.Conversation.Agent.Since) < showStderrAfter {
		return nil
	}
	th := f.Theme
	said := lastLines(f.Stderr(), min(startLines, height-1))
	if len(said) == 0 && !f.Connects && f.Now.Sub(f.Conversation.Agent.Since) >= longStart {
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
