package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"parley/acpclient"
	"parley/config"
	"parley/internal/conversation"
	"parley/internal/session"
	"parley/internal/termtext"
	"parley/terminal"
)

// SignIn is signing in to the agent of a session, from the agent's request until the user has
// signed in or dismissed it.
type SignIn struct {
	// Message is the agent's text; it may be empty.
	Message string
	Methods []acpclient.AuthMethod
	// Trying is the method in progress, nil if there is none. Err is why the last one failed.
	Trying  *acpclient.AuthMethod
	Err     error
	agent   string // its name
	session Session
}

// Question asks how to sign in; begin tries a method.
func (i *SignIn) Question(begin func(acpclient.AuthMethodID)) Question {
	text := cmp.Or(termtext.Block(strings.TrimSpace(i.Message)), "The agent wants you to sign in before it goes on.")
	q := Question{Title: "Sign in to " + termtext.Truncate(cmp.Or(termtext.Line(i.agent), "the agent"), 40, "…")}
	switch {
	case i.Trying != nil:
		text += "\n\nSigning in with " + cmp.Or(termtext.Line(i.Trying.Name), "the agent") + " … the agent may open a page in your browser."
	case i.Err != nil:
		text += "\n\n✗ " + i.Err.Error()
	case len(i.Methods) == 0:
		text += "\n\nThe agent offers no sign-in method: sign in with its own program, then try again."
	}
	q.Text = text
	if i.Trying == nil {
		q.Choices = SignInChoices(i.Methods)
	}
	for n := range q.Choices {
		q.Choices[n].Here, q.Choices[n].Stays = func() { begin(i.Methods[n].ID) }, true
	}
	return q
}

// SignInChoices returns all methods of an agent, in its order, with sanitised texts. Of several with
// the same ID only the first can be used: the ID is what the agent gets, and what parley finds the
// program by.
func SignInChoices(methods []acpclient.AuthMethod) []Choice {
	list := make([]Choice, len(methods))
	taken := map[acpclient.AuthMethodID]bool{}
	for i, m := range methods {
		const most = 4096
		c := Choice{Name: cmp.Or(termtext.VisibleLine(m.Name), termtext.VisibleLine(string(m.ID))), More: termtext.Truncate(termtext.VisibleLine(m.Description), most, "…")}
		runs := ""
		switch m.Type {
		case acpclient.AuthMethodAgent, "":
			if session.AuthProgramOf(m) != nil {
				runs = "shows you a program of the agent's, then runs it in this terminal"
			}
		case acpclient.AuthMethodTerminal:
			runs = "runs the agent's program in this terminal"
			if len(m.Args) > 0 {
				runs += " with " + termtext.VisibleLine(termtext.ShellWords(m.Args))
			}
			if len(m.Env) > 0 {
				runs += ", shows you its variables first"
			}
		default:
			c.Why = "not supported by parley: " + termtext.VisibleLine(string(m.Type))
		}
		c.More = strings.Trim(c.More+" · "+runs, " ·")
		if taken[m.ID] {
			c.Why = "cannot be used: another method above has the same ID"
		}
		taken[m.ID] = true
		list[i] = c
	}
	return list
}

// SignInProgram is a program that signs in. Its Run shows it on the user's terminal.
type SignInProgram struct {
	terminal.Guest
	ctx context.Context // ends it
	// Ask, if not nil, must be answered with its first choice before the program runs, since
	// the agent chose the program or its variables. The front end carries the choices out.
	Ask *Question
}

// Run runs the program as a guest of the user's terminal.
func (p *SignInProgram) Run(in, out *os.File) error { return p.Guest.Run(p.ctx, in, out) }

// Begin tries a method. Either the agent carries it out, and an AuthDone reports the result;
// or Begin returns the program to run: pass its result to [SignIn.Ran].
func (i *SignIn) Begin(ctx context.Context, id acpclient.AuthMethodID) (*SignInProgram, error) {
	at := slices.IndexFunc(i.Methods, func(m acpclient.AuthMethod) bool { return m.ID == id })
	if at < 0 {
		return nil, fmt.Errorf("the agent has no sign-in method %q", id)
	}
	var program *SignInProgram
	if session.RunsInTerminal(i.Methods[at]) {
		if i.session.About().Far {
			return nil, errors.New("it needs a terminal on the machine where the session runs: sign in there")
		}
		c, err := session.Do(ctx, i.session, session.TerminalAuth{ID: id})
		if err != nil {
			return nil, err
		}
		program = programOf(ctx, c, i.Methods[at], i.agent)
	} else {
		session.Post(i.session, session.Authenticate{ID: id})
	}
	i.Trying = &i.Methods[at]
	return program, nil
}

// programOf returns the program that signs in by a method of a command.
func programOf(ctx context.Context, c acpclient.Command, m acpclient.AuthMethod, agent string) *SignInProgram {
	p := &SignInProgram{ctx: ctx, Guest: terminal.Guest{
		Path: c.Path, Args: c.Args, Env: c.Env, Dir: c.Dir, Title: termtext.Line("Sign-in program of " + agent),
	}}
	names := "this program"
	if session.AuthProgramOf(m) == nil {
		names = "variables for its program"
	}
	if session.AuthProgramOf(m) != nil || len(m.Env) > 0 {
		p.Ask = &Question{
			Title: "Run this program to sign in?",
			Text:  "The agent names " + names + ". It runs in this terminal, " + map[bool]string{true: "in the agent's sandbox", false: "with your permissions"}[c.Path != c.Runs.Path] + ":",
			Lines: []string{termtext.ShellWords(append([]string{c.Runs.Path}, c.Runs.Args...))},
			Choices: []Choice{
				{Name: "Run it", Key: "r", Risky: true},
				{Name: "Do not run it"},
			},
		}
		for _, v := range c.Runs.Env {
			p.Ask.Lines = append(p.Ask.Lines, "with "+termtext.ShellWords([]string{v}))
		}
	}
	return p
}

// Ran takes the result of the program on the terminal. If the program succeeded, the agent
// restarts.
func (i *SignIn) Ran(err error) error {
	i.Trying = nil
	if err != nil {
		return fmt.Errorf("the program failed: %w", err)
	}
	session.Post(i.session, session.Reconnect{})
	return nil
}

// SigningIn starts or reaches an agent as its sessions do, only to sign in and out: it opens no session.
// terminal means that the user has a terminal to sign in on; stderr gets the agent's stderr.
func (l *Launcher) SigningIn(a config.Agent, terminal bool, stderr io.Writer) (*Live, error) {
	box, err := l.sandbox(a, []string{l.Cwd})
	if err != nil {
		return nil, err
	}
	opt := session.Options{
		Cwd: l.Cwd, Client: l.client(), SignsIn: true, Unattended: !terminal, Machine: noMachine,
		Taps: []session.Tap{stderrTo{stderr}},
	}
	if err := l.setPeer(a, box, &opt); err != nil {
		return nil, err
	}
	opt.OfferV2, opt.Versions = l.offersV2(a)
	s, err := Here(opt)
	if err != nil {
		return nil, err
	}
	session.Post(s, session.Start{})
	return (&Opened{Agent: a, Session: s}).Live(), nil
}

// stderrTo is a tap of the agent's stderr alone.
type stderrTo struct{ to io.Writer }

func (stderrTo) Line(bool, []byte)               {}
func (s stderrTo) Stderr(data []byte)            { _, _ = s.to.Write(data) }
func (stderrTo) Take([]conversation.Event) error { return nil }
