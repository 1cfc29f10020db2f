package tab

import (
	"fmt"
	"math"
	"strings"
	"time"

	"charm.land/bubbles/v2/spinner"

	"parley/acpclient"
	"parley/config"
	"parley/internal/cells"
	"parley/internal/conversation"
	"parley/internal/safetext"
	"parley/tui/tab/reader"
	"parley/tui/theme"
	"parley/tui/toolface"
)

// slowStart is when it is said that an agent is still starting.
const slowStart = 3 * time.Second

// contextBar is how wide the bar is that shows how full the context is, in cells.
const contextBar = 6

// said is the line below what a reader reads: what goes on, what was said for a
// moment, or what is looked for. column is where the cursor stands in it, -1 if it
// does not. r is nil as long as there is nothing to read.
func (t *Tab) said(r *reader.Reader, width int) (line string, column int) {
	th := t.program.Theme
	left, right := "", ""
	if r == t.reader.Itself() {
		left, right = t.activity(), t.reader.Place()
	}
	column = -1
	switch finding := r != nil && r.Finding(); {
	case t.desk.Said() != "" && !(finding && r.Writing()):
		left = "  " + th.Warning.Render(t.desk.Said())
	case finding:
		left, right, column = r.FindLine(width)
	case t.mouseLent:
		left = "  " + th.Accent.Render("the mouse is the terminal's until the next key")
	case left == "" && t.newsWords() != "":
		left = "  " + th.Muted.Render(t.newsWords())
	}
	return cells.Sides(left, right+" ", width), column
}

// activity says what goes on.
func (t *Tab) activity() string {
	th := t.program.Theme
	left := ""
	switch c := t.conv; {
	case c == nil && t.reopening != nil:
		left = th.Muted.Render("  reading the stored session")
	case c == nil:
	case t.replay != nil && t.waits():
		left = t.replay.asks(t.conv, t.program.Theme)
	case t.replay != nil && t.conv.Gone():
		// The badge below says so. There is nothing to be done about it.
	case t.cannotSend() != "":
		left = "  " + th.Warning.Render(safetext.Line(t.cannotSend()))
	case c.Phase == conversation.PhaseStarting:
		left = t.startLine()
	case c.Phase == conversation.PhaseOpening:
		left = t.spin() + th.Muted.Render("opening the session")
	case c.Turn.Running && !c.Turn.Cancelling.IsZero():
		left = t.spin() + th.Warning.Render("cancelling") + th.Muted.Render(t.counted(t.sessionNow().Sub(c.Turn.Cancelling)))
		if t.sessionNow().Sub(c.Turn.Cancelling) >= slowCancel {
			left += th.Muted.Render("  the agent does not react: " + t.desk.Key(config.ActionCancel) + " to stop it")
		}
	case t.waits():
		left = "  " + th.Accent.Render("waiting for you")
		if c.Turn.Running {
			left += th.Faint.Render("  worked " + toolface.Elapsed(t.conv.Turn.Worked(t.sessionNow())))
		}
	case t.conv.Gone():
		left = t.goneLine()
	case c.Turn.Running:
		left = t.spin() + th.Muted.Render("working"+t.counted(t.conv.Turn.Worked(t.sessionNow())))
		if c.Work.State == acpclient.WorkRequiresAction {
			left += "  " + th.Accent.Render("the agent waits for something that you do")
		}
	case c.Work.Busy():
		left = "  " + th.Muted.Render(besides(&c.Work))
	}
	return left
}

// besides says what an agent does that no prompt of the person's has begun.
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

// spin is the spinner at its step; a mark that stands still where nothing moves.
func (t *Tab) spin() string {
	mark := "●"
	if frames := spinner.MiniDot.Frames; !t.program.ReducedMotion {
		mark = frames[t.ticks%len(frames)]
	}
	return t.program.Theme.Accent.Render(mark) + " "
}

// counted is how long something takes already, behind what it is; nothing where nothing
// moves.
func (t *Tab) counted(d time.Duration) string {
	if t.program.ReducedMotion {
		return ""
	}
	return " " + toolface.Elapsed(d)
}

// statusLine says where we are: mode, model, agent, usage, directory.
func (t *Tab) statusLine(width int) string {
	th := t.program.Theme
	var left []string
	badge := false
	if c := t.conv; c != nil {
		left, badge = settingsLine(c, th)
		if t.conv.Gone() {
			left, badge = append([]string{t.goneBadge()}, left...), true
		}
		if bounds := t.session.Options().Bounds; bounds != "" {
			left = append(left, th.Muted.Render(safetext.Line(bounds)))
		}
		if u := c.Usage; u != nil {
			left = append(left, usage(u, th))
		}
		if n := t.changedFiles(); n > 0 {
			left = append(left, th.Muted.Render(fmt.Sprintf("%s %d", toolface.KindOf(acpclient.ToolEdit).Icon, n)))
		}
		if name := c.Agent.Name(); name != "" {
			who := safetext.Line(strings.TrimSpace(name + " " + c.Agent.Info.Version))
			if v := c.Agent.Protocol; v > acpclient.ProtocolVersion {
				who += fmt.Sprintf(" ACP %d", v)
			}
			left = append(left, th.Faint.Render(who))
		}
	}
	dir := th.Muted.Render(toolface.In("").Path(t.cwd))
	right := dir
	if t.branch != "" {
		right += th.Faint.Render(" on ") + th.Muted.Render(t.branch)
		if t.worktree.There() {
			right += th.Accent.Render(" worktree")
		}
	}
	// The words of a badge stand at the edge that all other words stand at.
	edge := "  "
	if badge {
		edge = " "
	}
	line := edge + strings.Join(left, "  ")
	for len(left) > 1 && cells.Width(line)+cells.Width(right)+3 > width && cells.Width(line) > width/2 {
		left = left[:len(left)-1] // what matters least stands last
		line = edge + strings.Join(left, "  ")
	}
	for _, less := range []string{dir, ""} { // the mode is what has to be known
		if cells.Width(line)+cells.Width(right)+2 > width {
			right = less
		}
	}
	return cells.Sides(line, right+" ", width)
}

// usage says how full the context is, and what the session cost.
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
	return fmt.Sprintf("%.*f %s", digits, c.Amount, safetext.Line(c.Currency))
}
