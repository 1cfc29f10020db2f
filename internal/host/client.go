package host

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"parley/acpclient"
	"parley/internal/app"
	"parley/internal/conversation"
	"parley/internal/journal"
	"parley/internal/record"
	"parley/internal/session"
	"parley/internal/store"
)

// Dial connects to a host. The client calls it again after a lost connection, with the
// session's id, which is "" the first time.
type Dial func(ctx context.Context, id string) (io.ReadWriteCloser, error)

// ClientOptions say how to attach.
type ClientOptions struct {
	Dial Dial
	// Running names the session, in the form for [AttachTo].
	Running string
	// Name is the viewer's name for other viewers.
	Name string
	// ReadOnly attaches without taking part.
	ReadOnly bool
	// Passing means that no user watches, as in a command that only gives an order.
	Passing bool
	// Behind is the process that acts through this viewer, which the host may refuse; nil means this one.
	Behind *Process
	// ReadFile, if not nil, answers the host that asks for the text of a file in an editor.
	ReadFile func(ctx context.Context, path string) (text string, err error)
	// Far means that the host is on another machine.
	Far bool
	// Version is the version of this parley.
	Version string
	// Soon means that Attach does not wait for the history: who makes the session of it does.
	Soon bool
	// Before, if not nil, is called with each past event before Attach returns. Past is then
	// empty.
	Before func(conversation.Event)
}

var _ app.Session = (*Client)(nil)

// Client is a session that runs in a host: an [app.Session]. After a lost connection it
// attaches again and repeats unanswered acts, each of which the host does only once. It is
// safe for concurrent use.
type Client struct {
	opt    ClientOptions
	id     string // of the viewer
	stream *session.Stream
	ctx    context.Context
	cancel context.CancelFunc
	done   chan struct{} // closed when it no longer attaches

	// The host's welcome to the first connection.
	welcome welcome
	ring    *record.Ring

	// caughtUp is closed once the history at attaching is folded.
	caughtUp chan struct{}
	past     *conversation.Conversation
	repeats  conversation.Repeats // of the log; taking guards it

	// taking is full while events are taken, which may wait for the front end.
	taking      chan struct{}
	connections int // number of connections made; only events of the last count

	mu      sync.Mutex
	conn    *acpclient.Conn // nil while disconnected
	at      int64           // position in the log
	state   changed
	altered chan struct{} // closed when the journal changes
	number  int           // of the last act
	pending []*pendingAct // unanswered acts, in order
	// withheld are acts that were refused, and unconfirmed prompts of a viewer that has left.
	withheld []session.Unconfirmed
	why      error  // why it cannot attach again, once it cannot
	ended    string // why the host has ended, or ""
	next     string // the ID of the host that continues the session, or ""
	left     bool
	ending   bool // this front end ends the session itself
	watch    watch

	// room limits how long an event may wait for the front end; it is cancelled while the
	// front end itself waits for an answer, which is queued behind the events.
	room    context.Context
	noRoom  context.CancelFunc
	waiting int // number of calls that the front end waits for
}

// pendingAct is an unanswered act.
type pendingAct struct {
	act
	made   session.AnyAct // the act, for [Client.Unconfirmed]
	alone  bool           // no caller waits for it
	result json.RawMessage
	err    error
	ready  chan struct{} // closed when the result is available
}

// Attach attaches to a host, and waits for the history unless it is to be Soon. The error wraps [ErrGone]
// if there is no host.
func Attach(ctx context.Context, opt ClientOptions) (*Client, error) {
	c := &Client{
		opt: opt, id: rand.Text(), stream: session.NewStream(), done: make(chan struct{}),
		caughtUp: make(chan struct{}), past: conversation.New(), altered: make(chan struct{}),
		taking: make(chan struct{}, 1),
	}
	c.ctx, c.cancel = context.WithCancel(context.Background())
	c.room, c.noRoom = context.WithCancel(c.ctx)
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
	if opt.Soon {
		return c, nil
	}
	return c.catchUp(ctx)
}

// catchUp waits for the history. On an error the client is closed.
func (c *Client) catchUp(ctx context.Context) (*Client, error) {
	select {
	case <-c.caughtUp:
		return c, nil
	case <-c.done:
		return nil, c.why
	case <-ctx.Done():
		c.Close(ctx)
		return nil, ctx.Err()
	}
}

