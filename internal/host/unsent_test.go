package host

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"parley/acpclient"
	"parley/internal/app"
	"parley/internal/conversation"
	"parley/internal/session"
	"parley/internal/store"
	"parley/internal/test"
)

// faulty is a connection that can be held up: what is sent arrives, if at all, once it goes on.
type faulty struct {
	io.ReadWriteCloser
	mu   *sync.Mutex // held while nothing passes
	cond *sync.Cond
	held *bool
}

func (f faulty) pass() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for *f.held {
		f.cond.Wait()
	}
}

func (f faulty) Read(b []byte) (int, error) {
	n, err := f.ReadWriteCloser.Read(b)
	f.pass()
	return n, err
}

// link is a way to a host that can be held up and cut.
type link struct {
	h    *running
	mu   sync.Mutex
	cond *sync.Cond
	held bool // nothing of the host's arrives
	cut  bool // nobody gets a connection
}

func newLink(h *running) *link {
	l := &link{h: h}
	l.cond = sync.NewCond(&l.mu)
	return l
}

func (l *link) dial(ctx context.Context, id string) (io.ReadWriteCloser, error) {
	l.mu.Lock()
	cut := l.cut
	l.mu.Unlock()
	if cut {
		return nil, errCut
	}
	c, err := l.h.dial(ctx, id)
	return faulty{c, &l.mu, l.cond, &l.held}, err
}

func (l *link) set(held, cut bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.held, l.cut = held, cut
	l.cond.Broadcast()
}

// atWork is a session with an agent that works.
var atWork = []conversation.Event{
	conversation.AgentStarting{Command: "a", At: time.Unix(1, 0)},
	conversation.AgentReady{Info: &acpclient.InitializeResponse{}},
	conversation.SessionOpened{ID: "s"},
	test.Sent("go"),
}

// unsent lists what a client shows as not confirmed.
func unsent(c *Client) (all []string) {
	for _, u := range c.Unconfirmed() {
		p, _ := session.PromptOf(u.Act)
		all = append(all, fmt.Sprintf("%d %s", u.Progress, p.Text()))
	}
	return all
}

// A host that stops is noticed within a second: at once if it owes an answer or works, and not at
// all while nothing is to come.
func TestASilentHostIsNoticed(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		f := newFake(atWork[:3]...)
		h := start(t, Options{Session: f, Dir: dir})
		defer h.end()
		l := newLink(h)
		c := h.attach(t, ClientOptions{Dial: l.dial})
		link := func(what string, want app.Link) {
			t.Helper()
			if got := c.Link(); got != want {
				t.Errorf("%s: the link is %d, want %d", what, got, want)
			}
		}
		time.Sleep(time.Hour)
		link("idle", app.LinkUp)
		if c.watch.timer != nil {
			t.Error("an idle client looks after its host")
		}
		l.set(true, false)
		session.Post(c, session.Prompt{Prompt: queued("one")})
		time.Sleep(time.Second)
		link("held up with a prompt", app.LinkSilent)
		select {
		case <-c.Stream().Ready():
		default:
			t.Error("nobody is told")
		}
		l.set(false, false)
		synctest.Wait()
		link("going on", app.LinkUp)
		if got := unsent(c.Client); len(got) > 0 {
			t.Errorf("unconfirmed: %q", got)
		}
		l.set(true, false) // the turn runs
		time.Sleep(time.Second)
		link("held up in a turn", app.LinkSilent)
		l.set(false, true)
		synctest.Wait()
		link("going on", app.LinkUp)
		c.mu.Lock()
		c.conn.Close()
		c.mu.Unlock()
		synctest.Wait()
		link("cut", app.LinkCut)
		l.set(false, false)
		time.Sleep(time.Minute)
		link("back", app.LinkUp)
	})
}

