package host

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"parley/acpclient"
	"parley/config"
	"parley/internal/app"
	"parley/internal/conversation"
	"parley/internal/record"
	"parley/internal/session"
	"parley/internal/store"
)

// Dial connects to a host. It is called again when the connection is lost.
type Dial func(context.Context) (io.ReadWriteCloser, error)

// ClientOptions say how to attach.
type ClientOptions struct {
	Dial Dial
	// Running names the session as [AttachTo] takes it.
	Running string
	// Name names the viewer to others.
	Name string
	// ReadOnly means that it only looks on.
	ReadOnly bool
	// Far means that the host runs on another machine.
	Far bool
}

var _ app.Session = (*Client)(nil)

// Client is a session that runs in a host: an [app.Session]. If the connection is lost, it
// attaches again by itself, and repeats what it has not had an answer to; the host does
// nothing twice. It is safe for concurrent use.
type Client struct {
	opt    ClientOptions
	id     string // of the viewer
	stream *session.Stream
	ctx    context.Context
	cancel context.CancelFunc
	done   chan struct{} // closed when it attaches no more

	// What the host said when the client attached first.
	welcome welcome
	ring    *record.Ring

	// caughtUp is closed when the history until then is folded.
	caughtUp chan struct{}
	past     *conversation.Conversation

	mu      sync.Mutex
	conn    *acpclient.Conn // nil while there is none
	at      int64           // of the history
	state   changed
	altered chan struct{} // closed when the journal is another one
	number  int           // of the last act
	pending []*pendingAct // those without an answer, in order
	ended   string        // why the host has ended, "" if that is not known
	left    bool
}

// pendingAct is an act that has no answer yet.
type pendingAct struct {
	act
	results []any // pointers
	err     error
	ready   chan struct{}
}

// Attach attaches to a host, and waits until it knows what has happened. The error wraps
// [ErrGone] if there is no host.
func Attach(ctx context.Context, opt ClientOptions) (*Client, error) {
	c := &Client{
		opt: opt, id: rand.Text(), stream: session.NewStream(), done: make(chan struct{}),
		caughtUp: make(chan struct{}), past: conversation.New(), altered: make(chan struct{}),
	}
	c.ctx, c.cancel = context.WithCancel(context.Background())
	conn, err := c.connect(ctx)
	if err != nil {
		c.cancel()
		return nil, err
	}
	if c.welcome.Header != nil {
		c.ring = record.NewRing(*c.welcome.Header, nil, time.Now)
		c.ring.WhenRead(func() { go c.followRing() })
	}
	go c.keep(conn)
	select {
	case <-c.caughtUp:
		return c, nil
	case <-c.done:
		return nil, ErrGone
	case <-ctx.Done():
		c.Close(ctx)
		return nil, ctx.Err()
	}
}

