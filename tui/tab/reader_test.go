package tab

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"parley/acpclient"
	"parley/internal/command"
	"parley/internal/conversation"
	"parley/tui/desktop"
)

// results are the messages that a command brings within a while: timers among its
// parts are not waited for once there are as many as are wanted.
func results(t *testing.T, cmd tea.Cmd, wanted int) []tea.Msg {
	t.Helper()
	found := make(chan tea.Msg, 16)
	var look func(tea.Cmd)
	look = func(c tea.Cmd) {
		if c == nil {
			return
		}
		msg := c()
		if to, ok := msg.(Msg); ok {
			msg = to.Msg
		}
		if batch, ok := msg.(tea.BatchMsg); ok {
			for _, c := range batch {
				go look(c)
			}
			return
		}
		found <- msg
	}
	go look(cmd)
	var out []tea.Msg
	for len(out) < wanted {
		select {
		case m := <-found:
			out = append(out, m)
		case <-time.After(time.Minute):
			t.Fatalf("the command brings only %v", out)
		}
	}
	return out
}

func say(text string) conversation.Event {
	return conversation.Text{Chunk: acpclient.AgentMessageChunk, Text: text}
}

func promptSent(b *bench, text string) conversation.Event {
	return conversation.PromptSent{At: b.clock, Prompt: []acpclient.ContentBlock{acpclient.TextBlock(text)}}
}

// sent presses keys and returns what the last one put on the terminal's clipboard,
// "" if it only said something. way is the program for the system's clipboard, fails
// why it does not take the text.
func (b *bench) sent(t *testing.T, way string, fails error, keys ...string) string {
	t.Helper()
	b.program.Clipboard = func(context.Context, string) (string, error) { return way, fails }
	b.press(keys[:len(keys)-1]...)
	b.say("")
	return b.copied(t, b.Update(keyPress(keys[len(keys)-1])))
}

// copied carries out a command that copies, and returns what it put on the
// terminal's clipboard.
func (b *bench) copied(t *testing.T, cmd tea.Cmd) (text string) {
	t.Helper()
	if b.toast.text != "" {
		return "" // it said why there is nothing to copy
	}
	for _, msg := range results(t, cmd, 2) {
		if c, ok := msg.(Copy); ok {
			text = c.Text
			continue
		}
		b.Update(msg)
	}
	return text
}

func TestFindsWhileAQuestionWaits(t *testing.T) {
	b := newBench(t, t.TempDir())
	b.events(promptSent(b, "go"))
	for i := range 30 {
		b.events(say(fmt.Sprintf("Line %d\n\n", i)))
	}
	b.events(permissionEvent(1, "Launch"))
	b.screen()
	b.clock = b.clock.Add(2 * time.Second)
	b.mustShow(t, "Launch", "enter: select Allow it")
	b.press("ctrl+f")
	b.mustShow(t, "find words", "tab to answer", "Allow it")
	b.press("1", "2") // are looked for, and answer nothing
	b.mustShow(t, "find 12", "1 of 1", "Line 12", "Allow it")
	b.press("enter", "1")
	b.mustShow(t, "tab returns to the question", "Line 12", "Allow it")
	b.press("esc")
	b.mustNotShow(t, "1 of 1")
	b.mustShow(t, "Line 12", "Allow it") // the view stays
	b.mustNotShow(t, "tab to answer")
}

func TestFindCountsAndWalks(t *testing.T) {
	b := newBench(t, t.TempDir())
	b.events(promptSent(b, "go"))
	for i := range 30 {
		b.events(say(fmt.Sprintf("A needle, the %dth\n\n", i+1)))
	}
	b.screen()
	b.press("home", "d", "r", "a", "f", "t", "ctrl+f")
	b.mustShow(t, "find words", "enter next")
	if c := b.draw().Cursor; c == nil || c.X != len("  find ") {
		t.Errorf("the cursor is at %v", c)
	}
	b.press("n", "e", "e", "d")
	b.mustShow(t, "find need", "1 of 30", "❯ draft")
	b.press("enter", "n", "n", "N")
	b.mustShow(t, "3 of 30", "the 3th")
	b.press("up", "up", "up")
	b.mustShow(t, "30 of 30")
	b.press("/", "x")
	b.mustShow(t, "find needx", "no match")
	b.press("esc")
	b.mustNotShow(t, "needx")
	b.press("!")
	b.mustShow(t, "❯ draft!") // the prompt has the keys again
}

