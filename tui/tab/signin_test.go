package tab

import (
	"context"
	"errors"
	"os/exec"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/internal/conversation"
)

// place is a tab whose agent wants its person to sign in.
type signinPlace struct {
	conv  *conversation.Conversation
	fails error
	did   []string
}

func (p *signinPlace) note(what string) { p.did = append(p.did, what) }

func (p *signinPlace) Conversation() *conversation.Conversation { return p.conv }
func (p *signinPlace) Gate() signInSession                      { return p }
func (p *signinPlace) Authenticate(id acpclient.AuthMethodID)   { p.note("authenticate " + string(id)) }
func (p *signinPlace) Reconnect()                               { p.note("reconnect") }
func (p *signinPlace) DismissAuth()                             { p.note("dismiss") }
func (p *signinPlace) Logout(context.Context) error             { return p.fails }

func (p *signinPlace) TerminalAuth(acpclient.AuthMethodID) (acpclient.Command, error) {
	return acpclient.Command{Path: "login-program", Args: []string{"--now"}}, nil
}

// Exec runs no program: it ends as the test says.
func (p *signinPlace) Exec(c *exec.Cmd, done tea.ExecCallback) tea.Cmd {
	p.note(strings.Join(c.Args, " "))
	return func() tea.Msg { return done(p.fails) }
}

func signinNewSignIn(b *deskBench) (*signIn, *signinPlace) {
	p := &signinPlace{conv: conversation.New()}
	p.conv.Apply(conversation.AgentReady{Info: &acpclient.InitializeResponse{
		AgentInfo:   &acpclient.Implementation{Name: "agent"},
		AuthMethods: []acpclient.AuthMethod{{ID: "web", Name: "In the browser"}},
	}})
	s := newSignin(b.desk, p)
	s.Ask(conversation.AuthRequired{Message: "who are you?"})
	return s, p
}

// The agent signs the person in. The dialog says so, and goes when that has ended well.
func TestByAgent(t *testing.T) {
	runBench(t, func(t *testing.T, b *deskBench) {
		s, p := signinNewSignIn(b)
		b.MustSay("In the browser")
		b.MustSay("who are you?")
		s.ByAgent("web")
		if got := strings.Join(p.did, ", "); got != "authenticate web" || !s.Asks() {
			t.Errorf("it did %s, and asks: %v", got, s.Asks())
		}
		s.Ended(errors.New("the browser was closed"))
		b.MustSay("the browser was closed")
		if s.Ended(nil); s.Asks() || !b.Dialogs.Empty() {
			t.Errorf("it still asks\n%s", b.Screen())
		}
	})
}

// A program on the terminal signs the person in: the agent is asked anew if it has ended
// well.
func TestOnTerminal(t *testing.T) {
	for _, fails := range []error{nil, errors.New("exit status 1")} {
		runBench(t, func(t *testing.T, b *deskBench) {
			s, p := signinNewSignIn(b)
			p.fails = fails
			b.Do(s.OnTerminal(acpclient.AuthMethod{ID: "web", Name: "In the browser"}))
			want := "login-program --now, reconnect"
			if fails != nil {
				b.MustSay("the program did not end well: exit status 1")
				want = "login-program --now"
			}
			if got := strings.Join(p.did, ", "); got != want || s.Asks() != (fails != nil) {
				t.Errorf("it did %s, and asks: %v", got, s.Asks())
			}
		})
	}
}

func TestDismissAndOut(t *testing.T) {
	runBench(t, func(t *testing.T, b *deskBench) {
		s, p := signinNewSignIn(b)
		if s.Dismiss(); s.Asks() || strings.Join(p.did, ", ") != "dismiss" {
			t.Errorf("it did %v, and asks: %v", p.did, s.Asks())
		}
		b.Do(s.Out(t.Context()))
		b.MustSay("signed out")
		p.fails = errors.New("no network")
		b.Do(s.Out(t.Context()))
		b.MustSay("signing out failed: no network")
	})
}