// connect dials and attaches. The events that follow go on where those of the connection
// before have ended.
func (c *Client) connect(ctx context.Context) (*acpclient.Conn, error) {
	wire, err := c.opt.Dial(ctx)
	if err != nil {
		return nil, err
	}
	conn := acpclient.NewConn(over(wire), listener{Client: c}, acpclient.ConnOptions{})
	c.mu.Lock()
	from := c.at
	c.mu.Unlock()
	var w welcome
	err = conn.Call(ctx, requestAttach, hello{Version: Version, Viewer: c.id, Name: c.opt.Name, ReadOnly: c.opt.ReadOnly, From: from}, &w)
	if err != nil {
		conn.Close()
		return nil, fmt.Errorf("attach to the session: %w", err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.welcome.ID == "" {
		c.welcome = w
		if c.at >= w.History {
			c.catchUp()
		}
	} else if w.ID != c.welcome.ID {
		conn.Close()
		return nil, ErrGone
	}
	c.state = w.changed
	c.conn = conn
	for _, a := range c.pending {
		c.send(conn, a)
	}
	return conn, nil
}

// The pauses between two tries to attach again.
const (
	firstPause = 50 * time.Millisecond
	mostPause  = 15 * time.Second
)

// keep attaches again whenever the connection is lost, until the host is gone or the
// client leaves.
func (c *Client) keep(conn *acpclient.Conn) {
	defer close(c.done)
	for {
		<-conn.Done()
		c.mu.Lock()
		c.conn = nil
		over := c.left || c.ended != ""
		c.mu.Unlock()
		if over {
			break
		}
		var err error
		told := false
		for pause := firstPause; ; pause = min(2*pause, mostPause) {
			if conn, err = c.connect(c.ctx); err == nil || errors.Is(err, ErrGone) || c.ctx.Err() != nil {
				break
			}
			if !told && pause > time.Second {
				told = true
				c.stream.Push(c.ctx, conversation.NoticeAdded{
					Severity: acpclient.NoticeWarning, Title: "The connection to the session is lost",
					Detail: "parley keeps trying to attach again: " + err.Error(),
				})
			}
			select {
			case <-time.After(pause):
			case <-c.ctx.Done():
			}
		}
		if err != nil {
			break
		}
		if told {
			c.stream.Push(c.ctx, conversation.NoticeAdded{Severity: acpclient.NoticeInfo, Title: "Attached to the session again"})
		}
	}
	c.over()
}

// over ends what waits for the host.
func (c *Client) over() {
	c.mu.Lock()
	why := ErrGone
	if c.ended != "" {
		why = errors.New(c.ended)
	}
	pending := c.pending
	c.pending = nil
	left := c.left
	c.left = true
	close(c.altered)
	c.altered = make(chan struct{})
	c.mu.Unlock()
	for _, a := range pending {
		a.err = why
		close(a.ready)
	}
	if !left {
		c.stream.Push(c.ctx, conversation.AgentLost{Err: why, At: time.Now()})
	}
	c.cancel()
}

// Gone reports whether there is no host any more, so that the session can only be opened
// from its log.
func (c *Client) Gone() bool {
	select {
	case <-c.done:
		return true
	default:
		return false
	}
}

// Past is what had happened when the client attached. Events follow in the stream.
func (c *Client) Past() *conversation.Conversation { return c.past }

// Agent describes the agent of the session.
func (c *Client) Agent() config.Agent { return c.welcome.Agent.config() }

// Earlier goes with the first prompt, by [app.WithEarlier]; "" is nothing.
func (c *Client) Earlier() string { return c.welcome.Earlier }

// listener takes what the host sends.
type listener struct {
	*Client
	nobody
}

// HandleNotification implements [acpclient.Receiver]. It waits for the front end to take
// what came before, and the host waits for it.
func (l listener) HandleNotification(_ context.Context, method string, params json.RawMessage) {
	switch method {
	case notifyEvents:
		l.takeEvents(params)
	case notifyChanged:
		var p changed
		if json.Unmarshal(params, &p) == nil {
			l.mu.Lock()
			l.state = p
			close(l.altered)
			l.altered = make(chan struct{})
			l.mu.Unlock()
		}
	case notifyEnded:
		var p ended
		_ = json.Unmarshal(params, &p)
		l.mu.Lock()
		l.ended = p.Why
		l.mu.Unlock()
	}
}

func (c *Client) takeEvents(params json.RawMessage) {
	var p struct {
		At    int64             `json:"at"`
		Lines []json.RawMessage `json:"lines"`
	}
	if json.Unmarshal(params, &p) != nil {
		return
	}
	past := false
	select {
	case <-c.caughtUp:
	default:
		past = true
	}
	for _, line := range p.Lines {
		e, err := conversation.Decode(line)
		switch {
		case err != nil: // of a newer host
		case past:
			c.past.Apply(e)
		default:
			c.stream.Push(c.ctx, e)
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = p.At
	if past && c.welcome.ID != "" && c.at >= c.welcome.History {
		c.catchUp()
	}
}

// catchUp notes that the history is folded. c.mu must be held.
func (c *Client) catchUp() { close(c.caughtUp) }

// Close leaves the session, which goes on.
func (c *Client) Close(ctx context.Context) {
	c.mu.Lock()
	c.left = true
	conn := c.conn
	c.mu.Unlock()
	if conn != nil {
		_ = conn.Flush(ctx) // what was done last
		conn.Close()
	}
	c.cancel()
	c.stream.Close()
	select {
	case <-c.done:
	case <-ctx.Done():
	}
}

// End implements [app.Session]. It waits until the host has ended, or ctx ends.
func (c *Client) End(ctx context.Context) error {
	c.mu.Lock()
	conn := c.conn
	c.mu.Unlock()
	if conn == nil {
		return ErrGone
	}
	if err := conn.Call(ctx, requestEnd, struct{}{}, nil); err != nil && !errors.Is(err, acpclient.ErrClosed) {
		return err
	}
	select {
	case <-conn.Done():
	case <-ctx.Done():
	}
	c.Close(ctx)
	return nil
}

// do carries out an act that nobody waits for.
func (c *Client) do(name string, args ...any) { c.begin(name, args, nil) }

// actTime is how long a front end waits for the result of an act before it goes on: the
// connection is slow, or lost. The act still happens.
const actTime = 3 * time.Second

// ErrNoAnswer means that a host has not answered in time. What was wanted may yet happen.
var ErrNoAnswer = errors.New("the session does not answer: the connection is slow or lost")

// call carries out an act of which a front end needs the results at once; results are
// pointers to them.
func (c *Client) call(name string, args []any, results ...any) error {
	ctx, cancel := context.WithTimeoutCause(c.ctx, actTime, ErrNoAnswer)
	defer cancel()
	err := c.wait(ctx, name, args, results...)
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return context.Cause(ctx)
	}
	return err
}

// wait carries out an act, and waits for its results or for the end of ctx.
func (c *Client) wait(ctx context.Context, name string, args []any, results ...any) error {
	a := c.begin(name, args, results)
	select {
	case <-a.ready:
		return a.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// ask asks for something that changes nothing. It fails without a connection.
func (c *Client) ask(ctx context.Context, name string, args []any, results ...any) error {
	c.mu.Lock()
	conn := c.conn
	c.mu.Unlock()
	if conn == nil {
		return ErrNoAnswer
	}
	raw, err := encodeArgs(args)
	if err != nil {
		return err
	}
	var got []json.RawMessage
	if err := conn.Call(ctx, requestAct, act{Name: name, Args: raw}, &got); err != nil {
		return unwired(err)
	}
	return decodeResults(got, results)
}

func (c *Client) begin(name string, args, results []any) *pendingAct {
	a := &pendingAct{results: results, ready: make(chan struct{})}
	raw, err := encodeArgs(args)
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case err != nil:
		a.err = err
	case c.opt.ReadOnly:
		a.err = ErrReadOnly
	case c.left:
		a.err = ErrGone
	}
	if a.err != nil {
		close(a.ready)
		return a
	}
	c.number++
	a.act = act{Number: c.number, Name: name, Args: raw}
	c.pending = append(c.pending, a)
	if c.conn != nil {
		c.send(c.conn, a)
	}
	return a
}

// send sends an act. c.mu must be held.
func (c *Client) send(conn *acpclient.Conn, a *pendingAct) {
	var got []json.RawMessage
	conn.Request(requestAct, a.act, &got, func(err error) {
		if errors.Is(err, acpclient.ErrClosed) {
			return // it is repeated
		}
		// It may be called with c.mu held, if the connection is just being lost.
		go c.answered(a, got, unwired(err))
	})
}

// answered ends an act with its answer.
func (c *Client) answered(a *pendingAct, got []json.RawMessage, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, p := range c.pending {
		if p == a {
			c.pending = append(c.pending[:i:i], c.pending[i+1:]...)
			if a.err = err; err == nil {
				a.err = decodeResults(got, a.results)
			}
			close(a.ready)
			return
		}
	}
}

func encodeArgs(args []any) ([]json.RawMessage, error) {
	raw := make([]json.RawMessage, len(args))
	for i, arg := range args {
		b, err := json.Marshal(arg)
		if err != nil {
			return nil, err
		}
		raw[i] = b
	}
	return raw, nil
}

func decodeResults(got []json.RawMessage, results []any) error {
	for i, to := range results {
		if i < len(got) {
			if err := json.Unmarshal(got[i], to); err != nil {
				return fmt.Errorf("the answer of the session: %w", err)
			}
		}
	}
	return nil
}

// followRing copies the messages for the inspector.
func (c *Client) followRing() {
	for from := uint64(0); c.ctx.Err() == nil; {
		var entries []record.Numbered
		var next uint64
		if err := c.ask(c.ctx, "Ring.Read", []any{from}, &entries, &next); err != nil {
			select {
			case <-time.After(time.Second):
			case <-c.ctx.Done():
			}
			continue
		}
		for _, e := range entries {
			c.ring.Add(e)
		}
		from = next
	}
}

// StoredID implements [app.Session].
func (c *Client) StoredID() store.ID {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.state.Stored
}

// About implements [app.Session].
func (c *Client) About() app.About {
	about := c.welcome.About
	about.Host, about.Far, about.LookOn = c.opt.Running, c.opt.Far, c.opt.ReadOnly
	return about
}

// Stream implements [app.Session].
func (c *Client) Stream() *session.Stream { return c.stream }

// Ring implements [app.Session].
func (c *Client) Ring() *record.Ring { return c.ring }
