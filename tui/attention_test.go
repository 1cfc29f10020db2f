package tui

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/config"
	"parley/tui/tab"
)

// vanishes is an agent that dies in the middle of a turn.
const vanishes = `handshake
expect session/prompt
say Oh.
exit 3
`

// attentive runs an agent in the first tab, with an [attention] and an environment, and
// says what is written to the terminal.
type attentive struct{ *program }

func newAttentive(t *testing.T, src string, c config.Attention, env map[string]string) *attentive {
	t.Helper()
	a := &attentive{program: newProgram(t, map[string]string{"agent": src})}
	a.Model.attention = newAttention(c, func(name string) string { return env[name] })
	a.start(a.front, "agent")
	return a
}

// called takes the messages that are under way until one is to be written to the
// terminal, and returns what that is.
func (a *attentive) called() string {
	a.t.Helper()
	for {
		select {
		case msg := <-a.msgs:
			if raw, ok := msg.(tea.RawMsg); ok {
				seq, _ := raw.Msg.(string)
				return seq
			}
			a.send(msg)
		case <-time.After(time.Minute):
			a.t.Fatalf("nobody was called; the screen is\n%s", a.screen())
		}
	}
}

func (a *attentive) say(text string) {
	a.t.Helper()
	for _, r := range text {
		a.press(string(r))
	}
	a.press("enter")
}

func TestCallsWhoLooksElsewhere(t *testing.T) {
	iterm := map[string]string{"TERM_PROGRAM": "iTerm.app"}
	for name, tt := range map[string]struct {
		src, want string
		state     tab.State
	}{
		"a turn has ended": {says, "\x1b]9;parley: Finished: go\a", tab.Idle},
		"a question waits": {asks, "\x1b]9;parley: Waits for you: go\a", tab.Waiting},
		"the agent dies":   {vanishes, "\x1b]9;parley: The agent exited: go\a", tab.Lost},
	} {
		t.Run(name, func(t *testing.T) {
			a := newAttentive(t, tt.src, config.DefaultAttention(), iterm)
			a.say("go")
			a.send(tea.BlurMsg{})
			if got := a.called(); got != tt.want {
				t.Errorf("written: %q, want %q", got, tt.want)
			}
			if got := a.front.State(); got != tt.state {
				t.Errorf("the tab's state is %v", got)
			}
		})
	}
}

// Nobody is called while they look, on a terminal that does not say where they look, or
// for what they do not want to be called for.
func TestDoesNotCall(t *testing.T) {
	never, questions := config.DefaultAttention(), config.DefaultAttention()
	never.When = config.WhenNever
	questions.On = []config.AttentionEvent{config.HappeningQuestion}
	for name, tt := range map[string]struct {
		attention config.Attention
		msgs      []tea.Msg
	}{
		"nothing said":  {config.DefaultAttention(), nil},
		"focused":       {config.DefaultAttention(), []tea.Msg{tea.BlurMsg{}, tea.FocusMsg{}}},
		"typing":        {config.DefaultAttention(), []tea.Msg{tea.BlurMsg{}, tea.KeyPressMsg{Code: 'x', Text: "x"}}},
		"never":         {never, []tea.Msg{tea.BlurMsg{}}},
		"not for turns": {questions, []tea.Msg{tea.BlurMsg{}}},
	} {
		t.Run(name, func(t *testing.T) {
			a := newAttentive(t, says, tt.attention, nil)
			a.say("go")
			for _, msg := range tt.msgs {
				a.send(msg)
			}
			a.until("it has answered", func() bool { return strings.Contains(a.screen(), "Well said.") && !a.front.Works() })
			if a.attention.wanted(config.HappeningTurn) {
				t.Error("somebody is called for the end of a turn")
			}
		})
	}
}

// The person's own command gets what happened as arguments and in its environment, and
// no shell reads it.
func TestRunsTheCommandOfThePerson(t *testing.T) {
	dir := t.TempDir()
	script, out := filepath.Join(dir, "notify"), filepath.Join(dir, "out")
	src := "#!/bin/sh\nprintf '%s|%s|%s' \"$1\" \"$2\" \"$PARLEY_EVENT\" > " + out + ".new && mv " + out + ".new " + out + "\n"
	if err := os.WriteFile(script, []byte(src), 0o700); err != nil {
		t.Fatal(err)
	}
	c := config.DefaultAttention()
	c.When, c.Command = config.WhenAlways, []string{script, "--", "{text}"}
	a := newAttentive(t, says, c, nil)
	a.say("a $(touch x) `b`; c")
	if got := a.called(); got != "\a" {
		t.Errorf("written: %q, want a bell", got)
	}
	a.until("the command has run", func() bool {
		_, err := os.Stat(out)
		if err != nil {
			a.run(func() tea.Msg { return nil })
		}
		return err == nil
	})
	got, _ := os.ReadFile(out)
	if want := "--|Finished: a $(touch x) `b`; c|turn"; string(got) != want {
		t.Errorf("the command was told %q, want %q", got, want)
	}
}

func TestTellsThatTheCommandFailed(t *testing.T) {
	c := config.DefaultAttention()
	c.When, c.Notify, c.Command = config.WhenAlways, config.NoticeNone, []string{"/nowhere/notify"}
	a := newAttentive(t, says, c, nil)
	a.say("go")
	a.until("it says so", func() bool {
		return strings.Contains(a.screen(), "the command of [attention] failed: /nowhere/notify")
	})
}

// What shows of parley outside of its window says how things stand.
func TestTitleAndProgressSayTheState(t *testing.T) {
	on := true
	c := config.DefaultAttention()
	c.Progress = &on
	a := newAttentive(t, works, c, nil)
	check := func(title string, state tea.ProgressBarState) {
		t.Helper()
		f := a.Frame()
		got := tea.ProgressBarNone
		if f.Progress != nil {
			got = f.Progress.State
		}
		if f.Title != title || got != state {
			t.Errorf("the title is %q, the progress %v; want %q, %v", f.Title, got, title, state)
		}
	}
	check("parley", tea.ProgressBarNone)
	a.say("go")
	a.until("it works", a.front.Works)
	check("(working) go · parley", tea.ProgressBarIndeterminate)

	a = newAttentive(t, asks, c, nil)
	a.say("go")
	a.until("it asks", func() bool { return a.front.State() == tab.Waiting })
	check("(1 waiting) go · parley", tea.ProgressBarWarning)

	lost := newAttentive(t, vanishes, c, nil)
	lost.say("go")
	lost.until("it dies", func() bool { return lost.front.State() == tab.Lost })
	a = lost
	check("(agent lost) go · parley", tea.ProgressBarError)

	c.NoTitle, c.Progress = true, nil
	a = newAttentive(t, works, c, nil)
	a.say("go")
	a.until("it works", a.front.Works)
	check("", tea.ProgressBarNone)
}
