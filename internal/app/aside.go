package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"parley/acpclient"
	"parley/config"
	"parley/internal/conversation"
	"parley/internal/policy"
	"parley/internal/prompt"
	"parley/internal/session"
	"parley/internal/store"
	"parley/internal/termtext"
)

// Aside is a question about a session that leaves no trace in it. It is asked in another session,
// which is not stored: a fork if the agent can fork, else a new one that gets the conversation as
// text. That is in a mode that changes nothing, where the agent has one; every permission is rejected, and
// parley writes and runs nothing for it. What it costs counts to the budget of the first. An Aside is safe
// for concurrent use.
type Aside struct {
	Question string

	backend *Backend
	agent   config.Agent
	of      Session
	stored  store.ID              // of the session that it is about
	prompts int                   // sent in it
	mode    acpclient.ConfigValue // of it
	opt     session.Options
	shared  conversation.Spent
	// told is what a new session is told of the conversation, and turn what a fork may not know: the running turn.
	told, turn string

	stop  context.CancelFunc
	ended chan struct{} // closed when its session has ended

	// One goroutine writes these, until ended.
	spent  conversation.Spent
	events []conversation.Event
	conv   *conversation.Conversation

	mu      sync.Mutex
	answer  AsideAnswer
	changed chan struct{} // has one more when answer is another
}

// AsideAnswer is what has come of the question of an [Aside]. All of it is untrusted.
type AsideAnswer struct {
	Text     string   // Markdown
	Rejected []string // permissions, each in a line
	Words    string   // what goes on, or what there is to know in the end
	Err      error    // why there is no answer, or not all of it
	Done     bool
}

// asidePace is the minimum time between two versions of an answer.
const asidePace = 40 * time.Millisecond

// asideRule follows the question.
const asideRule = "\n\n(Asked aside: answer in words. Change nothing and do no other work.)"

// AskAside asks a question about the session, which is stored under an id, or under none.
func (l *Live) AskAside(b *Backend, stored store.ID, question string) *Aside {
	c, about := l.Conversation, l.Session.About()
	a := &Aside{
		Question: question, backend: b, agent: l.Agent, of: l.Session, stored: stored, prompts: len(c.Prompts()), shared: c.Shared,
		told: cmp.Or(EarlierText(c), l.Earlier), opt: session.Options{Cwd: about.Cwd, AdditionalDirectories: about.Dirs, Past: conversation.NewState()},
		ended: make(chan struct{}), changed: make(chan struct{}, 1), answer: AsideAnswer{Words: "Starting the agent"},
	}
	past := a.opt.Past
	past.Continue(&c.State)
	past.Apply(conversation.BudgetSet{Budget: c.Budget, Raised: true})
	past.Queue, past.QueuePaused, past.Options = nil, false, slices.Clone(c.Options)
	if o, v := c.Looking(); o != nil { // it goes on in no other mode
		a.mode, past.Option(o.ID).CurrentValue = o.CurrentValue, v
	}
	if WayTo(c, a.prompts+1) == WayFork {
		a.opt.Fork = &session.ForkPoint{ID: c.ID}
		if prompts := c.Prompts(); c.Turn.Running && len(prompts) > 0 {
			a.turn, _ = earlier(c, prompts[len(prompts)-1].Item)
		}
	}
	var ctx context.Context
	ctx, a.stop = context.WithCancel(context.Background())
	go a.run(ctx)
	return a
}

// Stop ends the question and its session, in the background.
func (a *Aside) Stop() { a.stop() }

