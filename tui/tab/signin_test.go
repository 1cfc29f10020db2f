package tab

import (
	"errors"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
)

// wantsSignIn is an agent that opens no session before the person has signed in. The answer
// to what they do about it comes next.
const wantsSignIn = `expect initialize
reply {"protocolVersion": 1, "agentCapabilities": {"auth": {"logout": {}}}, "authMethods": [{"id": "web", "name": "In the browser"},
  {"id": "here", "name": "Here", "type": "terminal", "args": ["--now"]}]}
expect session/new
reply-error -32000 who are you?
`

// signInBench is a tab whose agent wants its person to sign in.
func signInBench(b *bench, then string) *signIn {
	b.play(wantsSignIn + then)
	b.wire.got()
	return b.signIn
}

// The agent signs the person in. The dialog says so, and goes when that has ended well.
func TestByAgent(t *testing.T) {
	runBench(t, func(t *testing.T, b *bench) {
		s := signInBench(b, "expect authenticate\nreply-error 1 the browser was closed\nserve\n")
		b.MustSay("In the browser")
		b.MustSay("who are you?")
		b.mustShow(t, "waiting for you to sign in")
		if b.Moves() {
			t.Error("a clock runs while it waits for the person")
		}
		s.Begin("web")
		if !s.Asks() {
			t.Error("the dialog is closed")
		}
		b.Do(nil)
		if got := b.wire.got(); got != "authenticate" {
			t.Errorf("the agent got %s", got)
		}
		b.MustSay("the browser was closed")
		s.Begin("web")
		if b.Do(nil); s.Asks() || !b.dialogs.Empty() {
			t.Errorf("it still asks\n%s", b.Screen())
		}
	})
}

// A program on the terminal signs the person in: the agent is asked anew if it has ended
// well.
func TestOnTerminal(t *testing.T) {
	for _, fails := range []error{nil, errors.New("exit status 1")} {
		runBench(t, func(t *testing.T, b *bench) {
			s := signInBench(b, "")
			b.Do(s.Begin("here"))
			run := b.wished()[0].(Exec)
			if args := run.Cmd.Args; args[len(args)-1] != "--now" {
				t.Errorf("it runs %q", args)
			}
			b.Do(func() tea.Msg { return run.Done(fails) })
			if got, again := b.wire.got(), fails == nil; strings.Contains(got, "initialize") != again {
				t.Errorf("fails: %v: the agent got %q", fails, got)
			}
			if fails != nil {
				b.MustSay("the program failed: exit status 1")
			}
		})
	}
}

func TestDismissAndOut(t *testing.T) {
	runBench(t, func(t *testing.T, b *bench) {
		s := signInBench(b, "expect logout\nreply\nexpect logout\nreply-error 1 no network\n")
		if s.Dismiss(); s.Asks() {
			t.Error("it still asks")
		}
		b.Do(s.Out(t.Context()))
		b.MustSay("signed out")
		b.Do(s.Out(t.Context()))
		b.MustSay("signing out failed: ")
		b.MustSay("no network")
	})
}
