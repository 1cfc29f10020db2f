package serve

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"parley/acpclient"
	v2 "parley/acpclient/v2"
	"parley/config"
	"parley/internal/app"
	"parley/internal/conversation"
	"parley/internal/session"
	"parley/internal/store"
	"parley/internal/termtext"
)

// served is a session that the client has opened.
type served struct {
	*server
	id   acpclient.SessionID // the client's name for it
	spec app.Spec
	ctx  context.Context // ends when the client leaves it
	stop context.CancelFunc
	done chan struct{} // closed when no more events are taken
	// choices are the agents that the client can choose from, by [agentOption]; empty where it cannot.
	choices []config.Agent

	mu   sync.Mutex
	live *app.Live
	view view
	// settled is closed when the agent is ready, or will not be; refused then says why.
	settled chan struct{}
	refused error
	// starting means that the agent was told to start, and nothing was heard of it since.
	starting bool
	// unsigned is the agent's request to sign in that the client knows. signed gets how signing in has
	// ended; nil while nobody waits for it.
	unsigned error
	signed   chan error
	// prompts are those of the client that are not answered, by reference. own begins the references of
	// this client in this session. running is the one whose turn runs; nil if there is none.
	prompts map[string]*prompt
	own     string
	running *prompt
	// settings wait for the agent's answer, in order.
	settings []setting
	// switching means that another agent is being started for the session.
	switching bool
	// unstored means that the session holds what cannot be stored at the moment.
	unstored bool
	asks     map[int]*asking // by the number of the question
	told     string          // the status that the client was told last, see [MethodStatus]
}

// prompt is a prompt of the client's.
type prompt struct {
	ref       string
	id        acpclient.MessageID     // of its message, where the client knows that
	queued    bool                    // it was seen in the queue
	taken     bool                    // it is being taken out of it
	cancelled bool                    // the client wants it no more
	again     bool                    // its turn has ended at a limit, and it will be sent again
	ended     *conversation.TurnEnded // how its turn has ended
	over      chan struct{}           // closed when it is answered
	answer    chan answer
}

// answer is the answer to a prompt.
type answer struct {
	response *acpclient.PromptResponse
	err      error
}

func newServed(s *server, id acpclient.SessionID, spec app.Spec, made *app.Opened) *served {
	one := &served{
		server: s, id: id, spec: spec, live: made.Live(), done: make(chan struct{}), settled: make(chan struct{}),
		starting: !made.Runs && made.ReadOnly == nil,
		prompts:  map[string]*prompt{}, own: rand.Text(), asks: map[int]*asking{},
	}
	one.ctx, one.stop = context.WithCancel(s.ctx)
	one.choose()
	one.view.begin(one)
	if one.starting {
		session.Post(one.live.Session, session.Start{})
	}
	one.restart()
	one.look()
	return one
}

// restart starts an agent that is gone, again. s.mu must be held.
func (s *served) restart() {
	if s.live.Conversation.Gone() && !s.live.HostGone() && !s.starting && !s.opt.ReadOnly {
		s.settled, s.refused, s.starting = make(chan struct{}), nil, true
		session.Post(s.live.Session, session.Start{})
	}
}

// follow takes the session's events until the client leaves it. It takes no more than the client
// reads.
func (s *served) follow() {
	defer close(s.done)
	stream := s.live.Session.Stream()
	for {
		select {
		case <-stream.Ready():
		case <-s.ctx.Done():
			return
		}
		s.mu.Lock()
		for _, e := range stream.Take() {
			s.apply(e)
		}
		s.look()
		s.mu.Unlock()
		if s.conn.Flush(s.ctx) != nil {
			return
		}
	}
}