// Next waits until the answer is another than the one returned before, or ctx ends.
func (a *Aside) Next(ctx context.Context) AsideAnswer {
	select {
	case <-a.changed:
	case <-ctx.Done():
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.answer
}

func (a *Aside) set(change func(*AsideAnswer)) {
	a.mu.Lock()
	defer a.mu.Unlock()
	change(&a.answer)
	select {
	case a.changed <- struct{}{}:
	default:
	}
}

// errNotForked means that the agent did not fork the session.
var errNotForked = errors.New("the session was not forked")

func (a *Aside) run(ctx context.Context) {
	defer close(a.ended)
	var err error
	if l := a.backend.Launcher; a.agent.Source != "" && a.of.About().Host != "" { // a viewer knows it without its environment
		a.agent, err = AgentNamed(reloaded(l.Config), a.agent.ID)
	}
	if err == nil && a.opt.Fork != nil {
		err = a.ask(ctx, a.turn)
	}
	if err == nil && a.opt.Fork == nil || errors.Is(err, errNotForked) { // such as while a turn is running
		a.opt.Fork, a.events = nil, nil
		err = a.ask(ctx, a.told)
	}
	if err != nil {
		a.set(func(r *AsideAnswer) { r.Err, r.Done, r.Words = err, true, "" })
	}
}

// ask asks the question in a session, and ends that.
func (a *Aside) ask(ctx context.Context, earlier string) error {
	agent := a.agent
	agent.Mode = "" // it stays in the mode that changes nothing
	s, err := a.backend.Launcher.aside(agent, a.opt)
	if err != nil {
		return err
	}
	defer func() {
		ending, cancel := context.WithTimeout(context.Background(), StopTime)
		defer cancel()
		End(ending, s)
	}()
	asking := asking{Aside: a, live: &Live{Agent: agent, Session: s, Conversation: conversation.New(), Earlier: earlier}, answered: map[int]bool{}}
	asking.live.Conversation.Continue(a.opt.Past)
	a.conv = asking.live.Conversation
	a.spent = asking.live.Conversation.Spent()
	s.Stream().Pace(asidePace)
	if a.shared != (conversation.Spent{}) {
		session.Post(s, session.ShareBudget{Spent: a.shared})
	}
	session.Post(s, session.Start{})
	for {
		select {
		case <-s.Stream().Ready():
		case <-ctx.Done():
			return ctx.Err()
		}
		batch := s.Stream().Take()
		if len(batch) == 0 && s.Stream().Closed() {
			return errors.New("the session of the question has ended")
		}
		if over, err := asking.take(batch); over || err != nil {
			return err
		}
	}
}

// asking is the session in which a question is being asked.
type asking struct {
	*Aside
	live     *Live
	sent     bool
	switched bool         // the mode
	first    int          // of the Items: where the answer may begin
	answered map[int]bool // the permissions
	rejected []string
}

// take folds events and does what follows.
func (a *asking) take(batch []conversation.Event) (over bool, err error) {
	c := a.live.Conversation
	a.events = append(a.events, batch...)
	for _, e := range batch {
		a.live.Apply(e)
		switch e := e.(type) {
		case conversation.PromptSent:
			a.first = len(c.Items)
		case conversation.PermissionOpened:
			if p, is := c.Question(e.ID).(*conversation.Permission); is {
				a.rejected = append(a.rejected, termtext.VisibleLine(p.Asked.Title))
			}
		case conversation.SessionFailed:
			if err = fmt.Errorf("the agent could not open a session: %w", e.Err); a.opt.Fork != nil {
				err = errNotForked
			}
		case conversation.AgentLost:
			err = fmt.Errorf("%s: %w", a.live.GoneText(), cmp.Or(e.Err, errors.New("no reason given")))
		case conversation.AuthRequired:
			err = errors.New("the agent wants you to sign in first")
		case conversation.BudgetReached:
			err = errors.New("the budget is used up: " + c.BudgetWords())
		case conversation.TurnEnded:
			if over = true; c.Ending.How != conversation.EndedWell {
				err = errors.New("the turn " + c.Ending.How + termtext.Line(map[bool]string{true: ": " + c.Ending.Why}[c.Ending.Why != ""]))
			}
		}
	}
	now := c.Spent()
	if more := now.Since(a.spent); more != (conversation.Spent{}) {
		session.Post(a.of, session.ShareBudget{Spent: more, Aside: true})
		a.spent = now
	}
	if err == nil && !over {
		a.reject()
		err = a.send()
	}
	if err == nil {
		a.set(func(r *AsideAnswer) {
			r.Text, r.Rejected, r.Words, r.Done = a.text(), slices.Clone(a.rejected), a.words(over), over
		})
	}
	return over, err
}

func (a *asking) text() string {
	if !a.sent {
		return ""
	}
	return conversation.AnswerOf(a.live.Conversation.Items[min(a.first, len(a.live.Conversation.Items)):])
}

func (a *asking) words(over bool) string {
	c := a.live.Conversation
	o, _ := c.Looking()
	switch {
	case over && o == nil:
		return "The agent has no read-only mode. Every permission was rejected"
	case over:
		return ""
	case !a.sent:
		return "Starting the agent"
	}
	return "Answering"
}

// reject rejects every permission. Where the agent takes no single rejection, the turn is cancelled.
func (a *asking) reject() {
	for _, p := range conversation.Questions[*conversation.Permission](&a.live.Conversation.State) {
		if p.Judging || a.answered[p.ID] {
			continue
		}
		offered, err := Reject(a.live.Session, p)
		a.answered[p.ID] = !errors.Is(err, session.ErrChanged)
		if !offered {
			session.Post(a.live.Session, session.Cancel{})
		}
	}
}

// Reject rejects a permission once; offered is false if the agent offers no way to do that.
func Reject(s Session, p *conversation.Permission) (offered bool, err error) {
	i := slices.IndexFunc(p.Options, func(o acpclient.PermissionOption) bool { return o.Kind == acpclient.RejectOnce })
	if i < 0 {
		return false, nil
	}
	return true, session.Try(context.Background(), s, session.Answer{Question: p.Seen, Option: p.Options[i].OptionID})
}

// send switches the mode once the session is open, and then sends the question.
func (a *asking) send() error {
	c := a.live.Conversation
	if a.sent || c.Phase != conversation.PhaseReady {
		return nil
	}
	for i := range c.Options {
		if _, pending := c.Pending(&c.Options[i]); pending {
			return nil
		}
	}
	o, v := c.Looking()
	switch {
	case o == nil, o.CurrentValue == v, c.Autonomy() == conversation.LooksOnly:
	case a.switched:
		return fmt.Errorf("the agent did not switch to %s", termtext.Line(conversation.ValueName(o, v)))
	default:
		a.switched = true
		session.Post(a.live.Session, session.SetOption{Option: o.ID, Value: v})
		return nil
	}
	a.sent = true
	q := prompt.New(a.Question)
	q.Prompt = append(q.Prompt, acpclient.TextBlock(asideRule))
	session.Post(a.live.Session, session.Prompt{Prompt: a.live.WithEarlier(q)})
	return nil
}

// Keep returns what opens the session of the question as any other, once it has ended: its log, which is
// stored now, or else what the agent has of it.
func (a *Aside) Keep(ctx context.Context) (Spec, error) {
	select {
	case <-a.ended:
	case <-ctx.Done():
		return Spec{}, ctx.Err()
	}
	lib := a.backend.Stored
	switch id := ResumableID(a.conv); {
	case lib != nil && a.agent.ID != TourID:
	case id == "":
		return Spec{}, errors.New("it is not stored, and the agent cannot resume it")
	default:
		return Spec{Agent: &a.agent, Cwd: a.opt.Cwd, Session: id}, nil
	}
	var log *store.Log
	var err error
	if a.stored != "" {
		log, err = lib.Branch(ctx, a.stored, a.prompts+1, nil)
	} else {
		log, err = lib.Create(store.Meta{Agent: a.agent.ID, Cwd: a.opt.Cwd, Dirs: a.opt.AdditionalDirectories, Command: givenCommand(a.agent)})
	}
	if err != nil {
		return Spec{}, err
	}
	spent := a.opt.Past.Spent()
	set := conversation.BudgetSet{Budget: a.opt.Past.Budget, Raised: a.opt.Past.BudgetRaised, Spent: &spent}
	events := append([]conversation.Event{set}, a.events...)
	if o, looks := a.conv.Looking(); o != nil && o.CurrentValue == looks { // it goes on in the mode of the other one
		seq := a.conv.LastNumber + 1
		events = append(events, conversation.OptionChosen{Seq: seq, Option: o.ID, Value: a.mode}, conversation.OptionSettled{Seq: seq, Option: o.ID, Value: a.mode})
	}
	err = log.Append(events)
	return Spec{Stored: log.ID(), Agent: &a.agent}, errors.Join(err, log.Close())
}

// aside makes the session of an [Aside]. It is not stored, records no changes, and changes nothing.
func (l *Launcher) aside(a config.Agent, opt session.Options) (Session, error) {
	cfg := *l.Config
	cfg.NoJournal, cfg.LimitWait = true, config.LimitWaitNever
	q := &Launcher{Config: &cfg, Version: l.Version, Cwd: opt.Cwd, Overrides: l.Overrides, Unattended: true, looks: true, Warn: l.Warn}
	q.WaitForLimit = false
	made, err := q.session(a, opt, nil)
	if err != nil {
		q.Close()
		return nil, err
	}
	s := made.(here)
	leave := s.leave
	s.leave = sync.OnceFunc(func() {
		leave()
		q.Close()
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.asides, q)
	})
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.asides == nil {
		l.asides = map[*Launcher]Session{}
	}
	l.asides[q] = s
	return s, nil
}

// onlyLooks makes a session change nothing: no rule allows, and parley writes and runs nothing.
func onlyLooks(opt *session.Options) {
	if opt.Judge != nil {
		opt.Judge = noAllowing{by: opt.Judge}
	}
	machine := opt.Machine
	opt.Machine = func(w session.Observer, a session.Asker) (session.Machine, error) {
		m, err := machine(w, a)
		return readingMachine{m}, err
	}
}

type noAllowing struct{ by session.Judge }

func (j noAllowing) Judge(ctx context.Context, c session.Case) session.Ruling {
	r := j.by.Judge(ctx, c)
	if r.Verdict == policy.Allow {
		r = session.Ruling{}
	}
	return r
}

type readingMachine struct{ session.Machine }

var errOnlyLooks = &acpclient.Error{Code: acpclient.CodeInvalidParams, Message: "denied: a question that is asked aside changes nothing"}

func (readingMachine) WriteTextFile(context.Context, *acpclient.WriteTextFileRequest) (*acpclient.WriteTextFileResponse, error) {
	return nil, errOnlyLooks
}

func (readingMachine) CreateTerminal(context.Context, *acpclient.CreateTerminalRequest) (*acpclient.CreateTerminalResponse, error) {
	return nil, errOnlyLooks
}
