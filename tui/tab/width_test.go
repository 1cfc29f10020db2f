package tab

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/test"
)

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

// A command that a person is asked about stands on the screen, whatever emoji are
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
