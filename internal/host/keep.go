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
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"parley/internal/app"
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
func Spawn(ctx context.Context, s app.HostSpec) (id string, err error) {
	if !Available {
		return "", ErrUnavailable
	}
	if _, err := app.Directory(s.Spec.Cwd); err != nil { // else the system says that it does not find parley
		return "", err
	}
	self, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("find parley's own program: %w", err)
	}
	s.ID = cmp.Or(s.ID, NewID())
	spec, err := json.Marshal(s)
	if err != nil {
		return "", err
	}
	cmd := exec.Command(self, "host") // not bound to ctx, which it outlives
	cmd.Stdin, cmd.Dir = bytes.NewReader(spec), s.Spec.Cwd
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
		_ = cmd.Wait() // otherwise it is not reaped
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

// AttachTo attaches to the running session of the options, on this machine or, as ssh://HOST/ID, on
// another one.
func AttachTo(ctx context.Context, opt ClientOptions) (*Client, error) {
	opt.Name = viewerName()
	if to, far := strings.CutPrefix(opt.Running, "ssh://"); far {
		opt.Far, opt.Dial, opt.ReadFile = true, relay(to), nil // its files are others
	} else {
		opt.Dial = func(ctx context.Context, _ string) (io.ReadWriteCloser, error) {
			return connect(ctx, opt.Running, opt.Behind)
		}
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

// Keeping returns a backend that makes sessions in hosts if the launcher is to. In any case it
// attaches to sessions that already run in a host instead of opening them twice. behind is the process
// that acts through it; nil means this one.
func Keeping(l *app.Launcher, b app.Backend, behind *Process) app.Backend {
	if !Available {
		return b
	}
	k := keeper{l, new(sync.Map), behind}
	b.Make, b.EndRunning = k.make, End
	b.Running = func(ctx context.Context) ([]app.Running, error) { return k.mark(List(ctx)) }
	b.Watch = func(ctx context.Context) func() ([]app.Running, error) {
		var left []string // where it shows that what has ended begins again or is taken off
		if dir, err := HistoryDir(); err == nil {
			left = append(left, dir)
		}
		if b.Stored != nil {
			left = append(left, b.Stored.Marks())
		}
		next, ended := Watch(ctx, left...), dirs{paths: left}
		var hosts []string // when killed was made
		var killed, was, unstored []app.Running
		return func() ([]app.Running, error) {
			all, err := k.mark(next())
			if err != nil {
				return nil, err
			}
			ids := make([]string, len(all))
			for i := range all {
				ids[i] = all[i].ID
			}
			slices.Sort(ids)
			if changed := ended.changed(); changed || hosts == nil || !slices.Equal(ids, hosts) {
				hosts, killed = ids, WithKilled(ctx, b.Stored, all)[len(all):]
				unstored = killedUnstored(slices.Concat(unstored, was), ids)
			}
			was = all
			return slices.Concat(all, killed, unstored), nil
		}
	}
	b.TakeOff = func(r app.Running) error {
		if r.Stored != "" {
			return b.Stored.Forget(r.Stored)
		}
		dir, err := HistoryDir()
		if err == nil {
			err = os.Remove(filepath.Join(dir, r.ID+recordEnd))
		}
		return err
	}
	b.Visit = func(ctx context.Context, running string) (app.Session, error) {
		c, err := k.attach(ctx, ClientOptions{Running: running, Passing: true})
		if err != nil {
			return nil, err
		}
		return c, nil
	}
	return b
}

// keeper makes sessions in hosts.
type keeper struct {
	*app.Launcher
	own    *sync.Map // keys are the ids of the sessions that it has started
	behind *Process
}

func (k keeper) attach(ctx context.Context, opt ClientOptions) (*Client, error) {
	opt.Version, opt.Behind = k.Version, k.behind
	return AttachTo(ctx, opt)
}

// make is [app.Launcher.Make] in a host, or attaches to the session. One that is not to be kept, or is
// only read, is made in this process.
func (k keeper) make(ctx context.Context, s app.Spec) (*app.Opened, error) {
	if c, is := s.Attached.(*Client); is {
		return k.attached(c.catchUp(ctx))
	}
	if id := k.running(ctx, s); id != "" {
		return k.attached(k.attach(ctx, ClientOptions{Running: id, ReadOnly: s.LookOn, ReadFile: s.ReadFile}))
	}
	if s.LookOn || !k.Keep && !s.Keep {
		return k.Make(ctx, s)
	}
	if s.Stored == "" {
		s.Cwd = cmp.Or(s.Cwd, k.Cwd)
		c, err := k.begin(context.WithoutCancel(ctx), k.HostSpec(*s.Agent, s))
		if err != nil {
			return nil, err
		}
		return &app.Opened{Agent: *s.Agent, Session: c}, nil
	}
	m, err := k.Store.Meta(s.Stored)
	if err != nil {
		return nil, err
	}
	a, err := k.StoredAgent(m, s)
	if err != nil {
		return k.Make(ctx, s)
	}
	spec := k.HostSpec(a, s)
	spec.Spec.Cwd = cmp.Or(s.Cwd, m.Cwd)
	if s.Branch != 0 {
		return k.branch(ctx, s, spec)
	}
	s.EndReplaced(ctx)
	// A host of the session may just be starting or ending.
	const tries, pause = 5, 200 * time.Millisecond
	for range tries {
		c, err := k.begin(ctx, spec)
		if err == nil {
			return k.opened(c), nil
		}
		if !errors.Is(err, store.ErrInUse) {
			return nil, err
		}
		if id := k.running(ctx, s); id != "" {
			return k.attached(k.attach(ctx, ClientOptions{Running: id, ReadOnly: s.LookOn, ReadFile: s.ReadFile}))
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return k.Make(ctx, s)
}

// branch makes a branch in a host.
func (k keeper) branch(ctx context.Context, s app.Spec, spec app.HostSpec) (*app.Opened, error) {
	spec.ID = NewID()
	if old, is := s.Replaces.(*Client); is {
		ending, cancel := context.WithTimeout(ctx, app.StopTime)
		_ = old.endFor(ending, spec.ID) // an unreachable one has ended
		cancel()
	} else {
		s.EndReplaced(ctx)
	}
	t, err := k.Store.Read(ctx, s.Stored)
	if err != nil {
		return nil, err
	}
	c, err := k.begin(ctx, spec)
	if err != nil {
		return nil, err
	}
	o := k.opened(c)
	o.Prompt = app.BranchOf(t.Conversation, s).Prompt
	o.TellOld(s.Beside)
	return o, nil
}

// begin starts a host and attaches to it.
func (k keeper) begin(ctx context.Context, spec app.HostSpec) (*Client, error) {
	spec.ID = cmp.Or(spec.ID, NewID())
	k.own.Store(spec.ID, true) // before it can be listed
	id, err := Spawn(ctx, spec)
	if err != nil {
		return nil, err
	}
	return k.attach(ctx, ClientOptions{Running: id, ReadFile: spec.Spec.ReadFile})
}

// mark marks the sessions that this parley has started.
func (k keeper) mark(all []app.Running, err error) ([]app.Running, error) {
	for i := range all {
		_, all[i].Own = k.own.Load(all[i].ID)
	}
	return all, err
}

// running returns the host in which the session to be opened runs, or "".
func (k keeper) running(ctx context.Context, s app.Spec) string {
	if s.Running != "" || s.Stored == "" || s.Branch != 0 {
		return s.Running
	}
	all, _ := List(ctx)
	for _, r := range all {
		if r.Stored == s.Stored {
			return r.ID
		}
	}
	return ""
}

// attached describes a session that ran before it was attached to.
func (k keeper) attached(c *Client, err error) (*app.Opened, error) {
	if err != nil {
		return nil, err
	}
	o := k.opened(c)
	if o.Runs = true; c.opt.ReadOnly {
		o.ReadOnly = ErrReadOnly
	}
	switch {
	case c.welcome.Shared:
		o.View, o.Branched = store.View{Top: o.View.Top}, app.Branched{} // another viewer is writing it
	case o.View.Editor != "":
		if v, err := k.Store.TakeView(o.Transcript.Meta.ID); err == nil {
			o.View = v
		}
	}
	switch u := o.View.Unsent; {
	case o.ReadOnly != nil:
		o.Branched = app.Branched{}
	case u != nil && o.Queue == nil:
		ctx, cancel := context.WithTimeout(c.ctx, askTime)
		defer cancel()
		c.takeOver(ctx, u)
	}
	return o, nil
}

// opened describes a running session with its past.
func (k keeper) opened(c *Client) *app.Opened {
	o := &app.Opened{Agent: c.welcome.Agent.Agent, Session: c, Transcript: &store.Transcript{Conversation: c.Past()}}
	o.Transcript.Meta = store.Meta{ID: c.StoredID(), Cwd: c.About().Cwd, Dirs: c.About().Dirs, Agent: o.Agent.ID}
	if k.Store == nil || o.Transcript.Meta.ID == "" || c.opt.Far {
		return o
	}
	if m, err := k.Store.Meta(o.Transcript.Meta.ID); err == nil {
		o.Transcript.Meta = m
	}
	if v, err := k.Store.View(o.Transcript.Meta.ID); err == nil {
		o.View = v
	}
	if o.TakeMoved(); o.Tells() {
		o.Earlier = c.welcome.Earlier
	}
	return o
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

// Relay joins two streams to the session with an id, until one of them ends. It first shows the
// host that it is the user's.
func Relay(ctx context.Context, id string, in io.Reader, out io.Writer) error {
	c, err := connect(ctx, id, nil)
	if err != nil {
		return err
	}
	defer c.Close()
	go func() {
		_, _ = io.Copy(c, in) // the viewer detects its end
		_ = c.(*net.UnixConn).CloseWrite()
	}()
	_, err = io.Copy(out, c)
	return err
}
