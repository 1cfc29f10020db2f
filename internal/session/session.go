// Package session runs an agent, carries out the user's actions, and turns everything
// that happens into one ordered stream of events.
//
// A Session talks to the agent, and a Stream carries its events to what shows or
// stores them. Package conversation folds them into the state of the session. None of
// them knows of a screen.
package session

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"slices"
	"sync"
	"time"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/journal"
	"parley/internal/record"
)

// Options say which agent to run, and where.
type Options struct {
	// Command starts the agent.
	Command acpclient.Command
	// Client names this program to the agent.
	Client acpclient.Implementation
	// Cwd and AdditionalDirectories are absolute.
	Cwd                   string
	AdditionalDirectories []string
	MCPServers            []acpclient.MCPServer
	// Mode and Values are set in new sessions: the id or name of a mode, and values by
	// option id or name.
	Mode   string
	Values map[string]string
	// ResumeID, if not empty, is the session to open instead of a new one.
	ResumeID acpclient.SessionID
	// Fork, if not nil, is opened as a copy of an earlier session instead of a new one.
	Fork *ForkPoint
	// JournalOf is the session whose journal goes on, if it is not ResumeID.
	JournalOf acpclient.SessionID
	// HasTranscript means that the complete transcript of ResumeID is available. The agent's
	// replay of it is then dropped, and if the agent cannot open the session, no other
	// is opened in its place: see OpenAnew.
	HasTranscript bool
	// Told are the texts of the user's messages in that transcript: what the agent replays behind
	// them is added to it.
	Told []string
	// Past is the state in which the session that goes on was left; nil for a new one. Its options
	// are set again once the session is open, and its queue waits for ResumeQueue. The session
	// does not keep or change it.
	Past *conversation.State
	// Resolve completes a prompt right before it is sent to an agent with these
	// capabilities: it reads the files. Without files it must not block. Nil sends
	// prompts as they are.
	Resolve func(conversation.QueuedPrompt, acpclient.PromptCapabilities) []acpclient.ContentBlock
	// OfferV2 offers version 2 of the protocol, and falls back to version 1 for an agent that
	// knows only that. Versions remembers agents that fail; it may be nil.
	OfferV2  bool
	Versions VersionMemory
	// Name is what the agent is called; "" calls it what it calls itself.
	Name string
	// Unattended means that no user is there to fill in forms or sign in on a terminal, so
	// neither is offered to the agent.
	Unattended bool
	// SignsIn means that no session is opened: it is only to sign in and out.
	SignsIn bool
	// Judge, if not nil, is asked about every permission before the user.
	Judge Judge

	// Remote is not nil if the agent runs on another machine.
	Remote *Remote
	// Spawn starts the agent; nil means acpclient.Spawn.
	Spawn func(acpclient.Command) (*acpclient.Peer, error)
	// Machine creates what serves fs/* and terminal/*. Its Asker is nil if no user can
	// be asked.
	Machine func(Observer, Asker) (Machine, error)
	// Bounds names what confines the agent and its commands, such as "sandbox", for
	// display; "" if nothing does.
	Bounds string
	// MaxLine bounds a line from the agent, in bytes; 0 means acpclient.DefaultMaxLine.
	// A Peer with a Transport has its own bound.
	MaxLine int
	// Budget caps what the session may use up, unless the user has set the budget of Past.
	Budget conversation.Budget
	// AtLimit says what follows when a turn ends at a limit of the user's plan.
	AtLimit LimitPolicy
	// Recorder stores the events; it may be nil. The consumer of the stream calls it.
	Recorder Recorder
	// Journal records changes on this machine; it may be nil. The session closes it.
	Journal *journal.Journal
	// AfterTurn, if not nil, puts right what the agent has left behind, when a turn has ended,
	// the agent has exited, and at Close. It returns a warning for the transcript, "" for
	// none.
	AfterTurn func() (title, detail string)
	// Log receives what is not for the user. Nil discards.
	Log *slog.Logger
	// Taps see the session. Ring is one more of them, that keeps the latest; it may be nil.
	Taps []Tap
	Ring *record.Ring
	// Now is the clock; nil means time.Now.
	Now func() time.Time
}

