package host

import (
	"encoding/json"
	"time"

	"parley/internal/app"
)

// lookTime is how long a host may be silent while it is at work, or owes an answer, until it is
// asked whether it is still there, and how long it has then to answer. A cut is noticed after twice
// this time.
const lookTime = 450 * time.Millisecond

// deadTime is how long a host on another machine may be silent until the connection is made anew.
const deadTime = 15 * time.Second

// watch notices that a host does not answer: that its process is stopped, or the network is gone.
// It looks only while the host is at work or owes an answer. [Client.mu] guards it.
type watch struct {
	timer  *time.Timer // for the next look; nil if there is nothing to look for
	heard  time.Time   // when the host last said something
	asked  time.Time   // since when a question whether it is there has no answer; zero if none is open
	works  bool        // it may be at work
	events time.Time   // when the last events came
	silent bool
}

// begin begins with a new connection.
func (w *watch) begin() { w.heard, w.asked, w.silent, w.works = time.Now(), time.Time{}, false, true }

// Link implements [app.Session].
func (c *Client) Link() app.Link {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.left:
	case c.conn == nil:
		return app.LinkCut
	case c.watch.silent:
		return app.LinkSilent
	}
	return app.LinkUp
}

// hears notes that the host has said something.
func (c *Client) hears() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.watch.heard = time.Now()
	if c.watch.silent {
		c.watch.silent = false
		c.stream.Wake()
	}
}

// look has the host looked after, if it is not. c.mu must be held.
func (c *Client) look() { c.lookIn(lookTime) }

func (c *Client) lookIn(d time.Duration) {
	if c.watch.timer == nil && !c.left {
		c.watch.timer = time.AfterFunc(d, c.lookNow)
	}
}

// lookNow asks a host that has said nothing for a while whether it is there, and notes if it has
// not answered that in time. A host waits while the front end takes what it has said.
func (c *Client) lookNow() {
	c.mu.Lock()
	defer c.mu.Unlock()
	w := &c.watch
	w.timer = nil
	if c.conn == nil || c.left {
		return
	}
	quiet := time.Since(w.heard)
	asked, next := !w.asked.IsZero(), lookTime
	switch {
	case len(c.taking) > 0:
	case quiet < lookTime:
		next -= quiet
	case asked && !w.silent && time.Since(w.asked) >= lookTime:
		w.silent = true
		c.stream.Wake()
		go c.save()
	case w.silent && c.opt.Far && quiet > deadTime:
		go c.conn.Close() // it calls back
		return
	case !asked:
		w.asked = time.Now()
		conn, raw := c.conn, new(json.RawMessage)
		conn.Request(requestStatus, struct{}{}, raw, func(err error) { go c.isThere(*raw, err) })
	}
	if len(c.pending) > 0 || w.works || asked {
		c.lookIn(next)
	}
}

// isThere takes the answer to the question whether the host is there.
func (c *Client) isThere(raw json.RawMessage, err error) {
	if err != nil {
		return // the connection is lost
	}
	c.hears()
	var s Status
	known := json.Unmarshal(raw, &s) == nil
	c.mu.Lock()
	defer c.mu.Unlock()
	if known && !s.Working && c.watch.events.Before(c.watch.asked) { // else it has begun since
		c.watch.works = false
	}
	c.watch.asked = time.Time{}
}
