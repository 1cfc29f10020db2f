package linemode

import (
	"cmp"
	"errors"
	"os"
	"strings"

	"parley/acpclient"
	"parley/config"
	"parley/internal/app"
	"parley/internal/conversation"
	"parley/internal/prompt"
	"parley/internal/store"
	"parley/internal/termtext"
	"parley/tui/toolview"
)

// begin starts what the command line names, or asks what to start.
func (p *program) begin() {
	p.conv.Cwd = p.opt.Cwd
	p.out.words("parley " + p.opt.Version + ", in plain lines. Type a prompt and press enter. /help lists the commands.")
	if p.opt.Prompt != "" {
		p.held = append(p.held, prompt.New(p.opt.Prompt))
	}
	switch {
	case p.opt.Open != nil:
		p.reopen(*p.opt.Open)
	case p.opt.Pick:
		p.sessions(store.Query{Cwd: p.opt.Cwd})
	case p.opt.Agent != nil:
		p.start(*p.opt.Agent)
	default:
		p.chooseAgent()
	}
}

// chooseAgent asks which agent to start.
func (p *program) chooseAgent() {
	q := &question{text: "Which agent?", cancel: func() { p.over = true }}
	for _, a := range p.agents {
		q.choices = append(q.choices, choice{line: termtext.Line(a.Name), do: func(string) { p.start(a) }})
	}
	p.later(q)
}

// start starts an agent, with a new session.
func (p *program) start(a config.Agent) {
	s, err := p.opt.Start(a)
	if err != nil {
		p.out.line("The agent could not be started: " + app.StartErrorText(a, err))
		if p.session == nil {
			p.unstarted = true
			p.over = len(p.agents) == 0 || p.opt.Agent != nil
			if !p.over {
				p.chooseAgent()
			}
		}
		return
	}
	p.leaveSession()
	p.adopt(a, s)
}

// leaveSession ends the open session, before another one is opened.
func (p *program) leaveSession() {
	if p.session != nil {
		p.end(p.session)
	}
	p.session, p.stored, p.question, p.form, p.adds = nil, "", nil, nil, nil
	p.signIn, p.mode = nil, ""
	p.conv = conversation.New()
	p.out.skip(0)
	p.out.calls = nil
}

// reopen continues a stored session.
func (p *program) reopen(o app.Open) {
	p.out.line("Reading the session.")
	left := p.leaving
	p.beside(func() func() {
		if left != nil {
			<-left // it may be the same session
		}
		r, err := p.opt.Reopen(p.ctx, o)
		return func() { p.reopened(o, r, err) }
	})
}

// reopened shows the end of a stored session, and continues it.
func (p *program) reopened(o app.Open, r *app.Reopened, err error) {
	var untrusted *app.UntrustedError
	switch {
	case err != nil:
		p.out.line("Cannot open the session: " + err.Error())
		if p.session == nil {
			p.over = true
		}
		return
	case errors.As(r.ReadOnly, &untrusted):
		p.end(r.Session)
		q := p.numbered(untrusted.Question(app.Choice{}, app.Choice{Name: "Not now"}))
		q.choices[0].do = func(string) { untrusted.Agree(); p.reopen(o) }
		q.choices[1].do = func(string) { p.over = p.session == nil }
		p.later(q)
		return
	}
	p.leaveSession()
	p.conv = r.Transcript.Conversation
	p.stored = o.ID
	p.showEnd()
	if r.ReadOnly != nil {
		p.end(r.Session)
		p.out.line("The session is read-only: " + r.ReadOnly.Error())
		p.out.line("'parley sessions show' prints all of it. /sessions lists others, /quit quits.")
		return
	}
	p.adopt(r.Agent, r.Session)
}

// showEnd writes the last prompt of a session and what followed it.
func (p *program) showEnd() {
	last := len(p.conv.Items)
	for last > 0 {
		last--
		if m, ok := p.conv.Items[last].(*conversation.Message); ok && m.Chunk == acpclient.UserMessageChunk {
			break
		}
	}
	if last > 0 {
		p.out.line("Earlier parts left out. The end of the session:")
	}
	p.out.skip(last)
	p.out.items(p.conv)
	p.out.flush(p.conv)
}

