package host

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"slices"
	"sync/atomic"
	"time"

	"parley/acpclient"
	"parley/internal/app"
	"parley/internal/session"
)

// viewer is an attached viewer.
type viewer struct {
	host   *Host
	guest  *guest // nil if it need not prove itself
	conn   *acpclient.Conn
	ctx    context.Context // ends with the connection
	news   chan struct{}   // receives when something besides the events has changed
	leaves atomic.Bool     // its connection ends if it reads nothing for leaveTime

	// Set by attach.
	id, name string
	readOnly bool
	passing  bool
	followed chan struct{} // closed when it has all events; nil until it has attached
	// slow is when it last was slow to answer as an editor. Host.mu guards it.
	slow time.Time
}

// wake signals news without blocking.
func (v *viewer) wake() {
	select {
	case v.news <- struct{}{}:
	default:
	}
}

// acts are a viewer's acts with their results: an act that is repeated after a lost connection
// returns its result and is not done again. Host.mu guards them.
type acts struct {
	done map[int]*outcome // those whose results the viewer may not have
	has  int              // the viewer has all results up to this number
	left time.Time        // when it was last connected
}

// outcome is the result of an act, once ready is closed.
type outcome struct {
	ready  chan struct{}
	result any
	err    error
}

// begin returns the outcome of an act, and whether it must still be done.
func (a *acts) begin(p act) (o *outcome, fresh bool) {
	if p.Has > a.has {
		a.has = p.Has
		maps.DeleteFunc(a.done, func(number int, _ *outcome) bool { return number <= p.Has })
	}
	if o := a.done[p.Number]; o != nil {
		return o, false
	}
	o = &outcome{ready: make(chan struct{})}
	if p.Number <= a.has {
		o.err = errors.New("this act was done before")
		close(o.ready)
		return o, false
	}
	a.done[p.Number] = o
	return o, true
}

const (
	// leaveTime is how long a viewer may read nothing when the host ends, and farewellTime how
	// long it has to read the rest.
	leaveTime    = 2 * time.Second
	farewellTime = 15 * time.Second
	// mostAway limits the remembered viewers that have lost their connections.
	mostAway = 64
)

// serve serves a viewer until it detaches or the host has ended.
func (h *Host) serve(c net.Conn) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	v := &viewer{host: h, ctx: ctx, news: make(chan struct{}, 1)}
	v.guest, _ = c.(*guest)
	ready := make(chan struct{})
	v.conn = acpclient.NewConn(over(inPieces{c, &v.leaves}, mostToHost), receiver{v, ready}, acpclient.ConnOptions{Log: h.opt.Log})
	close(ready)
	select {
	case <-v.conn.Done():
	case <-h.over:
		v.farewell(c)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	v.gone()
}

// gone removes the viewer. Host.mu must be held.
func (v *viewer) gone() {
	h := v.host
	if _, looks := h.viewers[v]; !looks {
		return
	}
	delete(h.viewers, v)
	if !v.passing {
		h.seen = h.log.End()
	}
	h.forgetEditor(v)
	h.revise()
	if a := h.acted[v.id]; a != nil {
		a.left = time.Now()
	}
	if len(h.viewers) == 0 {
		h.quiet = time.Now()
		h.work.Go(h.endIfIdle)
	}
}

// farewell sends why the host ends, and then the rest of the history while the viewer reads.
// The reason goes first, so that a slow viewer gets it.
func (v *viewer) farewell(c net.Conn) {
	why := ended{Why: context.Cause(v.host.ctx).Error()}
	if moved, is := errors.AsType[*app.MovedError](context.Cause(v.host.ctx)); is {
		why.Next = moved.To
	}
	_ = v.conn.Notify(notifyEnded, why)
	v.host.mu.Lock()
	followed := v.followed // no viewer can attach any more
	v.host.mu.Unlock()
	ctx, cancel := context.WithTimeout(v.ctx, farewellTime)
	defer cancel()
	v.leaves.Store(true)
	_ = c.SetWriteDeadline(time.Now().Add(leaveTime))
	if followed != nil {
		select {
		case <-followed:
		case <-v.conn.Done():
		case <-ctx.Done():
		}
	}
	ctx, cancel = context.WithTimeout(ctx, leaveTime)
	defer cancel()
	_ = v.conn.Flush(ctx) // a viewer that does not read misses the rest
	v.conn.Close()
}