// What a viewer could not send, or did not learn to be done, is kept when it leaves. The next one
// gets what was not done, in order, and what it withdraws is gone.
func TestUnsentPromptsOutliveTheirViewer(t *testing.T) {
	for name, leave := range map[string]func(c *Client){
		"it leaves": func(c *Client) { c.Close(context.Background()) },
		"it is killed": func(c *Client) { // the lock goes with its process
			c.mu.Lock()
			c.left = true // first: it says no more
			if c.conn != nil {
				c.conn.Close()
			}
			c.mu.Unlock()
			c.cancel()
			<-c.done
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			synctest.Test(t, func(t *testing.T) {
				f := newFake(atWork...)
				h := start(t, Options{Session: f, Dir: dir})
				defer h.end()
				l := newLink(h)
				var left *store.Unsent // as the view keeps it
				attach := func() *Client {
					c, err := Attach(t.Context(), ClientOptions{Name: "viewer", Dial: l.dial})
					if err != nil {
						t.Fatal(err)
					}
					if left != nil {
						c.takeOver(t.Context(), left)
					}
					return c
				}
				leave := func(c *Client) { leave(c); left = c.Unsent() }
				say := func(c *Client, text string) { session.Post(c, session.Prompt{Prompt: queued(text)}) }
				c := attach()
				say(c, "zero")
				synctest.Wait()
				l.set(true, true)
				say(c, "one") // the host does it, and its answer does not arrive
				time.Sleep(2 * time.Second)
				go func() { // the cut
					time.Sleep(time.Second)
					c.mu.Lock()
					c.conn.Close()
					c.mu.Unlock()
					l.set(false, true)
				}()
				time.Sleep(2 * time.Second)
				say(c, "two")
				say(c, "three")
				time.Sleep(time.Second)
				leave(c)
				synctest.Wait()
				if got := unsent(c); !slices.Equal(got, []string{"1 one", "1 two", "1 three"}) {
					t.Errorf("the one that left has %q", got)
				}
				l.set(false, false)
				want := []string{fmt.Sprintf("%d two", session.Left), fmt.Sprintf("%d three", session.Left)}
				for range 2 { // also when the next one leaves before the user has decided
					c = attach()
					synctest.Wait()
					if got := unsent(c); !slices.Equal(got, want) {
						t.Errorf("the next one has %q, want %q", got, want)
					}
					leave(c)
					synctest.Wait()
				}
				c = attach()
				for _, u := range c.Withdraw() {
					p, _ := session.PromptOf(u.Act)
					session.Post(c, session.Prompt{Prompt: p})
				}
				synctest.Wait()
				leave(c)
				c = attach()
				if got := unsent(c); len(got) > 0 {
					t.Errorf("in the end there is %q", got)
				}
				leave(c)
				if left != nil {
					t.Errorf("%+v stays", left)
				}
				if want := []string{"zero", "one", "two", "three"}; !slices.Equal(f.prompts, want) {
					t.Errorf("these happened: %q, want %q", f.prompts, want)
				}
			})
		})
	}
}

// A host that has forgotten the viewer cannot say whether a prompt was sent.
func TestAPromptThatPerhapsWasSent(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		h := start(t, Options{Session: newFake(atWork...), Dir: dir})
		defer h.end()
		l := newLink(h)
		opt := ClientOptions{Name: "viewer", Dial: l.dial}
		c, err := Attach(t.Context(), opt)
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		l.set(true, true)
		session.Post(c, session.Prompt{Prompt: queued("one")})
		time.Sleep(2 * time.Second)
		c.Close(t.Context())
		h.mu.Lock()
		clear(h.acted)
		h.mu.Unlock()
		l.set(false, false)
		next, err := Attach(t.Context(), opt)
		if err != nil {
			t.Fatal(err)
		}
		defer next.Close(t.Context())
		next.takeOver(t.Context(), c.Unsent())
		all := next.Unconfirmed()
		if len(all) != 1 || all[0].Progress != session.Left || !errors.Is(all[0].Err, errPerhapsDone) {
			t.Errorf("the next viewer has %+v", all)
		}
	})
}

// A prompt that the host did not get goes when the user ends the session. It stays when the session goes on
// elsewhere, when it does not end, and when the host had gone before, which is no error.
func TestUnsentPromptsOfAnEndedSession(t *testing.T) {
	for name, of := range map[string]struct {
		next         string
		dead, lookOn bool
		stays, fails bool
	}{
		"ended":        {},
		"goes on":      {next: "next", stays: true},
		"gone":         {dead: true, stays: true},
		"does not end": {lookOn: true, stays: true, fails: true},
	} {
		t.Run(name, func(t *testing.T) {
			h := run(t, Options{Session: newFake(atWork...)})
			c := h.attach(t, ClientOptions{ReadOnly: of.lookOn})
			c.mu.Lock()
			c.refuse(&pendingAct{made: session.Prompt{Prompt: queued("one")}, alone: true}, errCut)
			c.mu.Unlock()
			if of.dead {
				h.end()
				<-c.done
			}
			if err := c.endFor(t.Context(), of.next); (err != nil) != of.fails || (c.Unsent() != nil) != of.stays {
				t.Errorf("%v, %+v stays", err, c.Unsent())
			}
		})
	}
}

// The draft and the unsent prompts of a viewer that lives are its own: another one gets them only once
// that one has left.
func TestWhatAViewerWritesIsItsOwn(t *testing.T) {
	h := run(t, Options{Session: newFake(atWork...)})
	k := keeper{&app.Launcher{Store: store.New(t.TempDir())}, new(sync.Map), nil}
	view := store.View{Draft: "a draft", Unsent: &store.Unsent{Prompts: []store.UnsentPrompt{{Prompt: queued("one")}}}}
	first := h.attach(t, ClientOptions{})
	for _, want := range []struct{ shared, moved bool }{{true, false}, {true, true}, {false, true}, {false, false}} {
		view.Unsent.Viewer = map[bool]string{false: "first"}[want.moved]
		if err := k.Store.SaveView("stored", view); err != nil {
			t.Fatal(err)
		}
		c, err := Attach(t.Context(), ClientOptions{Name: "second", Dial: h.dial})
		o, err := k.attached(c, err)
		if err != nil {
			t.Fatal(err)
		}
		kept, drafted := len(c.Unconfirmed()) > 0, len(o.Queue) > 0
		if (o.View.Draft == "") != want.shared || kept != (!want.shared && !want.moved) || drafted != (!want.shared && want.moved) {
			t.Errorf("%+v: it has the draft %q, %v and %v", want, o.View.Draft, c.Unconfirmed(), o.Queue)
		}
		c.Close(t.Context())
		if want.shared && want.moved {
			first.Close(t.Context())
		}
	}
}