// Session is one conversation with an agent, from the user's side. It is safe for
// concurrent use. Only methods with a context wait for the agent; the others report
// their results in the stream.
type Session struct {
	opt     Options
	stream  *Stream
	machine Machine
	ctx     context.Context // ends with Close
	cancel  context.CancelFunc
	work    sync.WaitGroup // goroutines of this session
	judging sync.WaitGroup // those that judge what was done; none begins after Close
	ended   chan struct{}  // closed when Close is done

	tidying sync.Mutex // held while AfterTurn runs

	// mu is taken before the locks of connections and the stream, never after
	// them, and released by unlock where the outbox may have got something. The agent's answers
	// are handled with mu held, before the reader continues with the next message.
	mu      sync.Mutex
	outbox  []func() // what was to happen without mu, such as sending, in order
	sending bool     // a goroutine is emptying the outbox
	holding bool     // the outbox waits for the journal

	// state is the fold of all events that were posted, which decides. The fields below cannot
	// be derived from it, each for the reason it gives.
	state *conversation.State

	// closed stops new work while Close still writes its last events.
	closed bool

	// directory is what was seen on the disk, of which events carry only the notice.
	directory directory
	agent     *agent // the process and its connection, nil while there is none
	// epoch counts the agents and sessions. Answers to requests from an earlier epoch
	// are ignored. The State does not see the requests that are under way.
	epoch int

	plan plan // what is opened next
	// failedOnV2 is how the agent failed when offered version 2 of the protocol, nil if
	// it did not. It outlives the agent of which the State tells.
	failedOnV2 error
	// denials are the subjects that rules have denied last. Events do not have them.
	denials map[string]bool

	// lastNumber is the last number of a switch, a question or a queued prompt. The State does not
	// know those of which there was no event.
	lastNumber int
	// steering are the prompts, by number, that are for the running turn only, and get the agent's answer.
	steering map[int]chan<- steered
	limit    limitWait
	// The questions and calls that wait have goroutines and channels, which are no state.
	questions  map[int]*question
	lastJudged chan struct{} // of the last question that rules judge; closed when they have
	blocked    []blockedCall // calls that wait for the user to sign in
}

// NewSession prepares a session; Start starts it.
func NewSession(opt Options) (*Session, error) {
	if opt.Spawn == nil {
		opt.Spawn = acpclient.Spawn
	}
	if opt.Log == nil {
		opt.Log = slog.New(slog.DiscardHandler)
	}
	if opt.Now == nil {
		opt.Now = time.Now
	}
	if opt.Ring != nil {
		opt.Taps = append(slices.Clone(opt.Taps), opt.Ring)
	}
	past := opt.Past
	if opt.Past = nil; past == nil {
		past = conversation.NewState()
	}
	s := &Session{
		plan: plan{session: opt.ResumeID, known: opt.HasTranscript, told: opt.Told, fork: opt.Fork, earlier: past.Options},
		opt:  opt, stream: NewStream(), lastNumber: past.LastNumber, steering: map[int]chan<- steered{},
		questions: map[int]*question{}, lastJudged: make(chan struct{}), denials: map[string]bool{}, state: conversation.NewState(),
		ended: make(chan struct{}),
	}
	close(s.lastJudged)
	s.stream.recorder, s.stream.taps, s.stream.watch = opt.Recorder, opt.Taps, s.watch
	s.state.Continue(past)
	budget := opt.Budget
	if past.BudgetRaised {
		budget = past.Budget
	}
	if budget != (conversation.Budget{}) {
		s.post(conversation.BudgetSet{Budget: budget, Raised: past.BudgetRaised})
		s.checkBudget(past.BudgetReached && past.Stopped) // it may be used up since the last run
	}
	s.pauseQueue()
	if l := past.Limit; l != nil && len(past.Queue) > 0 && opt.AtLimit != FailAtLimit {
		s.post(conversation.LimitReached{Kind: l.Kind, Resets: l.Resets, Stopped: l.Stopped}) // else the user decides again
	}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	machine, err := opt.Machine(s.observe, asker{s})
	if err != nil {
		s.cancel()
		opt.closeJournal()
		return nil, err
	}
	s.machine = machine
	_, err = os.Stat(opt.Cwd)
	s.directory.known = err == nil
	return s, nil
}

// Stream returns the stream of everything that happens.
func (s *Session) Stream() *Stream { return s.stream }

// Read calls f with the state after all events so far. f must not keep or change it.
func (s *Session) Read(f func(*conversation.State)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f(s.state)
}

// Options returns the session's options.
func (s *Session) Options() Options { return s.opt }

