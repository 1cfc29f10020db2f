package conversation

import (
	"time"

	"parley/acpclient"
)

// Work is what the agent says about how busy it is, beyond the turns that the person
// began. An agent that never says so is idle.
type Work struct {
	State acpclient.WorkState
	// Background is what goes on beside; nil if the agent does not say.
	Background []acpclient.BackgroundWork
}

// applyState takes what the agent says it is doing. Its calls in the background go on
// when a turn has ended.
func (c *Conversation) applyState(u *acpclient.StateUpdate, at time.Time) {
	c.Work.State = u.State
	if u.Background != nil {
		c.Work.Background = u.Background
	}
	if c.Turn.Running || u.State != acpclient.WorkIdle {
		return
	}
	c.closeMessages() // of work that no prompt began
	c.endTools(u.StopReason == acpclient.StopCancelled, at)
}

// Busy reports whether the agent works on something that no prompt of the person's
// began: in the background, or by itself.
func (w *Work) Busy() bool {
	return len(w.Background) > 0 || w.State != "" && w.State != acpclient.WorkIdle
}

// live reports whether what begins now is at work, and not history that is replayed.
func (c *Conversation) live() bool {
	return c.Turn.Running || c.Phase == PhaseReady && c.Work.Busy()
}

// Operation is a part of the agent's work that can be cancelled alone: a call, or the
// command of a terminal in it.
type Operation struct {
	Call     *ToolCall
	Terminal acpclient.TerminalID // "" if it is the call
}

// Operations returns the running operations, the oldest first.
func (c *Conversation) Operations() []Operation {
	var all []Operation
	for _, t := range c.liveTools {
		if t.ended() || t.Cancelled {
			continue
		}
		if t.CanCancel {
			all = append(all, Operation{Call: t})
			continue
		}
		for _, term := range t.Terminals {
			if term.CanCancel && term.Exit == nil {
				all = append(all, Operation{Call: t, Terminal: term.ID})
			}
		}
	}
	return all
}
