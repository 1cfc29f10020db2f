package session

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/policy"
)

// earlyBound bounds the updates, in bytes, that are held for a session whose id the
// agent has not sent yet.
const earlyBound = 16 << 20

// lastWords is how long the last messages have to reach an agent before it is ended.
const lastWords = 100 * time.Millisecond

// agent is one connection to a running agent, made for one Session. It implements the
// protocol's Handler and selects the messages for the open session.
type agent struct {
	owner *Session
	peer  *acpclient.Peer
	conn  *acpclient.Conn
	first *acpclient.Client // for version 1 of the protocol
	// client is the one for the negotiated version. It is set when hello is.
	client acpclient.Requester
	// offersV2 means that the agent is offered version 2 of the protocol.
	offersV2 bool
	log      *slog.Logger
	// hello is the agent's answer to initialize, nil before it.
	hello atomic.Pointer[acpclient.InitializeResponse]

	broken    chan struct{} // closed when the agent takes no more messages
	breakOnce sync.Once

	// Session.mu guards the fields below.

	// quiet drops what the agent replays, because the transcript already has it. Agents
	// may continue the replay after they have answered session/load, so quiet holds
	// until the next prompt.
	quiet     bool
	elsewhere elsewhere // what the transcript lacks of that
	// works means that what the agent says to do is no history: a prompt was sent, or the
	// session is new.
	works bool

	noise     []byte // the end of what it wrote to stdout that is not a message
	current   acpclient.SessionID
	left      map[acpclient.SessionID]bool // sessions that were open before
	subagents map[acpclient.SessionID]bool // those of the open session
	retired   bool                         // another agent has replaced it
	expecting bool                         // a session is being opened whose id is unknown yet
	// early holds the updates of unknown sessions, earlyBytes bytes in all.
	early      []*acpclient.SessionNotification
	earlyBytes int

	// strays folds the calls of a session that is not open, the last one that sent any, for
	// the rules.
	strays     *conversation.State
	stray      acpclient.SessionID
	strayBytes int
}

// FormRefused is the title of the notice when the agent asks for a form in an
// unattended session.
const FormRefused = "The agent wants a form filled in, which only a user can do"

var (
	_ acpclient.Handler            = (*agent)(nil)
	_ acpclient.PermissionHandler  = (*agent)(nil)
	_ acpclient.ElicitationHandler = (*agent)(nil)
	_ acpclient.UnofferedHandler   = (*agent)(nil)
)

// connect connects to a running agent.
func connect(s *Session, p *acpclient.Peer, offersV2 bool) *agent {
	a := &agent{
		owner: s, peer: p, log: s.opt.Log,
		broken: make(chan struct{}), left: map[acpclient.SessionID]bool{}, subagents: map[acpclient.SessionID]bool{}, offersV2: offersV2,
	}
	transport := p.Transport
	if transport == nil {
		lines := acpclient.NewLines(&pacedReader{r: p.In, stream: s.stream}, p.Out)
		if s.opt.MaxLine > 0 {
			lines.MaxLine = s.opt.MaxLine
		}
		transport = lines
	}
	a.first = acpclient.NewClient(transport, a, acpclient.ConnOptions{Log: s.opt.Log, Tap: s.opt.tap, Refused: a.refused, Noise: a.keepNoise})
	a.conn = a.first.Conn()
	return a
}

// mostNoise bounds noise, in bytes.
const mostNoise = 4 << 10

// keepNoise keeps a line on stdout that is not a message.
func (a *agent) keepNoise(line []byte) {
	a.owner.mu.Lock()
	defer a.owner.mu.Unlock()
	a.noise = append(append(a.noise, "stdout: "...), bytes.TrimRight(line[:min(len(line), mostNoise/2)], "\r\n")...)
	a.noise = append(a.noise, '\n')
	if over := len(a.noise) - mostNoise; over > 0 {
		a.noise = append(a.noise[:0], a.noise[over:]...)
	}
}

// output returns the tails of what the agent wrote that is not a message: the noise on
// stdout, then stderr. It is raw. Session.mu must be held.
func (a *agent) output() string { return string(a.noise) + a.peer.Stderr() }

// refused adds a notice that a message was lost.
func (a *agent) refused(err error) {
	a.owner.mu.Lock()
	defer a.owner.mu.Unlock()
	a.owner.notice(acpclient.NoticeError, "A message from the agent was too long and was dropped", err.Error())
}

