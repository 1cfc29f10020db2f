package session

import (
	"errors"
	"sync"
	"testing"
	"time"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/record"
)

// Who taps a session sees what the agent writes to stderr, also of one that was started
// again.
func TestStderrIsTapped(t *testing.T) {
	var seen counting
	bubble(t, func(t *testing.T, h *harness) {
		Post(h, Reconnect{})
		h.settle()
		if len(seen.said) != 2 || seen.said[0] != "words" {
			t.Errorf("seen are %q", seen.said)
		}
	}, func(_ *harness, o *Options) {
		o.Taps = []Tap{&seen}
		spawn := o.Spawn
		o.Spawn = func(c acpclient.Command) (*acpclient.Peer, error) {
			if n, err := c.Stderr.Write([]byte("words")); n != 5 || err != nil {
				t.Errorf("the agent is told %d, %v", n, err)
			}
			return spawn(c)
		}
	})
}

// counting counts what is tapped, and has what is said on stderr.
type counting struct {
	mu           sync.Mutex
	lines, taken int
	said         []string
	fails        bool
}

func (c *counting) Line(bool, []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lines++
}

func (c *counting) Stderr(data []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.said = append(c.said, string(data))
}

func (c *counting) Take(events []conversation.Event) error {
	c.taken += len(events)
	if c.fails {
		c.fails = false
		return errors.New("no space left")
	}
	return nil
}

// That a tap takes nothing more is said once.
func TestATapThatFails(t *testing.T) {
	tap := &counting{fails: true}
	bubble(t, func(t *testing.T, h *harness) {
		h.prompt("go")
		all := eventsOf[conversation.NoticeAdded](h)
		if len(all) != 1 || all[0].Title != "This session is no longer recorded" || all[0].Detail != "no space left" || tap.taken == 0 {
			t.Errorf("the notices are %+v, and %d events were taken", all, tap.taken)
		}
	}, func(_ *harness, o *Options) { o.Taps = append(o.Taps, tap) })
}

// The ring has the wire, stderr and the events, beside whoever else taps the session.
func TestTheRingHasEverything(t *testing.T) {
	ring := record.NewRing(record.Header{}, nil, time.Now)
	var tapped counting
	bubble(t, func(t *testing.T, h *harness) {
		h.settle()
		h.Stream().Take()
		kinds := map[record.EntryKind]int{}
		entries, _ := ring.Read(0, 1000)
		for _, e := range entries {
			kinds[e.Kind]++
		}
		if kinds[record.Sent] == 0 || kinds[record.Received] == 0 || kinds[record.Stderr] != 1 || tapped.lines+len(tapped.said) != len(entries) {
			t.Errorf("the ring has %v, %d lines were tapped", kinds, tapped.lines)
		}
		if first, next := ring.Span(); int(next-first) <= len(entries) {
			t.Error("the ring has no events")
		}
	}, func(_ *harness, o *Options) {
		o.Ring = ring
		o.Taps = []Tap{&tapped}
		spawn := o.Spawn
		o.Spawn = func(c acpclient.Command) (*acpclient.Peer, error) {
			if _, err := c.Stderr.Write([]byte("words")); err != nil {
				t.Error(err)
			}
			return spawn(c)
		}
	})
}
