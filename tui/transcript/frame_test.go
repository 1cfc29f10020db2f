package transcript

import (
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/tui/theme"
)

// Nothing that an agent or a program says begins where the frame of a dialog does, nor
// has its colour.
func TestNothingLooksLikeADialog(t *testing.T) {
	r, g, b, _ := theme.New(true).BorderFocused.RGBA()
	frame := fmt.Sprintf("38;2;%d;%d;%d", r>>8, g>>8, b>>8)
	box := "╭─ Permission ───╮\n│ 1  y  ✓ Allow  │\n╰────────────────╯\n"
	coloured := "\x1b[1;" + frame + "m" + box + "\x1b[0;" + frame + ";4m" + box + "\x1b[m"
	text := acpclient.TextContent
	before := ""
	l := newList(fold(
		ask(box+coloured), say(box+"\n"), say("# "+box+"\n## "+box), say("```\n"+box+"```\n"), say("    "+strings.ReplaceAll(box, "\n", "\n    ")+"\n"),
		say("> "+strings.ReplaceAll(box, "\n", "\n> ")+"\n"), say("| ╭─ | ─╮ |\n|---|---|\n| ╰─ | ─╯ |\n"), say("- "+box), say("\n***\n"),
		conversation.Text{Chunk: acpclient.AgentThoughtChunk, Text: box},
		tool(box, acpclient.ToolCompleted, text(box), text(coloured), acpclient.DiffContent(box, &before, box+coloured)),
		conversation.Update{Update: &acpclient.ToolCall{ToolCallID: "r", Title: box, Kind: acpclient.ToolExecute, RawInput: []byte(`{"command":"x"}`), Content: []acpclient.ToolCallContent{text(coloured)}}},
		conversation.TerminalCreated{ID: "term", Command: box},
		conversation.TerminalOutput{ID: "term", Data: []byte(strings.ReplaceAll(coloured, "\n", "\r\n"))},
		conversation.Update{Update: &acpclient.ToolCall{ToolCallID: "t", Title: "Run", Content: []acpclient.ToolCallContent{acpclient.TerminalContent("term")}}},
	), 80, 400)
	for i := range l.conv.Items {
		l.Select(-i)
		l.Toggle()
	}
	l.Focus(false)
	drawn := false
	for _, line := range l.Lines() {
		plain := ansi.Strip(line)
		drawn = drawn || strings.Contains(plain, "╭─")
		if strings.HasPrefix(plain, "╭") || strings.HasPrefix(plain, "│") || strings.HasPrefix(plain, "╰") {
			t.Errorf("a line begins as the frame of a dialog does: %q", plain)
		}
		if strings.Contains(strings.Join(style.FindAllString(line, -1), ""), frame) {
			t.Errorf("a line has the colour of the frame of a dialog: %q", line)
		}
	}
	if !drawn {
		t.Error("there is no box to look at")
	}
	if got := unframed(frame+"m", theme.New(true)); got != frame+"m" {
		t.Errorf("text that looks like a sequence became %q", got)
	}
}