// apply folds an event, and notes what it means for the client's requests. s.mu must be held.
func (s *served) apply(e conversation.Event) {
	s.live.Apply(e)
	s.view.happens(e)
	switch e := e.(type) {
	case conversation.AgentStarting, conversation.SessionOpening, conversation.SessionFailed, conversation.AgentLost:
		s.starting = false
	case conversation.PromptSent:
		if s.running = s.prompts[e.Ref]; s.running != nil {
			s.running.queued = false
			s.view.skipLast() // the client has it
			s.named(e.At, s.running.id)
			if s.running.cancelled {
				session.Post(s.live.Session, session.Cancel{})
			}
		}
	case conversation.PromptSteered:
		if s.sentBy(e.Ref) {
			s.view.skipLast()
		}
	case conversation.TurnEnded:
		if p := s.running; p != nil {
			if s.running, p.again = nil, e.Again; !e.Again {
				p.ended = &e
			}
		}
	case conversation.LimitWait:
		for _, q := range s.live.Conversation.Queue {
			if p := s.prompts[q.Ref]; p != nil {
				p.again = false // from here on it waits as long as the session does
			}
		}
	case conversation.NoticeAdded:
		s.unstored = e.Title == store.Unstored || s.unstored && !strings.HasPrefix(e.Title, store.StoredAgain)
	case conversation.OptionSettled:
		for i, set := range s.settings {
			if set.Option == e.Option && set.Value == e.Value {
				s.settings = slices.Delete(s.settings, i, i+1)
				set.done <- e.Err
				break
			}
		}
	case conversation.AuthDone:
		if s.signed != nil {
			s.signed <- e.Err
			s.signed = nil
		}
	case conversation.AuthRequired:
		if s.running != nil { // the client signs in, and sends the prompt again
			session.Post(s.live.Session, session.DismissAuth{})
			s.server.mu.Lock()
			s.asked = s
			s.server.mu.Unlock()
		}
	}
}

// named notes the id that the client has for a prompt that was sent then.
func (s *server) named(sent time.Time, id acpclient.MessageID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if id != "" {
		s.ids[sent.UnixNano()] = id
	}
}

// idOfPrompt returns the id that the client has for a prompt that was sent then, "" if it has none.
func (s *server) idOfPrompt(sent time.Time) acpclient.MessageID {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ids[sent.UnixNano()]
}

// sentBy reports whether a reference is that of a prompt of this client's.
func (s *served) sentBy(ref string) bool { return strings.HasPrefix(ref, s.own) }

// resolve answers a prompt.
func (s *served) resolve(p *prompt, a answer) {
	delete(s.prompts, p.ref)
	p.answer <- a
	close(p.over)
}

// look does what follows from the state of the session: it sends what has changed, asks what is to be
// asked, and answers what is over. s.mu must be held.
func (s *served) look() {
	c := s.live.Conversation
	s.settle(c)
	s.view.send()
	s.lookAtPrompts(c)
	s.ask(c)
	s.tellStatus()
}

// settle notes whether the agent is ready.
func (s *served) settle(c *conversation.Conversation) {
	select {
	case <-s.settled:
		return
	default:
	}
	switch {
	case s.opt.ReadOnly: // it needs no agent
	case c.AuthError != nil && c.AuthError != s.unsigned: //nolint:errorlint // it is this very request
		s.refused, s.unsigned = signInError(c.AuthError), c.AuthError
	case c.Gone() && s.starting: // as it was before
		return
	case c.Gone():
		s.refused = &acpclient.Error{Code: acpclient.CodeInternalError, Message: s.whyGone()}
	case c.Phase != conversation.PhaseReady:
		return
	}
	close(s.settled)
}

// signInError is the answer to a request for which the user has to sign in.
func signInError(err error) error {
	answer, is := errors.AsType[*acpclient.Error](err)
	if !is {
		answer = &acpclient.Error{Message: err.Error()}
	}
	return fmt.Errorf("%w: %w", errSignIn, &acpclient.Error{Code: codeSignIn, Message: answer.Message, Data: answer.Data})
}

// await waits until the agent is ready.
func (s *served) await(ctx context.Context) error {
	s.mu.Lock()
	settled := s.settled
	s.mu.Unlock()
	select {
	case <-settled:
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.refused
	case <-s.ctx.Done():
		return errLeft
	case <-ctx.Done():
		return ctx.Err()
	}
}

// errLeft is the answer to what waits for a session that the client has closed, or has put another agent
// behind.
var errLeft = &acpclient.Error{Code: acpclient.CodeRequestCancelled, Message: "The session was closed meanwhile"}

// signIn signs in by one of the agent's methods.
func (s *served) signIn(ctx context.Context, id acpclient.AuthMethodID) error {
	ended := make(chan error, 1)
	s.mu.Lock()
	if !slices.ContainsFunc(s.live.Conversation.Agent.AuthMethods, func(m acpclient.AuthMethod) bool { return m.ID == id && !session.RunsInTerminal(m) }) {
		defer s.mu.Unlock()
		return invalid("the agent has no sign-in method %q", id)
	}
	if s.signed != nil {
		defer s.mu.Unlock()
		return invalid("signing in has begun already")
	}
	s.signed = ended
	s.settled, s.refused = make(chan struct{}), nil
	s.mu.Unlock()
	session.Post(s.live.Session, session.Authenticate{ID: id})
	select {
	case err := <-ended:
		return err
	case <-s.ctx.Done():
		return errLeft
	case <-ctx.Done():
		return ctx.Err()
	}
}