// breakOff marks the agent as taking no more messages, even if it still sends some.
func (a *agent) breakOff() { a.breakOnce.Do(func() { close(a.broken) }) }

// end ends the agent and its connection, and waits for the agent to exit. It kills the
// agent when ctx ends.
func (a *agent) end(ctx context.Context) {
	last, cancel := context.WithTimeout(ctx, lastWords)
	_ = a.conn.Flush(last) // the agent is ended next anyway
	cancel()
	a.peer.Stop(ctx)
	a.conn.Close()
}

// quirks returns the agent's quirks, none before initialize.
func (a *agent) quirks() conversation.Quirks {
	info := a.hello.Load()
	if info == nil || info.AgentInfo == nil {
		return conversation.Quirks{}
	}
	return conversation.QuirksOf(info.AgentInfo.Name)
}

// event returns the event of an update of a session, with its time. Text for other audiences
// and text of subagents stays a separate update, because the stream merges text of one
// message. Session.mu must be held.
func (a *agent) event(n *acpclient.SessionNotification) conversation.Event {
	q := a.quirks()
	if q.Interrupted(n.Update) {
		n = &acpclient.SessionNotification{SessionID: n.SessionID, Update: &acpclient.Notice{Severity: acpclient.NoticeInfo, Title: "Cancelled"}}
	}
	e := conversation.FromNotification(n)
	if text, ok := e.(conversation.Text); ok {
		if _, announces := q.Announced(text.Text); !announces && n.SessionID == a.current {
			return e
		}
	}
	u := conversation.UpdateOf(n)
	u.At = a.owner.opt.Now()
	return u
}

// attach starts to accept the updates of a session, beginning with those that came
// before its id was known. Call it in the order of the wire: before the request that
// opens the session is sent, or while its answer is handled. Session.mu must be held.
func (a *agent) attach(id acpclient.SessionID) {
	if a.current != id {
		a.current = id
		clear(a.subagents)
	}
	delete(a.left, id)
	early := a.early
	a.early, a.earlyBytes, a.expecting = nil, 0, false
	for _, n := range early {
		if a.isOpen(n) {
			a.owner.post(a.event(n))
		}
	}
}

// isOpen reports whether an update is one of the open session or of its subagents, which it
// may announce. Session.mu must be held.
func (a *agent) isOpen(n *acpclient.SessionNotification) bool {
	if n.SessionID != a.current && !a.subagents[n.SessionID] {
		return false
	}
	if u, ok := n.Update.(*acpclient.SubagentUpdate); ok && u.SessionID != a.current {
		a.subagents[u.SessionID] = true
	}
	return true
}

// leave stops accepting the updates of a session. Session.mu must be held.
func (a *agent) leave(id acpclient.SessionID) {
	a.left[id] = true
	if a.current == id {
		a.current = ""
	}
}

// retire stops accepting anything from the agent. Session.mu must be held.
func (a *agent) retire() {
	a.retired = true
	a.early, a.earlyBytes = nil, 0
}

// serves returns why a request for a session is refused, or nil. A request may name a session
// that this client has not opened, as agents do for their subagents, or none: then it
// is for the open one. Naming a session that was left is an error, and so is any request
// before the agent has answered initialize.
func (a *agent) serves(id acpclient.SessionID) error {
	if a.hello.Load() == nil {
		return &acpclient.Error{Code: acpclient.CodeInvalidRequest, Message: "initialize has not been answered yet"}
	}
	a.owner.mu.Lock()
	defer a.owner.mu.Unlock()
	if a.retired || a.left[id] {
		return &acpclient.Error{Code: acpclient.CodeInvalidParams, Message: fmt.Sprintf("the session %q is no longer open", id)}
	}
	return nil
}

// SessionUpdate implements acpclient.Handler, as the methods below do.
func (a *agent) SessionUpdate(ctx context.Context, n *acpclient.SessionNotification) {
	s := a.owner
	s.stream.room(ctx)
	s.mu.Lock()
	defer s.unlock()
	switch {
	case a.retired:
	case a.isOpen(n):
		if a.quiet && isHistory(n.Update) {
			if a.elsewhere.take(n, a.quirks()); s.ready() && len(a.elsewhere.told) == 0 && a.elsewhere.message == nil {
				s.showElsewhere() // it is replayed late
			}
			return
		}
		s.post(a.event(n))
		if failedCall(n.Update) {
			s.suspectDirectory()
		}
		if _, ok := n.Update.(*acpclient.UsageUpdate); ok {
			s.checkBudget(false)
		}
	case a.expecting && !a.left[n.SessionID]:
		if size := conversation.SizeOf(a.event(n)); a.earlyBytes+size <= earlyBound {
			a.early = append(a.early, n)
			a.earlyBytes += size
			return
		}
		fallthrough
	default:
		a.log.Info("ignored an update for a session that is not open", "session", n.SessionID, "update", n.Update.UpdateKind())
		a.takeStray(n)
	}
}