// connect dials and attaches. Events continue where the previous connection stopped.
func (c *Client) connect(ctx context.Context) (*acpclient.Conn, error) {
	wire, err := c.opt.Dial(ctx, c.welcome.ID)
	if err != nil {
		return nil, err
	}
	// A lost connection's last events may still be in progress.
	select {
	case c.taking <- struct{}{}:
	case <-ctx.Done():
		_ = wire.Close()
		return nil, ctx.Err()
	}
	c.connections++
	l := listener{Client: c, connection: c.connections}
	c.mu.Lock()
	from := c.at
	c.mu.Unlock()
	<-c.taking
	conn := acpclient.NewConn(over(wire, mostToViewer), l, acpclient.ConnOptions{})
	p := hello{Version: Version, Parley: c.opt.Version, Viewer: c.id, Name: c.opt.Name, ReadOnly: c.opt.ReadOnly, Passing: c.opt.Passing, Files: c.opt.ReadFile != nil, From: from}
	var raw json.RawMessage // raw, because package json must name its members
	attached := make(chan error, 1)
	conn.Request(requestAttach, p, &raw, func(err error) {
		var w welcome
		if err == nil {
			err = json.Unmarshal(raw, &w)
		}
		if err == nil && w.Version != Version {
			err = refusedError(wireDiffers(w.Parley, w.Version, c.opt.Version, Version).Error())
		}
		if err == nil {
			err = c.begun(conn, w)
		}
		attached <- err
	})
	select {
	case err = <-attached:
	case <-ctx.Done():
		conn.Close()
		<-attached
		err = ctx.Err()
	}
	if err != nil {
		conn.Close()
		var refused *acpclient.Error
		if errors.As(err, &refused) {
			err = refusedError(refused.Message)
		}
		return nil, fmt.Errorf("attach to the session: %w", err)
	}
	return conn, nil
}

// begun applies the welcome to a new connection, before its events, and repeats unanswered
// acts.
func (c *Client) begun(conn *acpclient.Conn, w welcome) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.left:
		return context.Canceled
	case c.welcome.ID == "":
		c.welcome = w
		if w.History == 0 {
			close(c.caughtUp)
		}
	case w.ID != c.welcome.ID:
		return ErrGone
	}
	c.alter(w.changed)
	c.conn = conn
	c.watch.begin()
	for _, a := range c.pending {
		c.send(conn, a)
	}
	c.stream.Wake()
	return nil
}

// alter applies a change that the host reports. c.mu must be held.
func (c *Client) alter(s changed) {
	close(c.altered)
	c.altered = make(chan struct{})
	if s.Journal != nil {
		j := *s.Journal
		j.Changed = c.altered
		s.Journal = &j
	}
	c.state = s
}

// The pauses between attempts to attach again, and how long an attempt may take.
const (
	firstPause = 50 * time.Millisecond
	mostPause  = 15 * time.Second
	tryTime    = 30 * time.Second
)

// keep attaches again whenever the connection is lost, until the host is gone or the client is
// closed.
func (c *Client) keep(conn *acpclient.Conn) {
	defer close(c.done)
	var err error
	for {
		<-conn.Done()
		c.mu.Lock()
		c.conn = nil
		over := c.left || c.ended != ""
		c.mu.Unlock()
		if over {
			break
		}
		c.stream.Wake()
		for pause := firstPause; ; pause = min(2*pause, mostPause) {
			try, done := context.WithTimeout(c.ctx, tryTime)
			conn, err = c.connect(try)
			if done(); err == nil || errors.Is(err, ErrGone) || errors.As(err, new(refusedError)) || c.ctx.Err() != nil {
				break
			}
			select {
			case <-time.After(pause):
			case <-c.ctx.Done():
			}
		}
		if err != nil {
			break
		}
	}
	c.over(err)
}