// replays says when the client gets what was said before it opened a session.
type replays int

const (
	nothing replays = iota // it knows that
	before                 // before the answer
	after                  // after it
)

// opened is the answer to a request that opens the session. Updates follow it.
func (s *served) opened(ctx context.Context, past replays) any {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch past {
	case nothing:
		s.view.skip()
	case before:
		s.view.restart()
		s.view.open = true
		s.view.send()
	case after:
		s.view.restart()
	}
	if s.view.open = past == before; !s.view.open {
		begin := func() {
			go func() {
				s.mu.Lock()
				defer s.mu.Unlock()
				s.view.open = true
				s.live.Session.Stream().Wake()
			}()
		}
		if !acpclient.OnAnswered(ctx, begin) {
			begin()
		}
	}
	options := s.view.options()
	s.view.sent.options = encode(options)
	state := acpclient.NewSessionResponse{SessionID: s.id, SessionState: acpclient.SessionState{ConfigOptions: options, Modes: modesOf(options)}}
	if state.ConfigOptions == nil {
		state.ConfigOptions = []acpclient.SessionConfigOption{}
	}
	return &state
}

// leave leaves the session. It ends where nothing goes on in it and nobody else looks at it: it is
// stored, and can be loaded again.
func (s *served) leave() {
	s.stop()
	<-s.done
	ctx, cancel := context.WithTimeout(context.WithoutCancel(s.ctx), app.StopTime)
	defer cancel()
	s.mu.Lock()
	c := s.live.Conversation
	ends := !s.opt.ReadOnly && s.opt.Running == "" && !s.unstored && !c.Busy()
	for _, p := range s.prompts {
		s.resolve(p, answer{response: &acpclient.PromptResponse{StopReason: acpclient.StopCancelled}})
	}
	if s.view.sent.working {
		s.conn.Work(s.id, false)
	}
	s.mu.Unlock()
	if ends && s.unused(ctx) {
		app.End(ctx, s.live.Session)
		return
	}
	app.Leave(ctx, s.live.Session)
}

// unused reports whether the session's host has no reason to keep it: it is stored, nothing goes on in it, of
// which this client may not have heard yet, and nobody else looks at it.
func (s *served) unused(ctx context.Context) bool {
	r := s.listed(ctx)
	return r != nil && r.Stored != "" && len(r.Viewers) <= 1 && !r.Working && r.Waiting == 0 && r.Queued == 0
}

// listed returns how the session's host describes it now, nil if that is not known.
func (s *served) listed(ctx context.Context) *app.Running {
	if s.opt.Backend.Running == nil {
		return nil
	}
	all, err := s.opt.Backend.Running(ctx)
	i := slices.IndexFunc(all, func(r app.Running) bool { return r.ID == s.live.Session.About().Host })
	if err != nil || i < 0 || all[i].Silent != "" {
		return nil
	}
	return &all[i]
}

// close lets go of the session.
func (s *served) close(ctx context.Context, _ *acpclient.CloseSessionRequest) (any, error) {
	acpclient.Async(ctx)
	if s.forget(s) {
		s.letGo(ctx)
	}
	return nil, nil
}

// letGo cancels the client's prompts, and leaves the session once they are out of it.
func (s *served) letGo(ctx context.Context) {
	s.mu.Lock()
	mine := s.running != nil
	var open []*prompt
	for _, p := range s.prompts {
		open = append(open, p)
	}
	s.mu.Unlock()
	s.withdraw(mine)
	waiting, cancel := context.WithTimeout(ctx, app.StopTime)
	defer cancel()
	for _, p := range open {
		select {
		case <-p.over:
		case <-waiting.Done(): // the agent ignores being cancelled
		}
	}
	s.leave()
}

