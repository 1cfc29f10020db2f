package tab

import (
	"errors"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/config"
	"parley/internal/conversation"
	"parley/internal/session"
)

// starting is a tab whose session is still being made. Its agent starts for as long as the
// test runs.
func starting(t *testing.T) (b *bench, made *session.Session) {
	t.Helper()
	b = newBench(t, t.TempDir())
	made, err := session.NewSession(session.Options{
		Command: acpclient.Command{Path: "quick", Args: []string{"--now"}},
		Cwd:     b.cwd,
		Spawn: func(acpclient.Command) (*session.Peer, error) {
			<-t.Context().Done()
			return nil, t.Context().Err()
		},
		Machine: func(session.Observer, session.Asker) (session.Machine, error) { return noMachine{}, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	fresh := New(2, b.program, t.TempDir())
	fresh.program.Start = func(config.Agent) (*session.Session, error) { return made, nil }
	b.Tab = fresh
	b.Show()
	b.Start(&config.Agent{ID: "a", Name: "Agent", Command: "quick", Args: []string{"--now"}})
	return b, made
}

// What is typed and sent while the session is being made is not lost: it goes to
// that session.
func TestAPromptBeforeTheSessionIsMade(t *testing.T) {
	b, made := starting(t)
	b.press("g", "o", "enter", "m", "o", "r", "e")
	b.mustShow(t, "more")
	var texts []string
	b.Update(startedMsg{agent: config.Agent{ID: "a"}, session: made})
	for _, e := range made.Stream().Take() {
		if q, ok := e.(conversation.QueueChanged); ok && len(q.Queue) > 0 {
			texts = append(texts, q.Queue[0].Prompt[0].Text)
		}
	}
	if strings.Join(texts, ",") != "go" {
		t.Errorf("the session was sent %q", texts)
	}
	b.mustShow(t, "more") // the draft stays
}

// The start shows from the first frame on, and is not called slow before the session has
// told when it began.
func TestAStartShowsAtOnce(t *testing.T) {
	b, made := starting(t)
	b.mustShow(t, "starting quick --now")
	b.Update(startedMsg{agent: b.agent, session: made})
	b.mustShow(t, "starting quick --now")
	b.mustNotShow(t, "still starting")
}

// Who leaves an agent that starts gets the prompts back that were sent to it, also one that
// the session has taken a moment ago.
func TestAPromptComesBackFromAnAgentThatIsLeft(t *testing.T) {
	b, made := starting(t)
	b.Update(startedMsg{agent: config.Agent{ID: "a"}, session: made})
	b.press("g", "o")
	run(b.Tab, b.Update(keyPress("enter")), func() {})
	b.mustNotShow(t, "❯ go")
	b.press("esc")
	if got := b.composer.Text(); got != "go" {
		t.Errorf("the draft is %q", got)
	}
}

// A tab in which a prompt waits is not given up for another.
func TestATabInWhichAPromptWaitsIsNotBlank(t *testing.T) {
	b := newBench(t, t.TempDir())
	if !b.Blank() {
		t.Error("a new tab is not blank")
	}
	b.events(conversation.QueueChanged{Queue: []conversation.QueuedPrompt{{ID: 1, Prompt: []acpclient.ContentBlock{acpclient.TextBlock("go")}}}})
	if b.Blank() {
		t.Error("a prompt would be lost with the tab")
	}
}

// run carries out commands until there are none, but for those that wait for the
// session.
func run(t *Tab, cmd tea.Cmd, after func()) {
	if cmd == nil {
		return
	}
	switch msg := cmd().(type) {
	case tea.BatchMsg:
		for _, c := range msg {
			run(t, c, after)
		}
	case Msg:
		if _, ok := msg.Msg.(then); ok {
			t.Update(msg.Msg)
			after()
		}
	}
}

func TestAPromptWhoseSessionIsNotMade(t *testing.T) {
	b, _ := starting(t)
	b.press("g", "o", "enter")
	b.Update(startedMsg{err: errors.New("it is not there")})
	b.mustShow(t, "could not be started", "❯ go")
}
