package host

import (
	"encoding/json"
	"time"

	"parley/internal/app"
)

// lookTime is how long a host may be silent while it works or owes an answer before it is
// pinged, and how long it may take to answer that. A cut is thus noticed after twice this
// time.
const lookTime = 450 * time.Millisecond

// deadTime is how long a remote host may be silent before the client connects again.
const deadTime = 15 * time.Second

// watch notices when a host does not answer because its process is stopped or the network is
// down. It only looks while the host works or owes an answer. [Client.mu] guards it.
type watch struct {
	timer  *time.Timer // for the next look; nil if none is due
	heard  time.Time   // when the host was last heard
	asked  time.Time   // time of the unanswered ping; zero if there is none
	works  bool        // the host may be working
	events time.Time   // when the last events arrived
	silent bool
}

// begin resets the watch for a new connection.
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

// hears records that the host has sent something.
func (c *Client) hears() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.watch.heard = time.Now()
	if c.watch.silent {
		c.watch.silent = false
		c.stream.Wake()
	}
}

// look schedules a look at the host, unless one is due. c.mu must be held.
func (c *Client) look() { c.lookIn(lookTime) }

func (c *Client) lookIn(d time.Duration) {
	if c.watch.timer == nil && !c.left {
		c.watch.timer = time.AfterFunc(d, c.lookNow)
	}
}

// lookNow pings a host that has been silent, and records if it has not answered in time. A
// host waits while the front end takes its events.
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

// isThere handles the answer to a ping.
func (c *Client) isThere(raw json.RawMessage, err error) {
	if err != nil {
		return // the connection is lost
	}
	c.hears()
	var s Status
	known := json.Unmarshal(raw, &s) == nil
	c.mu.Lock()
	defer c.mu.Unlock()
	if known && !s.Working && c.watch.events.Before(c.watch.asked) { // otherwise it has begun to work since
		c.watch.works = false
	}
	c.watch.asked = time.Time{}
}