// over ends everything that waits for the host. err is why the client could not attach again.
func (c *Client) over(err error) {
	c.mu.Lock()
	why := ErrGone
	switch {
	case c.next != "":
		why = &app.MovedError{To: c.movedTo()}
	case c.ended != "":
		why = endedError(c.ended)
	case errors.As(err, new(refusedError)):
		why = endedError(err.Error())
	}
	c.why = why
	pending := c.pending
	left, ending := c.left, c.ending
	c.left = true
	c.alter(c.state)
	for _, a := range pending {
		if a.err = why; !left { // otherwise they stay unconfirmed
			c.refuse(a, why)
		}
		close(a.ready)
	}
	if !left {
		c.pending = nil
	}
	c.mu.Unlock()
	if !left && !ending {
		c.stream.Push(c.ctx, conversation.AgentLost{Err: why, At: time.Now()})
	}
	c.cancel()
}

// movedTo returns where the session continues, in the form for [AttachTo].
func (c *Client) movedTo() string {
	to, far := strings.CutPrefix(c.opt.Running, "ssh://")
	if !far {
		return c.next
	}
	machine, _, _ := strings.Cut(to, "/")
	return "ssh://" + machine + "/" + c.next
}

// endedError is the reason that a host gave for ending.
type endedError string

func (e endedError) Error() string { return string(e) }
func (e endedError) Unwrap() error { return ErrGone }

// Disconnected implements [app.Session]. The session can then only be opened from its log. It is
// true before the stream says so: what tells the user asks for it.
func (c *Client) Disconnected() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.why != nil
}

// Past returns what had happened before the client attached. The stream has later events.
func (c *Client) Past() *conversation.Conversation { return c.past }

// listener handles messages from the host.
type listener struct {
	*Client
	connection int
	noReceiver
}

// HandleNotification implements [acpclient.Receiver]. It waits until the front end has taken
// earlier events, which makes the host wait too.
func (l listener) HandleNotification(_ context.Context, method string, params json.RawMessage) {
	l.hears()
	switch method {
	case notifyEvents:
		l.takeEvents(params)
	case notifyChanged:
		var p changed
		if json.Unmarshal(params, &p) == nil {
			l.mu.Lock()
			l.alter(p)
			l.mu.Unlock()
		}
	case notifyEnded:
		var p ended
		_ = json.Unmarshal(params, &p)
		l.mu.Lock()
		l.ended, l.next = p.Why, p.Next
		l.mu.Unlock()
	}
}

// HandleRequest implements [acpclient.Receiver].
func (l listener) HandleRequest(ctx context.Context, method string, params json.RawMessage) (any, error) {
	l.hears()
	if method != requestRead || l.opt.ReadFile == nil {
		return l.noReceiver.HandleRequest(ctx, method, params)
	}
	acpclient.Async(ctx)
	return with(params, func(p reading) (any, error) {
		text, err := l.opt.ReadFile(ctx, p.Path)
		return readText{text}, err
	})
}

