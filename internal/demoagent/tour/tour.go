// Package tour is an ACP agent without a model: it shows a newcomer around in
// parley, with real tool calls on a sample project, on a machine that has no
// other agent and no account. It offers every method of stable ACP version 1, and
// version 2 to clients that offer that, and says honestly what it is.
package tour

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"github.com/adrg/xdg"

	"parley/acpclient"
)

// Options say how to run the tour. The zero value is usable.
type Options struct {
	// StateDir is where sessions are kept; by default parley/demo in the
	// person's state directory.
	StateDir string
	// Delay multiplies the pauses that make the stream readable: 1 is normal,
	// 0 is none.
	Delay float64
	// RequireAuth makes the person sign in first. There is no account: signing in
	// is pretended.
	RequireAuth bool
}

// The environment that OptionsFromEnv reads.
const (
	envSpeed = "PARLEY_DEMO_SPEED"
	envAuth  = "PARLEY_DEMO_AUTH"
)

// OptionsFromEnv returns the options that the environment asks for:
// PARLEY_DEMO_SPEED is Delay, PARLEY_DEMO_AUTH=required is RequireAuth.
func OptionsFromEnv() Options {
	opt := Options{Delay: 1, RequireAuth: os.Getenv(envAuth) == "required"}
	if d, err := strconv.ParseFloat(os.Getenv(envSpeed), 64); err == nil && d >= 0 {
		opt.Delay = d
	}
	return opt
}

func (o Options) stateDir() string {
	if o.StateDir != "" {
		return o.StateDir
	}
	return filepath.Join(xdg.StateHome, "parley", "demo")
}

// Run serves one client until in ends, ctx ends, or the person asks for a crash,
// and returns the exit code.
func Run(ctx context.Context, in io.Reader, out, stderr io.Writer, opt Options) int {
	a := &agent{
		opt: opt, store: store{opt.stateDir()}, stderr: stderr, out: &watchedWriter{w: out},
		crashed: make(chan struct{}), ready: make(chan struct{}),
		sessions: map[acpclient.SessionID]*session{},
	}
	a.life, a.die = context.WithCancel(context.Background())
	a.conn = acpclient.NewConn(acpclient.NewLines(in, a.out), a, acpclient.ConnOptions{})
	close(a.ready)
	defer a.end()
	select {
	case <-a.conn.Done():
		return 0
	case <-ctx.Done():
		return 0
	case <-a.crashed:
		return 1
	}
}

// SignIn is what the agent's program does when a client runs it to sign in.
func SignIn(out io.Writer, opt Options) int {
	if err := (store{opt.stateDir()}).signIn(); err != nil {
		_, _ = fmt.Fprintf(out, "cannot sign in: %v\n", err)
		return 1
	}
	_, _ = fmt.Fprintln(out, "You are signed in to the tour. It was only pretended: there is no account.")
	return 0
}

// agent is one run: the connection and the sessions that are open on it.
type agent struct {
	opt    Options
	store  store
	stderr io.Writer
	out    *watchedWriter
	conn   *acpclient.Conn
	ready  chan struct{}   // closed when conn is set
	life   context.Context // of turns that no request is open for
	die    context.CancelFunc

	crash   sync.Once
	crashed chan struct{}

	mu       sync.Mutex
	ending   bool                          // no request is taken any more
	requests sync.WaitGroup                // those being answered; added to with mu held
	client   *acpclient.ClientCapabilities // nil before initialize
	v2       bool                          // the second version of the protocol was agreed on
	sessions map[acpclient.SessionID]*session
}

// HandleNotification implements acpclient.Receiver.
func (a *agent) HandleNotification(_ context.Context, method string, params json.RawMessage) {
	var n acpclient.CancelNotification
	if method != acpclient.SessionCancel.Name || acpclient.Unmarshal(params, &n) != nil {
		return
	}
	if s := a.session(n.SessionID); s != nil {
		s.cancelTurn()
	}
}

