package tab

import (
	"fmt"
	"time"

	"parley/config"
	"parley/internal/conversation"
	"parley/internal/termtext"
	"parley/tui/dialog"
)

// Asks says what was asked where the replay stands, and how it was answered; "" if
// nothing was.
func (r *replayControl) Asks(c *conversation.Conversation) string {
	th := r.tab.program.Theme
	switch {
	case len(c.Permissions) > 0:
		p := c.Permissions[0]
		if r.asked != p {
			r.asked, r.answer = p, answerTo(p, r.player.Answer(p.ID))
		}
		return "  " + th.Accent.Render("asked: ") + th.Text.Render(termtext.Line(p.Asked.Title)) + th.Muted.Render("  "+r.answer)
	case len(c.Elicitations) > 0:
		return "  " + th.Accent.Render("asked: ") + th.Text.Render(termtext.Line(c.Elicitations[0].Request.Message))
	}
	return ""
}

// answerTo says how a question was answered.
func answerTo(p *conversation.Permission, closed *conversation.PermissionClosed) string {
	switch {
	case closed == nil:
		return "it was not answered"
	case closed.Outcome.Cancelled():
		return "it was taken back"
	}
	answer := string(closed.Outcome.OptionID)
	for _, o := range p.Options {
		if o.OptionID == closed.Outcome.OptionID {
			answer = o.Name
		}
	}
	words := "answered: " + termtext.Line(answer)
	if closed.Rule != "" {
		words += ", by the rule " + termtext.Line(closed.Rule)
	}
	return words
}

// replayBar is how wide the bar is that shows how far a replay is, in cells.
const replayBar = 16

// Line says how far the replay is. It stands where the prompt would.
func (r *replayControl) Line(width int) string {
	p, th := r.player, r.tab.program.Theme
	state := "playing"
	switch {
	case p.Ended():
		state = "at the end"
	case p.Paused():
		state = "paused"
	}
	played, whole := p.Position()
	share := 1.0
	if whole > 0 {
		share = float64(played) / float64(whole)
	}
	turn, of := p.Turn()
	left := " " + th.BadgeInfo.Render(" REPLAY ") + " " + th.Text.Render(state) + "  " + th.Bar(share, replayBar, th.Accent) + " " +
		th.Muted.Render(fmt.Sprintf("%s / %s  turn %d of %d  speed %v", clockTime(played), clockTime(whole), turn, of, p.Speed()))
	right := ""
	if n := len(p.Script().Faults); n > 0 {
		right = th.Warning.Render(termtext.Count(n, "damaged place") + " left out")
	}
	return termtext.JoinSides(left, right+" ", width)
}

// clockTime is a time as players show it.
func clockTime(d time.Duration) string {
	s := int(d.Seconds())
	if s >= 3600 {
		return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
	}
	return fmt.Sprintf("%d:%02d", s/60, s%60)
}

// hints are the keys of a replay.
func (r *replayControl) hints() []dialog.Hint {
	h := dialog.HintList{Keys: r.tab.program.Keys}
	switch p := r.player; {
	case p.Ended():
		h.Add(config.ActionReplayPause, "play again")
	case p.Paused():
		h.Add(config.ActionReplayPause, "go on")
	default:
		h.Add(config.ActionReplayPause, "pause")
	}
	h.AddAll("turns", config.ActionReplayPrev, config.ActionReplayNext)
	h.AddAll("speed", config.ActionReplaySlower, config.ActionReplayFaster)
	h.Add(config.ActionFocusTranscript, "transcript")
	h.Add(config.ActionFind, "find")
	h.Add(config.ActionReplayQuit, "leave")
	h.Add(config.ActionHelp, "help")
	return h.List
}