// takeStray folds a call of a session that is not open, which the transcript does not show, for
// the rules. Session.mu must be held.
func (a *agent) takeStray(n *acpclient.SessionNotification) {
	switch n.Update.(type) {
	case *acpclient.ToolCall, *acpclient.ToolCallUpdate:
	default:
		return
	}
	if a.owner.opt.Judge == nil || !a.works {
		return
	}
	if a.strays == nil || a.stray != n.SessionID || a.strayBytes > earlyBound {
		a.strays, a.stray, a.strayBytes = conversation.NewState(), n.SessionID, 0
	}
	e := a.event(n)
	a.strayBytes += conversation.SizeOf(e)
	a.strays.Apply(e)
	a.owner.judgeEnded(a.strays, e)
}

// isHistory reports whether an update is part of the transcript rather than of the
// session's current state.
func isHistory(u acpclient.SessionUpdate) bool {
	switch u.(type) {
	case *acpclient.AvailableCommandsUpdate, *acpclient.CurrentModeUpdate, *acpclient.ConfigOptionUpdate,
		*acpclient.SessionInfoUpdate, *acpclient.UsageUpdate, *acpclient.Notice, *acpclient.StateUpdate:
		return false
	}
	return true
}

func (a *agent) RequestPermission(ctx context.Context, r *acpclient.RequestPermissionRequest) (*acpclient.RequestPermissionResponse, error) {
	if a.serves(r.SessionID) != nil {
		return &acpclient.RequestPermissionResponse{Outcome: acpclient.PermissionCancelled}, nil
	}
	ids := map[acpclient.PermissionOptionID]bool{}
	for _, o := range r.Options {
		if ids[o.OptionID] { // the agent gets an ID only: it would not say which answer the user gave
			return nil, &acpclient.Error{Code: acpclient.CodeInvalidParams, Message: fmt.Sprintf("two options have the ID %q", o.OptionID)}
		}
		ids[o.OptionID] = true
	}
	s := a.owner
	s.stream.room(ctx)
	if form := a.quirks().Form(r); form != nil && onceOption(r.Options, policy.Allow) != nil {
		return a.askInForm(ctx, r, form)
	}
	q := s.openPermission(a, r)
	acpclient.Async(ctx)
	if q.judged != nil {
		judging, answered := context.WithCancel(ctx)
		defer answered()
		go s.judge(judging, q)
	}
	answer, err := s.wait(ctx, q)
	if err != nil {
		return nil, err
	}
	s.awaitJournal(ctx) // the agent edits the files next
	return &acpclient.RequestPermissionResponse{Outcome: answer.outcome}, nil
}

// askInForm answers a permission request that stands for a form. No rule answers it:
// allowed without answers, the agent would go on as if there were none.
func (a *agent) askInForm(
	ctx context.Context, r *acpclient.RequestPermissionRequest, form *acpclient.CreateElicitationRequest,
) (*acpclient.RequestPermissionResponse, error) {
	answer := &acpclient.CreateElicitationResponse{Action: acpclient.ElicitDecline}
	if a.owner.opt.Unattended {
		a.refuseForm()
	} else {
		var err error
		if answer, err = a.elicit(ctx, form, true); err != nil {
			return nil, err
		}
	}
	response := &acpclient.RequestPermissionResponse{Outcome: acpclient.PermissionCancelled}
	var option *acpclient.PermissionOption
	switch answer.Action {
	case acpclient.ElicitAccept:
		option = onceOption(r.Options, policy.Allow)
		response.Answers = conversation.FormAnswers(form, answer.Content)
	case acpclient.ElicitDecline:
		option = onceOption(r.Options, policy.Deny)
	}
	if option != nil {
		response.Outcome = acpclient.PermissionSelected(option.OptionID)
	}
	return response, nil
}

func (a *agent) CreateElicitation(ctx context.Context, r *acpclient.CreateElicitationRequest) (*acpclient.CreateElicitationResponse, error) {
	if err := a.serves(r.SessionID); err != nil {
		return nil, err
	}
	a.owner.stream.room(ctx)
	return a.elicit(ctx, r, false)
}

