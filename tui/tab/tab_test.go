package tab

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"parley/acpclient"
	"parley/internal/command"
	"parley/internal/conversation"
	"parley/internal/test"
	"parley/tui/dialog"
)

func permissionEvent(id int, title string) conversation.Event {
	return conversation.PermissionOpened{ID: id, Request: &acpclient.RequestPermissionRequest{
		ToolCall: acpclient.ToolCallUpdate{ToolCallID: acpclient.ToolCallID(title), Title: &title},
		Options: []acpclient.PermissionOption{
			{OptionID: "yes", Name: "Allow it", Kind: acpclient.AllowOnce},
			{OptionID: "no", Name: "Reject it", Kind: acpclient.RejectOnce},
		},
	}}
}

func TestKeysGoToThePromptWhileAQuestionIsInert(t *testing.T) {
	b := newBench(t, t.TempDir())
	b.press("h", "i")
	b.events(conversation.PromptSent{At: b.clock}, permissionEvent(1, "Launch"))
	b.mustShow(t, "Launch", "Allow it", "❯ hi")
	b.press("y", "1")
	b.mustShow(t, "❯ hiy1", "Allow it")
	b.clock = b.clock.Add(2 * time.Second)
	b.press("/", "d", "a", "y", "1") // it takes keys now, but a word that begins is not an answer
	b.mustShow(t, "❯ hiy1/day1", "Allow it")
	b.clock = b.clock.Add(2 * time.Second)
	b.press("down")
	b.mustShow(t, "❯ hiy1/day1")
}

func TestInterruptClearsCancelsAndLeaves(t *testing.T) {
	b := newBench(t, t.TempDir())
	b.press("d", "r", "a", "f", "t")
	b.press("ctrl+c")
	b.mustNotShow(t, "draft")
	b.press("up")
	b.mustShow(t, "❯ draft") // it is kept in the history
	b.press("ctrl+c", "ctrl+c")
	b.mustShow(t, "again: quit")
	b.clock = b.clock.Add(time.Minute)
	b.mustNotShow(t, "again: quit")
	b.press("ctrl+c")
	if got := b.Update(keyPress("ctrl+c"))(); got != (Quit{Despite: b.ID()}) {
		t.Errorf("a second press did %#v", got)
	}
}

func TestTheStatusLineSaysWhereWeAre(t *testing.T) {
	b := newBench(t, t.TempDir())
	b.columns, b.rows = 120, 30
	b.events(
		conversation.Update{Update: &acpclient.UsageUpdate{Used: 150_000, Size: 200_000, Cost: &acpclient.Cost{Amount: 1.5, Currency: "EUR"}}},
		conversation.OptionChosen{Seq: 1, Option: conversation.LegacyModeID, Value: acpclient.SelectValue("code")},
	)
	b.mustShow(t, "Coding…", "75% of 200k", "€1.50", "agent 1")
	b.events(conversation.OptionSettled{Seq: 1, Option: conversation.LegacyModeID, Err: errors.New("not today")})
	b.mustShow(t, " Asking ", "Mode was not changed", "not today")
}

func TestNothingSaidForAMomentReachesTheTerminalRaw(t *testing.T) {
	b := newBench(t, t.TempDir())
	b.Update(ErrorMsg{Err: errors.New("it said \x1b]0;owned\x07\x1b[2J so")})
	b.mustShow(t, "it said  so")
	if s := strings.Join(b.draw().Lines, "\n"); strings.Contains(s, "\x1b]0") || strings.Contains(s, "\x1b[2J") {
		t.Error("a control sequence is on the screen")
	}
}

func TestAPageIsAPageWhereverTheFocusIs(t *testing.T) {
	places := map[bool]string{}
	for _, focused := range []bool{false, true} {
		b := newBench(t, t.TempDir())
		for i := range 100 {
			b.events(conversation.Text{Chunk: acpclient.AgentMessageChunk, Text: strings.Repeat("x", i) + "\n\n"})
		}
		b.screen()
		if focused {
			b.press("tab")
		}
		b.press("pgup")
		for _, line := range strings.Split(b.screen(), "\n")[:15] {
			places[focused] += strings.Trim(line, "▌ ") + "\n" // the bar of the selected item
		}
	}
	if places[false] != places[true] {
		t.Errorf("from the prompt:\n%s\nfrom the transcript:\n%s", places[false], places[true])
	}
}

func TestInterruptClosesWhatThePersonHasOpened(t *testing.T) {
	b := newBench(t, t.TempDir())
	b.press("ctrl+p")
	b.mustShow(t, "Command palette")
	b.press("ctrl+c")
	b.mustNotShow(t, "Command palette")
}

