package tui

import (
	"image/color"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"parley/config"
	"parley/internal/conversation"
	"parley/internal/termtext"
	"parley/internal/test"
	"parley/tui/tab"
	"parley/tui/theme"
)

const (
	idle = "handshake\n"
	asks = `handshake
expect session/prompt
say About to launch.
request session/request_permission {
  "sessionId": "${session}",
  "toolCall": {"toolCallId": "t1", "title": "Launch", "kind": "execute"},
  "options": [{"optionId": "yes", "name": "Allow it", "kind": "allow_once"}, {"optionId": "no", "name": "Reject it", "kind": "reject_once"}]
} as permission
await permission contains "yes"
say Launched.
end-turn
`
	asksTwice = `handshake
expect session/prompt
request session/request_permission {
  "sessionId": "${session}",
  "toolCall": {"toolCallId": "t1", "title": "Clean", "kind": "execute", "rawInput": {"command": "rm -rf build"}},
  "options": [{"optionId": "yes", "name": "Allow it", "kind": "allow_once"}]
} as first
request session/request_permission {
  "sessionId": "${session}",
  "toolCall": {"toolCallId": "t2", "title": "Push", "kind": "execute", "rawInput": {"command": "git push"}},
  "options": [{"optionId": "yes", "name": "Allow it", "kind": "allow_once"}]
} as second
await first
await second
end-turn
`
	works = `handshake
expect session/prompt
say At it.
expect session/cancel
end-turn cancelled
`
	// More than may wait to be taken before the agent's pipe is not read any more.
	floods = `handshake
expect session/prompt
repeat 100
  say "${x:65536}\n\n"
end
say That was all.
end-turn
`
)

func TestASessionInTheBackgroundAsks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProgram(t, map[string]string{"idle": idle, "asks": asks})
		front := p.front
		p.start(front, "idle")
		back := p.open("asks")
		p.press("g", "o", "enter")
		p.show(front)
		p.until("the other one asks", func() bool { return shows(back, "Allow it") })

		// What the user types is for the tab on the screen.
		p.press("y", "1")
		p.clock = p.clock.Add(time.Minute)
		p.press("y", "1")
		p.mustShow("❯ y1y1")
		p.mustNotShow("Launch")
		if p.arming {
			t.Error("a question that nobody sees waits to take keys")
		}

		// Its question has just got into sight.
		p.show(back)
		p.mustShow("About to launch.", "Launch", "Allow it")
		p.press("y")
		p.mustShow("❯ y", "Allow it", "Pause typing to answer")
		p.press("backspace")
		p.clock = p.clock.Add(time.Minute)
		p.press("down", "enter")
		p.until("the agent goes on", func() bool { return shows(back, "you: Allow it") && shows(back, "Launched.") })
		p.mustNotShow("Permission")
	})
}

// All sessions stand in one table, with the question of the marked one. enter goes to one, and answers
// nothing.
func TestTheListOfWaitingQuestions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProgram(t, map[string]string{"idle": idle, "asks": asks, "twice": asksTwice})
		front := p.front
		p.start(front, "idle")
		p.press("alt+a")
		p.mustShow("Board", "tab 1, this one", "idle")
		p.press("esc")
		one := p.open("asks")
		p.press("g", "o", "enter")
		two := p.open("twice")
		p.press("g", "o", "enter")
		p.show(front)
		p.until("both ask", func() bool { return shows(one, "Allow it") && shows(two, "1 of 2") })

		p.press("alt+a")
		p.mustShow("Board", "tab 2", "run  Launch", "run  Clean", "About to launch.", "Permission, asks, tab 2", "Allow it")
		p.wait()
		p.mustShow("→ answer")
		p.resize([2]int{120, 30})
		if lines := p.screen(); !strings.Contains(strings.Split(lines, "\n")[4], "❯ ? asks") || !strings.Contains(strings.Split(lines, "\n")[4], "│ tab 2") {
			t.Errorf("the marked session is not beside the table:\n%s", lines)
		}
		p.press("down")
		p.mustShow("rm -rf build", "1 of 2") // the whole command of the marked one
		p.press("enter")
		if p.front != two {
			t.Fatal("enter did not go to the tab")
		}
		p.mustShow("rm -rf build", "1 of 2")
		p.press("enter", "1")
		p.mustShow("rm -rf build", "1 of 2") // a key that was meant for the board answers nothing

		p.press("alt+a")
		p.mustShow("Board", "run  Launch")
		p.press("enter")
		p.wait()
		if p.front != one {
			t.Error("the board does not open above a question")
		}
	})
}

