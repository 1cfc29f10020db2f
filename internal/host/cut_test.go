package host

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"parley/internal/conversation"
	"parley/internal/session"
	"parley/internal/test"
)

// cut is a connection that ends after some bytes.
type cut struct {
	io.ReadWriteCloser
	mu   sync.Mutex
	left int
}

var errCut = errors.New("the connection was cut")

func (c *cut) take(n int) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	n = min(n, c.left)
	c.left -= n
	return n
}

func (c *cut) Read(b []byte) (int, error) {
	n, err := c.ReadWriteCloser.Read(b)
	m := c.take(n)
	if m < n || m == 0 { // the peer does not write the rest again
		_ = c.Close()
		err = errors.Join(err, errCut)
	}
	return m, err
}

func (c *cut) Write(b []byte) (int, error) {
	n := c.take(len(b))
	m, err := c.ReadWriteCloser.Write(b[:n])
	if err == nil && n < len(b) {
		_ = c.Close()
		err = errCut
	}
	return m, err
}

// However often and wherever the connection is cut: what a viewer does happens once and in
// order, and what it sees is what happens.
func TestNothingIsLostOrDoneTwice(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		rapid.Check(struct{ rapid.TB }{t}, func(rt *rapid.T) { // without a deadline, which no bubble has
			before := rapid.SliceOfN(test.Random(), 0, 5).Draw(rt, "before")
			f := newFake(before...)
			h := start(t, Options{Session: f, Dir: dir})
			defer h.end()
			cuts := rapid.SliceOfN(rapid.IntRange(1, 4000), 0, 8).Draw(rt, "cuts")
			tries := 0
			c, err := Attach(t.Context(), ClientOptions{Name: "cut", Dial: func(ctx context.Context, _ string) (io.ReadWriteCloser, error) {
				c, err := h.dial(ctx, "")
				if tries++; err != nil || tries == 1 || tries > len(cuts)+1 {
					return c, err
				}
				return &cut{ReadWriteCloser: c, left: cuts[tries-2]}, nil
			}})
			if err != nil {
				rt.Fatal(err)
			}
			defer c.Close(t.Context())

			waitForAll := func(rt *rapid.T) {
				rt.Helper()
				if _, err := session.Do(t.Context(), c, session.Steer{Prompt: conversation.QueuedPrompt{ID: 1}}); err != nil {
					rt.Fatalf("an act ends with %v", err)
				}
			}
			var want []string
			for i, e := range rapid.SliceOfN(test.Random(), 0, 20).Draw(rt, "events") {
				f.post(e)
				want = append(want, fmt.Sprint("prompt ", i))
				session.Post(c, session.Prompt{Prompt: queued(want[i])})
				if rapid.Bool().Draw(rt, "wait") {
					waitForAll(rt)
				}
				if rapid.IntRange(0, 3).Draw(rt, "lose it") == 0 {
					c.mu.Lock()
					if c.conn != nil {
						c.conn.Close()
					}
					c.mu.Unlock()
				}
			}
			waitForAll(rt)
			time.Sleep(30 * time.Second) // the last cuts, and the pace of streamed events
			synctest.Wait()
			if !slices.Equal(f.prompts, want) {
				rt.Fatalf("these acts happened: %q, want %q", f.prompts, want)
			}
			wanted := conversation.New()
			for _, e := range slices.Concat(before, f.happened) {
				wanted.Apply(e)
			}
			seen := c.Past()
			for _, e := range c.Stream().Take() {
				seen.Apply(e)
			}
			if d := test.Diff(wanted, seen, test.IgnoreVersions); d != "" {
				rt.Fatalf("the viewer sees another conversation (-host +viewer):\n%s", d)
			}
		})
	})
}

// What comes over a connection that is over comes over the next one, too, and counts once.
func TestALateEventCountsOnce(t *testing.T) {
	h := run(t, Options{Session: newFake()})
	c := h.attach(t, ClientOptions{})
	line, err := conversation.AppendEncode(nil, text("late"))
	if err != nil {
		t.Fatal(err)
	}
	before := listener{Client: c.Client, connection: c.connections - 1}
	before.HandleNotification(t.Context(), notifyEvents, json.RawMessage(encodeEvents([][]byte{line}, 1)))
	if got := c.Stream().Take(); len(got) > 0 {
		t.Errorf("it counts: %v", got)
	}
}

// A client that finds another session where its own was does not go on in it.
func TestAnotherSessionIsNotTheSame(t *testing.T) {
	one, other := run(t, Options{Session: newFake()}), run(t, Options{Session: newFake(), ID: "other"})
	to := one
	c := one.attach(t, ClientOptions{Dial: func(ctx context.Context, id string) (io.ReadWriteCloser, error) { return to.dial(ctx, id) }})
	to = other
	c.mu.Lock()
	c.conn.Close()
	told, cancel := false, c.cancel
	c.cancel = func() { // after the loss was told
		told = c.Disconnected()
		cancel()
	}
	c.mu.Unlock()
	<-c.done
	if !told || !c.Disconnected() {
		t.Errorf("it goes on in another session; when the loss was told it was known: %v", told)
	}
}

// What was made and not confirmed stays in sight, with what it is: while the connection is
// cut, until the host has answered, and after the host is gone.
func TestUnconfirmedActsStayInSight(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		h := start(t, Options{Session: f, Dir: dir})
		var dead atomic.Bool
		c := h.attach(t, ClientOptions{Dial: func(ctx context.Context, id string) (io.ReadWriteCloser, error) {
			if dead.Load() {
				return nil, errCut
			}
			return h.dial(ctx, id)
		}})
		shown := func() (out []string) {
			for _, u := range c.Unconfirmed() {
				p, _ := u.Act.(session.Prompt)
				out = append(out, fmt.Sprint(u.Progress, " ", p.Prompt.Text(), " ", u.Err))
			}
			return out
		}
		expect := func(what string, want ...string) {
			t.Helper()
			synctest.Wait()
			if got := shown(); !slices.Equal(got, want) {
				t.Errorf("%s: %q, want %q", what, got, want)
			}
		}
		lose := func() {
			dead.Store(true)
			c.mu.Lock()
			c.conn.Close()
			c.mu.Unlock()
			synctest.Wait()
		}
		session.Post(c, session.Prompt{Prompt: queued("one")})
		expect("confirmed")
		lose()
		session.Post(c, session.Prompt{Prompt: queued("two")})
		if _, err := session.Do(t.Context(), c, session.SendNow{}); !errors.Is(err, ErrNoAnswer) {
			t.Errorf("an act without a connection ends with %v", err)
		}
		expect("cut", fmt.Sprint(session.Made, " two <nil>"), fmt.Sprint(session.Made, "  <nil>"))
		dead.Store(false)
		time.Sleep(mostPause)
		expect("back")
		lose()
		session.Post(c, session.Prompt{Prompt: queued("three")})
		h.end()
		dead.Store(false)
		time.Sleep(mostPause)
		expect("over", fmt.Sprint(session.Refused, " three ", ErrGone))
		session.Post(c, session.Prompt{Prompt: queued("four")})
		expect("after it", fmt.Sprint(session.Refused, " three ", ErrGone), fmt.Sprint(session.Refused, " four ", ErrGone))
		if want := []string{"one", "two"}; !slices.Equal(f.prompts, want) {
			t.Errorf("these happened: %q, want %q", f.prompts, want)
		}
	})
}
