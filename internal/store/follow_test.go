package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"parley/internal/conversation"
	"parley/internal/test"
)

// follower reads a session, as a viewer does.
type follower struct {
	at      int64
	repeats conversation.Repeats
	seen    []conversation.Event
}

// all reads what there is.
func (f *follower) all(t rapid.TB, r *Recorder) {
	for f.at < r.End() {
		lines, next, err := r.Read(context.Background(), f.at)
		if err != nil || next <= f.at {
			t.Fatalf("after %d of %d: %d, %v", f.at, r.End(), next, err)
		}
		for _, line := range lines {
			if e, err := f.repeats.Decode(line); err == nil {
				f.seen = append(f.seen, e)
			}
		}
		f.at = next
	}
}

// retryNow does what the timer would do.
func (r *Recorder) retryNow() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.failed != nil {
		r.retry.Stop()
		r.write()
	}
}

// Whoever follows a session sees all that has happened, in order and once, at whatever time and
// pace: before there is a log, across logs, while the disk is full, and while another process
// renames the session.
func TestWhoFollowsSeesEverything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dir, err := os.MkdirTemp("", "follow")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(dir)
		s := New(dir)
		var r *Recorder
		if rapid.Bool().Draw(t, "temporary") {
			r = Temporary(dir)
		} else {
			r = s.Record(Meta{Cwd: "/a"}, nil)
		}
		done := r.Follow()
		var want []conversation.Event
		var readers []*follower
		output := ""
		for i := range rapid.IntRange(1, 30).Draw(t, "steps") {
			var batch []conversation.Event
			switch rapid.IntRange(0, 9).Draw(t, "step") {
			case 0:
				batch = []conversation.Event{conversation.AgentStarting{}, ready, first}
			case 1:
				batch = []conversation.Event{test.Sent(fmt.Sprint("prompt ", i)), text(strings.Repeat("x", 100))}
			case 2: // what could not be written before is lost then
				if r.log != nil {
					r.log.out = r.log.file
				}
				batch = []conversation.Event{conversation.SessionOpening{How: conversation.OpenNew, Clear: true}, conversation.SessionOpened{ID: "x"}}
			case 3:
				if r.log != nil {
					r.log.out = &disk{file: r.log.file, room: rapid.IntRange(0, 500).Draw(t, "room")}
				}
			case 4:
				if r.log != nil {
					r.log.out = r.log.file
				}
				r.retryNow()
			case 5:
				if id := r.ID(); id != "" {
					_ = s.Rename(id, "A better name")
				}
			case 6, 7:
				output += strings.Repeat(fmt.Sprint("line ", i, " "), rapid.IntRange(0, 300).Draw(t, "lines"))
				batch = []conversation.Event{gives(t, "1", output)}
			default:
				batch = []conversation.Event{text(fmt.Sprint("piece ", i))}
			}
			want = append(want, batch...)
			r.Record(batch)
			if rapid.Bool().Draw(t, "one more") {
				readers = append(readers, &follower{})
			}
			for _, f := range readers {
				if rapid.Bool().Draw(t, "reads") {
					f.all(t, r)
				}
			}
		}
		r.Close()
		for _, f := range append(readers, &follower{}) {
			f.all(t, r)
			if diff := cmp.Diff(kinds(without(want)), kinds(without(f.seen))); diff != "" {
				t.Fatal(diff)
			}
			if _, _, err := r.Read(context.Background(), f.at); !errors.Is(err, io.EOF) {
				t.Fatalf("after the end: %v", err)
			}
		}
		done()
		if left, _ := os.ReadDir(dir); r.store == nil && len(left) > 0 {
			t.Fatalf("%v is left of a log that has no name", left)
		}
	})
}

// Lines that had no room in memory are left out, and no other is read twice.
func TestWhoFollowsSeesWhatIsLeft(t *testing.T) {
	_, r, d := onADisk(t)
	defer r.Follow()()
	d.has(0)
	early := &follower{}
	var want []conversation.Event
	piece := strings.Repeat("x", 1<<20)
	for i := range 3 * maxHeld >> 20 {
		want = append(want, test.Sent(fmt.Sprint(i)), text(piece))
		r.Record(slices.Clone(want[len(want)-2:]))
	}
	lines, next, err := r.Read(t.Context(), early.at)
	if err != nil || len(lines) == 0 {
		t.Fatal(err)
	}
	for _, line := range lines {
		e, err := early.repeats.Decode(line)
		if err != nil {
			continue // the record of the store's own
		}
		early.seen = append(early.seen, e)
	}
	early.at = next
	d.has(muchRoom)
	r.retryNow()
	late := &follower{}
	early.all(t, r)
	late.all(t, r)
	if diff := cmp.Diff(kinds(early.seen), kinds(late.seen)); diff != "" {
		t.Error(diff)
	}
	if got := kinds(without(late.seen)[3:]); len(got) < maxHeld>>20 || len(got) >= len(want) || !slices.Equal(got, kinds(want[len(want)-len(got):])) {
		t.Errorf("%d events of %d are left: %v", len(got), len(want), got)
	}
}