// A permission of another tab is answered on the board by the rules that hold in its own. What is no
// answer is nobody's there.
func TestAQuestionIsAnsweredFromAnotherTab(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProgram(t, map[string]string{"idle": idle, "asks": asks, "twice": asksTwice})
		front := p.front
		p.start(front, "idle")
		one := p.open("asks")
		p.press("g", "o", "enter")
		two := p.open("twice")
		p.press("g", "o", "enter")
		p.show(front)
		p.until("both ask", func() bool { return shows(one, "Allow it") && shows(two, "1 of 2") })

		p.press("alt+a", "down")
		p.wait()
		p.press("right")
		p.mustShow("git push", "2 of 2", "1 · idle", "3 ? go")
		p.press("1")
		p.mustNotShow("❯ 1") // it came too soon
		p.wait()
		p.mustNotShow("Pause typing")
		p.press("y", "e", "s")
		p.mustNotShow("❯ 1") // so are words
		p.wait()
		p.press("1")
		p.mustShow("git push", "❯ 1", "esc back")
		p.press("enter")
		p.until("the second is answered", func() bool { return two.Overview().Waiting == 1 })
		if p.front != front {
			t.Error("the tab in front has changed")
		}
		p.mustShow("Board", "run  Launch", "rm -rf build")
		p.mustNotShow("git push")

		p.wait()
		p.press("up")
		p.mustShow("Allow it", "Permission, asks, tab 2")
		p.wait()
		p.press("right")
		p.mustShow("❯ 1  y", "esc back")
		p.press("esc")
		p.mustShow("Board", "enter go there")
		p.mustNotShow("❯ 1")
		p.wait()
		p.press("alt+e") // more than an answer is done where the question is
		if p.front != one {
			t.Error("the whole screen was not opened in the tab of the question")
		}
	})
}

// A question that its agent takes back while another tab shows it goes, and what is pressed
// then answers nothing.
func TestAQuestionThatGoesIsNotAnsweredFromAnotherTab(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProgram(t, map[string]string{"idle": idle, "asks": asks})
		front := p.front
		p.start(front, "idle")
		one := p.open("asks")
		p.press("g", "o", "enter")
		p.show(front)
		p.until("it asks", func() bool { return shows(one, "Allow it") })
		p.press("alt+a")
		p.wait()
		p.mustShow("Allow it")
		p.press("1")
		p.mustShow("❯ 1")
		p.run(p.Update(tab.Msg{To: one.ID(), Msg: tea.KeyPressMsg{Code: 'c', Mod: tea.ModCtrl}})) // cancels its turn
		p.until("the question is gone", func() bool { return one.Overview().Waiting == 0 })
		p.mustNotShow("Allow it")
		p.press("1", "enter") // nobody's
		p.mustShow("Board", "the question is gone")
		p.until("the turn has ended", func() bool { return !one.Moves() })
		if shows(one, "Launched.") {
			t.Error("it was answered")
		}
	})
}

func TestASessionInTheBackgroundStreams(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProgram(t, map[string]string{"idle": idle, "floods": floods})
		front := p.front
		p.start(front, "idle")
		back := p.open("floods")
		p.press("g", "o", "enter")
		p.show(front)
		p.until("it has said everything", func() bool { return shows(back, "That was all.") && !back.Moves() })
		p.mustNotShow("That was all.")
		p.show(back)
		p.mustShow("That was all.")
	})
}