// inPieces is a connection that writes in pieces. Once leaves is true, each may take leaveTime.
type inPieces struct {
	net.Conn
	leaves *atomic.Bool
}

// Write implements [io.Writer].
func (p inPieces) Write(b []byte) (n int, err error) {
	const piece = 32 << 10
	for err == nil && n < len(b) {
		if p.leaves.Load() {
			_ = p.SetWriteDeadline(time.Now().Add(leaveTime))
		}
		var m int
		m, err = p.Conn.Write(b[n:min(n+piece, len(b))])
		n += m
	}
	return n, err
}

// transport carries messages over a connection.
type transport struct {
	*acpclient.Lines
	io.Closer
}

// Limits on the length of a message, in bytes. The largest of a viewer are a prompt with
// images and a hunk to undo with its whole file; the largest of a host are both texts of a
// changed file. Tests lower them.
var (
	mostToHost   = 64 << 20
	mostToViewer = 256 << 20
)

// around is the space for the rest of a message with an act or a result.
const around = 4 << 10

// fits checks that an act or a result does not exceed the limit of its message. The other end
// would drop it, and the agent would get no answer.
func fits(raw json.RawMessage, most int) error {
	if len(raw) > most-around {
		return fmt.Errorf("it has %d MB, and %d MB go to or from a session that keeps running", len(raw)>>20, most>>20)
	}
	return nil
}

// over carries messages from the other end, of at most most bytes.
func over(c io.ReadWriteCloser, most int) acpclient.Transport {
	lines := acpclient.NewLines(c, c)
	lines.MaxLine = most
	return transport{lines, c}
}

// Close implements [acpclient.Transport].
func (t transport) Close() error { return t.Closer.Close() }

// receiver handles requests of a viewer, once the viewer is complete.
type receiver struct {
	*viewer
	ready <-chan struct{}
}

// HandleNotification implements [acpclient.Receiver]. Viewers send only their proof.
func (r receiver) HandleNotification(_ context.Context, method string, params json.RawMessage) {
	if method == notifyProve && r.guest != nil {
		r.guest.prove(params)
	}
}

// HandleRequest implements [acpclient.Receiver].
func (r receiver) HandleRequest(ctx context.Context, method string, params json.RawMessage) (any, error) {
	<-r.ready
	if r.guest != nil && r.guest.refusal != nil {
		acpclient.OnAnswered(ctx, func() { go r.conn.Close() })
		return nil, &acpclient.Error{Code: notAdmitted, Message: r.guest.refusal.Error()}
	}
	switch method {
	case requestStatus:
		return with(params, func(p watching) (any, error) { return r.host.watch(ctx, p.After) })
	case requestAttach:
		return with(params, func(p hello) (any, error) { return r.attach(ctx, p) })
	case requestReplace:
		if r.followed == nil || r.readOnly {
			return nil, wireError(ErrReadOnly)
		}
		return with(params, func(p replacing) (any, error) { return r.host.replace(p.Viewer), nil })
	case requestLeave:
		r.leave()
		return struct{}{}, nil
	case requestEnd:
		if r.readOnly {
			return nil, wireError(ErrReadOnly)
		}
		return with(params, func(p ending) (any, error) {
			why := errEnded
			if p.Next != "" {
				why = &app.MovedError{To: p.Next}
			}
			r.host.end(why)
			return struct{}{}, nil
		})
	case requestAct:
		return with(params, func(p act) (any, error) { return r.act(ctx, p) })
	}
	return nil, &acpclient.Error{Code: acpclient.CodeMethodNotFound, Message: "this parley does not know " + method}
}