// prompt sends a prompt, or queues it, and waits for the end of its turn.
func (s *served) prompt(ctx context.Context, r *acpclient.PromptRequest) (any, error) {
	if s.opt.ReadOnly {
		return nil, errReadOnly
	}
	if err := checkPrompt(r.Prompt); err != nil {
		return nil, err
	}
	p := &prompt{ref: s.own + rand.Text(), id: v2.PromptID(ctx), answer: make(chan answer, 1), over: make(chan struct{})}
	s.mu.Lock()
	switch {
	case s.live.Conversation.Gone():
		defer s.mu.Unlock()
		return nil, s.gone()
	case s.switching:
		defer s.mu.Unlock()
		return nil, invalid("another agent is being started for the session")
	}
	s.prompts[p.ref] = p
	sent := s.live.WithEarlier(conversation.QueuedPrompt{Prompt: r.Prompt, Ref: p.ref})
	confirmed, _ := session.Begin(s.live.Session, session.Prompt{Prompt: sent})
	acpclient.Async(ctx) // the client knows that it is accepted before what comes of it
	s.mu.Unlock()
	go func() {
		if _, err := confirmed(s.ctx); err != nil {
			s.mu.Lock()
			defer s.mu.Unlock()
			if s.prompts[p.ref] == p {
				s.resolve(p, answer{err: err})
			}
		}
	}()
	select {
	case a := <-p.answer:
		return a.result()
	case <-ctx.Done():
	}
	if s.conn.Err() != nil { // the client is gone, and has cancelled nothing
		return nil, acpclient.ErrClosed
	}
	s.mu.Lock()
	s.drop(p)
	s.mu.Unlock()
	select {
	case a := <-p.answer:
		return a.result()
	case <-s.ctx.Done():
		return nil, acpclient.ErrClosed
	}
}

// checkPrompt refuses a prompt that no agent would get as it is.
func checkPrompt(prompt []acpclient.ContentBlock) error {
	if len(prompt) == 0 {
		return invalid("the prompt is empty")
	}
	for _, b := range prompt {
		switch b.Type {
		case acpclient.ContentText, acpclient.ContentImage, acpclient.ContentAudio, acpclient.ContentResourceLink, acpclient.ContentResource:
		default:
			return invalid("the prompt has a block of the unknown type %q", b.Type)
		}
	}
	return nil
}

func (a answer) result() (any, error) {
	if a.err != nil {
		return nil, a.err
	}
	return a.response, nil
}

// gone is the answer to what needs the agent, which has exited. s.mu must be held.
func (s *served) gone() *acpclient.Error {
	return &acpclient.Error{Code: acpclient.CodeInternalError, Message: s.whyGone() + ". Load the session again to go on"}
}

// whyGone says what has happened to the agent, with the end of what it has written to stderr.
func (s *served) whyGone() string {
	c := s.live.Conversation
	text := s.live.GoneText()
	if reason := cmp.Or(s.live.GoneReason(), c.Ending.Why); reason != "" {
		text += ": " + reason
	}
	if said := strings.TrimSpace(c.Agent.Stderr); said != "" {
		text += ": " + termtext.Line(said[strings.LastIndexByte(said, '\n')+1:])
	}
	return text
}

// lookAtPrompts answers the prompts that will not be sent.
func (s *served) lookAtPrompts(c *conversation.Conversation) {
	waits := map[string]conversation.QueuedPrompt{}
	for _, q := range c.Queue {
		if s.sentBy(q.Ref) {
			waits[q.Ref] = q
			if s.prompts[q.Ref] == nil && !q.Steering && !q.Now { // it was answered, and the client may send it again
				s.takeOut(q)
			}
		}
	}
	for ref, p := range s.prompts {
		q, waiting := waits[ref]
		switch {
		case p == s.running, !s.view.open && !p.cancelled: // the client gets the updates of a turn before its end
		case p.ended != nil:
			if c.BudgetReached && p.ended.Reason == acpclient.StopCancelled {
				s.view.say(s.overBudget(c))
			}
			s.resolve(p, answer{&acpclient.PromptResponse{StopReason: cmp.Or(p.ended.Reason, acpclient.StopEndTurn), Usage: p.ended.Usage}, p.ended.Err})
		case c.Gone() && (!p.cancelled || s.live.HostGone()):
			err := s.gone()
			if waiting && s.live.HostGone() {
				err.Message += ": the prompt waits in its queue"
			}
			s.resolve(p, answer{err: err})
		case waiting && p.cancelled && !p.taken:
			p.taken = true
			s.takeOut(q)
		case waiting && c.BudgetReached:
			s.takeOut(q)
			s.resolve(p, answer{err: &acpclient.Error{Code: acpclient.CodeInternalError, Message: s.overBudget(c)}})
		case waiting && c.QueuePaused && !q.Now && !q.Steering && !q.Reading && c.LimitWait.IsZero() && !p.again && !s.knowsStatus():
			s.takeOut(q) // the client could neither see that it waits nor send it
			s.resolve(p, answer{err: &acpclient.Error{Code: acpclient.CodeInternalError, Message: "Not sent: a turn before it was cancelled or has failed, which pauses the queue. Send it again"}})
		case !waiting && p.queued: // the client has cancelled it, or another viewer has taken it out
			s.resolve(p, answer{response: &acpclient.PromptResponse{StopReason: acpclient.StopCancelled}})
		}
		p.queued = p.queued || waiting
	}
	if c.Gone() { // it answers nothing any more
		for _, set := range s.settings {
			set.done <- s.gone()
		}
		s.settings = nil
		if s.signed != nil {
			s.signed <- s.gone()
			s.signed = nil
		}
	}
	if s.running != nil && c.Gone() {
		if s.prompts[s.running.ref] != nil {
			s.resolve(s.running, answer{err: s.gone()})
		}
		s.running = nil
	}
}

