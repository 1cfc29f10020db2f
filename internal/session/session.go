// Package session acts: it runs an agent, carries out what the person does with
// it, and turns all that happens into one ordered stream of events.
//
// A Session talks to the agent, and a Stream carries its events to whoever shows
// or stores them. The package conversation folds them into the state of the
// session. None of them knows of a screen.
package session

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/journal"
	"parley/internal/record"
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
	// Mode and Values are what new sessions begin with: the id or the name of a mode, and
	// values by the ids or names of options.
	Mode   string
	Values map[string]string
	// ResumeID, if not empty, is the session to open instead of a new one.
	ResumeID acpclient.SessionID
	// Kept says that the transcript of ResumeID is at hand and known to be whole. The
	// agent's replay of it is left out then, and if the agent cannot open the session,
	// nothing is opened in its place: see OpenAnew.
	Kept bool
	// Queue are prompts that wait from before. They go on waiting until ResumeQueue.
	Queue []conversation.QueuedPrompt
	// LastNumber is the highest number that was given out in the session before, to
	// switches, questions and queued prompts.
	LastNumber int
	// Protocol says which versions of the protocol the agent is offered; empty is
	// ProtocolV1. Versions remembers who fails on that; nil is nobody.
	Protocol Protocol
	Versions VersionMemory
	// Unattended says that nobody is there to fill in forms or to sign in on a
	// terminal: neither is offered to the agent. Nor is anybody asked about files.
	Unattended bool
	// Judge, if not nil, is asked about every permission before the person is.
	Judge Judge

	// Remote is not nil if the agent runs on another machine.
	Remote *Remote
	// Spawn starts the agent; nil is the function Spawn.
	Spawn func(acpclient.Command) (*Peer, error)
	// Machine makes what serves fs/* and terminal/*. Its Asker is nil if nobody can be
	// asked.
	Machine func(Witness, Asker) (Machine, error)
	// Bounds says for people what bounds the agent and its commands from outside,
	// such as "sandbox"; empty if nothing does.
	Bounds string
	// MaxLine is the longest line in bytes that is taken from the agent; 0 is
	// acpclient.DefaultMaxLine. A Peer with a Transport has its own bound.
	MaxLine int
	// Keeper keeps what happens; nil keeps nothing. It is called by whoever takes
	// from the stream.
	Keeper Keeper
	// Journal records what changes on this machine; nil is nobody. The session closes it.
	Journal *journal.Journal
	// Log gets what is not for the person. Nil discards.
	Log *slog.Logger
	// Tap sees every line on the wire, see acpclient.ConnOptions. TapStderr sees what the
	// agent writes to stderr, as it comes and raw. Both are called from several
	// goroutines, must not wait, and must not keep the bytes. Nil is nobody.
	Tap       func(sent bool, line []byte)
	TapStderr func(data []byte)
	// Ring keeps what has happened last: the wire, stderr and the events. Nil keeps
	// nothing.
	Ring *record.Ring
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
	ended   chan struct{}  // closed when Close has done its work

	// mu is taken before the locks of agents, of connections and of the stream,
	// never after them, and released by unlock. Answers of the agent are handled
	// with mu held, before the reader goes on to the message behind them.
	mu      sync.Mutex
	outbox  []func() // sends what was said while mu was held, in order
	sending bool     // a goroutine is emptying the outbox

	closed   bool
	starting bool   // an agent is being started
	gone     bool   // there was an agent, or none could be started
	agent    *agent // nil while there is none
	// epoch counts the agents and sessions that there were. The answer to a
	// request that was made in an earlier epoch changes nothing.
	epoch int

	id      acpclient.SessionID // the session that is open, or that was open last
	wish    acpclient.SessionID // the session to open next; empty is a new one
	known   bool                // the transcript of wish is in the stream already
	opening bool                // a request that opens a session is under way
	ready   bool                // prompts can be sent
	quiet   bool                // the session is loaded without its replay
	// failedOnV2 is how the agent has failed when it was offered the second version of
	// the protocol, nil if it has not; toldFallback says that the person knows.
	failedOnV2   error
	toldFallback bool
	legacy       bool // modes and models are set by methods of their own

	running    bool // a turn is running
	cancelling bool // the running turn was cancelled, and the agent has yet to end it
	queue      []conversation.QueuedPrompt
	paused     bool // the queue waits for the person
	next       int  // the queued prompt that does not wait for them, see promptNext

	lastNumber    int // of the switches, questions and queued prompts, which share one count
	permissions   map[int]*question[acpclient.RequestPermissionOutcome]
	elicitations  map[int]*question[acpclient.CreateElicitationResponse]
	blocked       []blockedCall // the calls that wait for the person to sign in
	askedToSignIn bool          // the person knows that calls wait for it
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
		opt: opt, stream: NewStream(), wish: opt.ResumeID, known: opt.Kept,
		queue: slices.Clone(opt.Queue), paused: len(opt.Queue) > 0, lastNumber: opt.LastNumber,
		permissions:  map[int]*question[acpclient.RequestPermissionOutcome]{},
		elicitations: map[int]*question[acpclient.CreateElicitationResponse]{},
		ended:        make(chan struct{}),
	}
	s.stream.keeper, s.stream.ring = opt.Keeper, opt.Ring
	if opt.Judge != nil {
		s.stream.follow()
	}
	if opt.Journal != nil {
		s.stream.watch = opt.Journal.Watch
	}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	machine, err := opt.Machine(streamWitness{s}, s.asker())
	if err != nil {
		s.cancel()
		s.closeJournal()
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
// ended. The agent is told to cancel the turn, and to close the session if it
// offers that, but its answer is not waited for. If the agent does not end in time,
// or when ctx ends, it is killed.
func (s *Session) Close(ctx context.Context) {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		<-s.ended
		return
	}
	defer close(s.ended)
	s.closed = true
	s.epoch++
	a := s.agent
	if a != nil {
		s.farewell()
	}
	s.ready = false
	s.closeQuestions()
	s.dropBlocked()
	sent := make(chan struct{})
	s.outbox = append(s.outbox, func() { close(sent) })
	s.unlock()
	select {
	case <-sent: // perhaps by another goroutine
	case <-ctx.Done():
	}

	s.stream.Close() // lets go whoever waits for room in it
	s.cancel()
	s.work.Go(s.machine.Close)
	if a != nil {
		a.end(ctx)
	}
	s.closeJournal()
	s.work.Wait()
}

// journalGrace is how long the journal may look for what a turn has changed that was
// running when the session was closed.
const journalGrace = time.Second

// closeJournal closes the journal, when nothing is changed any more.
func (s *Session) closeJournal() {
	if s.opt.Journal == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), journalGrace)
	defer cancel()
	if err := s.opt.Journal.Close(ctx); err != nil {
		s.opt.Log.Warn("the journal could not be closed", "error", err)
	}
}

// farewell cancels the running turn and closes the session before the agent is
// ended; s.mu is held.
func (s *Session) farewell() {
	if s.running && !s.cancelling {
		s.sendCancel()
	}
	s.leave()
}

// unlock releases s.mu, and then sends what is in the outbox. Nothing is sent while
// s.mu is held: when a request cannot be sent, its callback runs inside the call
// that sends it, and the callback takes s.mu.
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
