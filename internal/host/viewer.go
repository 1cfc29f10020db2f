package host

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"time"

	"parley/acpclient"
)

// viewer is a connection of somebody who looks on.
type viewer struct {
	host *Host
	conn *acpclient.Conn

	// What follows is known once it has attached.
	id, name string
	readOnly bool
	attached bool
}

// acts are what a viewer has done, with the results: whoever repeats an act after a lost
// connection gets its result and does not do it again.
type acts struct {
	mu   sync.Mutex
	done map[int]*outcome
	last int
}

// outcome is the result of an act, once it is there.
type outcome struct {
	ready   chan struct{}
	results []any
	err     error
}

// remembered is how many acts of a viewer are remembered. It waits for one before it sends
// the next but for a few.
const remembered = 256

// begin returns the outcome of an act, and whether it has yet to be done.
func (a *acts) begin(number int) (o *outcome, fresh bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if o := a.done[number]; o != nil {
		return o, false
	}
	o = &outcome{ready: make(chan struct{})}
	if a.done[number] = o; number <= a.last-remembered {
		o.err = errors.New("this act is too old to be repeated")
		close(o.ready)
		return o, false
	}
	if number > a.last {
		a.last = number
		delete(a.done, number-remembered)
	}
	return o, true
}

// sentAtOnce is about how many bytes of the history go in one message.
const sentAtOnce = 256 << 10

// serve talks with a viewer until it leaves.
func (h *Host) serve(c net.Conn) {
	v := &viewer{host: h}
	ready := make(chan struct{})
	v.conn = acpclient.NewConn(over(c), receiver{v, ready}, acpclient.ConnOptions{Log: h.opt.Log})
	close(ready)
	select {
	case <-v.conn.Done():
	case <-h.ctx.Done():
		h.mu.Lock()
		attached := v.attached
		h.mu.Unlock()
		if !attached { // otherwise Run says goodbye
			v.conn.Close()
		}
		<-v.conn.Done()
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.viewers, v)
	if len(h.viewers) == 0 {
		h.quiet = time.Now()
	}
	if h.ctx.Err() == nil && v.attached && len(h.viewers) == 0 {
		h.work.Go(h.endIfIdle)
	}
}

// transport carries messages over a connection, and closes it at its end.
type transport struct {
	*acpclient.Lines
	io.Closer
}

// maxLine bounds a message: all of a file and what it was can be in one.
const maxLine = 256 << 20

func over(c io.ReadWriteCloser) acpclient.Transport {
	lines := acpclient.NewLines(c, c)
	lines.MaxLine = maxLine
	return transport{lines, c}
}

// Close implements [acpclient.Transport].
func (t transport) Close() error { return t.Closer.Close() }

// receiver takes what a viewer sends. It waits until the viewer is complete.
type receiver struct {
	*viewer
	ready <-chan struct{}
}

// HandleNotification implements [acpclient.Receiver]. There are none.
func (r receiver) HandleNotification(context.Context, string, json.RawMessage) {}

// HandleRequest implements [acpclient.Receiver].
func (r receiver) HandleRequest(ctx context.Context, method string, params json.RawMessage) (any, error) {
	<-r.ready
	switch method {
	case requestStatus:
		return r.host.status(), nil
	case requestAttach:
		var p hello
		if err := json.Unmarshal(params, &p); err != nil {
			return nil, err
		}
		return r.attach(p)
	case requestEnd:
		if r.readOnly {
			return nil, wireError(ErrReadOnly)
		}
		r.host.end(errEnded)
		return struct{}{}, nil
	case requestAct:
		var p act
		if err := json.Unmarshal(params, &p); err != nil {
			return nil, err
		}
		return r.act(ctx, p)
	}
	return nil, &acpclient.Error{Code: acpclient.CodeMethodNotFound, Message: "this parley does not know " + method}
}