func TestACancelThatIsIgnoredOffersToStopTheAgent(t *testing.T) {
	b := newBench(t, t.TempDir())
	b.events(conversation.PromptSent{At: b.clock}, conversation.CancelRequested{At: b.clock})
	b.mustShow(t, "cancelling 0s")
	b.clock = b.clock.Add(10 * time.Second)
	b.mustShow(t, "does not respond")
	b.press("esc")
	b.mustShow(t, "Stop the agent", "Keep waiting")
	b.events(conversation.TurnEnded{Reason: acpclient.StopCancelled, At: b.clock})
	b.mustNotShow(t, "Stop the agent")
}

// A question whether to leave a working agent goes when the agent has finished.
func TestAQuestionAboutATurnEndsWithIt(t *testing.T) {
	for name, ask := range map[string]func(b *bench){
		"quit":  func(b *bench) { b.AskToLeave(func() []string { return []string{"this one"} }) },
		"close": func(b *bench) { b.leaving.askToClose("The agent is working", "", b.Works) },
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, t.TempDir())
			b.events(conversation.PromptSent{At: b.clock})
			ask(b)
			b.events(test.Up(t, test.AgentSays("a", "so")))
			b.mustShow(t, "The agent is working")
			b.events(conversation.TurnEnded{At: b.clock})
			b.mustNotShow(t, "The agent is working")
		})
	}
}

// The clocks of the turn and of a call that works go on with what moves. While the
// user is asked nothing moves, and the turn's clock stands still.
func TestClocksStandStillWhileThePersonIsAsked(t *testing.T) {
	b := newBench(t, t.TempDir())
	at := func(e conversation.Event) conversation.Event { return test.At(e, b.clock) }
	b.events(at(conversation.PromptSent{}), at(conversation.Update{Update: &acpclient.ToolCall{
		ToolCallID: "a", Title: "make all", Kind: acpclient.ToolExecute, Status: acpclient.ToolInProgress,
	}}))
	b.clock = b.clock.Add(20 * time.Second)
	b.mustShow(t, "working 20s", "make all  20s")
	if !b.Moves() {
		t.Error("nothing moves in a turn")
	}
	b.events(at(permissionEvent(1, "Launch")))
	b.clock = b.clock.Add(time.Hour)
	b.mustShow(t, "Waiting for you")
	if b.Moves() {
		t.Error("something moves while the person is asked")
	}
	b.events(at(conversation.QuestionClosed{ID: 1}))
	b.say("") // which says that the question was taken back
	b.clock = b.clock.Add(5 * time.Second)
	b.mustShow(t, "working 25s")
	b.events(at(conversation.TurnEnded{Reason: acpclient.StopEndTurn}))
	b.mustShow(t, "worked 25s")
}

func TestAClickSetsTheCursor(t *testing.T) {
	b := newBench(t, t.TempDir())
	b.press("h", "e", "l", "l", "o")
	end := *b.draw().Cursor
	b.Update(tea.MouseClickMsg{X: end.X - 3, Y: end.Y, Button: tea.MouseLeft})
	if at := *b.draw().Cursor; at.X != end.X-3 || at.Y != end.Y {
		t.Errorf("the cursor is at %d,%d, and was clicked to %d,%d", at.X, at.Y, end.X-3, end.Y)
	}
}

func TestASlowStartSaysSo(t *testing.T) {
	b := newBench(t, t.TempDir())
	b.events(conversation.AgentStarting{Command: "npx slow-agent", At: b.clock})
	b.mustShow(t, "starting npx slow-agent")
	b.clock = b.clock.Add(7 * time.Second)
	b.mustShow(t, "still starting npx slow-agent, 7s")
	b.open().Agent.Name = "Slow agent"
	b.mustShow(t, "still starting Slow agent, 7s")
}