func TestOnlyWhatIsSeenTicks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProgram(t, map[string]string{"idle": idle, "works": works, "asks": asks})
		front := p.front
		p.start(front, "idle")
		p.until("nothing moves", func() bool { return !front.Moves() && p.ticks.IsZero() })
		back := p.open("works")
		p.press("g", "o", "enter")
		p.until("the other one works", func() bool { return shows(back, "working") })
		if p.ticks.IsZero() {
			t.Error("nothing ticks while a turn runs")
		}
		p.show(front)
		p.until("it does not tick any more", func() bool { return p.ticks.IsZero() })
		if !back.Moves() {
			t.Fatal("the turn has ended")
		}
		p.send(nil)
		if !p.ticks.IsZero() {
			t.Error("it ticks for a tab that nobody sees")
		}
		p.show(back)
		p.send(nil)
		if p.ticks.IsZero() {
			t.Error("nothing ticks when the tab is shown again")
		}
		waits := p.open("asks")
		p.press("g", "o", "enter")
		p.until("it waits for the user", func() bool { return shows(waits, "Waiting for you") && p.ticks.IsZero() })
		if waits.Moves() {
			t.Error("something moves while the agent waits for the user")
		}
	})
}

func TestTabsClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProgram(t, map[string]string{"idle": idle})
		first := p.front
		p.start(first, "idle")
		second := p.open("idle")
		third := p.add(p.cwd)
		p.run(p.close(second.ID()))
		if p.front != third {
			t.Error("the next tab is not on the screen")
		}
		p.send(tab.Msg{To: second.ID(), Msg: tab.ErrorMsg{}}) // it would panic if it reached the tab
		p.send(tab.Leave{Tab: third.ID()})
		if p.front != first || len(p.tabs) != 1 {
			t.Error("the first tab is not the last one left")
		}
		if cmd := p.close(second.ID()); cmd != nil || len(p.tabs) != 1 {
			t.Error("closing a tab twice closed another")
		}
		cmd := p.close(first.ID())
		if cmd == nil {
			t.Fatal("the program goes on without a tab")
		}
		if _, ok := cmd().(tea.QuitMsg); !ok {
			t.Error("the program goes on without a tab")
		}
		p.ending.Wait()
		if n := p.running.Load(); n != 1 {
			t.Errorf("%d agents run, and one tab is left", n)
		}
	})
}

// A session whose tab is closed before it was made is let go of.
func TestATabThatClosesWhileItStarts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProgram(t, map[string]string{"idle": idle})
		gone := p.add(p.cwd)
		cmd := gone.Start(&config.Agent{ID: "idle"})
		p.close(gone.ID())
		p.run(cmd)
		p.until("the session is closed", func() bool {
			p.ending.Wait()
			return p.closed.Load() == 1
		})
		if n := p.running.Load(); n != 0 {
			t.Error("its agent is left")
		}
	})
}

// The first agent is started before there is a screen. If there never is one, it is
// ended all the same.
func TestAnAgentWithoutAScreen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProgram(t, map[string]string{"idle": idle})
		p.first = p.front.Start(&config.Agent{ID: "idle"})
		p.shutdown()
		if p.closed.Load() != 1 {
			t.Error("its session is not closed")
		}
		if n := p.running.Load(); n != 0 {
			t.Error("its agent is left")
		}
	})
}

func TestTheThemeIsForAllTabs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProgram(t, map[string]string{"idle": idle})
		p.start(p.front, "idle")
		back := p.add(p.cwd)
		dark := [2]string{p.draw().Lines[1+p.lineHeight()], back.Draw(80, 24).Lines[1]}
		p.send(tea.BackgroundColorMsg{Color: color.White})
		light := [2]string{p.draw().Lines[1+p.lineHeight()], back.Draw(80, 24).Lines[1]}
		if dark[0] == light[0] || dark[1] == light[1] || light[0] != light[1] {
			t.Errorf("on a dark terminal %q, on a light one %q", dark, light)
		}
	})
}