func TestLooksOnInALongSession(t *testing.T) {
	b := newBench(t, t.TempDir())
	long := strings.Repeat("Some words that are not what is looked for. ", 20_000)
	for range 12 {
		b.events(promptSent(b, long), say("A needle."), conversation.TurnEnded{Reason: acpclient.StopEndTurn})
	}
	b.screen()
	b.press("ctrl+f")
	var cmd tea.Cmd
	for _, c := range "needle" {
		if next := b.Update(keyPress(string(c))); next != nil {
			cmd = next
		}
	}
	b.mustShow(t, "…")
	for range 100 {
		if cmd == nil {
			break
		}
		cmd = b.Update(results(t, cmd, 1)[0])
	}
	b.mustShow(t, "1 of 12")
}

func TestTheTranscriptIsReadWhileAQuestionWaits(t *testing.T) {
	b := newBench(t, t.TempDir())
	for i := range 5 {
		b.events(promptSent(b, fmt.Sprintf("Prompt %d", i)), say(strings.Repeat("words\n\n", 20)))
	}
	b.events(permissionEvent(1, "Launch"))
	b.clock = b.clock.Add(2 * time.Second)
	b.screen()
	b.press("pgup")
	b.mustShow(t, "more below", "enter: select Allow it") // the question has the keys still
	b.press("alt+t")
	b.mustShow(t, "tab to answer", "tab answer")
	for _, key := range []string{"1", "2", "9", "a", "d", "y", "n"} {
		b.press(key)
		b.mustShow(t, "Allow it", "tab to answer")
	}
	b.press("1")
	b.mustShow(t, "tab returns to the question")
	b.press("[")
	b.mustShow(t, "Prompt 4")
	b.press("[")
	b.mustShow(t, "Prompt 3", "%")
	b.press("home")
	b.mustShow(t, "Prompt 0")
	b.press("end", "esc")
	b.mustShow(t, "Allow it")
	b.mustNotShow(t, "tab to answer")
	if !b.conv().Turn.Cancelling.IsZero() {
		t.Error("esc cancelled the turn as well")
	}
}

func TestCopiesWhatThereIsToCopy(t *testing.T) {
	b := newBench(t, t.TempDir())
	b.columns, b.rows = 100, 60
	old := "one\n"
	b.events(
		promptSent(b, "Do it."),
		say("Run\n\n```sh\nmake \x1b[31mtest\n```\n\nor\n\n```go\nfunc f() {}\n```\n\u202eend"),
		conversation.Update{Update: &acpclient.ToolCall{
			ToolCallID: "1", Title: "Test", Kind: acpclient.ToolExecute, RawInput: []byte(`{"command": "make test"}`),
			Content: []acpclient.ToolCallContent{
				{Type: acpclient.ToolContentBlock, Content: &acpclient.ContentBlock{Type: acpclient.ContentText, Text: "ok\nall 12"}},
				acpclient.DiffContent(b.cwd+"/a.txt", &old, "two\n"),
			},
		}},
	)
	b.screen()
	for _, c := range []struct{ keys, want, said string }{
		{"tab C", "make test", "copied the command, 9 characters (test-copy)"},
		{"O", "ok\nall 12", "copied the output, 9 characters (test-copy)"},
		{"p", "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+two\n", "copied the change as a patch, 46 characters (test-copy)"},
		{"c", "", "this item has no code block"},
		{"k c", "make test", "copied code block 1 of 2, 9 characters (test-copy), without control and hidden characters"},
		{"c", "func f() {}", "copied code block 2 of 2, 11 characters (test-copy)"},
		{"c", "make test", "copied code block 1 of 2"},
		{"C", "", "this item has no command"},
		{"O", "", "this item has no output"},
		{"p", "", "this item has no change"},
		{"y", "Run\n\n```sh\nmake test\n```\n\nor\n\n```go\nfunc f() {}\n```\nend", "copied 55 characters (test-copy), without"},
		{"k v j y", "Do it.\n\nRun\n\n```sh\nmake test\n```\n\nor\n\n```go\nfunc f() {}\n```\nend", "copied 63 characters"},
	} {
		if got := b.sent(t, "test-copy", nil, strings.Fields(c.keys)...); got != c.want {
			t.Errorf("%s copied %q, want %q", c.keys, got, c.want)
		}
		b.mustShow(t, c.said)
	}
}

func TestSaysHowItWasCopied(t *testing.T) {
	b := newBench(t, t.TempDir())
	b.events(promptSent(b, "x"))
	b.columns = 160
	b.screen()
	b.press("tab")
	b.sent(t, "", desktop.ErrNoClipboard, "y")
	b.mustShow(t, "sent 1 character to the terminal (OSC 52), which may refuse it")
	b.mustNotShow(t, "copied")
	b.sent(t, "", errors.New("xclip: exit status 1"), "y")
	b.mustShow(t, "sent 1 character to the terminal (OSC 52), which may refuse it; xclip: exit status 1")
}