// Whatever the size and whatever happens, the screen is exactly as large as the
// terminal.
func TestTheScreenFitsTheTerminal(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("HOME", dir)
	rapid.Check(t, func(rt *rapid.T) {
		b := newBench(t, dir)
		width, height := rapid.IntRange(1, 130).Draw(rt, "width"), rapid.IntRange(1, 50).Draw(rt, "height")
		b.columns, b.rows = width, height
		for range rapid.IntRange(0, 12).Draw(rt, "steps") {
			switch rapid.IntRange(0, 8).Draw(rt, "step") {
			case 0:
				b.events(conversation.PromptSent{At: b.clock, Prompt: []acpclient.ContentBlock{acpclient.TextBlock(rapid.String().Draw(rt, "prompt"))}})
			case 1:
				b.events(conversation.Text{Chunk: acpclient.AgentMessageChunk, Text: rapid.String().Draw(rt, "text")})
			case 2:
				b.events(permissionEvent(rapid.IntRange(1, 3).Draw(rt, "id"), rapid.String().Draw(rt, "title")))
			case 3:
				b.events(conversation.QueueChanged{Paused: true, Queue: []conversation.QueuedPrompt{{ID: 1, Prompt: []acpclient.ContentBlock{acpclient.TextBlock("later")}}}})
			case 4:
				b.press(rapid.SampledFrom([]string{"a", "enter", "tab", "up", "pgup", "home", "end", "f1", "f2", "ctrl+p", "ctrl+o", "esc", "/", "@", "shift+tab"}).Draw(rt, "key"))
			case 5:
				b.clock = b.clock.Add(time.Second)
			case 6:
				b.events(conversation.TurnEnded{Reason: acpclient.StopRefusal})
			case 7: // the transcript is read
				b.press(rapid.SampledFrom([]string{"tab", "ctrl+f", "ctrl+e", "f9", "f", "v", "w", "l", "n", "[", "j", "k", "y", "c", "enter", "esc", "ctrl+u"}).Draw(rt, "key"))
			case 8:
				at := tea.Mouse{X: rapid.IntRange(0, width).Draw(rt, "x"), Y: rapid.IntRange(0, height).Draw(rt, "y"), Button: tea.MouseLeft}
				b.Update(rapid.SampledFrom([]tea.Msg{tea.MouseClickMsg(at), tea.MouseMotionMsg(at), tea.MouseReleaseMsg(at)}).Draw(rt, "mouse"))
			}
			s := b.draw()
			if len(s.Lines) != height {
				rt.Fatalf("%d lines on a terminal of %d", len(s.Lines), height)
			}
			for _, line := range s.Lines {
				if w := ansi.StringWidth(line); w > width {
					rt.Fatalf("a line of %d cells on a terminal of %d: %q", w, width, line)
				}
			}
			if c := s.Cursor; c != nil && (c.X < 0 || c.X >= width || c.Y < 0 || c.Y >= height) {
				rt.Fatalf("the cursor is at %d,%d on %dx%d", c.X, c.Y, width, height)
			}
		}
	})
}

// A frame while an answer streams, paragraph by paragraph: the fold, and drawing the
// screen. It must cost the same however long the session is.
func BenchmarkFrame(bb *testing.B) {
	const itemsOfTurn, wordsOfParagraph = 2, 100
	for _, items := range []int{100, 1000, 10_000, 100_000} {
		bb.Run(fmt.Sprintf("items=%d", items), func(bb *testing.B) {
			b := newBench(bb, bb.TempDir())
			b.columns, b.rows = 120, 40
			for range items / itemsOfTurn {
				b.events(conversation.PromptSent{At: b.clock, Prompt: []acpclient.ContentBlock{acpclient.TextBlock("question")}},
					conversation.Text{Chunk: acpclient.AgentMessageChunk, Text: "An **answer** of\n\n- some\n- length\n"}, conversation.TurnEnded{At: b.clock})
			}
			b.events(conversation.PromptSent{At: b.clock})
			bb.ReportAllocs()
			for i := 1; bb.Loop(); i++ {
				text := "word "
				if i%wordsOfParagraph == 0 {
					text = "word.\n\n"
				}
				b.events(conversation.Text{Chunk: acpclient.AgentMessageChunk, Text: text})
				b.draw()
			}
		})
	}
}

// sayings are events that bring a text to each place of the screen.
func sayings(text func(string) string) []conversation.Event {
	input := fmt.Appendf(nil, `{"command":%q}`, text("command"))
	return []conversation.Event{
		conversation.AgentReady{Info: &acpclient.InitializeResponse{AgentInfo: &acpclient.Implementation{Name: text("agent"), Version: "1"}}},
		conversation.SessionOpened{ID: "s", Cwd: "/" + text("cwd"), State: acpclient.SessionState{Modes: &acpclient.SessionModeState{
			CurrentModeID: "a", AvailableModes: []acpclient.SessionMode{{ID: "a", Name: text("mode")}},
		}}},
		conversation.PromptSent{Prompt: []acpclient.ContentBlock{acpclient.TextBlock(text("prompt"))}},
		conversation.Text{Chunk: acpclient.AgentThoughtChunk, Text: text("thought")},
		conversation.Text{Chunk: acpclient.AgentMessageChunk, Text: text("message")},
		conversation.Update{Update: &acpclient.ToolCall{
			ToolCallID: "t", Title: text("title"), Kind: acpclient.ToolExecute, RawInput: input,
			Locations: []acpclient.ToolCallLocation{{Path: text("path")}},
		}},
	}
}

