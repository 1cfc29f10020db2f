package linemode

import (
	"context"
	"errors"
	"time"

	"parley/acpclient"
	"parley/config"
	"parley/internal/app"
	"parley/internal/command"
	"parley/internal/conversation"
	"parley/internal/prompt"
)

// choosing is the state without a session: the user chooses an agent or a stored session,
// or reads one that cannot be continued.
type choosing struct {
	p *program
	// held are prompts for the session that is opened next.
	held app.HeldPrompts
	// unstarted means that an agent could not be started.
	unstarted bool
}

const heldText = "It will be sent when the session is open."

func (s *choosing) enter(held app.HeldPrompts) { s.held = held }
func (s *choosing) leave() app.HeldPrompts     { return s.held }
func (s *choosing) close() Left                { return Left{Unstarted: s.unstarted} }

func (s *choosing) send(text string) {
	s.held = append(s.held, prompt.New(text))
	s.p.out.line(heldText)
}

func (s *choosing) notStarted() {
	s.unstarted = true
	if s.p.opt.Available == nil || s.p.opt.Agent != nil {
		s.p.over = true
	} else {
		s.p.chooseAgent()
	}
}

func (s *choosing) notOpened() { s.p.over = true }
func (s *choosing) stay()      { s.p.chooseAgent() }

func (*choosing) events() <-chan struct{}  { return nil }
func (*choosing) take()                    {}
func (*choosing) silent() <-chan time.Time { return nil }
func (*choosing) saySilent()               {}
func (*choosing) ask() *question           { return nil }
func (*choosing) idle() bool               { return false }
func (*choosing) busy() bool               { return false }

// begin starts the agent or session that the command line names, or asks for one.
func (p *program) begin() {
	p.out.words("parley " + p.opt.Version + ", in plain lines. Type a prompt and press enter. /help lists the commands.")
	if p.opt.Prompt != "" {
		p.state.enter(app.HeldPrompts{prompt.New(p.opt.Prompt)})
	}
	switch {
	case p.opt.Open != nil:
		p.reopen(*p.opt.Open)
	case p.opt.Pick:
		command.ChooseSession(&front{p: p, name: "sessions"})
	case p.opt.Agent != nil:
		p.start(*p.opt.Agent)
	default:
		p.chooseAgent()
	}
}

// chooseAgent asks which agent to start.
func (p *program) chooseAgent() { command.ChooseAgent(&front{p: p, name: "agent"}) }

// start starts an agent with a new session.
func (p *program) start(a config.Agent) {
	made, err := p.opt.Make(p.ctx, app.Spec{Agent: &a})
	if err != nil {
		p.out.line("The agent could not be started: " + app.StartErrorText(a, err))
		p.state.notStarted()
		return
	}
	l := made.Live()
	p.enter(newLive(p, l), l.Conversation)
}

// reopen continues a stored session.
func (p *program) reopen(o app.Spec) { p.reopenWith(o, p.opt.Make) }

// reopenWith goes on in the session that open makes.
func (p *program) reopenWith(o app.Spec, open func(context.Context, app.Spec) (*app.Opened, error)) {
	p.out.line("Reading the session.")
	left := p.leaving
	p.inBackground(func() func() {
		if left != nil {
			<-left // it may be the same session
		}
		r, err := open(p.ctx, o)
		return func() { p.reopened(o, r, err) }
	})
}

// reopened shows the end of a stored session, and continues it.
func (p *program) reopened(o app.Spec, r *app.Opened, err error) {
	var untrusted *app.UntrustedError
	switch {
	case err != nil:
		p.out.line("Cannot open the session: " + err.Error())
		p.state.notOpened()
		return
	case errors.As(r.ReadOnly, &untrusted):
		p.end(r.Session)
		q := p.numbered(untrusted.Question(app.Choice{}, app.Choice{Name: "Not now"}))
		q.choices[0].do = func(string) { untrusted.Agree(); p.reopen(o) }
		q.choices[1].do = func(string) { p.state.notOpened() }
		p.later(q)
		return
	}
	if r.ReadOnly != nil && !r.Session.About().LookOn {
		p.enter(&choosing{p: p}, r.Transcript.Conversation)
		p.showEnd()
		p.end(r.Session)
		p.out.line("The session is read-only: " + r.ReadOnly.Error())
		p.out.line("'parley sessions show' prints all of it. /sessions lists others, /quit quits.")
		return
	}
	l := r.Live()
	p.enter(newLive(p, l), l.Conversation)
	p.showEnd()
}

// showEnd writes the last prompt of a session and what followed it.
func (p *program) showEnd() {
	items := p.out.conv.Items
	last := len(items)
	for last > 0 {
		last--
		if m, ok := items[last].(*conversation.Message); ok && m.Chunk == acpclient.UserMessageChunk {
			break
		}
	}
	if last > 0 {
		p.out.line("Earlier parts left out. The end of the session:")
	}
	p.out.skip(last)
	p.out.items()
	p.out.flush()
}