// A terminal that says how it measures text is believed.
func TestTheTerminalSaysHowItMeasuresText(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		test.UseWidthMethod(t, termtext.Safe)
		p := newProgram(t, map[string]string{"idle": idle})
		p.start(p.front, "idle")
		thumbs := strings.Repeat("👍🏽", 30) // 120 cells, or 60
		p.send(tea.PasteMsg{Content: thumbs})
		p.mustNotShow(thumbs)
		for value, one := range map[ansi.ModeSetting]bool{
			ansi.ModeReset: true, ansi.ModeSet: true, ansi.ModePermanentlySet: true,
			ansi.ModeNotRecognized: false, ansi.ModePermanentlyReset: false,
		} {
			p.send(tea.ModeReportMsg{Mode: ansi.ModeUnicodeCore, Value: value})
			if got := strings.Contains(p.screen(), thumbs); got != one {
				t.Errorf("mode 2027 is %d: on one line is %v, want %v", value, got, one)
			}
		}
	})
}

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
		state     conversation.Standing
	}{
		"a turn has ended": {says, "\x1b]9;parley: Finished: go\a", conversation.StandingIdle},
		"a question waits": {asks, "\x1b]9;parley: Waits for you: go\a", conversation.StandingAsks},
		"the agent dies":   {vanishes, "\x1b]9;parley: The agent exited: go\a", conversation.StandingLost},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a := newAttentive(t, tt.src, config.Default(nil).Attention, iterm)
				a.say("go")
				a.send(tea.BlurMsg{})
				if got := a.called(); got != tt.want {
					t.Errorf("written: %q, want %q", got, tt.want)
				}
				if got := a.front.State(); got != tt.state {
					t.Errorf("the tab's state is %v", got)
				}
			})
		})
	}
}

// Nobody is called while they look, on a terminal that does not say where they look, or
// for what they do not want to be called for.
func TestDoesNotCall(t *testing.T) {
	never, questions := config.Default(nil).Attention, config.Default(nil).Attention
	never.When = config.WhenNever
	questions.On = []config.AttentionEvent{config.HappeningQuestion}
	for name, tt := range map[string]struct {
		attention config.Attention
		msgs      []tea.Msg
	}{
		"nothing said":  {config.Default(nil).Attention, nil},
		"focused":       {config.Default(nil).Attention, []tea.Msg{tea.BlurMsg{}, tea.FocusMsg{}}},
		"typing":        {config.Default(nil).Attention, []tea.Msg{tea.BlurMsg{}, tea.KeyPressMsg{Code: 'x', Text: "x"}}},
		"never":         {never, []tea.Msg{tea.BlurMsg{}}},
		"not for turns": {questions, []tea.Msg{tea.BlurMsg{}}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
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
		})
	}
}

// The user's own command gets what happened as arguments and in its environment, and
// no shell reads it.
func TestRunsTheCommandOfTheUser(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		script, out := filepath.Join(dir, "notify"), filepath.Join(dir, "out")
		src := "#!/bin/sh\nprintf '%s|%s|%s' \"$1\" \"$2\" \"$PARLEY_EVENT\" > " + out + ".new && mv " + out + ".new " + out + "\n"
		if err := os.WriteFile(script, []byte(src), 0o700); err != nil {
			t.Fatal(err)
		}
		c := config.Default(nil).Attention
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
	})
}

func TestTellsThatTheCommandFailed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := config.Default(nil).Attention
		c.When, c.Notify, c.Command = config.WhenAlways, config.NoticeNone, []string{"/nowhere/notify"}
		a := newAttentive(t, says, c, nil)
		a.say("go")
		a.until("it says so", func() bool {
			return strings.Contains(a.screen(), "the command of [attention] failed: /nowhere/notify")
		})
	})
}

