package session

import (
	"sync"
	"testing"
	"time"

	"parley/acpclient"
	"parley/internal/record"
)

// Who taps a session sees what the agent writes to stderr, also of one that was started
// again.
func TestStderrIsTapped(t *testing.T) {
	var seen []string
	bubble(t, func(t *testing.T, h *harness) {
		Post(h, Reconnect{})
		h.settle()
		if len(seen) != 2 || seen[0] != "words" {
			t.Errorf("seen are %q", seen)
		}
	}, func(_ *harness, o *Options) {
		o.TapStderr = func(data []byte) { seen = append(seen, string(data)) }
		spawn := o.Spawn
		o.Spawn = func(c acpclient.Command) (*acpclient.Peer, error) {
			if n, err := c.Stderr.Write([]byte("words")); n != 5 || err != nil {
				t.Errorf("the agent is told %d, %v", n, err)
			}
			return spawn(c)
		}
	})
}

// The ring has the wire, stderr and the events, beside whoever else taps the session.
func TestTheRingHasEverything(t *testing.T) {
	ring := record.NewRing(record.Header{}, nil, time.Now)
	tapped := 0
	bubble(t, func(t *testing.T, h *harness) {
		h.settle()
		h.Stream().Take()
		kinds := map[record.EntryKind]int{}
		entries, _ := ring.Read(0, 1000)
		for _, e := range entries {
			kinds[e.Kind]++
		}
		if kinds[record.Sent] == 0 || kinds[record.Received] == 0 || kinds[record.Stderr] != 1 || tapped != len(entries) {
			t.Errorf("the ring has %v, %d were tapped", kinds, tapped)
		}
		if first, next := ring.Span(); int(next-first) <= len(entries) {
			t.Error("the ring has no events")
		}
	}, func(_ *harness, o *Options) {
		o.Ring = ring
		var mu sync.Mutex
		o.Tap = func(bool, []byte) { mu.Lock(); tapped++; mu.Unlock() }
		o.TapStderr = func([]byte) { mu.Lock(); tapped++; mu.Unlock() }
		spawn := o.Spawn
		o.Spawn = func(c acpclient.Command) (*acpclient.Peer, error) {
			if _, err := c.Stderr.Write([]byte("words")); err != nil {
				t.Error(err)
			}
			return spawn(c)
		}
	})
}
