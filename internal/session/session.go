// Package session acts: it runs an agent, carries out what the person does with
// it, and turns all that happens into one ordered stream of events.
//
// Session acts, Stream carries, and the package conversation remembers: it folds
// the events into what a screen, a log or a test looks at. None of them knows of
// a screen.
package session

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"parley/acpclient"
	"parley/internal/conversation"
)

// Options say which agent to talk to, and where.
type Options struct {
	// Command starts the agent.
	Command acpclient.Command
	// Client names this program to the agent.
	Client acpclient.Implementation
	// Cwd and AdditionalDirectories are absolute.
	Cwd                   string
	AdditionalDirectories []string
	MCPServers            []acpclient.MCPServer
	// ResumeID, if not empty, is the session to open instead of a new one.
	ResumeID acpclient.SessionID
	// Unattended says that nobody is there to fill in forms or to sign in on a
	// terminal: neither is offered to the agent.
	Unattended bool

	// Spawn starts the agent; nil is the function Spawn.
	Spawn func(acpclient.Command) (*Peer, error)
	// Machine makes what serves fs/* and terminal/*.
	Machine func(Witness) (Machine, error)
	// Log gets what is not for the person. Nil discards.
	Log *slog.Logger
	// Tap sees every line on the wire, see acpclient.ConnOptions.
	Tap func(sent bool, line []byte)
	// Now is the clock; nil is time.Now.
	Now func() time.Time
}

// Session is one conversation with an agent, from the person's side. All methods
// may be called from any goroutine; none of them waits for the agent, unless it
// takes a context. What comes of them is in the stream.
type Session struct {
	opt     Options
	stream  *Stream
	machine Machine
	ctx     context.Context // ends with Close
	cancel  context.CancelFunc
	work    sync.WaitGroup // goroutines of this session

	// mu is taken before the locks of agents, of connections and of the stream,
	// never after them, and given back by unlock. What answers of the agent do
	// happens with mu held, where the answer stands among the updates.
	mu      sync.Mutex
	outbox  []func() // what is sent when mu is free, in order
	sending bool     // somebody is emptying the outbox

	closed   bool
	starting bool   // an agent is being started
	agent    *agent // nil while there is none
	// epoch counts the agents and sessions that came and went: an answer to
	// something asked in an earlier one changes nothing.
	epoch int

	id      acpclient.SessionID // of the session that is open, or was last
	wish    acpclient.SessionID // the session to open next; empty is a new one
	known   bool                // the transcript of wish is in the stream already
	opening bool                // a request that opens a session is under way
	ready   bool                // prompts can be sent
	legacy  bool                // modes and models are set by calls of their own

	running    bool // a turn is
	cancelling bool // and was cancelled
	queue      []conversation.QueuedPrompt
	paused     bool

	seq          int // of switches, questions and queued prompts
	permissions  map[int]*question[acpclient.RequestPermissionOutcome]
	elicitations map[int]*question[acpclient.CreateElicitationResponse]
	blocked      []blockedCall // what waits for the person to sign in
	asked        bool          // they were asked to
}

// NewSession prepares a session; Start starts it.
func NewSession(opt Options) (*Session, error) {
	if opt.Spawn == nil {
		opt.Spawn = Spawn
	}
	if opt.Log == nil {
		opt.Log = slog.New(slog.DiscardHandler)
	}
	if opt.Now == nil {
		opt.Now = time.Now
	}
	s := &Session{
		opt: opt, stream: NewStream(), wish: opt.ResumeID,
		permissions:  map[int]*question[acpclient.RequestPermissionOutcome]{},
		elicitations: map[int]*question[acpclient.CreateElicitationResponse]{},
	}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	machine, err := opt.Machine(witness{s})
	if err != nil {
		s.cancel()
		return nil, err
	}
	s.machine = machine
	return s, nil
}

// Stream is where everything that happens appears.
func (s *Session) Stream() *Stream { return s.stream }

// Options returns what the session was made with.
func (s *Session) Options() Options { return s.opt }

// Stderr is the tail of what the agent has written there so far, raw.
func (s *Session) Stderr() string {
	s.mu.Lock()
	a := s.agent
	s.unlock()
	if a == nil {
		return ""
	}
	return a.peer.Stderr()
}

// Close ends the agent, its programs and the stream, and waits until they have
// ended. The agent is told to cancel the turn and to close the session, where it
// can, but its answer is not waited for. When ctx ends it is no longer asked to
// end but made to.
func (s *Session) Close(ctx context.Context) {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		s.work.Wait()
		return
	}
	s.closed = true
	s.epoch++
	a := s.agent
	if a != nil {
		s.farewell()
	}
	s.ready = false
	s.closeQuestions()
	s.dropBlocked()
	s.unlock()

	s.stream.Close() // whoever waits for room in it goes on
	s.cancel()
	s.work.Go(s.machine.Close)
	if a != nil {
		a.end(ctx)
	}
	s.work.Wait()
}

// farewell tells the agent what a polite client says before it leaves; s.mu is
// held.
func (s *Session) farewell() {
	if s.running && !s.cancelling {
		s.sendCancel()
	}
	s.leave()
}

// unlock gives s.mu back, and then does what is in the outbox. A request that
// cannot be sent calls back from inside the call that sends it, and the callback
// takes s.mu: that is why nothing is sent while it is held.
func (s *Session) unlock() {
	if s.sending {
		s.mu.Unlock()
		return
	}
	s.sending = true
	for len(s.outbox) > 0 {
		send := s.outbox[0]
		s.outbox = s.outbox[1:]
		s.mu.Unlock()
		send()
		s.mu.Lock()
	}
	s.outbox = nil
	s.sending = false
	s.mu.Unlock()
}

// Said puts a line of parley's own into the transcript.
func (s *Session) Said(severity acpclient.NoticeSeverity, title, detail string) {
	s.stream.post(conversation.Said{Severity: severity, Title: title, Detail: detail})
}

// witness turns what the machine does into events.
type witness struct{ s *Session }

func (w witness) FileWritten(path string, before *string, after string) {
	w.s.stream.push(w.s.ctx, conversation.FileWritten{Path: path, Before: before, After: after})
}

func (w witness) TerminalCreated(id acpclient.TerminalID, command, cwd string) {
	w.s.stream.push(w.s.ctx, conversation.TerminalCreated{ID: id, Command: command, Cwd: cwd})
}

func (w witness) TerminalOutput(id acpclient.TerminalID, data []byte) {
	w.s.stream.push(w.s.ctx, conversation.TerminalOutput{ID: id, Data: data})
}

func (w witness) TerminalExited(id acpclient.TerminalID, status acpclient.TerminalExitStatus) {
	w.s.stream.push(w.s.ctx, conversation.TerminalExited{ID: id, Status: status})
}
