package tab

import (
	"fmt"
	"math"
	"strings"
	"time"

	"charm.land/bubbles/v2/spinner"

	"parley/acpclient"
	"parley/config"
	"parley/internal/conversation"
	"parley/internal/termtext"
	"parley/tui/theme"
	"parley/tui/toolview"
)

// slowStart is when a starting agent is reported as slow.
const slowStart = 3 * time.Second

// contextBar is the width of the context bar, in cells.
const contextBar = 6

// statusInfo is what the lines around the prompt show of a session at one moment:
// activity, settings, context, plan and the progress of a start.
type statusInfo struct {
	Theme *theme.Theme
	Keys  config.Keys
	// Conversation is nil without a session.
	Conversation *conversation.Conversation
	// Now is the session's time, Tick the animation step.
	Now  time.Time
	Tick int
	// Still disables animations.
	Still bool

	// Dir is the session's directory, Branch its git branch or "". Worktree means that it
	// is a worktree created for sessions.
	Dir, Branch string
	Worktree    bool
	// Changed is how many files the agent has changed, Bounds its sandbox.
	Changed int
	Bounds  string

	// Connects means that the agent is on the network. Stderr returns the output of one
	// that is not.
	Connects bool
	Stderr   func() string
	// Reading means that a stored session is being read. ReadOnly is why it cannot
	// continue, or "".
	Reading  bool
	ReadOnly string
	// Waits means that a question of the agent is open.
	Waits bool
	// Replay means that this is a recording, Asked the question at its position.
	Replay bool
	Asked  string
}

// key returns the key to show for an action.
func (f *statusInfo) key(a config.Action) string { return keyName(f.Keys, a) }

// Activity draws what is going on.
func (f *statusInfo) Activity() string {
	th := f.Theme
	left := ""
	switch c := f.Conversation; {
	case c == nil && f.Reading:
		left = th.Muted.Render("  reading the stored session")
	case c == nil:
	case f.Replay && f.Waits:
		left = f.Asked
	case f.Replay && f.Conversation.Gone():
		// The badge says so, and nothing can be done about it.
	case f.ReadOnly != "":
		left = "  " + th.Warning.Render(termtext.Line(f.ReadOnly))
	case c.Phase == conversation.PhaseStarting:
		left = f.startLine()
	case c.Phase == conversation.PhaseOpening:
		left = f.spin() + th.Muted.Render("opening the session")
	case c.Turn.Running && !c.Turn.Cancelling.IsZero():
		left = f.spin() + th.Warning.Render("cancelling") + th.Muted.Render(f.counted(f.Now.Sub(c.Turn.Cancelling)))
		if f.Now.Sub(c.Turn.Cancelling) >= slowCancel {
			left += th.Muted.Render("  the agent does not react: " + f.key(config.ActionCancel) + " to stop it")
		}
	case f.Waits:
		left = "  " + th.Accent.Render("waiting for you")
		if c.Turn.Running {
			left += th.Faint.Render("  worked " + toolview.Elapsed(f.Conversation.Turn.Worked(f.Now)))
		}
	case f.Conversation.Gone():
		left = f.goneLine()
	case c.Turn.Running:
		left = f.spin() + th.Muted.Render("working"+f.counted(f.Conversation.Turn.Worked(f.Now)))
		if c.Work.State == acpclient.WorkRequiresAction {
			left += "  " + th.Accent.Render("the agent waits for something that you do")
		}
	case c.Work.Busy():
		left = "  " + th.Muted.Render(besides(&c.Work))
	}
	return left
}

// besides describes work outside turns.
func besides(w *conversation.Work) string {
	switch n := len(w.Background); {
	case w.State == acpclient.WorkRequiresAction:
		return "the agent waits for something that you do"
	case w.State != acpclient.WorkIdle && w.State != "":
		return "the agent works on its own"
	case n == 1:
		return "1 task goes on in the background"
	default:
		return fmt.Sprintf("%d tasks go on in the background", n)
	}
}

// spin draws the spinner, or a fixed mark without animations.
func (f *statusInfo) spin() string {
	mark := "●"
	if frames := spinner.MiniDot.Frames; !f.Still {
		mark = frames[f.Tick%len(frames)]
	}
	return f.Theme.Accent.Render(mark) + " "
}

// counted returns an elapsed time, or "" without animations.
func (f *statusInfo) counted(d time.Duration) string {
	if f.Still {
		return ""
	}
	return " " + toolview.Elapsed(d)
}

