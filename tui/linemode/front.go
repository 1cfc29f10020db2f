package linemode

import (
	"cmp"
	"context"
	"strconv"
	"strings"
	"time"

	"parley/acpclient"
	"parley/config"
	"parley/internal/app"
	"parley/internal/command"
	"parley/internal/conversation"
	"parley/internal/git"
	"parley/internal/session"
	"parley/internal/store"
	"parley/internal/termtext"
	"parley/tui/desktop"
	"parley/tui/markdown"
	"parley/tui/toolview"
)

// front is the program, as one command of all front ends uses it.
type front struct {
	p *program
	// name is what was typed for the command, and words what followed it, until a choice takes them.
	name, words string
	said        bool // something was said since it was last set
}

var _ command.Front = (*front)(nil)

func (f *front) live() *live {
	l, _ := f.p.live()
	return l
}

// Live implements command.Front, as the methods below do.
func (f *front) Live() *app.Live {
	if l := f.live(); l != nil {
		return l.Live
	}
	return nil
}

// Say says it as a sentence.
func (f *front) Say(words string) {
	f.said = true
	f.p.out.line(termtext.Capital(words) + ".")
}

func (f *front) SayWhile(words string, _ func() bool) { f.Say(words) }

// KeyOf returns the slash command.
func (f *front) KeyOf(a config.Action) string {
	if r := f.rows().Named(a); r != nil {
		if names := names(*r); len(names) > 0 {
			return "/" + names[0]
		}
	}
	return ""
}

func (f *front) Held() *app.HeldPrompts { return &f.p.held }
func (f *front) EditQueued(int)         {}
func (f *front) NoEdit() string         { return "only the screen edits queued prompts" }

func (f *front) Copy(what, text string) { f.p.out.line(termtext.Capital(what) + ": " + text) }
func (f *front) OpenFile(path string) {
	command.Get(f, "", func(context.Context) (session.None, error) { return session.None{}, desktop.Open(path) }, func(session.None) {})
}
func (f *front) Tell(title, text string)       { f.p.out.line(title + ": " + text) }
func (f *front) Path(from, path string) string { return toolview.PathsIn(from).Path(path) }
func (f *front) Cwd() string                   { return f.p.opt.Cwd }

func (f *front) StoredID() store.ID {
	if l := f.live(); l != nil {
		return l.Live.StoredID()
	}
	return ""
}

// After does not count as work: the user need not wait for it.
func (f *front) After(d time.Duration, do func()) {
	p := f.p
	go func() {
		select {
		case <-time.After(d):
		case <-p.gone:
			return
		}
		p.call(do)
	}()
}

// call has do called on the program's goroutine, and waits until that is free.
func (p *program) call(do func()) {
	select {
	case p.calls <- func() { p.working++; do() }:
	case <-p.gone:
	}
}

// Open opens it in place of the session that is open.
func (f *front) Open(s app.Spec) {
	if s.Stored != "" && s.Stored == f.StoredID() {
		f.p.out.line("This session is already open.")
		return
	}
	f.p.open(s)
}

func (f *front) OpenRemembered(info acpclient.SessionInfo) {
	command.Try(f, f.live().Session, session.OpenSession{Info: info}, "cannot open the session: ")
}

// Ask takes a line of text from the words that were typed, if there are any.
func (f *front) Ask(q app.Question) {
	if words := f.words; q.Enter != nil && words != "" {
		f.words = ""
		f.InBackground(func(context.Context) func() {
			out, err := q.Submit(words)
			return func() { f.p.carriedOut(out, err) }
		})
		return
	}
	f.p.later(f.p.numbered(q))
}

// Seats implements command.Front.
func (f *front) Seats() []command.Seat {
	l := f.live()
	if l == nil {
		return nil
	}
	s := command.Seat{
		Overview: app.OverviewOf(&l.Conversation.State, l.Session.Journal()), ID: "this", Place: "here", Current: true,
		Cwd: l.Session.About().Cwd, Running: l.Running(), Stored: l.StoredID(), Session: l.Session,
		Go: func() { f.p.out.line("This session is already open.") }, Detach: f.Detach, End: func() { f.End(l.Session) },
	}
	s.Agent, s.Title = cmp.Or(s.Agent, l.Agent.Name, l.Agent.ID), app.Title(s.Title)
	return []command.Seat{s}
}

func (f *front) InBackground(do func(context.Context) func()) {
	f.p.inBackground(func() func() { return do(f.p.ctx) })
}