// overBudget says that the budget is used up, and what helps.
func (s *served) overBudget(c *conversation.Conversation) string {
	return "The budget is used up: " + c.BudgetWords() + ". 'parley attach " + s.live.Session.About().Host + "' raises it"
}

// takeOut removes a prompt of the client's from the queue, unless it is gone from there by then.
func (s *served) takeOut(q conversation.QueuedPrompt) {
	_, _ = session.Begin(s.live.Session, session.Unqueue{ID: q.ID})
}

// drop cancels a prompt of the client's. s.mu must be held.
func (s *served) drop(p *prompt) {
	p.cancelled = true
	if s.running == p {
		session.Post(s.live.Session, session.Cancel{})
	}
	s.live.Session.Stream().Wake()
}

// withdraw takes the client's prompts out of the queue. With turn, it cancels the running one, too.
func (s *served) withdraw(turn bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.prompts {
		p.cancelled = p != s.running
	}
	if turn {
		session.Post(s.live.Session, session.Cancel{})
	}
	s.live.Session.Stream().Wake()
}

// steer puts a prompt into the running turn, where the agent takes it.
func (s *served) steer(ctx context.Context, r *acpclient.SteeringRequest) (any, error) {
	acpclient.Async(ctx)
	if s.opt.ReadOnly {
		return nil, errReadOnly
	}
	if err := checkPrompt(r.Prompt); err != nil {
		return nil, err
	}
	s.mu.Lock()
	able, now := s.live.Conversation.Agent.Steering, s.live.Conversation.Steerable()
	s.mu.Unlock()
	switch {
	case !able:
		return nil, acpclient.MethodNotFoundError(acpclient.SessionSteering.Name)
	case !now:
		return &acpclient.SteeringResponse{Outcome: acpclient.SteeringPromptRequired, Reason: "noRunningTurn"}, nil
	}
	q := conversation.QueuedPrompt{Prompt: r.Prompt, Ref: s.own + rand.Text()}
	switch done, err := session.Do(ctx, s.live.Session, session.Steer{Prompt: q, Only: true}); {
	case err != nil:
		return nil, err
	case done.Own: // the turn has ended meanwhile
		return &acpclient.SteeringResponse{Outcome: acpclient.SteeringPromptRequired, Reason: "noRunningTurn"}, nil
	}
	return &acpclient.SteeringResponse{Outcome: acpclient.SteeringInjected}, nil
}

// setting is an option that the client sets.
type setting struct {
	Option acpclient.ConfigID
	Value  acpclient.ConfigValue
	done   chan error
}

func (s *served) setMode(ctx context.Context, r *acpclient.SetSessionModeRequest) (any, error) {
	s.mu.Lock()
	o := s.live.Conversation.OptionByCategory(acpclient.CategoryMode)
	s.mu.Unlock()
	if o == nil {
		return nil, invalid("the agent has no modes")
	}
	return nil, s.set(ctx, o.ID, acpclient.SelectValue(acpclient.ConfigValueID(r.ModeID)))
}

func (s *served) setOption(ctx context.Context, r *acpclient.SetSessionConfigOptionRequest) (any, error) {
	now, err := s, error(nil)
	if r.ConfigID == agentOption && len(s.choices) > 0 {
		acpclient.Async(ctx)
		now, err = s.switchAgent(ctx, string(r.Value.ID))
	} else {
		err = s.set(ctx, r.ConfigID, r.Value)
	}
	if err != nil {
		return nil, err
	}
	now.mu.Lock()
	defer now.mu.Unlock()
	return &acpclient.SetSessionConfigOptionResponse{ConfigOptions: now.view.options()}, nil
}