// What shows of parley outside of its window says how things stand.
func TestTitleAndProgressSayTheState(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		on := true
		c := config.Default(nil).Attention
		c.Progress = &on
		a := newAttentive(t, works, c, nil)
		check := func(title string, state tea.ProgressBarState, status tea.ProgramState, kind tea.ProgramStatusKind) {
			t.Helper()
			f := a.Frame()
			if len(f.Status) != 1 || f.Status[0].State != status || f.Status[0].Kind != kind || f.Status[0].App != "parley" {
				t.Errorf("the status is %+v, want %s %s", f.Status, status, kind)
			}
			got := tea.ProgressBarNone
			if f.ProgressBar != nil {
				got = f.ProgressBar.State
			}
			if f.WindowTitle != title || got != state {
				t.Errorf("the title is %q, the progress %v; want %q, %v", f.WindowTitle, got, title, state)
			}
		}
		check("parley", tea.ProgressBarNone, tea.ProgramStateIdle, "")
		a.say("go")
		a.until("it works", a.front.Works)
		check("(works) go · parley", tea.ProgressBarIndeterminate, tea.ProgramStateWorking, "")

		a = newAttentive(t, says, c, nil)
		a.say("go")
		a.until("it has answered", func() bool { return a.front.Turns() == 1 })
		check("go · parley", tea.ProgressBarNone, tea.ProgramStateDone, "")
		a.send(tea.KeyPressMsg{Code: 'x', Text: "x"})
		check("go · parley", tea.ProgressBarNone, tea.ProgramStateIdle, "")

		a = newAttentive(t, asks, c, nil)
		a.say("go")
		a.until("it asks", func() bool { return a.front.State() == conversation.StandingAsks })
		check("(asks 1) go · parley", tea.ProgressBarWarning, tea.ProgramStateBlocked, tea.ProgramStatusKindPermission)

		lost := newAttentive(t, vanishes, c, nil)
		lost.say("go")
		lost.until("it dies", func() bool { return lost.front.State() == conversation.StandingLost })
		a = lost
		check("(exited) go · parley", tea.ProgressBarError, tea.ProgramStateError, "")

		c.NoTitle, c.Progress = true, nil
		a = newAttentive(t, works, c, nil)
		a.say("go")
		a.until("it works", a.front.Works)
		check("", tea.ProgressBarNone, tea.ProgramStateWorking, "")
	})
}

// says is an agent that answers one prompt and is there for more.
const says = `handshake
expect session/prompt
say Well said.
end-turn
`

// ready waits until a session is open on the screen in which nothing was said.
func (p *program) ready() {
	p.t.Helper()
	p.until("a new session is ready", func() bool { return strings.Contains(p.screen(), "Type a prompt, /") })
}

// wait lets the time pass for which a question takes no keys.
func (p *program) wait() { p.clock = p.clock.Add(time.Minute) }

// firstLine is the first line of the screen.
func (p *program) firstLine() string { return strings.Split(p.screen(), "\n")[0] }

// twoTabs has one tab in which something was said, in the background, and a new one.
func twoTabs(t *testing.T, scripts map[string]string, agent string) (p *program, said, fresh *tab.Tab) {
	t.Helper()
	p = newProgram(t, scripts)
	said = p.front
	p.start(said, agent)
	p.press("g", "o", "enter")
	p.until("it was sent", func() bool { return said.Summary().Title == "go" })
	p.press("ctrl+n")
	p.ready()
	return p, said, p.front
}

func TestANewSessionThrowsNothingAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProgram(t, map[string]string{"works": works})
		first := p.front
		p.start(first, "works")
		p.mustNotShow(" 1 ·")
		p.press("ctrl+n")
		if len(p.tabs) != 2 || p.front == first {
			t.Fatal("beside an empty session none is opened")
		}
		p.press("alt+w")
		p.until("there is one tab", func() bool { return len(p.tabs) == 1 })

		p.press("g", "o", "enter")
		p.until("it works", func() bool { return shows(first, "At it.") })
		p.press("d", "r", "a", "f", "t", "ctrl+n", "n", "e", "w")
		if len(p.tabs) != 2 || p.front == first {
			t.Fatal("the new session is not in front, in a tab of its own")
		}
		p.ready()
		p.mustShow(" 1 ◐ go", " 2 · works", "❯ new")
		if !first.Works() || !shows(first, "❯ draft") {
			t.Errorf("something of the first session was lost:\n%s", text(first.Draw(80, 24)))
		}
	})
}

func TestKeysShowTabs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, first, second := twoTabs(t, map[string]string{"says": says}, "says")
		third := p.open("says")
		for _, c := range []struct {
			key  string
			want *tab.Tab
		}{
			{"ctrl+pgdown", first},
			{"ctrl+pgdown", second},
			{"alt+.", third},
			{"ctrl+pgup", second},
			{"alt+,", first},
			{"alt+,", third},
			{"alt+2", second},
			{"alt+9", second},
			{"alt+1", first},
		} {
			if p.press(c.key); p.front != c.want {
				t.Fatalf("%s shows tab %d, want %d", c.key, p.front.ID(), c.want.ID())
			}
		}
		p.press("ctrl+p", "alt+3") // also past what the user has opened
		if p.front != third {
			t.Error("a list that is open keeps the keys of tabs")
		}
		p.send(tea.MouseClickMsg{X: strings.Index(p.firstLine(), "2"), Y: 0, Button: tea.MouseLeft})
		if p.front != second {
			t.Error("a click on a tab does not show it")
		}
		p.send(tea.MouseClickMsg{X: 79, Y: 0, Button: tea.MouseLeft})
		if p.front != second {
			t.Error("a click beside the tabs shows another")
		}
	})
}

func TestThePickerOpensATab(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, first, _ := twoTabs(t, map[string]string{"says": says, "other": idle}, "says")
		p.press("ctrl+c", "/", "a", "g", "e", "n", "t", "enter")
		p.until("the agents are listed", func() bool { return strings.Contains(p.screen(), "● says") })
		p.mustShow("New tab: choose an agent", "other")
		p.press("esc")
		if len(p.tabs) != 2 {
			t.Fatal("nothing was chosen")
		}
		p.press("ctrl+c", "/", "a", "g", "e", "n", "t", "enter")
		p.until("the agents are listed", func() bool { return strings.Contains(p.screen(), "other") })
		p.press("o", "t", "h", "enter")
		p.ready()
		p.mustShow(" 3 · other")
		if len(p.tabs) != 3 || p.front == first {
			t.Error("the agent is not in a new tab")
		}
	})
}

func TestTabsAreNamed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, _, _ := twoTabs(t, map[string]string{"says": says}, "says")
		p.press("/", "r", "e", "n", "a", "m", "e", "enter")
		p.mustShow("Rename tab")
		p.press("m", "i", "n", "e", "enter")
		p.mustShow(" 2 · mine")
		p.press("/", "r", "e", "n", "a", "m", "e", "enter", "end", "enter") // enter alone may be a second press
		p.mustShow(" 2 · mine")
	})
}

func TestClosingATabAsksOnlyIfATurnRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, first, _ := twoTabs(t, map[string]string{"works": works}, "works")
		p.press("alt+w")
		if p.front != first || len(p.tabs) != 1 {
			t.Fatal("an idle tab is still there")
		}
		p.mustNotShow(" 1 ◐")
		p.press("alt+w")
		p.mustShow("this is the only tab")
		p.press("ctrl+n")
		p.ready()
		p.press("alt+1", "alt+w")
		p.mustShow("The agent is working", "Close it")
		p.wait()
		p.press("k", "enter")
		if len(p.tabs) != 2 {
			t.Fatal("closed, and it was to be kept")
		}
		p.press("alt+w")
		p.mustShow("Close it")
		p.wait()
		p.press("down", "down", "enter")
		if len(p.tabs) != 1 || p.front == first {
			t.Error("it was not closed")
		}
	})
}