// elicit asks the user for input. Where the agent takes only yes or no, forPermission,
// cancelling the form declines it.
func (a *agent) elicit(ctx context.Context, r *acpclient.CreateElicitationRequest, forPermission bool) (*acpclient.CreateElicitationResponse, error) {
	q := a.owner.openElicitation(a, r, forPermission)
	acpclient.Async(ctx)
	answer, err := a.owner.wait(ctx, q)
	if err != nil {
		return nil, err
	}
	return &answer.form, nil
}

func (a *agent) Unoffered(method string) {
	if method == acpclient.ElicitationCreate.Name && a.owner.opt.Unattended {
		a.refuseForm()
	}
}

// refuseForm adds the notice that an unattended session refuses a form.
func (a *agent) refuseForm() {
	a.owner.mu.Lock()
	defer a.owner.mu.Unlock()
	a.owner.notice(acpclient.NoticeWarning, FormRefused, "parley declined it.")
}

func (a *agent) CompleteElicitation(ctx context.Context, n *acpclient.CompleteElicitationNotification) {
	s := a.owner
	s.stream.room(ctx)
	s.mu.Lock()
	defer s.unlock()
	if !a.retired {
		s.post(conversation.ElicitationCompleted{ElicitationID: n.ElicitationID})
	}
}

func (a *agent) ReadTextFile(ctx context.Context, r *acpclient.ReadTextFileRequest) (*acpclient.ReadTextFileResponse, error) {
	if err := a.serves(r.SessionID); err != nil {
		return nil, err
	}
	acpclient.Async(ctx)
	res, err := a.owner.machine.ReadTextFile(context.WithValue(ctx, originKey{}, origin{a, r.SessionID}), r)
	if err != nil && acpclient.IsCode(err, acpclient.CodeResourceNotFound) && a.quirks().MissingFileIsEmpty {
		return &acpclient.ReadTextFileResponse{}, nil
	}
	return res, err
}

func (a *agent) WriteTextFile(ctx context.Context, r *acpclient.WriteTextFileRequest) (*acpclient.WriteTextFileResponse, error) {
	return onMachine(ctx, a, r.SessionID, r, Machine.WriteTextFile)
}

func (a *agent) CreateTerminal(ctx context.Context, r *acpclient.CreateTerminalRequest) (*acpclient.CreateTerminalResponse, error) {
	return onMachine(ctx, a, r.SessionID, r, Machine.CreateTerminal)
}

func (a *agent) TerminalOutput(ctx context.Context, r *acpclient.TerminalOutputRequest) (*acpclient.TerminalOutputResponse, error) {
	return onMachine(ctx, a, r.SessionID, r, Machine.TerminalOutput)
}

func (a *agent) WaitForTerminalExit(ctx context.Context, r *acpclient.WaitForTerminalExitRequest) (*acpclient.WaitForTerminalExitResponse, error) {
	return onMachine(ctx, a, r.SessionID, r, Machine.WaitForTerminalExit)
}

func (a *agent) KillTerminal(ctx context.Context, r *acpclient.KillTerminalRequest) (*acpclient.KillTerminalResponse, error) {
	return onMachine(ctx, a, r.SessionID, r, Machine.KillTerminal)
}

func (a *agent) ReleaseTerminal(ctx context.Context, r *acpclient.ReleaseTerminalRequest) (*acpclient.ReleaseTerminalResponse, error) {
	return onMachine(ctx, a, r.SessionID, r, Machine.ReleaseTerminal)
}

// onMachine serves a request on the machine of its session, without holding up later
// messages.
func onMachine[P, R any](ctx context.Context, a *agent, id acpclient.SessionID, r P, do func(Machine, context.Context, P) (R, error)) (R, error) {
	if err := a.serves(id); err != nil {
		var none R
		return none, err
	}
	acpclient.Async(ctx)
	done, err := do(a.owner.machine, context.WithValue(ctx, originKey{}, origin{a, id}), r)
	if err != nil {
		a.owner.mu.Lock()
		defer a.owner.unlock()
		a.owner.suspectDirectory()
	}
	return done, err
}

// cause returns why the agent is lost: the exit of its process, or else the error of
// the connection.
func (a *agent) cause() error {
	select {
	case <-a.peer.Done:
		if err := a.peer.Err(); err != nil {
			return err
		}
	default:
	}
	if err := a.conn.Err(); err != nil && !errors.Is(err, acpclient.ErrClosed) {
		return err
	}
	return errors.New("the agent closed the connection")
}