// watch sees every event before anybody can take it. s.mu is held, but in NewSession.
func (s *Session) watch(e conversation.Event) {
	switch e.(type) {
	case conversation.TurnEnded, conversation.AgentLost:
		s.judgeUnfinished()
	}
	s.state.Apply(e)
	s.judgeEnded(s.state, e)
	s.seeChanges(e)
	if s.opt.Journal != nil {
		s.opt.Journal.Watch(e)
	}
	switch e.(type) {
	case conversation.TurnEnded, conversation.AgentLost:
		if s.opt.AfterTurn != nil {
			s.work.Go(s.afterTurn)
		}
	}
}

// post adds an event to the stream and to the State, without waiting. s.mu must be held.
func (s *Session) post(e conversation.Event) { s.stream.post(e) }

// notice adds a notice of parley's own. s.mu must be held.
func (s *Session) notice(severity acpclient.NoticeSeverity, title, detail string) {
	s.post(conversation.NoticeAdded{Severity: severity, Title: title, Detail: detail})
}

// warnOnce adds a warning, unless there was one about the same subject, and reports whether
// it did. s.mu must be held.
func (s *Session) warnOnce(subject, title, detail string) bool {
	noted := s.state.Noted(subject)
	if !noted {
		s.post(conversation.NoticeAdded{Severity: acpclient.NoticeWarning, Title: title, Detail: detail, Subject: subject})
	}
	return !noted
}

// options returns the options with the values that they are to have. s.mu must be held.
func (s *Session) options() []acpclient.SessionConfigOption {
	all := slices.Clone(s.state.Options)
	for i := range all {
		all[i].CurrentValue, _ = s.state.OptionValue(&s.state.Options[i])
	}
	return all
}

// cancelling reports whether the running turn was cancelled, and the agent has yet to end
// it. s.mu must be held.
func (s *Session) cancelling() bool { return !s.state.Turn.Cancelling.IsZero() }

// starting reports whether an agent is being started. s.mu must be held.
func (s *Session) starting() bool {
	return s.agent == nil && s.state.Phase == conversation.PhaseStarting && !s.state.Agent.Since.IsZero()
}

// ready reports whether prompts can be sent. s.mu must be held.
func (s *Session) ready() bool { return s.state.Phase == conversation.PhaseReady && s.connected() }

// gone reports whether the agent has exited, or could not be started. s.mu must be held.
func (s *Session) gone() bool { return s.agent == nil && s.state.Gone() }

// Stderr asks for the tail of the agent's stderr so far, and of what it wrote to stdout that
// is not a message, raw.
type Stderr struct{}

func (Stderr) Do(_ context.Context, s *Session) (string, error) {
	if s.agent == nil {
		return "", nil
	}
	return s.agent.output(), nil
}

// Close ends the agent, its programs and the stream, and waits for that. It cancels the
// turn and closes the session if the agent offers that, without waiting for an answer.
// It kills the agent if that does not exit in time, or when ctx ends.
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
		if s.state.Turn.Running && !s.cancelling() {
			s.sendCancel()
		}
		s.leave()
	}
	s.closeQuestions()
	s.dropBlocked()
	sent := make(chan struct{})
	s.outbox = append(s.outbox, func() { close(sent) })
	s.unlock()
	defer context.AfterFunc(ctx, s.cancel)()
	select {
	case <-sent: // perhaps by another goroutine
	case <-ctx.Done():
	}

	s.stream.End() // releases those that wait for room in it
	s.judging.Wait()
	s.cancel()
	s.work.Go(s.machine.Close)
	if a != nil {
		a.end(ctx)
	}
	s.afterTurn() // it may have left something until its end
	s.stream.Close()
	s.opt.closeJournal()
	s.work.Wait()
}

// afterTurn is Options.AfterTurn, once at a time: Close waits for one that runs, so that the
// stream still takes what it has to tell.
func (s *Session) afterTurn() {
	if s.opt.AfterTurn == nil {
		return
	}
	s.tidying.Lock()
	defer s.tidying.Unlock()
	if title, detail := s.opt.AfterTurn(); title != "" {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.notice(acpclient.NoticeWarning, title, detail)
	}
}

// journalGrace is how long the journal may take to record the changes of a turn that
// was running at Close.
const journalGrace = time.Second

