package linemode

import (
	"context"
	"errors"
	"sync"
	"time"

	"parley/acpclient"
	"parley/internal/app"
	"parley/internal/command"
	"parley/internal/conversation"
	"parley/internal/prompt"
)

// choosing is the state without a session: the user chooses an agent or a stored session,
// or reads one that cannot be continued.
type choosing struct {
	p *program
	// unstarted means that an agent could not be started.
	unstarted bool
}

const heldText = "It will be sent when the session is open."

func (s *choosing) enter()      {}
func (s *choosing) leave()      {}
func (s *choosing) close() Left { return Left{Unstarted: s.unstarted} }

func (s *choosing) send(text string) {
	s.p.held = append(s.p.held, prompt.New(text))
	s.p.out.line(heldText)
}

func (s *choosing) notOpened(spec app.Spec) {
	s.unstarted = s.unstarted || spec.New()
	if spec.New() && s.p.opt.Available != nil && s.p.opt.Agent == nil {
		s.p.chooseAgent()
	} else {
		s.p.quits = true
	}
}

func (s *choosing) stay() { s.p.chooseAgent() }

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
		p.held = app.HeldPrompts{prompt.New(p.opt.Prompt)}
	}
	switch {
	case p.opt.Open != nil:
		p.open(*p.opt.Open)
	case p.opt.Pick:
		command.ChooseSession(&front{p: p, name: "sessions"})
	case p.opt.Agent != nil:
		p.open(app.Spec{Agent: p.opt.Agent})
	default:
		p.chooseAgent()
	}
}

// chooseAgent asks which agent to start.
func (p *program) chooseAgent() { command.ChooseAgent(&front{p: p, name: "agent"}) }

// open makes a session, or attaches to one.
func (p *program) open(s app.Spec) { p.replace(s, nil, nil) }

// opening makes a session, once.
type opening func() (*app.Opened, error)

// dropOpening ends the session that is being made, if there is one, once it is.
func (p *program) dropOpening() {
	if of := p.opening; of != nil {
		p.opening = nil
		p.ends(func(ctx context.Context) {
			if o, err := (*of)(); err == nil {
				app.Leave(ctx, o.Session)
			}
		})
	}
}

// replace replaces the session that is shown by the one that create makes; nil makes it as usual.
func (p *program) replace(s app.Spec, create func(context.Context) (*app.Opened, error), failed func(error)) {
	if create == nil {
		create = func(ctx context.Context) (*app.Opened, error) { return p.opt.Make(ctx, s) }
	}
	left := p.leaving
	if s.New() {
		left = nil
	} else if s.Branch == 0 {
		p.out.line("Reading the session.")
	}
	p.dropOpening()
	of := opening(sync.OnceValues(func() (*app.Opened, error) {
		if left != nil {
			<-left // it may be the same session
		}
		return create(p.ctx)
	}))
	p.opening = &of
	p.inBackground(func() func() {
		o, err := of()
		return func() {
			if p.opening != &of {
				return // another one was opened instead
			}
			if p.opening = nil; err == nil {
				p.opened(s, o)
				return
			}
			switch {
			case failed != nil:
			case s.New():
				p.out.line("The agent could not be started: " + app.StartErrorText(*s.Agent, err))
			default:
				p.out.line("Cannot open the session: " + err.Error())
			}
			if p.state.notOpened(s); failed != nil {
				failed(err)
			}
		}
	})
}

// opened continues a session, and shows the end of what was said.
func (p *program) opened(s app.Spec, o *app.Opened) {
	var untrusted *app.UntrustedError
	if errors.As(o.ReadOnly, &untrusted) {
		p.end(o.Session)
		p.later(p.numbered(untrusted.Question(
			app.Choice{Here: func() { untrusted.Agree(); p.open(s) }},
			app.Choice{Name: "Not now", Here: func() { p.state.notOpened(s) }})))
		return
	}
	if o.ReadOnly != nil && !o.Session.About().LookOn {
		p.enter(&choosing{p: p}, o.Transcript.Conversation)
		p.showEnd()
		p.end(o.Session)
		p.out.line("The session is read-only: " + o.ReadOnly.Error())
		p.out.line("'parley sessions show' prints all of it. /sessions lists others, /quit quits.")
		return
	}
	l := newLive(p, o.Live())
	held := len(p.held) > 0
	p.enter(l, l.Conversation)
	if o.Transcript != nil {
		p.showEnd()
	} else if first := app.FirstPrompt(o.Agent); first != "" && !held {
		p.state.send(first) // the tour begins by itself
	}
	for _, q := range o.Queue {
		p.out.line("Not sent yet: " + app.PromptLine(q))
	}
	if o.Prompt != nil {
		p.out.line("Your prompt was: " + app.PromptLine(conversation.QueuedPrompt{Prompt: o.Prompt}))
	}
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