// Line draws the status line: mode, model, usage, agent and directory.
func (f *statusInfo) Line(width int) string {
	th := f.Theme
	var left []string
	badge := false
	if c := f.Conversation; c != nil {
		left, badge = settingsLine(c, th)
		if f.Conversation.Gone() {
			left, badge = append([]string{f.goneBadge()}, left...), true
		}
		if f.Bounds != "" {
			left = append(left, th.Muted.Render(termtext.Line(f.Bounds)))
		}
		if u := c.Usage; u != nil {
			left = append(left, usage(u, th))
		}
		if n := f.Changed; n > 0 {
			left = append(left, th.Muted.Render(fmt.Sprintf("%s %d", toolview.KindOf(acpclient.ToolEdit).Icon, n)))
		}
		if name := c.Agent.Name(); name != "" {
			who := termtext.Line(strings.TrimSpace(name + " " + c.Agent.Info.Version))
			if v := c.Agent.Protocol; v > acpclient.ProtocolVersion {
				who += fmt.Sprintf(" ACP %d", v)
			}
			left = append(left, th.Faint.Render(who))
		}
	}
	dir := th.Muted.Render(toolview.PathsIn("").Path(f.Dir))
	right := dir
	if f.Branch != "" {
		right += th.Faint.Render(" on ") + th.Muted.Render(f.Branch)
		if f.Worktree {
			right += th.Accent.Render(" worktree")
		}
	}
	// Align the text of a badge with other text.
	edge := "  "
	if badge {
		edge = " "
	}
	line := edge + strings.Join(left, "  ")
	for len(left) > 1 && termtext.Width(line)+termtext.Width(right)+3 > width && termtext.Width(line) > width/2 {
		left = left[:len(left)-1] // the least important comes last
		line = edge + strings.Join(left, "  ")
	}
	for _, less := range []string{dir, ""} { // the mode matters most
		if termtext.Width(line)+termtext.Width(right)+2 > width {
			right = less
		}
	}
	return termtext.JoinSides(line, right+" ", width)
}

// usage draws context use and cost.
func usage(u *acpclient.UsageUpdate, th *theme.Theme) string {
	s := ""
	if u.Size > 0 {
		share := float64(u.Used) / float64(u.Size)
		style := th.Muted
		switch {
		case share >= 0.9:
			style = th.Error
		case share >= 0.75:
			style = th.Warning
		}
		s = th.Bar(share, contextBar, style) + " " + style.Render(fmt.Sprintf("%s/%s %d%%", tokens(u.Used), tokens(u.Size), int(math.Round(100*share))))
	} else if u.Used > 0 {
		s = th.Muted.Render(tokens(u.Used) + " tokens")
	}
	if c := u.Cost; c != nil {
		s = strings.TrimSpace(s + " " + th.Muted.Render(money(c)))
	}
	return s
}

func tokens(n uint64) string {
	switch {
	case n < 1000:
		return fmt.Sprint(n)
	case n < 100_000:
		return strings.Replace(fmt.Sprintf("%.1fk", float64(n)/1e3), ".0k", "k", 1)
	case n < 1_000_000:
		return fmt.Sprintf("%dk", n/1000)
	}
	return strings.Replace(fmt.Sprintf("%.1fM", float64(n)/1e6), ".0M", "M", 1)
}

func money(c *acpclient.Cost) string {
	digits := 2
	if c.Amount > 0 && c.Amount < 0.1 {
		digits = 3
	}
	signs := map[string]string{"USD": "$", "EUR": "€", "GBP": "£"}
	if sign, ok := signs[c.Currency]; ok {
		return fmt.Sprintf("%s%.*f", sign, digits, c.Amount)
	}
	return fmt.Sprintf("%.*f %s", digits, c.Amount, termtext.Line(c.Currency))
}

// messageLine draws the line below the transcript or a page: activity at the left and the
// reading position at the right, a toast, or the find field. column is the cursor's
// column, or -1. r is nil if there is nothing to read.
func (v *view) messageLine(r *reader, left, right string, width int) (line string, column int) {
	t := v.tab
	th := t.program.Theme
	column = -1
	switch finding := r != nil && r.Finding(); {
	case t.toast.text != "" && !(finding && r.Writing()):
		left = "  " + th.Warning.Render(t.toast.text)
	case finding:
		left, right, column = r.FindLine(width)
	case t.mouseLent:
		left = "  " + th.Accent.Render("the mouse is the terminal's until the next key")
	case left == "" && v.newsWords() != "":
		left = "  " + th.Muted.Render(v.newsWords())
	}
	return termtext.JoinSides(left, right+" ", width), column
}

// statusInfo collects the state that the lines around the prompt show.
func (v *view) statusInfo() *statusInfo {
	t := v.tab
	f := &statusInfo{
		Theme: t.program.Theme, Keys: t.program.Keys, Conversation: t.conv, Now: t.sessionNow(), Tick: t.ticks, Still: t.program.ReducedMotion,
		Dir: t.cwd, Branch: t.branch, Worktree: t.worktree.active(),
		Reading: t.reopening != nil, ReadOnly: t.stored.readOnly, Waits: waits(t.conv), Replay: t.replay != nil,
	}
	if t.conv != nil {
		f.Changed = t.view.changedFiles()
	}
	if t.replay != nil && t.conv != nil {
		f.Asked = t.replay.Asks(t.conv)
	}
	if s := t.session; s != nil {
		f.Connects, f.Bounds, f.Stderr = s.Connects(), s.Options().Bounds, s.Stderr
	}
	return f
}