// unlock releases s.mu, and then sends what is in the outbox. It sends nothing with
// s.mu held: when a request cannot be sent, its callback runs inside the call that
// sends it, and takes s.mu.
func (s *Session) unlock() {
	if s.sending {
		s.mu.Unlock()
		return
	}
	s.sending = true
	for len(s.outbox) > 0 && !s.holding {
		send := s.outbox[0]
		s.outbox = s.outbox[1:]
		s.mu.Unlock()
		send()
		s.mu.Lock()
	}
	if len(s.outbox) == 0 {
		s.outbox = nil
	}
	s.sending = false
	s.mu.Unlock()
}

// AddNotice adds a notice of parley's own to the transcript.
type AddNotice struct {
	Severity      acpclient.NoticeSeverity
	Title, Detail string
}

func (a AddNotice) Do(_ context.Context, s *Session) (None, error) {
	s.notice(a.Severity, a.Title, a.Detail)
	return None{}, nil
}

// closeJournal closes the journal, if any, after the last change.
func (o *Options) closeJournal() {
	if o.Journal == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), journalGrace)
	defer cancel()
	if err := o.Journal.Close(ctx); err != nil {
		o.Log.Warn("the journal could not be closed", "error", err)
	}
}

// Tap sees what a session does, as a recording takes it. Its methods are called from several
// goroutines, must not block, and must not retain the bytes.
type Tap interface {
	// Line sees a line on the wire, see acpclient.ConnOptions, and Stderr the agent's stderr, raw.
	Line(sent bool, line []byte)
	Stderr(data []byte)
	// Take takes the events, in order. It returns the error after which it takes nothing more, once.
	Take([]conversation.Event) error
}

// tap takes a line on the wire.
func (o *Options) tap(sent bool, line []byte) {
	for _, t := range o.Taps {
		t.Line(sent, line)
	}
}

// stderrTap takes the agent's stderr.
type stderrTap struct{ *Options }

// Write implements io.Writer. It never fails.
func (o stderrTap) Write(data []byte) (int, error) {
	for _, t := range o.Taps {
		t.Stderr(data)
	}
	return len(data), nil
}

// Remote describes an agent on another machine, and what it may use of this one.
// Nothing is offered to it by default, because its paths and commands are mostly meant
// for its own machine.
type Remote struct {
	// Listens means that parley connects to the agent instead of starting it. When the
	// connection is lost, the agent may still be running.
	Listens bool
	// Files and Terminals offer fs/* and terminal/* of this machine.
	Files, Terminals bool
}

// listens reports whether parley connects to the agent; r may be nil.
func (r *Remote) listens() bool { return r != nil && r.Listens }

// files reports whether the agent is offered the files of this machine; r may be nil.
func (r *Remote) files() bool { return r == nil || r.Files }

// Disconnected reports whether the connection to the agent has ended, which
// conversation.AgentLost may have yet to tell.
func (s *Session) Disconnected() bool {
	s.mu.Lock()
	defer s.unlock()
	return s.gone() || s.agent != nil && s.agent.conn.Err() != nil
}

// ListSessions asks for one page of the agent's sessions in this session's directory;
// Cursor is the NextCursor of the previous page, empty for the first. The error wraps
// ErrUnsupported if the agent does not offer that.
type ListSessions struct{ Cursor string }

func (a ListSessions) Do(ctx context.Context, s *Session) (*acpclient.ListSessionsResponse, error) {
	return ask(ctx, s, "list the sessions", acpclient.SessionList, &acpclient.ListSessionsRequest{Cwd: s.opt.Cwd, Cursor: a.Cursor},
		func(c acpclient.AgentCapabilities) bool { return c.SessionCapabilities.List != nil })
}

// DeleteSession deletes one of the agent's sessions, except the open one. The error
// wraps ErrUnsupported if the agent does not offer that.
type DeleteSession struct{ ID acpclient.SessionID }

func (a DeleteSession) Do(ctx context.Context, s *Session) (None, error) {
	s.mu.Lock()
	open := s.ready() && s.state.ID == a.ID
	s.unlock()
	if open {
		return None{}, errors.New("this session is open: open another one first")
	}
	_, err := ask(ctx, s, "delete a session", acpclient.SessionDelete, &acpclient.DeleteSessionRequest{SessionID: a.ID},
		func(c acpclient.AgentCapabilities) bool { return c.SessionCapabilities.Delete != nil })
	return None{}, err
}