// switchSession asks which of the stored sessions to open, those of this directory or
// all.
func (p *program) switchSession(words string) {
	query := store.Query{Cwd: p.opt.Cwd}
	switch words {
	case "":
	case "all":
		query.Cwd = ""
	default:
		p.out.line("/sessions lists this directory's, /sessions all every directory's.")
		return
	}
	p.unlessWorking("Resume another session", func() { p.sessions(query) })
}

// sessions asks which of some stored sessions to open.
func (p *program) sessions(query store.Query) {
	if p.opt.Stored == nil {
		p.out.line("No sessions are stored.")
		return
	}
	const most = 20
	query.Limit = most
	p.beside(func() func() {
		list, err := p.opt.Stored.List(p.ctx, query)
		return func() { p.chooseSession(list, err) }
	})
}

func (p *program) chooseSession(list []store.Summary, err error) {
	switch {
	case err != nil:
		p.out.line("Cannot list the sessions: " + err.Error())
	case len(list) == 0:
		p.out.line("No stored session here. /sessions all lists every directory's.")
	}
	if err != nil || len(list) == 0 {
		if p.session == nil {
			p.chooseAgent()
		}
		return
	}
	q := &question{text: "Which session? Latest first.", cancel: func() { p.over = p.session == nil }}
	for _, s := range list {
		line := termtext.Line(cmp.Or(s.Name(), "untitled session")) + ", " + s.Updated.Format("2006-01-02 15:04")
		if s.Cwd != p.opt.Cwd {
			line += ", in " + toolview.PathsIn("").Path(s.Cwd)
		}
		q.choices = append(q.choices, choice{line: line, do: func(string) {
			if p.session != nil && app.StoredID(p.session) == s.ID {
				p.out.line("This session is already open.")
				return
			}
			p.reopen(app.Open{ID: s.ID})
		}})
	}
	q.choices = append(q.choices, choice{line: "None", do: func(string) {
		if p.session == nil {
			p.chooseAgent()
		}
	}})
	p.later(q)
}

// askToSignIn asks how to sign in.
func (p *program) askToSignIn() *question {
	flow := p.signIn
	text := cmp.Or(termtext.Block(strings.TrimSpace(flow.Message)), app.SignInText)
	if len(flow.Methods) == 0 {
		text += "\n" + app.NoSignInText
	}
	q := &question{
		text: "Question: the agent wants you to sign in.\n" + text + "\n", open: func() bool { return p.signIn == flow },
		cancel: p.dismissSignIn,
	}
	for _, m := range app.SignInMethods(flow.Methods) {
		q.choices = append(q.choices, choice{line: m.Line(), do: func(string) { p.authenticate(m) }})
	}
	q.choices = append(q.choices, choice{line: "Do not sign in", do: func(string) { p.dismissSignIn() }})
	return q
}

func (p *program) dismissSignIn() {
	p.signIn = nil
	p.session.DismissAuth()
}

// authenticate signs in by a method. A program on the terminal gets the terminal until it
// ends.
func (p *program) authenticate(m app.SignInMethod) {
	if !m.Supported {
		p.out.line("parley does not support this sign-in method.")
		return
	}
	program, err := p.signIn.Begin(p.ctx, m.ID)
	if err == nil && program == nil {
		p.out.line("Signing in with " + m.Name + ". The agent may open a page in your browser.")
		return
	}
	if err == nil && p.in.tty == nil {
		err = errors.New("there is no terminal to leave to the program")
	} else if err == nil {
		p.out.broken()
		p.in.stop() // the program has the terminal until it ends
		program.Stdin, program.Stdout, program.Stderr = p.in.tty, os.Stdout, os.Stderr
		err = p.signIn.Ran(program.Run())
		if failed := p.in.start(); failed != nil {
			p.out.err = failed
		}
	}
	if err != nil {
		p.signIn.Trying = nil
		p.out.line("Not signed in: " + err.Error())
		return // and are asked again
	}
	p.signIn = nil
}

// signedIn handles the result of signing in.
func (p *program) signedIn(e conversation.AuthDone) {
	switch {
	case p.signIn == nil:
	case e.Err != nil:
		p.signIn.Trying = nil
		p.out.line("Sign-in failed: " + e.Err.Error())
	default:
		p.signIn = nil
		if e.Method != "" { // else it was given up, or the agent has gone
			p.out.line("Signed in.")
		}
	}
}