func (l listener) takeEvents(params json.RawMessage) {
	var p events
	if acpclient.Unmarshal(params, &p) != nil { // package json takes several times as long
		return
	}
	c := l.Client
	c.taking <- struct{}{}
	defer func() { <-c.taking }()
	c.mu.Lock()
	c.watch.works, c.watch.events = true, time.Now()
	c.look()
	c.mu.Unlock()
	if l.connection != c.connections {
		return // the next connection gets them, too
	}
	c.mu.Lock()
	first, room := c.welcome.History, c.room
	past := c.at < first // no front end uses it yet
	c.mu.Unlock()
	for _, line := range p.Lines {
		e, err := c.repeats.Decode(line)
		switch {
		case err != nil: // another record of the log
		case past && c.opt.Before != nil:
			c.opt.Before(e)
		case past:
			c.past.Apply(e)
		default:
			c.stream.Push(room, e)
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = p.At
	if past && c.at >= first {
		close(c.caughtUp)
	}
}

// Close detaches from the session, which keeps running. It waits a moment for prompts to be
// confirmed.
func (c *Client) Close(ctx context.Context) {
	c.mu.Lock()
	left := c.left
	c.left = true
	conn := c.conn
	pending := slices.Clone(c.pending)
	c.mu.Unlock()
	c.stream.Close() // stop waiting for events
	if conn != nil && !left {
		ctx, cancel := context.WithTimeout(ctx, leaveTime)
		defer cancel()
		for _, a := range pending {
			if _, sends := session.PromptOf(a.made); sends || session.KindOf(a.made).Manner == session.Posts {
				select {
				case <-a.ready:
				case <-conn.Done():
				case <-ctx.Done():
				}
			}
		}
		if c.forgettable() { // let the host forget this viewer's acts
			_ = conn.Call(ctx, requestLeave, struct{}{}, nil) // an error means a lost or silent connection
		}
	}
	if conn != nil {
		conn.Close()
	}
	c.cancel()
	select {
	case <-c.done:
	case <-ctx.Done():
	}
}

// End implements [app.Session]. It waits until the host has ended, or until ctx ends. One that is gone has
// ended already.
func (c *Client) End(ctx context.Context) error { return c.endFor(ctx, "") }

// endFor is End for a session that continues in the host with the ID next, if that is not "".
func (c *Client) endFor(ctx context.Context, next string) error {
	c.mu.Lock()
	conn, gone := c.conn, c.why != nil
	if conn != nil {
		c.ending, c.next = true, next
	}
	c.mu.Unlock()
	switch {
	case gone:
		return nil
	case conn == nil:
		return ErrNoAnswer
	}
	if err := conn.Call(ctx, requestEnd, ending{next}, nil); err != nil && !errors.Is(err, acpclient.ErrClosed) {
		c.mu.Lock()
		c.ending, c.next = false, ""
		c.mu.Unlock()
		return err
	}
	select {
	case <-conn.Done():
	case <-ctx.Done():
	}
	c.Close(ctx)
	return nil
}

// actTime is how long a front end waits for the result of an act on a slow or lost connection.
// The act still happens.
const actTime = 3 * time.Second

// ErrNoAnswer means that a host has not answered in time. The act may still happen.
var ErrNoAnswer = errors.New("the session does not answer: the connection is slow or lost")

// Perform implements [session.Doer].
func (c *Client) Perform(ctx context.Context, call session.Call) (err error) {
	if call.Kind().Brief() && call.Awaited() {
		brief, cancel := c.brief(ctx)
		defer cancel()
		defer func() {
			if brief.Err() != nil && errors.Is(err, brief.Err()) {
				err = context.Cause(brief)
			}
		}()
		ctx = brief
	}
	wait, err := c.Begin(call)
	if err != nil || !call.Awaited() {
		return err
	}
	return wait(ctx)
}

// Begin implements [session.Doer].
func (c *Client) Begin(call session.Call) (wait func(context.Context) error, err error) {
	raw, err := session.Encode(call.Act())
	if err != nil {
		return nil, fmt.Errorf("the act %s: %w", call.Kind().Name, err)
	}
	if call.Kind().Asks() {
		return func(ctx context.Context) error {
			result, err := c.ask(ctx, call.Kind().Name, raw)
			if err != nil {
				return err
			}
			return call.SetResult(result)
		}, nil
	}
	a, err := c.begin(call, raw)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) error {
		select {
		case <-a.ready:
			if a.err != nil {
				return a.err
			}
			return call.SetResult(a.result)
		case <-ctx.Done():
			c.mu.Lock()
			defer c.mu.Unlock()
			a.alone = true
			return ctx.Err()
		}
	}, nil
}

// mostWithheld limits the refused acts that a client remembers.
const mostWithheld = 64

// Unconfirmed implements [app.Session].
func (c *Client) Unconfirmed() []session.Unconfirmed {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := slices.Clone(c.withheld)
	for _, a := range c.pending {
		u := session.Unconfirmed{Act: a.made, Progress: session.Sent}
		if c.conn == nil {
			u.Progress = session.Made
		}
		all = append(all, u)
	}
	return all
}

// Withdraw implements [app.Session].
func (c *Client) Withdraw() []session.Unconfirmed {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := c.withheld
	c.withheld = nil
	return all
}

// refuse remembers a refused act, if no caller waits for it. c.mu must be held.
func (c *Client) refuse(a *pendingAct, why error) {
	if a.err = why; !a.alone {
		return
	}
	c.withheld = append(c.withheld, session.Unconfirmed{Act: a.made, Progress: session.Refused, Err: why})
	if over := len(c.withheld) - mostWithheld; over > 0 {
		c.withheld = slices.Delete(c.withheld, 0, over)
	}
}

// brief returns a context for a call that blocks the front end. Until it ends, events do not
// wait for the front end.
func (c *Client) brief(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithTimeoutCause(ctx, actTime, ErrNoAnswer)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.waiting++; c.waiting == 1 {
		c.noRoom()
	}
	return ctx, func() {
		cancel()
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.waiting--; c.waiting == 0 {
			c.room, c.noRoom = context.WithCancel(c.ctx)
		}
	}
}

// ask makes a call that changes nothing. It fails while disconnected.
func (c *Client) ask(ctx context.Context, name string, raw json.RawMessage) (json.RawMessage, error) {
	var d done
	c.mu.Lock()
	conn := c.conn
	c.mu.Unlock()
	if conn == nil {
		return nil, ErrNoAnswer
	}
	if err := fits(raw, mostToHost); err != nil {
		return nil, err
	}
	switch err := call(ctx, conn, requestAct, act{Name: name, Act: raw}, &d); {
	case errors.Is(err, acpclient.ErrClosed):
		return nil, ErrNoAnswer
	case err != nil:
		return nil, unwired(err)
	}
	return d.Result, nil
}

// begin makes an act and sends it, now or once connected again.
func (c *Client) begin(call session.Call, raw json.RawMessage) (*pendingAct, error) {
	if err := fits(raw, mostToHost); err != nil {
		if !call.Awaited() {
			c.stream.Push(c.ctx, conversation.NoticeAdded{Severity: acpclient.NoticeError, Title: "Not sent to the session", Detail: err.Error()})
		}
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.opt.ReadOnly:
		return nil, ErrReadOnly
	case c.left:
		c.refuse(&pendingAct{made: call.Act(), alone: !call.Awaited()}, ErrGone) // an act without a waiting caller must not be lost
		return nil, ErrGone
	}
	c.number++
	a := &pendingAct{
		act: act{Number: c.number, Name: call.Kind().Name, Act: raw}, made: call.Act(), alone: !call.Awaited(), ready: make(chan struct{}),
	}
	c.pending = append(c.pending, a)
	if c.conn != nil {
		c.send(c.conn, a)
		c.look()
	}
	return a, nil
}

func (c *Client) send(conn *acpclient.Conn, a *pendingAct) {
	p := a.act
	p.Has = c.pending[0].Number - 1
	var raw json.RawMessage // its members are named as package json does
	conn.Request(requestAct, p, &raw, func(err error) {
		if errors.Is(err, acpclient.ErrClosed) {
			return // it will be repeated
		}
		// c.mu may be held, if the connection is just being lost.
		go c.answered(a, raw, err)
	})
}

// answered completes an act with its answer.
func (c *Client) answered(a *pendingAct, raw json.RawMessage, err error) {
	c.hears()
	var d done
	if err != nil {
		err = unwired(err)
	} else {
		err = json.Unmarshal(raw, &d)
	}
	c.mu.Lock()
	at := slices.Index(c.pending, a)
	if at < 0 {
		c.mu.Unlock()
		return
	}
	c.pending = slices.Delete(c.pending, at, at+1)
	if c.why != nil { // who waited for it was told that the connection is over
		c.mu.Unlock()
		return
	}
	if a.result = d.Result; err != nil {
		c.refuse(a, err)
	}
	c.mu.Unlock()
	close(a.ready)
}

// followRing copies the inspector's messages.
func (c *Client) followRing() {
	for from := uint64(0); c.ctx.Err() == nil; {
		part, err := session.Do(c.ctx, c, session.ReadRing{From: from})
		if err != nil {
			select {
			case <-time.After(time.Second):
			case <-c.ctx.Done():
			}
			continue
		}
		for _, e := range part.Entries {
			c.ring.Add(e)
		}
		from = part.Next
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
	about.Stored = about.Stored && !c.opt.Far // a remote session has no local file for drafts
	return about
}

// Journal implements [app.Session].
func (c *Client) Journal() *journal.Summary {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.state.Journal
}

// Stream implements [app.Session].
func (c *Client) Stream() *session.Stream { return c.stream }

// Ring implements [app.Session].
func (c *Client) Ring() *record.Ring { return c.ring }