func (f *front) SaveUnsent() func() {
	l, open := f.p.live()
	return func() {
		if open {
			app.SaveUnsent(f.p.opt.Stored, l.Session, l.view)
		}
	}
}

func (f *front) Backend() *app.Backend { return &f.p.opt.Backend }
func (f *front) Quit()                 { f.p.quits = true }
func (f *front) Detach()               { f.p.quits = true }
func (f *front) Changes()              { f.live().changes(f.words) }
func (f *front) NewSession()           { f.p.newSession() }
func (f *front) SignIn()               { f.live().signIn = f.live().SignIn(conversation.AuthRequired{}) }

func (f *front) StartAgain() {
	if f.live() == nil {
		f.p.chooseAgent()
		return
	}
	command.Restart(f)
}

func (f *front) Closed() string {
	return command.Unless(f.p.opening == nil, "the session is not open")
}

// Fork goes on in a fork of the session. This one stays in the list.
func (f *front) Fork(prompt int) {
	l, agent := f.live(), f.live().Agent
	if why := command.NoHandOver(f); why != "" {
		f.Say("no fork: " + why)
		return
	}
	f.Replace(app.Spec{Stored: l.StoredID(), Branch: prompt, Agent: &agent, Keep: l.Running() != "", Beside: l.Session}, nil, func(err error) {
		f.Tell("The session was not forked", err.Error())
	})
}

// Read lists the sections of a document. The words choose one, which is written as it is.
func (f *front) Read(title, text string) {
	c := command.Choice{Title: title, Choosing: "show", Empty: title + ": nothing to read."}
	for i, s := range markdown.Sections(text) {
		c.Items = append(c.Items, command.Item{ID: strconv.Itoa(i + 1), Title: s.Heading, Do: func() { f.p.out.line(strings.TrimSpace(s.Source)) }})
	}
	f.Choose(c)
}

// ShowAside writes the answer once it is complete.
func (f *front) ShowAside(a *app.Aside) {
	f.Say("asking aside")
	f.InBackground(func(ctx context.Context) func() {
		defer a.Stop()
		r := a.Next(ctx)
		for !r.Done && ctx.Err() == nil {
			r = a.Next(ctx)
		}
		return func() {
			f.p.out.line("Aside: " + cmp.Or(strings.TrimSpace(r.Text), "no answer."))
			for _, call := range r.Rejected {
				f.p.out.line("Rejected: " + call)
			}
			if r.Err != nil {
				f.p.out.line("Asking aside failed: " + r.Err.Error())
			}
		}
	})
}

func (f *front) ShowCall(call *conversation.ToolCall) { f.p.writeCall(call) }

// StepIn writes the command and its output so far.
func (f *front) StepIn(term *conversation.Terminal) {
	f.p.out.line(termtext.VisibleBlanks(toolview.OutputAttachment(term).Text))
}

func (f *front) Called() (name, title string) { return "", f.Seats()[0].Title }

func (f *front) Rename(name string) {
	lib, id := f.p.opt.Stored, f.StoredID()
	switch {
	case name == "":
		f.p.out.line("Which name? /rename NAME.")
	case lib == nil || id == "":
		f.Say("there is no stored session to name: send a prompt first")
	default:
		command.Get(f, "", func(context.Context) (string, error) { return termtext.Line(name), lib.Rename(id, name) }, func(name string) {
			f.Say("the session is called " + name)
		})
	}
}

func (f *front) Worktree() *git.Worktree {
	if l := f.live(); l != nil && !l.Session.About().Far {
		return git.WorktreeOf(l.Conversation.Cwd)
	}
	return nil
}

// Drop drops the worktree, and ends the program with the session.
func (f *front) Drop(tree *git.Worktree) {
	s := f.live().Session
	f.InBackground(func(ctx context.Context) func() {
		text, err := app.DropWorktree(ctx, s, tree)
		return func() {
			if err != nil {
				f.Tell("The worktree was not dropped; the agent was stopped", err.Error())
				return
			}
			f.Tell("The worktree "+tree.Name+" was dropped", text)
			f.Quit()
		}
	})
}

// Replace implements command.Front.
func (f *front) Replace(s app.Spec, create func(context.Context) (*app.Opened, error), failed func(error)) {
	f.p.replace(s, create, failed)
}

// End ends the session, and the program with it.
func (f *front) End(s app.Session) {
	f.InBackground(func(ctx context.Context) func() {
		app.End(ctx, s)
		return f.Quit
	})
}
