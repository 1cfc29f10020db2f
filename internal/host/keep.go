package host

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"

	"parley/acpclient"
	"parley/config"
	"parley/internal/app"
	"parley/internal/conversation"
	"parley/internal/store"
	"parley/internal/termtext"
)

// Begun is what a host prints once it accepts connections, or why it cannot.
type Begun struct {
	ID    string `json:"id,omitempty"`
	Error string `json:"error,omitempty"`
	Hint  string `json:"hint,omitempty"`
	// InUse means that the stored session is open elsewhere.
	InUse bool `json:"inUse,omitempty"`
}

// Spawn starts a host process, and waits until it accepts connections.
func Spawn(ctx context.Context, k app.Kept) (id string, err error) {
	if !Available {
		return "", ErrUnavailable
	}
	self, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("find parley's own program: %w", err)
	}
	k.ID = cmp.Or(k.ID, NewID())
	spec, err := json.Marshal(k)
	if err != nil {
		return "", err
	}
	cmd := exec.Command(self, "host") // not bound to ctx, which it outlives
	cmd.Stdin, cmd.Dir = bytes.NewReader(spec), k.Cwd
	ownSession(cmd)
	out, err := cmd.StdoutPipe()
	if err != nil {
		return "", err
	}
	if err := cmd.Start(); err != nil {
		return "", fmt.Errorf("start a process for the session: %w", err)
	}
	said := make(chan Begun, 1)
	go func() {
		var b Begun
		if err := json.NewDecoder(out).Decode(&b); err != nil {
			b.Error = "the process for the session has ended at once"
		}
		said <- b
		_ = cmd.Wait() // nobody else reaps it
	}()
	select {
	case b := <-said:
		switch {
		case b.InUse:
			return "", &actError{b.Error, store.ErrInUse}
		case b.Hint != "":
			return "", app.WithHint(b.Hint, "%s", b.Error)
		case b.Error != "":
			return "", errors.New(b.Error)
		}
		return b.ID, nil
	case <-ctx.Done():
		_ = cmd.Process.Kill()
		return "", ctx.Err()
	}
}

// AttachTo attaches to a running session on this machine or, as ssh://HOST/ID, on another one.
// version is that of this parley.
func AttachTo(ctx context.Context, running string, lookOn bool, version string) (*Client, error) {
	return attachTo(ctx, ClientOptions{Running: running, ReadOnly: lookOn, Version: version})
}

// Visit is AttachTo for a command that gives an order and detaches, without a watching user.
func Visit(ctx context.Context, running, version string) (*Client, error) {
	return attachTo(ctx, ClientOptions{Running: running, Passing: true, Version: version})
}

// AttachFrom is AttachTo for callers that fold all events: before is called with each past
// event.
func AttachFrom(ctx context.Context, running string, lookOn bool, version string, before func(conversation.Event)) (*Client, error) {
	return attachTo(ctx, ClientOptions{Running: running, ReadOnly: lookOn, Version: version, Before: before})
}

func attachTo(ctx context.Context, opt ClientOptions) (*Client, error) {
	opt.Name = viewerName()
	if opt.Dir == "" {
		opt.Dir, _ = HistoryDir() // without it, nothing is stored
	}
	if to, far := strings.CutPrefix(opt.Running, "ssh://"); far {
		opt.Far, opt.Dial = true, relay(to)
	} else {
		opt.Dial = func(ctx context.Context, _ string) (io.ReadWriteCloser, error) { return connect(ctx, opt.Running) }
	}
	return Attach(ctx, opt)
}

// viewerName names this viewer for others: its terminal, or else its machine.
func viewerName() string {
	if tty, err := os.Readlink("/proc/self/fd/0"); err == nil && strings.HasPrefix(tty, "/dev/") && tty != os.DevNull {
		return strings.TrimPrefix(tty, "/dev/")
	}
	name, err := os.Hostname()
	if err != nil {
		return "another viewer"
	}
	return name
}

// Keeping returns a backend that runs sessions in hosts if keep is set. In any case it
// attaches to sessions that already run in a host instead of opening them twice.
func Keeping(l *app.Launcher, b app.Backend, keep bool) app.Backend {
	if !Available {
		return b
	}
	k := keeper{l, new(sync.Map)}
	reopen := b.Reopen // nil without a store
	b.Reopen = func(ctx context.Context, o app.Open) (*app.Reopened, error) {
		if id := k.running(ctx, o); id != "" {
			return k.attach(ctx, id, o.LookOn)
		}
		if keep || o.Keep {
			return k.reopen(ctx, o)
		}
		return reopen(ctx, o)
	}
	b.Running, b.EndRunning = k.list, End
	b.Watch = func(ctx context.Context) func() ([]app.Running, error) {
		next := Watch(ctx)
		return func() ([]app.Running, error) { return k.mark(next()) }
	}
	b.Visit = func(ctx context.Context, running string) (app.Session, error) {
		c, err := Visit(ctx, running, l.Version)
		if err != nil {
			return nil, err
		}
		return c, nil
	}
	if b.Stored != nil {
		b.Keep = k.reopen
	}
	if branch := b.Branch; branch != nil {
		b.Branch = func(ctx context.Context, o app.Open, prompt int, cwd string) (*app.Branched, error) {
			if keep || o.Keep {
				return k.branch(ctx, o, prompt, cwd)
			}
			return branch(ctx, o, prompt, cwd)
		}
	}
	if !keep {
		return b
	}
	b.Start = func(a config.Agent) (app.Session, error) { return k.start(l.KeptFirst(a)) }
	b.StartIn = func(a config.Agent, cwd string) (app.Session, error) { return k.start(l.Kept(a, cwd)) }
	b.Load = func(a config.Agent, info acpclient.SessionInfo) (app.Session, error) {
		spec := l.Kept(a, info.Cwd)
		spec.Session = info.SessionID
		return k.start(spec)
	}
	return b
}

