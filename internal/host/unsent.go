package host

import (
	"context"
	"errors"
	"slices"

	"parley/internal/session"
	"parley/internal/store"
)

// A prompt that the host has not confirmed outlives its viewer in the stored view of the session.
// The next viewer asks the host which acts it has done for the viewer that has left, and shows
// the rest. If the host has died, resuming the stored session puts them in the queue.

// Unsent implements [app.Session].
func (c *Client) Unsent() *store.Unsent {
	c.mu.Lock()
	defer c.mu.Unlock()
	u, dropped := &store.Unsent{Viewer: c.id}, c.ending && c.next == "" // in a session that goes on, nothing is
	add := func(number int, made session.AnyAct) {
		if p, sends := session.PromptOf(made); sends {
			u.Prompts = append(u.Prompts, store.UnsentPrompt{Number: number, Prompt: p})
		}
	}
	for _, w := range c.withheld {
		if !dropped || w.Progress == session.Left {
			add(0, w.Act)
		}
	}
	if !dropped {
		for _, a := range c.pending {
			add(a.Number, a.made)
		}
	}
	if len(u.Prompts) == 0 {
		return nil
	}
	return u
}

// forgettable reports whether the host may forget this viewer's acts, because none is pending.
func (c *Client) forgettable() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return !slices.ContainsFunc(c.pending, func(a *pendingAct) bool { _, sends := session.PromptOf(a.made); return sends })
}

// errPerhapsDone means that the host may or may not have received an act of a viewer that has
// left.
var errPerhapsDone = errors.New("perhaps it was sent before")

// takeOver keeps the unconfirmed prompts of a viewer that has left, until the user decides.
func (c *Client) takeOver(ctx context.Context, u *store.Unsent) {
	c.mu.Lock()
	conn := c.conn
	c.mu.Unlock()
	var was leftActs
	if conn != nil {
		_ = call(ctx, conn, requestReplace, replacing{u.Viewer}, &was) // on an error, the prompts stay unsent
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, p := range u.Prompts {
		if was.did(p.Number) {
			continue
		}
		k := session.Unconfirmed{Act: session.Prompt{Prompt: p.Prompt}, Progress: session.Left}
		if !was.Known && p.Number > 0 {
			k.Err = errPerhapsDone
		}
		c.withheld = append(c.withheld, k)
	}
}

// leftActs are the acts that a host has done for a viewer, if it knows: all up to Has, and those in
// More.
type leftActs struct {
	Known bool  `json:"known,omitempty"`
	Has   int   `json:"has,omitempty"`
	More  []int `json:"more,omitempty"`
}

// did reports whether an act was done. An act without a number was never sent.
func (l leftActs) did(number int) bool {
	return number > 0 && (number <= l.Has || slices.Contains(l.More, number))
}
