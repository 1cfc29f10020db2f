package linemode

import (
	"errors"
	"os"

	"parley/acpclient"
	"parley/internal/app"
	"parley/internal/conversation"
	"parley/internal/session"
	"parley/internal/termtext"
)

// askToSignIn asks how to sign in.
func (l *live) askToSignIn() *question {
	flow := l.signIn
	q := &question{Question: flow.Question(l.authenticate)}
	q.Text = "Question: the agent wants you to sign in.\n" + q.Text + "\n"
	q.While, q.Closed = func() bool { return l.signIn == flow }, l.dismissSignIn
	q.Choices = append(q.Choices, app.Choice{Name: "Do not sign in", Here: l.dismissSignIn})
	return q
}

func (l *live) dismissSignIn() {
	l.signIn = nil
	session.Post(l.Session, session.DismissAuth{})
}

// authenticate signs in with a method. A sign-in program has the keys until it exits.
func (l *live) authenticate(id acpclient.AuthMethodID) {
	flow := l.signIn
	program, err := flow.Begin(l.p.ctx, id)
	switch {
	case err != nil:
		l.notSignedIn(err)
	case program == nil:
		l.p.out.line("Signing in with " + termtext.VisibleLine(flow.Trying.Name) + ". The agent may open a page in your browser.")
	case program.Ask != nil:
		q := l.p.numbered(*program.Ask)
		q.While = func() bool { return l.signIn == flow }
		q.Closed = func() { flow.Trying = nil } // ask asks again
		q.Choices[0].Here = func() { l.runSignIn(program) }
		q.Choices[1].Here = q.Closed
		l.p.later(q)
	default:
		l.runSignIn(program)
	}
}

// runSignIn passes keys to a program that signs in, and prints the text of its output.
func (l *live) runSignIn(program *app.SignInProgram) {
	if l.p.in.tty == nil {
		l.notSignedIn(errors.New("the sign-in program needs a terminal"))
		return
	}
	l.p.out.broken()
	l.p.in.stop()
	program.Lines = true
	err := l.signIn.Ran(program.Run(l.p.in.tty, os.Stdout))
	if failed := l.p.in.start(); failed != nil {
		l.p.out.err = failed
	}
	if err != nil {
		l.notSignedIn(err)
		return
	}
	l.signIn = nil
}

// notSignedIn says why a method failed. ask asks again.
func (l *live) notSignedIn(err error) {
	l.signIn.Trying = nil
	l.p.out.line("Not signed in: " + err.Error())
}

// signedIn handles the result of signing in.
func (l *live) signedIn(e conversation.AuthDone) {
	switch {
	case l.signIn == nil:
	case e.Err != nil:
		l.signIn.Trying = nil
		l.p.out.line("Sign-in failed: " + e.Err.Error())
	default:
		l.signIn = nil
		if e.Method != "" { // else the user gave up, or the agent exited
			l.p.out.line("Signed in.")
		}
	}
}
