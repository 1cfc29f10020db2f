package tui

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"parley/internal/termtext"
	"parley/tui/tab"
	"parley/tui/theme"
)

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
	p := newProgram(t, map[string]string{"works": works})
	first := p.front
	p.start(first, "works")
	p.mustNotShow(" 1 ·")
	p.press("ctrl+n")
	p.mustShow("this session is still empty")
	if len(p.tabs) != 1 {
		t.Fatal("a session in which nothing was said was left for another one")
	}

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
}

func TestKeysShowTabs(t *testing.T) {
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
	p.press("ctrl+p", "alt+3") // also past what the person has opened
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
}

func TestThePickerOpensATab(t *testing.T) {
	p, first, _ := twoTabs(t, map[string]string{"says": says, "other": idle}, "says")
	p.press("alt+n")
	p.until("the agents are listed", func() bool { return strings.Contains(p.screen(), "● says") })
	p.mustShow("New tab: choose an agent", "other")
	p.press("esc")
	if len(p.tabs) != 2 {
		t.Fatal("nothing was chosen")
	}
	p.press("alt+n")
	p.until("the agents are listed", func() bool { return strings.Contains(p.screen(), "other") })
	p.press("o", "t", "h", "enter")
	p.ready()
	p.mustShow(" 3 · other")
	if len(p.tabs) != 3 || p.front == first {
		t.Error("the agent is not in a new tab")
	}
}

func TestTabsAreNamed(t *testing.T) {
	p, _, _ := twoTabs(t, map[string]string{"says": says}, "says")
	p.press("/", "r", "e", "n", "a", "m", "e", "enter")
	p.mustShow("Name the tab")
	p.press("m", "i", "n", "e", "enter")
	p.mustShow(" 2 · mine")
	p.press("/", "r", "e", "n", "a", "m", "e", "enter", "end", "enter") // enter alone may be a second press
	p.mustShow(" 2 · mine")
}

func TestClosingATabAsksOnlyIfATurnRuns(t *testing.T) {
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
}

func TestLeavingSaysWhoWorks(t *testing.T) {
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
}

func TestTheTitleCountsWhoWaits(t *testing.T) {
	p, first, _ := twoTabs(t, map[string]string{"asks": asks}, "asks")
	p.until("it asks", func() bool { return first.State() == tab.Waiting })
	if got := p.Frame().Title; got != "(1 waiting) parley" {
		t.Errorf("the title of the window is %q", got)
	}
	p.mustShow(" 1 ? go")
}

// Who goes from tab to tab by their numbers answers no question that waits in one of them.
func TestTheKeyOfATabAnswersNothing(t *testing.T) {
	p, first, second := twoTabs(t, map[string]string{"asks": asks}, "asks")
	p.until("it asks", func() bool { return first.State() == tab.Waiting })
	seen := func() {
		p.press("alt+1")
		p.mustShow("Allow it")
		p.wait()
		p.mustShow("1-2 answer")
	}
	seen()
	p.press("alt+1")
	if p.front != first || first.State() != tab.Waiting {
		t.Fatalf("the key of the tab in front has answered:\n%s", p.screen())
	}
	if p.press("alt+2"); p.front != second || first.State() != tab.Waiting {
		t.Fatalf("the key of another tab has answered, or does not show it:\n%s", p.screen())
	}
	seen()
	p.press("1")
	p.until("it is answered", func() bool { return first.State() != tab.Waiting })
}

// A program that had the terminal, an editor or a shell, may end before the last key that was
// meant for it: no question takes that.
func TestNoQuestionTakesTheKeysOfAnEditor(t *testing.T) {
	p := newProgram(t, map[string]string{"asks": asks})
	first := p.front
	p.start(first, "asks")
	p.press("g", "o", "enter")
	p.until("it asks", func() bool { return first.State() == tab.Waiting })
	p.mustShow("Allow it")
	p.wait()
	p.mustShow("1-2 answer")
	p.send(tea.ResumeMsg{})
	p.press("1")
	p.mustShow("Allow it", "Pause typing to answer", "❯ 1")
}

// What streams in the background is folded, and costs no frame until the line of
// tabs changes.
func TestTheBackgroundCostsNoFrames(t *testing.T) {
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
		return first.State() == tab.Done
	})
	if drawn > 0 {
		t.Errorf("%d frames would have been drawn for what nobody sees", drawn)
	}
	p.mustShow(" 1 ✓ go")
	p.press("alt+1", "alt+2")
	p.mustShow(" 1 · go")
}

func TestTheLineOfTabs(t *testing.T) {
	th := theme.New(true)
	face := func(s tab.State, title string) tab.Summary { return tab.Summary{State: s, Title: title} }
	long := strings.Repeat("long title ", 5)
	for name, c := range map[string]struct {
		faces []tab.Summary
		front int
		width int
		want  string
	}{
		"states": {
			[]tab.Summary{face(tab.Idle, "a"), face(tab.Working, "b"), face(tab.Waiting, "c"), face(tab.Done, "d"), face(tab.Failed, "e"), face(tab.Lost, "f")},
			0, 60,
			" 1 · a  2 ◐ b  3 ? c  4 ✓ d  5 ✗ e  6 † f ",
		},
		"shortened": {[]tab.Summary{face(tab.Idle, "short"), face(tab.Idle, long)}, 0, 40, " 1 · short  2 · long title long title … "},
		"the first of many": {
			[]tab.Summary{face(tab.Idle, long), face(tab.Idle, long), face(tab.Idle, long), face(tab.Waiting, long), face(tab.Working, long)},
			0, 40,
			" 1 · long titl…  2 · long titl…     3?› ",
		},
		"the last of many": {
			[]tab.Summary{face(tab.Idle, long), face(tab.Lost, long), face(tab.Done, long), face(tab.Idle, long), face(tab.Working, long)},
			4, 40,
			" ‹3†  4 · long titl…  5 ◐ long titl… ",
		},
		"one in the middle": {[]tab.Summary{face(tab.Idle, long), face(tab.Idle, long), face(tab.Idle, long)}, 1, 30, " ‹1   2 · long titl…      1 › "},
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
		faces[i] = tab.Summary{State: tab.State(i % 6), Title: strings.Repeat("題", i+1)}
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