// All that is on the screen is on the terminal's screen: no line is longer there
// than it was planned, in whatever part of the screen.
func TestTheScreenReachesTheTerminal(t *testing.T) {
	for _, on := range test.TerminalSettings() {
		t.Run(on.String(), func(t *testing.T) {
			test.UseWidthMethod(t, on.Method)
			dir := t.TempDir()
			rapid.Check(t, func(r *rapid.T) {
				b := newBench(t, dir)
				text := func(name string) string { return strings.ToValidUTF8(test.HardText(8).Draw(r, name), "\ufffd") }
				b.events(sayings(text)...)
				if rapid.Bool().Draw(r, "asked") {
					p := permissionEvent(1, text("question"))
					b.events(p)
					b.clock = b.clock.Add(time.Second)
				}
				for _, k := range rapid.SliceOfN(rapid.SampledFrom([]string{"tab", "enter", "f2", "esc", "x"}), 0, 4).Draw(r, "keys") {
					b.press(k)
				}
				b.columns, b.rows = rapid.IntRange(20, 120).Draw(r, "columns"), rapid.IntRange(10, 60).Draw(r, "rows")
				for y, line := range b.draw().Lines {
					if lost := test.MissingText(test.ShowOnTerminal(on.Kind, []string{line}, b.columns), ansi.Strip(line)); lost != "" {
						r.Fatalf("row %d lacks %+q: %q", y, lost, line)
					}
				}
			})
		})
	}
}

// A command that a user is asked about stands on the screen, whatever emoji are
// in it.
func TestACommandIsSeenWhole(t *testing.T) {
	command := "echo " + strings.Repeat("👍🏽", 30) + " ; rm -rf ~/important ; echo ok"
	b := newBench(t, t.TempDir())
	b.events(conversation.Update{Update: &acpclient.ToolCall{
		ToolCallID: "Run", Title: "Run", Kind: acpclient.ToolExecute, RawInput: []byte(`{"command":"` + command + `"}`),
	}}, permissionEvent(1, "Run"))
	b.columns, b.rows = 100, 40
	screen := test.ShowOnTerminal(test.Wcwidth, b.draw().Lines, 100)
	if lost := test.MissingText(screen, command); lost != "" {
		t.Errorf("the screen lacks %q\n%s", lost, screen)
	}
}

// No character that cannot be seen gets from the agent to the screen or to the
// title of the window.
func TestHiddenCharactersStayAway(t *testing.T) {
	hidden := []string{
		"\u200b", "\u200c", "\u2060", "\u00ad", "\u3164", "\u115f", "\uffa0", "\u180e", "\u034f", "\ufff9", "\ufffa", "\ufffb",
		"\U000e0041", "\u202e",
	}
	odd := "in" + strings.Join(hidden, "x") + "out"
	b := newBench(t, t.TempDir())
	b.rows = 60
	b.events(
		conversation.SessionOpened{ID: "s", Cwd: b.cwd, State: acpclient.SessionState{Modes: &acpclient.SessionModeState{
			CurrentModeID: "m", AvailableModes: []acpclient.SessionMode{{ID: "m", Name: odd}},
		}}},
		conversation.PromptSent{At: b.clock},
		conversation.Text{Chunk: acpclient.AgentMessageChunk, Text: odd + "\n\n`" + odd + "`\n\n```\n" + odd + "\n```\n\n| a | b |\n|--|--|\n| " + odd + " | c |\n\n"},
		conversation.Text{Chunk: acpclient.AgentThoughtChunk, Text: odd},
		permissionEvent(1, odd),
		conversation.Update{Update: &acpclient.SessionInfoUpdate{Title: acpclient.Field[string]{Set: true, Value: &odd}}},
	)
	check := func(what, text string) {
		t.Helper()
		for _, h := range hidden {
			if strings.Contains(text, h) {
				t.Errorf("%s has %+q:\n%s", what, h, text)
			}
		}
	}
	check("the screen", b.screen())
	b.dialogs.Push(dialog.NewSelector(b.env(), command.Choice{Title: odd, Items: []command.Item{{ID: "1", Title: odd, Detail: odd, Group: odd, About: odd}}}))
	check("a list", b.screen())
	check("the title", b.Title())
}

func TestTheTitleIsBounded(t *testing.T) {
	b := newBench(t, t.TempDir())
	for _, long := range []string{strings.Repeat("words ", 100_000), "a" + strings.Repeat("\u0301", 100_000), strings.Repeat("日", 1000)} {
		b.events(conversation.Update{Update: &acpclient.SessionInfoUpdate{Title: acpclient.Field[string]{Set: true, Value: &long}}})
		const most = 80
		if got := b.Title(); got == "" || ansi.StringWidth(got) > most || len(got) > 17*most {
			t.Errorf("the title has %d bytes and %d cells", len(got), ansi.StringWidth(got))
		}
	}
}