func TestWhatIsTooLongForTheTerminalGoesToTheSystemAlone(t *testing.T) {
	b := newBench(t, t.TempDir())
	b.columns = 160
	long := strings.Repeat("x", mostToTerminal+1)
	if cmd := b.copy("", long); len(results(t, cmd, 1)) != 1 {
		t.Error("nothing comes of it")
	}
	for err, want := range map[error]string{nil: "copied 1048577 characters (test-copy)", desktop.ErrNoClipboard: "not copied: 1048577 characters: too much for the terminal's clipboard (OSC 52), and no clipboard program was found"} {
		b.program.Clipboard = func(context.Context, string) (string, error) { return "test-copy", err }
		for _, msg := range results(t, b.copy("", long), 1) {
			if _, ok := msg.(Copy); ok {
				t.Error("it went to the terminal")
			}
			b.Update(msg)
		}
		b.mustShow(t, want)
	}
}

// pointer is an event of the mouse at the beginning of a text on the screen, or so
// many cells right of it.
func (b *bench) pointer(t *testing.T, text string, right int) tea.Mouse {
	t.Helper()
	for y, line := range b.draw().Lines {
		if before, _, ok := strings.Cut(ansi.Strip(line), text); ok {
			return tea.Mouse{X: ansi.StringWidth(before) + right, Y: y, Button: tea.MouseLeft}
		}
	}
	t.Fatalf("%q is not on the screen:\n%s", text, b.screen())
	return tea.Mouse{}
}

func TestDraggingMarksAndCopies(t *testing.T) {
	b := newBench(t, t.TempDir())
	b.columns = 40
	b.events(say("Some **bold** words that are long enough to be wrapped."))
	b.press("d", "r", "a", "f", "t")
	b.program.Clipboard = func(context.Context, string) (string, error) { return "test-copy", nil }
	b.Update(tea.MouseClickMsg(b.pointer(t, "bold", 0)))
	b.Update(tea.MouseMotionMsg(b.pointer(t, "enough", 5)))
	text := b.copied(t, b.Update(tea.MouseReleaseMsg(b.pointer(t, "enough", 5))))
	if want := "bold words that are long enough"; text != want {
		t.Errorf("copied %q, want %q", text, want)
	}
	b.mustShow(t, "copied 31 characters (test-copy)", "❯ draft")
	if !b.list().Spanning() {
		t.Error("the marks are gone")
	}
	b.press("!")
	b.mustShow(t, "❯ draft!")
	if b.list().Spanning() {
		t.Error("the marks stay while the person types")
	}
}

func TestClicksMarkWordsAndLines(t *testing.T) {
	b := newBench(t, t.TempDir())
	b.events(say("See ./main.go, and more."))
	at := b.pointer(t, "main", 0)
	click := func() {
		b.Update(tea.MouseClickMsg(at))
		b.Update(tea.MouseReleaseMsg(at))
	}
	click()
	if b.list().Spanning() || b.list().Selected() == nil {
		t.Error("one click does not select the item alone")
	}
	click()
	if got := b.list().SpanText(); got != "./main.go" {
		t.Errorf("two clicks mark %q", got)
	}
	click()
	if got := b.list().SpanText(); got != "See ./main.go, and more." {
		t.Errorf("three clicks mark %q", got)
	}
}

func TestAClickOnASelectedItemExpandsIt(t *testing.T) {
	b := newBench(t, t.TempDir())
	b.events(conversation.Text{Chunk: acpclient.AgentThoughtChunk, Text: "First.\n\nSecond."}, say("x"))
	at := b.pointer(t, "First", 0)
	for _, want := range []bool{false, true, false} {
		b.clock = b.clock.Add(time.Second)
		b.Update(tea.MouseClickMsg(at))
		b.Update(tea.MouseReleaseMsg(at))
		if got := strings.Contains(b.screen(), "Second."); got != want {
			t.Fatalf("expanded %v, want %v:\n%s", got, want, b.screen())
		}
	}
}

func TestDraggingBeyondTheEdgeScrolls(t *testing.T) {
	b := newBench(t, t.TempDir())
	for i := range 60 {
		b.events(say(fmt.Sprintf("Line %d\n\n", i)))
	}
	b.Update(tea.MouseClickMsg(b.pointer(t, "Line 59", 0)))
	cmd := b.Update(tea.MouseMotionMsg{X: 2, Y: 0, Button: tea.MouseLeft})
	for range 10 {
		cmd = b.Update(results(t, cmd, 1)[0])
	}
	b.mustShow(t, "more below")
	b.Update(tea.MouseReleaseMsg{X: 2, Y: 0, Button: tea.MouseLeft})
	if cmd = b.Update(results(t, cmd, 1)[0]); cmd != nil {
		t.Error("it goes on scrolling when the button is up")
	}
	if got := b.list().SpanText(); !strings.HasSuffix(got, "Line 58\n\nL") || strings.Count(got, "\n\n") < 12 {
		t.Errorf("marked %q", got)
	}
}