func TestLeavingSaysWhoWorks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, _, _ := twoTabs(t, map[string]string{"works": works}, "works")
		leave := func() tea.Cmd { return p.grant(tab.Quit{Despite: p.front.ID()}) }
		if cmd := leave(); cmd != nil {
			t.Fatal("it leaves, and an agent works in the background")
		}
		p.mustShow("An agent is working in another tab", "• go", "Stay")
		p.wait()
		p.press("esc", "alt+1")
		if cmd := p.grant(tab.Quit{}); cmd != nil {
			t.Fatal("it leaves in the middle of a turn")
		}
		p.mustShow("Quitting stops it in the middle of its turn.")
		p.press("ctrl+n")
		p.ready()
		p.press("a", "l", "s", "o", "enter")
		p.until("both work", func() bool { return p.front.Works() })
		p.grant(tab.Quit{})
		p.mustShow("2 agents are working", "• go", "• also")
		if cmd := p.grant(tab.Quit{Sure: true}); cmd == nil {
			t.Error("who is sure is not let go")
		}
	})
}

func TestTheTitleCountsWhoWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, first, _ := twoTabs(t, map[string]string{"asks": asks}, "asks")
		p.until("it asks", func() bool { return first.State() == conversation.StandingAsks })
		if got := p.Frame().WindowTitle; got != "(asks 1) parley" {
			t.Errorf("the title of the window is %q", got)
		}
		p.mustShow(" 1 ? go")
	})
}

// Who goes from tab to tab by their numbers answers no question that waits in one of them.
func TestTheKeyOfATabAnswersNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, first, second := twoTabs(t, map[string]string{"asks": asks}, "asks")
		p.until("it asks", func() bool { return first.State() == conversation.StandingAsks })
		seen := func() {
			p.press("alt+1")
			p.mustShow("Allow it")
			p.wait()
			p.mustShow("enter: select Allow it")
		}
		seen()
		p.press("alt+1")
		if p.front != first || first.State() != conversation.StandingAsks {
			t.Fatalf("the key of the tab in front has answered:\n%s", p.screen())
		}
		if p.press("alt+2"); p.front != second || first.State() != conversation.StandingAsks {
			t.Fatalf("the key of another tab has answered, or does not show it:\n%s", p.screen())
		}
		seen()
		p.press("1", "enter")
		p.until("it is answered", func() bool { return first.State() != conversation.StandingAsks })
	})
}

// A program that had the terminal, an editor or a shell, may end before the last key that was
// meant for it: no question takes that.
func TestNoQuestionTakesTheKeysOfAnEditor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProgram(t, map[string]string{"asks": asks})
		first := p.front
		p.start(first, "asks")
		p.press("g", "o", "enter")
		p.until("it asks", func() bool { return first.State() == conversation.StandingAsks })
		p.mustShow("Allow it")
		p.wait()
		p.mustShow("enter: select Allow it")
		p.send(tea.ResumeMsg{})
		p.press("1")
		p.mustShow("Allow it", "Pause typing to answer", "❯ 1")
	})
}