// attach makes the connection that of a viewer, who gets what has happened and what happens.
func (v *viewer) attach(p hello) (*welcome, error) {
	h := v.host
	from, to := h.history.span()
	at := max(p.From, from)
	if p.From > to {
		return nil, errors.New("the viewer knows more than has happened")
	}
	w := &welcome{
		Version: Version, ID: h.opt.ID, About: h.session.About(), Agent: describe(h.opt.Agent), Earlier: h.opt.Earlier,
		History: to, changed: *h.changed(), Rules: h.session.Rules() != nil,
	}
	if r := h.session.Ring(); r != nil {
		header := r.Header()
		w.Header = &header
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.viewers == nil || v.attached {
		return nil, errEnded
	}
	v.id, v.name, v.readOnly, v.attached = p.Viewer, p.Name, p.ReadOnly, true
	h.viewers[v] = struct{}{}
	h.looked = true
	if h.acted[v.id] == nil {
		h.acted[v.id] = &acts{done: map[int]*outcome{}}
	}
	h.work.Go(func() { v.follow(at) })
	return w, nil
}

// follow sends the history from a position on, as fast as the viewer reads it. After the end
// of the host it sends the rest.
func (v *viewer) follow(at int64) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		select {
		case <-v.conn.Done():
			cancel()
		case <-ctx.Done():
		}
	}()
	for {
		lines, err := v.host.history.read(ctx, at, sentAtOnce)
		if err != nil {
			return
		}
		at += int64(len(lines))
		if v.conn.Notify(notifyEvents, events{lines, at}) != nil || v.conn.Flush(ctx) != nil {
			return
		}
	}
}

// leave ends the connection once the viewer has all that has happened and knows why the
// host ends, or ctx ends.
func (v *viewer) leave(ctx context.Context, why error) {
	_ = v.conn.Notify(notifyEnded, ended{why.Error()})
	_ = v.conn.Flush(ctx) // it does not read: it has to do without
	v.conn.Close()
}

// act does what a viewer wants.
func (v *viewer) act(ctx context.Context, p act) (any, error) {
	h := v.host
	does := known[p.Name]
	switch {
	case !v.attached:
		return nil, errors.New("attach first")
	case does == 0:
		return nil, &acpclient.Error{Code: acpclient.CodeMethodNotFound, Message: fmt.Sprintf("this parley does not know the act %s", p.Name)}
	case v.readOnly && does != asks:
		return nil, wireError(ErrReadOnly)
	}
	if does != inOrder {
		acpclient.Async(ctx)
	}
	if does == asks {
		return wired(perform(ctx, h.subject(p.Name), p.Name, p.Args))
	}
	h.mu.Lock()
	mine := h.acted[v.id]
	h.mu.Unlock()
	o, fresh := mine.begin(p.Number)
	if fresh {
		// An act goes on if its viewer is gone: it happens once, not half.
		o.results, o.err = perform(context.WithoutCancel(ctx), h.subject(p.Name), p.Name, p.Args)
		close(o.ready)
		v.tellOthers(p, o)
	}
	select {
	case <-o.ready:
		return wired(o.results, o.err)
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func wired(results []any, err error) (any, error) {
	if err != nil {
		return nil, wireError(err)
	}
	if results == nil {
		results = []any{}
	}
	return results, nil
}

// subject is what an act is a method of.
func (h *Host) subject(name string) any {
	switch of, _, _ := strings.Cut(name, "."); of {
	case "Journal":
		return h.session.Journal()
	case "Rules":
		return h.session.Rules()
	case "Ring":
		if r := h.session.Ring(); r != nil {
			return ring{r}
		}
		return nil
	}
	return remote{h.session}
}

// tellOthers says in the session who has answered a question, if others had it before them.
func (v *viewer) tellOthers(p act, o *outcome) {
	if o.err != nil || p.Name != "Answer" && p.Name != "AnswerWith" && p.Name != "AnswerElicitation" {
		return
	}
	v.host.mu.Lock()
	others := len(v.host.viewers) > 1
	v.host.mu.Unlock()
	if others {
		v.host.session.AddNotice(acpclient.NoticeInfo, "Answered on "+v.name, "")
	}
}
