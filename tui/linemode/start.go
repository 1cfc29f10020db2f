package linemode

import (
	"cmp"
	"context"
	"errors"
	"sync"

	"parley/acpclient"
	"parley/internal/app"
	"parley/internal/command"
	"parley/internal/conversation"
	"parley/internal/prompt"
	"parley/internal/termtext"
)

const heldText = "It will be sent when the session is open."

// send sends a prompt, queues it, or holds it for the session that is being opened.
func (p *program) send(text string) {
	if l, open := p.live(); open {
		l.send(text)
		return
	}
	p.held.Add(prompt.New(text), 0)
	p.out.line(heldText)
}

// notOpened goes on without a session that could not be opened.
func (p *program) notOpened(spec app.Spec) {
	l, open := p.live()
	switch p.unstarted = p.unstarted || spec.New() && !open; {
	case open:
		p.held.Send(l.Session)
	case spec.New() && p.opt.Available != nil && p.opt.Agent == nil:
		p.chooseAgent()
	default:
		p.quits = true
	}
}

// begin starts the agent or session that the command line names, or asks for one.
func (p *program) begin() {
	p.out.words("parley " + p.opt.Version + ", in plain lines. Type a prompt and press enter. /help lists the commands.")
	if p.opt.Prompt != "" {
		p.held.Add(prompt.New(p.opt.Prompt), 0)
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

// dropOpening ends the session that is being made, if there is one, once it is.
func (p *program) dropOpening() {
	if of := p.opening; of != nil {
		p.opening = nil
		p.ends(of.Drop)
	}
}

// replace replaces the session that is shown by the one that create makes; nil makes it as usual.
func (p *program) replace(s app.Spec, create func(context.Context) (*app.Opened, error), failed func(error)) {
	if create == nil {
		create = func(ctx context.Context) (*app.Opened, error) {
			return p.opt.MakePrepared(ctx, ctx, s, func(step, line string) bool {
				p.call(func() { p.out.line(cmp.Or(line, termtext.Capital(step)+".")) })
				return true
			})
		}
	}
	left := p.leaving
	if s.New() {
		left = nil
	} else if s.Branch == 0 {
		p.out.line("Reading the session.")
	}
	p.dropOpening()
	of := &app.Opening{Spec: s, Wait: sync.OnceValues(func() (*app.Opened, error) {
		if left != nil {
			<-left // it may be the same session
		}
		return create(p.ctx)
	})}
	p.opening = of
	p.inBackground(func() func() {
		o, err := of.Wait()
		return func() {
			if p.opening != of {
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
			if p.notOpened(s); failed != nil {
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
			app.Choice{Name: "Not now", Here: func() { p.notOpened(s) }})))
		return
	}
	if o.ReadOnly != nil && !o.Session.About().LookOn {
		p.enter(nil, o.Transcript.Conversation)
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
		if p.opt.Stored != nil {
			l.view = p.opt.Stored.NewViewing(o.Transcript.Meta.ID, o.View)
		}
		p.showEnd()
	} else if first := app.FirstPrompt(o.Agent); first != "" && !held {
		p.send(first) // the tour begins by itself
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