// with handles a request with its params.
func with[P any](params json.RawMessage, handle func(P) (any, error)) (any, error) {
	var p P
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, err
	}
	return handle(p)
}

// attach makes the connection a viewer's, which then gets past and new events. It closes an
// earlier connection of the viewer.
func (v *viewer) attach(ctx context.Context, p hello) (*welcome, error) {
	h := v.host
	to := h.log.End()
	if p.From > to {
		return nil, errors.New("the viewer knows more than has happened")
	}
	if p.Version != Version {
		return nil, wireError(wireDiffers(h.opt.Version, Version, p.Parley, p.Version))
	}
	w := &welcome{
		Version: Version, Parley: h.opt.Version, ID: h.opt.ID, About: h.session.About(), Agent: describe(h.opt.Agent), Earlier: h.opt.Earlier,
		History: to, changed: *h.changed(),
	}
	if r := h.session.Ring(); r != nil {
		header := r.Header()
		w.Header = &header
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	mine := h.acted[p.Viewer]
	switch {
	case h.ctx.Err() != nil:
		return nil, errEnded
	case v.followed != nil:
		return nil, errors.New("it is attached already")
	case mine == nil && p.From > 0 && !p.ReadOnly:
		return nil, errors.New("it was away for too long: attach again")
	}
	h.disconnect(p.Viewer)
	w.Shared = len(h.viewers) > 0
	if mine == nil && !p.ReadOnly {
		h.forgetAway()
		h.acted[p.Viewer] = &acts{done: map[int]*outcome{}}
	}
	v.id, v.name, v.readOnly, v.passing, v.followed = p.Viewer, p.Name, p.ReadOnly, p.Passing, make(chan struct{})
	h.viewers[v] = struct{}{}
	if p.Files && !p.ReadOnly {
		h.editors = append(h.editors, v)
	}
	h.left = false
	h.revise()
	welcomed := make(chan struct{})
	acpclient.OnAnswered(ctx, func() { close(welcomed) })
	h.work.Go(func() { v.follow(p.From, welcomed) })
	h.work.Go(v.tell)
	return w, nil
}

// disconnect closes the connections of a viewer, whose acts over them no longer count. h.mu
// must be held.
func (h *Host) disconnect(id string) {
	for o := range h.viewers {
		if o.id == id {
			delete(h.viewers, o)
			h.forgetEditor(o)
			o.conn.Close()
		}
	}
}

// replace ends what a departed viewer can do, and returns which of its acts were done.
func (h *Host) replace(id string) leftActs {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.disconnect(id)
	if a := h.acted[id]; a != nil {
		return leftActs{true, a.has, slices.Sorted(maps.Keys(a.done))}
	}
	return leftActs{}
}

// forgetAway forgets the viewers that have been away longest, if there are too many. h.mu must
// be held.
func (h *Host) forgetAway() {
	away := maps.Clone(h.acted)
	for v := range h.viewers {
		delete(away, v.id)
	}
	if len(away) < mostAway {
		return
	}
	oldest := slices.SortedFunc(maps.Keys(away), func(a, b string) int { return away[a].left.Compare(away[b].left) })
	for _, id := range oldest[:len(away)-mostAway+1] {
		delete(h.acted, id)
	}
}

// leave forgets a viewer that will not return. Its acts are done or in progress.
func (v *viewer) leave() {
	h := v.host
	h.mu.Lock()
	defer h.mu.Unlock()
	if _, looks := h.viewers[v]; looks {
		delete(h.acted, v.id)
		h.left = true
		v.gone()
	}
}

// follow sends the log from a position on, after the welcome, as fast as the viewer reads.
// When the session ends it sends the rest.
func (v *viewer) follow(at int64, welcomed <-chan struct{}) {
	defer close(v.followed)
	select {
	case <-welcomed:
	case <-v.ctx.Done():
	}
	for {
		lines, next, err := v.host.log.Read(v.ctx, at)
		if err != nil {
			if !errors.Is(err, io.EOF) && v.ctx.Err() == nil {
				v.host.opt.Log.Error("the log cannot be read", "error", err)
				_ = v.conn.Notify(notifyEnded, ended{Why: fmt.Sprintf("what was said in this session cannot be read any more: %v. The session still runs: "+
					"'parley sessions end %s' ends it", err, v.host.opt.ID)})
				_ = v.conn.Flush(v.ctx)
				v.conn.Close()
			}
			return
		}
		at = next
		if v.conn.Notify(notifyEvents, encodeEvents(lines, at)) != nil || v.conn.Flush(v.ctx) != nil {
			return
		}
	}
}

// tell tells the viewer what has changed besides the events, once it has read the last report.
func (v *viewer) tell() {
	for {
		select {
		case <-v.news:
		case <-v.ctx.Done():
			return
		}
		if v.conn.Notify(notifyChanged, v.host.changed()) != nil || v.conn.Flush(v.ctx) != nil {
			return
		}
	}
}

// act does a viewer's act.
func (v *viewer) act(ctx context.Context, p act) (any, error) {
	if v.followed == nil {
		return nil, errors.New("attach first")
	}
	k := session.KindNamed(p.Name)
	if k == nil {
		return nil, &acpclient.Error{Code: acpclient.CodeMethodNotFound, Message: fmt.Sprintf("this parley does not know the act %s", p.Name)}
	}
	c, err := k.Decode(p.Act)
	if err != nil {
		return nil, &acpclient.Error{Code: acpclient.CodeInvalidParams, Message: err.Error()}
	}
	if v.readOnly && !k.Asks() {
		return nil, wireError(ErrReadOnly)
	}
	if !k.InOrder() {
		acpclient.Async(ctx)
	}
	if k.Asks() {
		err := v.host.session.Perform(ctx, c)
		return wired(c.Result(), err)
	}
	o, fresh, err := v.begin(p)
	if err != nil {
		return nil, err
	}
	if fresh {
		// An act goes on even if its viewer is gone.
		v.carryOut(context.WithoutCancel(ctx), c, o)
	}
	select {
	case <-o.ready:
		return wired(o.result, o.err)
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// begin returns the outcome of an act, and whether it must still be done. It fails if the
// viewer has a newer connection or has detached.
func (v *viewer) begin(p act) (o *outcome, fresh bool, err error) {
	v.host.mu.Lock()
	defer v.host.mu.Unlock()
	mine := v.host.acted[v.id]
	if _, looks := v.host.viewers[v]; !looks || mine == nil {
		return nil, false, errors.New("this connection is over")
	}
	o, fresh = mine.begin(p)
	return o, fresh, nil
}

func (v *viewer) carryOut(ctx context.Context, c session.Call, o *outcome) {
	o.err = fmt.Errorf("the act %s failed", c.Kind().Name) // if it panics
	defer close(o.ready)
	if o.err = v.host.session.Perform(ctx, c); o.err == nil {
		o.result = c.Result()
		v.tellOthers(c.Kind())
	}
}

// wired returns the result of an act in its form for the wire.
func wired(result any, err error) (any, error) {
	if err != nil {
		return nil, wireError(err)
	}
	raw, err := session.Encode(result)
	if err == nil {
		err = fits(raw, mostToViewer)
	}
	if err != nil {
		return nil, wireError(err)
	}
	return done{raw}, nil
}

// tellOthers adds a notice about who has done an act, if other viewers should know.
func (v *viewer) tellOthers(k *session.Kind) {
	v.host.mu.Lock()
	others := len(v.host.viewers) > 1
	v.host.mu.Unlock()
	if k.Told != "" && others {
		session.Post(v.host.session, session.AddNotice{Severity: acpclient.NoticeInfo, Title: k.Told + " " + v.name})
	}
}