// HandleRequest implements acpclient.Receiver.
func (a *agent) HandleRequest(ctx context.Context, method string, params json.RawMessage) (any, error) {
	<-a.ready
	if !a.begin() {
		return nil, acpclient.ErrClosed
	}
	defer a.requests.Done()
	if method != acpclient.Initialize.Name && a.capabilities() == nil {
		return nil, &acpclient.Error{Code: acpclient.CodeInvalidRequest, Message: "initialize comes first"}
	}
	if method != acpclient.Initialize.Name && a.speaksV2() {
		return a.handleV2(ctx, method, params)
	}
	switch method {
	case acpclient.Initialize.Name:
		return a.openConnection(ctx, params)
	case acpclient.Authenticate.Name:
		return serve(ctx, params, a.authenticate)
	case acpclient.Logout.Name:
		return serve(ctx, params, a.logout)
	case acpclient.SessionClose.Name:
		return serve(ctx, params, a.closeSession)
	case acpclient.SessionDelete.Name:
		return serve(ctx, params, a.deleteSession)
	case acpclient.SessionSetMode.Name:
		return serve(ctx, params, a.setMode)
	case acpclient.SessionSetConfigOption.Name:
		return serve(ctx, params, a.setConfigOption)
	}
	answer := a.signedInMethod(ctx, method, params)
	if answer == nil {
		return nil, &acpclient.Error{Code: acpclient.CodeMethodNotFound, Message: "Method not found"}
	}
	if err := a.signedIn(); err != nil {
		return nil, err
	}
	return answer()
}

// signedInMethod is what answers a method for which the person must have signed in; nil
// if there is no such method.
func (a *agent) signedInMethod(ctx context.Context, method string, params json.RawMessage) func() (any, error) {
	switch method {
	case acpclient.SessionNew.Name:
		return func() (any, error) { return serve(ctx, params, a.newSession) }
	case acpclient.SessionLoad.Name:
		return func() (any, error) { return serve(ctx, params, a.loadSession) }
	case acpclient.SessionResume.Name:
		return func() (any, error) { return serve(ctx, params, a.resumeSession) }
	case acpclient.SessionList.Name:
		return func() (any, error) { return serve(ctx, params, a.listSessions) }
	case acpclient.SessionPrompt.Name:
		return func() (any, error) { return serve(ctx, params, a.prompt) }
	}
	return nil
}

// begin counts a request in, unless the agent is about to end.
func (a *agent) begin() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.ending {
		a.requests.Add(1)
	}
	return !a.ending
}

// end cancels what runs and waits for it.
func (a *agent) end() {
	a.conn.Close()
	a.die()
	a.mu.Lock()
	a.ending = true
	a.mu.Unlock()
	a.requests.Wait()
}

// watchedWriter tells when a line has been written, which a connection does some
// time after it was sent.
type watchedWriter struct {
	w    io.Writer
	mu   sync.Mutex
	want string
	seen chan struct{} // nil if nobody waits
}

// after returns a channel that is closed when the next line with this text has
// been written. One can wait at a time.
func (w *watchedWriter) after(text string) <-chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.want, w.seen = text, make(chan struct{})
	return w.seen
}

// Write implements io.Writer; the connection writes one line at a time.
func (w *watchedWriter) Write(line []byte) (int, error) {
	n, err := w.w.Write(line)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.seen != nil && strings.Contains(string(line), w.want) {
		close(w.seen)
		w.seen = nil
	}
	return n, err
}

// serve decodes the params of a request for the function that answers it.
func serve[P, R any](ctx context.Context, params json.RawMessage, answer func(context.Context, *P) (*R, error)) (any, error) {
	p := new(P)
	if err := acpclient.Unmarshal(params, p); err != nil {
		return nil, invalid("%v", err)
	}
	r, err := answer(ctx, p)
	if err != nil {
		return nil, err
	}
	return r, nil
}

func invalid(format string, args ...any) error {
	return &acpclient.Error{Code: acpclient.CodeInvalidParams, Message: fmt.Sprintf(format, args...)}
}

// capabilities are those of the client; nil before initialize.
func (a *agent) capabilities() *acpclient.ClientCapabilities {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.client
}

func (a *agent) session(id acpclient.SessionID) *session {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.sessions[id]
}

// openSession is a session that must be open.
func (a *agent) openSession(id acpclient.SessionID) (*session, error) {
	if s := a.session(id); s != nil {
		return s, nil
	}
	return nil, noSession(id)
}

func noSession(id acpclient.SessionID) error {
	return acpclient.NotFoundError("session " + string(id))
}
