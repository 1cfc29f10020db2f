package store

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/test"
)

// disk is where a log is written, with room for some bytes more.
type disk struct {
	file *os.File
	mu   sync.Mutex
	room int
}

func (d *disk) has(room int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.room = room
}

func (d *disk) Write(b []byte) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	n, err := d.file.Write(b[:min(len(b), d.room)])
	d.room -= n
	if err == nil && n < len(b) {
		err = &os.PathError{Op: "write", Path: d.file.Name(), Err: syscall.ENOSPC}
	}
	return n, err
}

const muchRoom = 1 << 40

// onADisk begins a session, whose log is on a disk that has room for all until it is
// filled.
func onADisk(t testing.TB) (*Store, *Recorder, *disk) {
	s := New(t.TempDir())
	r := s.Record(Meta{Cwd: "/a"}, nil)
	if said := r.Record([]conversation.Event{ready, first, test.Sent("one")}); len(said) > 0 {
		t.Fatal(said)
	}
	d := &disk{file: r.log.file, room: muchRoom}
	r.log.out = d
	return s, r, d
}

// words are the titles and details of notices.
func words(events []conversation.Event) string {
	var all []string
	for _, e := range events {
		if n, ok := e.(conversation.NoticeAdded); ok {
			all = append(all, n.Title+": "+n.Detail)
		}
	}
	return strings.Join(all, "\n")
}

// without returns the events that are not notices of the recorder.
func without(events []conversation.Event) []conversation.Event {
	return slices.DeleteFunc(events, func(e conversation.Event) bool { _, is := e.(conversation.NoticeAdded); return is })
}

// A disk that is full for a moment costs nothing of the session: what could not be written
// is written once there is room, and nothing is written twice.
func TestADiskThatIsFullForAMomentLosesNothing(t *testing.T) {
	for room := 0; room < 400; room += 23 {
		synctest.Test(t, func(t *testing.T) {
			s, r, d := onADisk(t)
			d.has(room)
			var said []conversation.Event
			want := []conversation.Event{ready, first, test.Sent("one")}
			for i := range 8 {
				batch := []conversation.Event{text(fmt.Sprint("piece ", i, " ")), conversation.TurnEnded{}, test.Sent(fmt.Sprint("prompt ", i))}
				want = append(want, batch...)
				said = append(said, r.Record(batch)...)
				time.Sleep(retryAfter / 3)
			}
			if !strings.Contains(words(said), "cannot be stored") || !strings.Contains(words(said), "no space left") {
				t.Errorf("said %q", words(said))
			}
			d.has(muchRoom)
			time.Sleep(2 * retryAfter)
			if diff := cmp.Diff(kinds(want), kinds(without(read(t, s, r.ID())))); diff != "" {
				t.Errorf("the log:\n%s", diff)
			}
			said = append(said, r.Record([]conversation.Event{text("more")})...)
			if !strings.Contains(words(said), "stored again; nothing is missing") || words(said) != words(read(t, s, r.ID())) {
				t.Errorf("said %q", words(said))
			}
			if got, err := s.Read(t.Context(), r.ID()); err != nil || got.Damaged > 0 {
				t.Errorf("%d lines are damaged: %v", got.Damaged, err)
			}
			r.Close()
		})
	}
}

// Of what does not fit into memory, the latest is held, and the log says what it lacks.
func TestALogSaysWhatItLacks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, r, d := onADisk(t)
		d.has(0)
		piece := strings.Repeat("x", 1<<20)
		var said []conversation.Event
		for i := range 3 * maxHeld >> 20 {
			said = append(said, r.Record([]conversation.Event{conversation.Text{Chunk: acpclient.AgentMessageChunk, Text: piece}, conversation.CancelRequested{At: time.Unix(int64(i), 0)}})...)
			if len(r.held) > maxHeld {
				t.Fatalf("%d bytes are held", len(r.held))
			}
		}
		r.Record([]conversation.Event{conversation.TurnEnded{}, test.Sent("two"), text("The end."), conversation.TurnEnded{}})
		d.has(muchRoom)
		time.Sleep(2 * retryAfter)
		said = append(said, r.Record([]conversation.Event{text("more")})...)
		var missing int
		_, last, _ := strings.Cut(words(said), "again.\n")
		if _, err := fmt.Sscanf(last, "This session is stored again; %d updates missing", &missing); err != nil || missing < 2*2*maxHeld>>20 {
			t.Errorf("said %q", words(said))
		}
		r.Close()
		log := read(t, s, r.store.only(t))
		// The notice that nothing can be stored is among what is missing.
		if got, want := len(without(slices.Clone(log))), 3+2*3*maxHeld>>20+5-(missing-1); got != want {
			t.Errorf("%d events are in the log, want %d", got, want)
		}
		if got := words(log); got == "" || !strings.HasSuffix(words(said), got) || strings.Contains(got, "nothing is missing") {
			t.Errorf("the log says %q", got)
		}
		c := conversation.New()
		for _, e := range log {
			c.Apply(e)
		}
		if c.Turn.Running || !slices.Contains(test.Transcript(c), "agent: The end.") {
			t.Errorf("the turn runs: %v, or its end is missing", c.Turn.Running)
		}
	})
}

// only is the id of the only log.
func (s *Store) only(t *testing.T) ID {
	t.Helper()
	files, err := s.logs()
	if err != nil || len(files) != 1 {
		t.Fatalf("%d logs: %v", len(files), err)
	}
	return files[0].id
}

// A session that begins while nothing can be stored is stored from its beginning later on.
func TestASessionThatBeginsOnAFullDiskIsStoredLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir() + "/sessions"
		if err := os.WriteFile(dir, nil, 0o600); err != nil { // no log can be made here
			t.Fatal(err)
		}
		s := New(dir)
		r := s.Record(Meta{Cwd: "/a"}, nil)
		batch := []conversation.Event{ready, first, test.Sent("one")}
		if said := words(r.Record(batch)); !strings.Contains(said, "cannot be stored") {
			t.Errorf("said %q", said)
		}
		if err := os.Remove(dir); err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * retryAfter)
		if diff := cmp.Diff(kinds(batch), kinds(without(read(t, s, s.only(t))))); diff != "" {
			t.Error(diff)
		}
		r.Close()
	})
}

// What is held when the session ends is tried a last time.
func TestTheEndOfASessionIsTriedALastTime(t *testing.T) {
	for name, room := range map[string]int{"there is room again": muchRoom, "still full": 0} {
		synctest.Test(t, func(t *testing.T) {
			s, r, d := onADisk(t)
			d.has(0)
			r.Record([]conversation.Event{text("held"), conversation.TurnEnded{}})
			d.has(room)
			r.Close()
			log := without(read(t, s, s.only(t)))
			if full := room == 0; len(log) != 3 && full || len(log) != 5 && !full {
				t.Errorf("%s: %d events", name, len(log))
			}
		})
	}
}