// keeper makes sessions in hosts.
type keeper struct {
	*app.Launcher
	own *sync.Map // keys are the ids of the sessions that it has started
}

// start makes a session in a host and attaches to it.
func (k keeper) start(spec app.Kept) (app.Session, error) {
	c, err := k.begin(context.Background(), spec)
	if err != nil {
		return nil, err
	}
	return c, nil
}

func (k keeper) begin(ctx context.Context, spec app.Kept) (*Client, error) {
	spec.ID = cmp.Or(spec.ID, NewID())
	k.own.Store(spec.ID, true) // before it can be listed
	id, err := Spawn(ctx, spec)
	if err != nil {
		return nil, err
	}
	return AttachTo(ctx, id, false, k.Version)
}

// list is [List], and marks the sessions that this parley has started.
func (k keeper) list(ctx context.Context) ([]app.Running, error) { return k.mark(List(ctx)) }

// mark marks the sessions that this parley has started.
func (k keeper) mark(all []app.Running, err error) ([]app.Running, error) {
	for i := range all {
		_, all[i].Own = k.own.Load(all[i].ID)
	}
	return all, err
}

// running returns the host in which the session to be opened runs, or "".
func (k keeper) running(ctx context.Context, o app.Open) string {
	if o.Running != "" {
		return o.Running
	}
	all, err := List(ctx)
	if err != nil {
		return ""
	}
	for _, s := range all {
		if s.Stored == o.ID {
			return s.ID
		}
	}
	return ""
}

// attach opens a running session.
func (k keeper) attach(ctx context.Context, running string, lookOn bool) (*app.Reopened, error) {
	c, err := AttachTo(ctx, running, lookOn, k.Version)
	if err != nil {
		return nil, err
	}
	return k.shown(c), nil
}

// shown describes a session that ran before it was attached to.
func (k keeper) shown(c *Client) *app.Reopened {
	r := k.attached(c)
	if r.Runs = true; c.opt.ReadOnly {
		r.ReadOnly = ErrReadOnly
	}
	switch watched := c.watched(); {
	case watched:
		r.View.Draft, r.View.Editor = "", "" // another viewer is writing it
	case r.View.Editor != "":
		if v, err := k.Store.TakeView(r.Transcript.Meta.ID); err == nil {
			r.View = v
		}
	}
	return r
}

// attached describes a running session as if it had been reopened.
func (k keeper) attached(c *Client) *app.Reopened {
	r := &app.Reopened{Agent: c.Agent(), Session: c, Transcript: &store.Transcript{Conversation: c.Past()}}
	r.Transcript.Meta = store.Meta{ID: c.StoredID(), Cwd: c.About().Cwd, Dirs: c.About().Dirs, Agent: r.Agent.ID}
	if k.Store == nil || r.Transcript.Meta.ID == "" || c.opt.Far {
		return r
	}
	if m, err := k.Store.Meta(r.Transcript.Meta.ID); err == nil {
		r.Transcript.Meta = m
	}
	if v, err := k.Store.View(r.Transcript.Meta.ID); err == nil {
		r.View = v
	}
	return r
}