// What streams in the background is folded, and costs no frame until the line of
// tabs changes.
func TestTheBackgroundCostsNoFrames(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProgram(t, map[string]string{"says": says, "floods": floods})
		first := p.front
		p.start(first, "floods")
		p.open("says")
		p.press("alt+1", "g", "o", "enter", "alt+2")
		drawn, state := 0, first.State()
		p.until("it has said everything", func() bool {
			if now := first.State(); p.last == first.ID() && p.Changed() && now == state {
				drawn++
			}
			state = first.State()
			return first.State() == conversation.StandingDone
		})
		if drawn > 0 {
			t.Errorf("%d frames would have been drawn for what nobody sees", drawn)
		}
		p.mustShow(" 1 ✓ go")
		if s := p.Frame().Status; len(s) != 2 || s[0].ID != "" || s[0].State != tea.ProgramStateIdle || s[1].ID != "others" || s[1].State != tea.ProgramStateDone {
			t.Errorf("the status is %+v", s)
		}
		p.press("alt+1", "alt+2")
		p.mustShow(" 1 · go")
	})
}

func TestTheLineOfTabs(t *testing.T) {
	th := theme.New(true)
	face := func(s conversation.Standing, title string) tab.Summary { return tab.Summary{State: s, Title: title} }
	long := strings.Repeat("long title ", 5)
	for name, c := range map[string]struct {
		faces []tab.Summary
		front int
		width int
		want  string
	}{
		"states": {
			[]tab.Summary{face(conversation.StandingIdle, "a"), face(conversation.StandingWorking, "b"), face(conversation.StandingAsks, "c"), face(conversation.StandingDone, "d"), face(conversation.StandingFailed, "e"), face(conversation.StandingLost, "f")},
			0, 60,
			" 1 · a  2 ◐ b  3 ? c  4 ✓ d  5 ✗ e  6 † f ",
		},
		"shortened": {[]tab.Summary{face(conversation.StandingIdle, "short"), face(conversation.StandingIdle, long)}, 0, 40, " 1 · short  2 · long title long title … "},
		"the first of many": {
			[]tab.Summary{face(conversation.StandingIdle, long), face(conversation.StandingIdle, long), face(conversation.StandingIdle, long), face(conversation.StandingAsks, long), face(conversation.StandingWorking, long)},
			0, 40,
			" 1 · long titl…  2 · long titl…     3?› ",
		},
		"the last of many": {
			[]tab.Summary{face(conversation.StandingIdle, long), face(conversation.StandingLost, long), face(conversation.StandingDone, long), face(conversation.StandingIdle, long), face(conversation.StandingWorking, long)},
			4, 40,
			" ‹3†  4 · long titl…  5 ◐ long titl… ",
		},
		"one in the middle": {[]tab.Summary{face(conversation.StandingIdle, long), face(conversation.StandingIdle, long), face(conversation.StandingIdle, long)}, 1, 30, " ‹1   2 · long titl…      1 › "},
	} {
		t.Run(name, func(t *testing.T) {
			var l tabLine
			line := l.draw(th, c.faces, c.front, c.width)
			if got := ansi.Strip(line); got != c.want {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
			if w := termtext.Width(line); w > c.width {
				t.Errorf("%d cells wide, and there are %d", w, c.width)
			}
		})
	}
}

// However narrow the terminal is, the tab in front is in the line, and the line fits.
func TestTheLineOfTabsFits(t *testing.T) {
	th := theme.New(false)
	faces := make([]tab.Summary, 12)
	for i := range faces {
		faces[i] = tab.Summary{State: conversation.Standing(i % 6), Title: strings.Repeat("題", i+1)}
	}
	for width := 1; width < 200; width += 3 {
		for n := 1; n <= len(faces); n++ {
			for front := range n {
				var l tabLine
				line := l.draw(th, faces[:n], front, width)
				if w := termtext.Width(line); w > width {
					t.Fatalf("%d tabs, %d in front: %d cells of %d", n, front, w, width)
				}
				if l.at(l.find(front)) != front {
					t.Fatalf("%d tabs in %d cells: tab %d is in front and cannot be seen", n, width, front)
				}
			}
		}
	}
}

// find is the first column of a tab.
func (l *tabLine) find(number int) int {
	for _, p := range l.spans {
		if p.number == number && p.to > p.from {
			return p.from
		}
	}
	return -1
}
