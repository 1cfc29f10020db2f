package tui

import (
	"image/color"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"parley/config"
	"parley/internal/termtext"
	"parley/internal/test"
	"parley/tui/tab"
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
	p := newProgram(t, map[string]string{"idle": idle, "asks": asks})
	front := p.front
	p.start(front, "idle")
	back := p.open("asks")
	p.press("g", "o", "enter")
	p.show(front)
	p.until("the other one asks", func() bool { return shows(back, "Allow it") })

	// What the person types is for the tab on the screen.
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
	p.mustShow("About to launch.", "Launch", "Allow it", "Pause typing to answer")
	p.press("y")
	p.mustShow("❯ y", "Allow it")
	p.clock = p.clock.Add(time.Minute)
	p.press("down", "enter")
	p.until("the agent goes on", func() bool { return shows(back, "you: Allow it") && shows(back, "Launched.") })
	p.mustNotShow("Permission")
}

// All open questions stand in one list. enter goes to one, and answers nothing.
func TestTheListOfWaitingQuestions(t *testing.T) {
	p := newProgram(t, map[string]string{"idle": idle, "asks": asks, "twice": asksTwice})
	front := p.front
	p.start(front, "idle")
	p.press("alt+a")
	p.mustShow("no question is waiting")
	one := p.open("asks")
	p.press("g", "o", "enter")
	two := p.open("twice")
	p.press("g", "o", "enter")
	p.show(front)
	p.until("both ask", func() bool { return shows(one, "Allow it") && shows(two, "1 of 2") })

	p.press("alt+a")
	p.mustShow("Waiting questions", "tab 2", "run  Launch", "tab 3", "run  Clean", "run  Push", "enter goes to the question")
	p.press("down")
	p.mustShow("rm -rf build") // the whole command of the marked one
	p.press("down", "enter")
	if p.front != two {
		t.Fatal("enter did not go to the tab")
	}
	p.mustShow("git push", "2 of 2", "Pause typing to answer")
	p.press("enter", "1")
	p.mustShow("git push", "2 of 2") // a key that was meant for the list answers nothing

	p.press("alt+a")
	p.mustShow("Waiting questions", "run  Launch")
	p.press("enter")
	p.clock = p.clock.Add(time.Minute)
	if p.front != one {
		t.Error("the list does not open above a question")
	}
}

func TestASessionInTheBackgroundStreams(t *testing.T) {
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
}

func TestOnlyWhatIsSeenTicks(t *testing.T) {
	p := newProgram(t, map[string]string{"idle": idle, "works": works, "asks": asks})
	front := p.front
	p.start(front, "idle")
	p.until("nothing moves", func() bool { return !front.Moves() && !p.ticking })
	back := p.open("works")
	p.press("g", "o", "enter")
	p.until("the other one works", func() bool { return shows(back, "working") })
	if !p.ticking {
		t.Error("nothing ticks while a turn runs")
	}
	p.show(front)
	p.until("it does not tick any more", func() bool { return !p.ticking })
	if !back.Moves() {
		t.Fatal("the turn has ended")
	}
	p.send(nil)
	if p.ticking {
		t.Error("it ticks for a tab that nobody sees")
	}
	p.show(back)
	p.send(nil)
	if !p.ticking {
		t.Error("nothing ticks when the tab is shown again")
	}
	waits := p.open("asks")
	p.press("g", "o", "enter")
	p.until("it waits for the person", func() bool { return shows(waits, "waiting for you") && !p.ticking })
	if waits.Moves() {
		t.Error("something moves while the agent waits for the person")
	}
}

func TestTabsClose(t *testing.T) {
	p := newProgram(t, map[string]string{"idle": idle})
	first := p.front
	p.start(first, "idle")
	second := p.open("idle")
	third := p.add()
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
}

// A session whose tab is closed before it was made is let go of.
func TestATabThatClosesWhileItStarts(t *testing.T) {
	p := newProgram(t, map[string]string{"idle": idle})
	gone := p.add()
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
}

// The first agent is started before there is a screen. If there never is one, it is
// ended all the same.
func TestAnAgentWithoutAScreen(t *testing.T) {
	p := newProgram(t, map[string]string{"idle": idle})
	p.Model.start(&config.Agent{ID: "idle"})
	p.shutdown()
	if p.closed.Load() != 1 {
		t.Error("its session is not closed")
	}
	if n := p.running.Load(); n != 0 {
		t.Error("its agent is left")
	}
}

func TestTheThemeIsForAllTabs(t *testing.T) {
	p := newProgram(t, map[string]string{"idle": idle})
	p.start(p.front, "idle")
	back := p.add()
	dark := [2]string{p.draw().Lines[1+p.lineHeight()], back.Draw(80, 24).Lines[1]}
	p.send(tea.BackgroundColorMsg{Color: color.White})
	light := [2]string{p.draw().Lines[1+p.lineHeight()], back.Draw(80, 24).Lines[1]}
	if dark[0] == light[0] || dark[1] == light[1] || light[0] != light[1] {
		t.Errorf("on a dark terminal %q, on a light one %q", dark, light)
	}
}

// A terminal that says how it measures text is believed.
func TestTheTerminalSaysHowItMeasuresText(t *testing.T) {
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
}