// set sets an option, and waits for the agent's answer.
func (s *served) set(ctx context.Context, id acpclient.ConfigID, v acpclient.ConfigValue) error {
	if s.opt.ReadOnly {
		return errReadOnly
	}
	s.mu.Lock()
	o := s.live.Conversation.Option(id)
	takes := o != nil && v.IsBool == (o.Type == acpclient.ConfigBoolean) &&
		(v.IsBool || slices.ContainsFunc(o.Options.All(), func(c acpclient.ConfigSelectOption) bool { return c.Value == v.ID }))
	set := setting{Option: id, Value: v, done: make(chan error, 1)}
	switch {
	case !takes:
		s.mu.Unlock()
		return invalid("there is no option %q with the value %s", id, encode(v))
	case s.live.Conversation.Gone():
		defer s.mu.Unlock()
		return s.gone()
	}
	s.settings = append(s.settings, set)
	session.Post(s.live.Session, session.SetOption{Option: id, Value: v})
	s.mu.Unlock()
	acpclient.Async(ctx)
	select {
	case err := <-set.done:
		return err
	case <-ctx.Done():
		s.mu.Lock()
		defer s.mu.Unlock()
		s.settings = slices.DeleteFunc(s.settings, func(other setting) bool { return other.done == set.done })
		return ctx.Err()
	case <-s.done:
		return acpclient.ErrClosed
	}
}

// agentOption is the config option by which a client chooses the agent, and its category.
const agentOption = "_agent"

// choose finds the agents that the client can choose from. It may be slow.
func (s *served) choose() {
	if s.opt.Agent != nil || s.opt.Running != "" || s.opt.Backend.Available == nil {
		return
	}
	all, err := s.opt.Backend.Available()
	if err == nil && slices.ContainsFunc(all, func(a config.Agent) bool { return a.ID == s.live.Agent.ID }) {
		s.choices = all
	}
}

// agents returns the option that chooses the agent, if the client can.
func (s *served) agents() []acpclient.SessionConfigOption {
	if len(s.choices) == 0 {
		return nil
	}
	var choices []acpclient.ConfigSelectOption
	for _, a := range s.choices {
		choices = append(choices, acpclient.ConfigSelectOption{Value: acpclient.ConfigValueID(a.ID), Name: a.Name})
	}
	return []acpclient.SessionConfigOption{{
		ID: agentOption, Category: agentOption, Name: "Agent", Description: "Before the first prompt", Type: acpclient.ConfigSelect,
		CurrentValue: acpclient.SelectValue(acpclient.ConfigValueID(s.live.Agent.ID)), Options: acpclient.Ungrouped(choices...),
	}}
}

// switchAgent puts another agent behind a session in which nothing was said, and returns that.
func (s *served) switchAgent(ctx context.Context, id string) (*served, error) {
	if s.opt.ReadOnly {
		return nil, errReadOnly
	}
	i := slices.IndexFunc(s.choices, func(a config.Agent) bool { return a.ID == id })
	s.mu.Lock()
	said := s.live.Conversation.Said || len(s.prompts) > 0
	s.switching = true
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.switching = false
	}()
	switch {
	case i < 0:
		return nil, invalid("no agent is called %q", id)
	case s.live.Agent.ID == id:
		return s, nil
	case said || s.spec.Agent == nil:
		return nil, invalid("the agent is chosen before the first prompt: begin a new session for %s", s.choices[i].Name)
	}
	spec := s.spec
	spec.Agent = &s.choices[i]
	opened := s.offerFiles(&spec)
	made, err := s.opt.Backend.Make(ctx, spec)
	if err != nil {
		return nil, err
	}
	next := newServed(s.server, s.id, spec, made)
	opened(next)
	go next.follow()
	if err := next.await(ctx); err != nil { // the session keeps the agent that it has
		next.leave()
		return nil, err
	}
	s.server.mu.Lock()
	open := s.sessions[s.id] == s
	if open {
		s.sessions[s.id] = next
	}
	s.server.mu.Unlock()
	if !open {
		next.leave()
		return nil, errLeft
	}
	s.leave()
	next.mu.Lock()
	defer next.mu.Unlock()
	next.view.skip()
	next.view.open = true
	next.live.Session.Stream().Wake()
	return next, nil
}
