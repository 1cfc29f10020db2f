// Package session is one conversation with an agent: the running agent, what
// the person does with it, and the one ordered stream of events that both turn
// into. The stream is folded into a Conversation, which is all that a screen, a
// log or a test needs to look at.
//
// Session acts, Stream carries, Conversation remembers. None of them knows of a
// screen.
package session

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"parley/acpclient"
)

// Opening is how a session is opened.
type Opening int

// The ways to open a session.
const (
	New    Opening = iota // session/new
	Load                  // session/load: the agent replays the history
	Resume                // session/resume: it does not
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

	mu           sync.Mutex
	agent        *agent // nil while there is none
	id           acpclient.SessionID
	ready        bool // prompts can be sent
	running      bool // a turn is
	cancelling   bool // and was cancelled
	queue        []QueuedPrompt
	paused       bool
	seq          int // of switches, questions and queued prompts
	permissions  map[int]*question[acpclient.RequestPermissionOutcome]
	elicitations map[int]*question[acpclient.CreateElicitationResponse]
	waiting      []blockedCall // calls that wait for the person to sign in
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
		opt: opt, stream: NewStream(),
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

// Start starts the agent and opens the session, or opens it again after the
// agent was lost. It returns at once.
func (s *Session) Start() {
	s.work.Go(s.start)
}

// Stderr is the tail of what the agent has written there so far, raw.
func (s *Session) Stderr() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.agent == nil {
		return ""
	}
	return s.agent.peer.Stderr()
}

// Close ends the agent, its programs and the stream, and waits until they have
// ended. When ctx ends it does not wait to be polite.
func (s *Session) Close(ctx context.Context) {
	s.cancel()
	s.mu.Lock()
	a := s.agent
	s.mu.Unlock()
	s.machine.Close()
	if a != nil {
		a.peer.Stop(ctx)
		a.client.Conn().Close()
	}
	s.stream.Close()
	s.work.Wait()
}

// Prompt sends a prompt. While a turn runs, or the session is not open yet, it
// waits in the queue.
func (s *Session) Prompt(prompt []acpclient.ContentBlock) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.ready || s.running || len(s.queue) > 0 {
		s.seq++
		s.queue = append(s.queue, QueuedPrompt{ID: s.seq, Prompt: prompt})
		s.queueChanged()
		s.sendNext()
		return
	}
	s.send(prompt)
}

// Unqueue takes a waiting prompt out of the queue, and returns it.
func (s *Session) Unqueue(id int) (QueuedPrompt, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, q := range s.queue {
		if q.ID == id {
			s.queue = append(s.queue[:i:i], s.queue[i+1:]...)
			if len(s.queue) == 0 {
				s.paused = false
			}
			s.queueChanged()
			return q, true
		}
	}
	return QueuedPrompt{}, false
}

// ResumeQueue lets a queue go on that a cancelled turn has paused.
func (s *Session) ResumeQueue() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.paused = false
	s.queueChanged()
	s.sendNext()
}

func (s *Session) queueChanged() {
	s.stream.post(QueueChanged{Queue: append([]QueuedPrompt(nil), s.queue...), Paused: s.paused})
}

// sendNext sends the first waiting prompt, if its time has come.
func (s *Session) sendNext() {
	if !s.ready || s.running || s.paused || len(s.queue) == 0 {
		return
	}
	next := s.queue[0]
	s.queue = s.queue[1:]
	s.queueChanged()
	s.send(next.Prompt)
}

// send begins a turn; s.mu is held.
func (s *Session) send(prompt []acpclient.ContentBlock) {
	s.running, s.cancelling = true, false
	s.stream.post(PromptSent{Prompt: prompt, At: s.opt.Now()})
	call(s, s.agent, acpclient.SessionPrompt, &acpclient.PromptRequest{SessionID: s.id, Prompt: prompt},
		func(r *acpclient.PromptResponse, err error) { s.turnEnded(r, err) })
}

// turnEnded takes the answer to a prompt. It runs where the answer stands among
// the updates, so its event does too.
func (s *Session) turnEnded(r *acpclient.PromptResponse, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running, s.cancelling = false, false
	if isClosed(err) {
		return // the loss of the agent ends the turn
	}
	e := TurnEnded{Err: err, At: s.opt.Now()}
	if r != nil {
		e.Reason = r.StopReason
	}
	s.stream.post(e)
	if err != nil && len(s.queue) > 0 {
		s.paused = true // what comes next was meant for a turn that went well
		s.queueChanged()
	}
	s.sendNext()
}

// Cancel asks the agent to end the turn. Open questions are answered cancelled
// and the queue pauses. It reports false if no turn runs.
func (s *Session) Cancel() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.running {
		return false
	}
	if s.cancelling {
		return true
	}
	s.cancelling = true
	s.stream.post(CancelRequested{At: s.opt.Now()})
	if s.agent != nil {
		_ = s.agent.client.Cancel(&acpclient.CancelNotification{SessionID: s.id})
	}
	s.closeQuestions()
	s.dropBlocked()
	if len(s.queue) > 0 && !s.paused {
		s.paused = true
		s.queueChanged()
	}
	return true
}

// Said puts a line of parley's own into the transcript.
func (s *Session) Said(severity acpclient.NoticeSeverity, title, detail string) {
	s.stream.post(Said{Severity: severity, Title: title, Detail: detail})
}

// witness turns what the machine does into events.
type witness struct{ s *Session }

func (w witness) FileRead(path string) { w.s.stream.push(w.s.ctx, FileRead{path}) }

func (w witness) FileWritten(path string, before *string, after string) {
	w.s.stream.push(w.s.ctx, FileWritten{path, before, after})
}

func (w witness) TerminalCreated(id acpclient.TerminalID, command, cwd string) {
	w.s.stream.push(w.s.ctx, TerminalCreated{ID: id, Command: command, Cwd: cwd})
}

func (w witness) TerminalOutput(id acpclient.TerminalID, data []byte) {
	w.s.stream.push(w.s.ctx, TerminalOutput{id, data})
}

func (w witness) TerminalExited(id acpclient.TerminalID, status acpclient.TerminalExitStatus) {
	w.s.stream.push(w.s.ctx, TerminalExited{id, status})
}