// reopen continues a stored session in a host. A session that can only be read is opened in
// this process.
func (k keeper) reopen(ctx context.Context, o app.Open) (*app.Reopened, error) {
	m, err := k.Store.Meta(o.ID)
	if err != nil {
		return nil, err
	}
	a, err := k.StoredAgent(m, o)
	if err != nil {
		return k.Reopen(ctx, o)
	}
	spec := k.Kept(a, m.Cwd)
	spec.Dirs, spec.Stored = m.Dirs, o.ID
	// A host of the session may just be starting or ending.
	const tries, pause = 5, 200 * time.Millisecond
	for range tries {
		c, err := k.begin(ctx, spec)
		if err == nil {
			return k.attached(c), nil
		}
		if !errors.Is(err, store.ErrInUse) {
			return nil, err
		}
		if id := k.running(ctx, o); id != "" {
			return k.attach(ctx, id, o.LookOn)
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return k.Reopen(ctx, o)
}

// Attached returns a backend that shows an already attached session the first time that it is
// opened.
func Attached(l *app.Launcher, b app.Backend, c *Client) app.Backend {
	reopen := b.Reopen
	b.Reopen = func(ctx context.Context, o app.Open) (*app.Reopened, error) {
		if first := c; first != nil && o.Running == first.opt.Running {
			c = nil
			return keeper{Launcher: l}.shown(first), nil
		}
		return reopen(ctx, o)
	}
	return b
}

// branch is [app.Launcher.Branch] in a host.
func (k keeper) branch(ctx context.Context, o app.Open, prompt int, cwd string) (*app.Branched, error) {
	id := NewID()
	if old, is := o.Replaces.(*Client); is { // so that the branch takes over its undo
		ending, cancel := context.WithTimeout(ctx, app.StopTime)
		_ = old.endFor(ending, id) // an unreachable one has ended
		cancel()
	}
	t, err := k.Store.Read(ctx, o.ID)
	if err != nil {
		return nil, err
	}
	a, err := k.StoredAgent(t.Meta, o)
	if err != nil {
		return nil, err
	}
	spec := k.Kept(a, t.Meta.Cwd)
	spec.ID, spec.Dirs, spec.Branch = id, t.Meta.Dirs, &app.KeptBranch{Stored: o.ID, Prompt: prompt, Cwd: cwd, HandOver: o.HandOver}
	c, err := k.begin(ctx, spec)
	if err != nil {
		return nil, err
	}
	b := &app.Branched{Reopened: k.attached(c), Way: app.WayTo(t.Conversation, prompt), Earlier: c.Earlier()}
	if o.HandOver {
		b.Way, b.Queue = max(b.Way, app.WayRetell), conversation.Unclaimed(t.Conversation.Queue)
	}
	if prompts := t.Conversation.Prompts(); prompt >= 1 && prompt <= len(prompts) {
		b.Prompt = prompts[prompt-1].Blocks
	}
	return b, nil
}

// relay connects to a session on another machine, HOST or HOST/ID, by ssh. The first time ssh
// can ask on the terminal. Later the screen owns the terminal: ssh may not ask, and its
// messages become part of the error.
func relay(to string) Dial {
	machine, id, _ := strings.Cut(to, "/")
	again := false
	return func(_ context.Context, attached string) (io.ReadWriteCloser, error) {
		args := []string{"-T", "--", machine, "parley", "relay"}
		if again {
			args = slices.Insert(args, 1, "-o", "BatchMode=yes")
		}
		if id := cmp.Or(attached, id); id != "" {
			args = append(args, id)
		}
		cmd := exec.Command("ssh", args...)
		cmd.WaitDelay = time.Second // a connection that ssh shares may live on and keep its outputs open
		in, err := cmd.StdinPipe()
		if err != nil {
			return nil, err
		}
		out, err := cmd.StdoutPipe()
		if err != nil {
			return nil, err
		}
		r := &relayed{out: out, in: in, cmd: cmd, wait: sync.OnceValue(cmd.Wait)}
		if cmd.Stderr = os.Stderr; again {
			cmd.Stderr = &r.said
		}
		if err := cmd.Start(); err != nil {
			return nil, fmt.Errorf("start ssh: %w", err)
		}
		again = true
		return r, nil
	}
}

// relayed is a connection through ssh.
type relayed struct {
	out  io.Reader
	in   io.WriteCloser
	cmd  *exec.Cmd
	wait func() error
	said lastLine
}

// RelayNotFound is the exit code of a relay that has found no session.
const RelayNotFound = 69

// Read implements [io.Reader]. At the end, its error says why the connection ended.
func (r *relayed) Read(b []byte) (int, error) {
	n, err := r.out.Read(b)
	if err == nil {
		return n, nil
	}
	_ = r.wait() // the exit code says how it ended
	if r.cmd.ProcessState.ExitCode() == RelayNotFound {
		return n, ErrGone
	}
	if r.said.line != "" {
		return n, fmt.Errorf("ssh: %s", r.said.line)
	}
	return n, err
}

func (r *relayed) Write(b []byte) (int, error) { return r.in.Write(b) }

// Close implements [io.Closer].
func (r *relayed) Close() error {
	err := r.in.Close()
	_ = r.cmd.Process.Kill()
	go func() { _ = r.wait() }()
	return err
}

// lastLine keeps the last line written to it, without control characters.
type lastLine struct{ line string }

// Write implements [io.Writer].
func (l *lastLine) Write(b []byte) (int, error) {
	lines := strings.Split(strings.TrimSpace(string(b)), "\n")
	l.line = termtext.Line(lines[len(lines)-1])
	return len(b), nil
}

// Relay joins two streams to the session with an id, until one of them ends. It first proves
// to the host that it is the user's.
func Relay(ctx context.Context, id string, in io.Reader, out io.Writer) error {
	c, err := connect(ctx, id)
	if err != nil {
		return err
	}
	defer c.Close()
	go func() {
		_, _ = io.Copy(c, in) // the viewer detects its end
		if u, ok := c.(*net.UnixConn); ok {
			_ = u.CloseWrite()
		}
	}()
	_, err = io.Copy(out, c)
	return err
}