func TestAnItemOnTheWholeScreen(t *testing.T) {
	for _, size := range []struct{ columns, rows int }{{100, 30}, {40, 12}} {
		b := newBench(t, t.TempDir())
		b.columns, b.rows = size.columns, size.rows
		b.events(promptSent(b, "go"), say("Begin.\n\n```\n"+strings.Repeat("x", 150)+" end of the long line\n```\n\n"+strings.Repeat("words\n\n", 40)+"The needle."), say(""))
		b.screen()
		b.press("tab", "f")
		b.mustShow(t, " Answer", "Begin.", "q close")
		b.mustNotShow(t, "Asking") // the status line
		b.press("w")
		b.mustShow(t, "not wrapped")
		b.mustNotShow(t, "end of the long line")
		for range 8 {
			b.press("l")
		}
		b.mustShow(t, "end of the long line")
		b.press("w")
		b.mustShow(t, "Begin.")
		b.press("/", "n", "e", "e", "d")
		b.mustShow(t, "The needle.", "1 of 1", "find need")
		b.press("enter", "esc")
		b.mustShow(t, "The needle.")
		b.mustNotShow(t, "1 of 1")
		if got := b.sent(t, "test-copy", nil, "c"); !strings.HasSuffix(got, "end of the long line") {
			t.Errorf("copied %q", got)
		}
		b.mustShow(t, "copied the code block, 171")
		b.press("q")
		b.mustShow(t, "❯")
	}
}

func TestAProposedChangeOnTheWholeScreen(t *testing.T) {
	b := newBench(t, t.TempDir())
	b.columns, b.rows = 60, 16
	old := strings.Repeat("the same\n", 5) + "before\n"
	title := "Edit the fi\u202ele"
	b.events(promptSent(b, "go"), conversation.PermissionOpened{ID: 1, Request: &acpclient.RequestPermissionRequest{
		ToolCall: acpclient.ToolCallUpdate{
			ToolCallID: "1", Title: &title, RawInput: []byte(`{"command": "rm -rf  x"}`),
			Content: []acpclient.ToolCallContent{acpclient.DiffContent("a.txt", &old, strings.Repeat("the same\n", 5)+"after\n")},
		},
		Options: []acpclient.PermissionOption{{OptionID: "yes", Name: "Allow it", Kind: acpclient.AllowOnce}},
	}})
	b.clock = b.clock.Add(2 * time.Second)
	b.screen()
	b.press("ctrl+e")
	b.mustShow(t, "Permission: ", "⟨U+202E⟩", "$ rm -rf  x", "before", "after", "q close")
	for _, want := range []int{3, 5} { // lines around the change
		if got := strings.Count(b.screen(), "the same"); got != want {
			t.Errorf("%d lines of context, want %d:\n%s", got, want, b.screen())
		}
		b.press("e")
	}
	b.press("1", "y")
	b.mustShow(t, "q close", "e context")
	b.press("q")
	b.mustShow(t, "Allow it")
	b.mustNotShow(t, "q close")
}

func TestTheMouseIsLentUntilTheNextKey(t *testing.T) {
	b := newBench(t, t.TempDir())
	if !b.TakesMouse() {
		t.Error("it takes no mouse")
	}
	b.run(command.LendMouse)
	if b.TakesMouse() {
		t.Error("the mouse is not lent")
	}
	b.mustShow(t, "the terminal has the mouse until the next key")
	b.press("x")
	if !b.TakesMouse() {
		t.Error("the mouse is not taken back")
	}
	b.mustShow(t, "❯ x")
}

func TestExpandingTheLastItemShowsIt(t *testing.T) {
	b := newBench(t, t.TempDir())
	b.events(say(strings.Repeat("words\n\n", 40)), conversation.Update{Update: &acpclient.ToolCall{
		ToolCallID: "1", Title: "Look", RawInput: []byte(`{"a": 1, "b": 2, "c": 3}`), Status: acpclient.ToolCompleted,
	}})
	b.screen()
	b.press("tab")
	b.mustShow(t, "enter expand")
	b.press("enter")
	b.mustShow(t, "enter collapse", `"c": 3`)
	b.press("enter")
	b.mustShow(t, "enter expand")
}
