//go:build unix

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"parley/internal/test/ptytest"
)

// asking is an agent that says a lot and then asks whether it may go on.
func asking(lines int) string {
	var text strings.Builder
	for i := range lines {
		fmt.Fprintf(&text, `Line %d of the answer.\n\n`, i)
	}
	return `
handshake
expect session/prompt
update {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "` + text.String() + `"}}
request session/request_permission {"sessionId": "${session}", "toolCall": {"toolCallId": "t", "title": "Launch", "kind": "other"},
  "options": [{"optionId": "yes", "name": "Allow it", "kind": "allow_once"}, {"optionId": "no", "name": "Reject it", "kind": "reject_once"}]} as answer
await answer
say It was answered.
end-turn
`
}

// answersNothing fails the test if a permission was answered by now.
func answersNothing(p *Parley) {
	p.t.Helper()
	if got := p.Answers("session/request_permission"); len(got) > 0 {
		p.t.Errorf("the permission was answered: %s", got)
	}
}

func TestFindsWhileAPermissionIsOpen(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{Script: asking(200), Cols: 100, Rows: 30})
	p.Ready().Ask("go").Question("Launch").TakesKeys()
	p.Press("ctrl+f").Shows("find words", "tab to answer")
	p.Type("line 1").Shows("find line 1", "of 111", "Line 199") // from what was in sight on
	p.Type("2").Shows("1 of 11", "Line 12 of")
	p.Press("up").Shows("11 of 11", "Line 129")
	p.Press("up").Shows("10 of 11", "Line 128")
	p.Press("enter", "n", "n").Shows("2 of 11", "Line 120")
	p.Press("N").Shows("1 of 11", "Line 12 of")
	answersNothing(p)
	p.Press("esc").Gone("1 of 11").Shows("Line 12 of", "more below").TakesKeys()
	p.Answer("Allow it").Press("end").Shows("It was answered.")
}

func TestReadsTheTranscriptWhileAPermissionIsOpen(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{Script: asking(60), Cols: 100, Rows: 30})
	p.Ready().Ask("go").Question("Launch").TakesKeys()
	p.Press("pgup").Shows("more below", "%")
	p.Press("alt+t").Shows("tab to answer")
	p.Type("y").Shows("to the terminal (OSC 52)") // said when the copy is done, over whatever was said before
	p.Type("12n9").Shows("tab returns to the question")
	p.Press("[").Shows("▌ go", " 0%")
	p.Press("ctrl+d").Shows("Line 3 ", "Line 9 ").Gone("Line 2 ") // half of the 15 lines above the question
	answersNothing(p)
	p.Press("tab").TakesKeys().Answer("Reject it").Press("end").Shows("It was answered.")
	if got := p.WaitAnswers("session/request_permission", 1); !strings.Contains(got, `"no"`) {
		t.Errorf("answered %s", got)
	}
}

const toCopy = `
handshake
expect session/prompt
update {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "Some **bold** words that are long enough to be wrapped in a narrow window.\n\n` + "```sh\\nmake \\u001b[31mtest\\n```" + `\n\nThe end."}}
update {"sessionUpdate": "tool_call", "toolCallId": "t", "title": "Test it", "kind": "execute", "status": "completed", "rawInput": {"command": "make test"},
  "content": [{"type": "content", "content": {"type": "text", "text": "ok"}}, {"type": "diff", "path": "${cwd}/a.txt", "oldText": "one\n", "newText": "two\n"}]}
end-turn
`

func TestCopiesByKeysAndMouse(t *testing.T) {
	t.Parallel()
	bin := t.TempDir()
	must(t, os.WriteFile(filepath.Join(bin, "wl-copy"), []byte("#!/bin/sh\ncat >"+bin+"/copied.part && mv "+bin+"/copied.part "+bin+"/copied\n"), 0o755))
	p := Start(t, Options{Script: toCopy, Cols: 60, Rows: 34, Env: []string{"WAYLAND_DISPLAY=wayland-9", "PATH=" + bin + ":" + os.Getenv("PATH")}})
	p.Ready().Ask("go").Shows("The end.", "Test it").Idle()
	for _, c := range []struct{ key, text, said string }{
		{"C", "make test", "copied the command, 9 characters (wl-copy)"},
		{"O", "ok", "copied the output, 2 characters (wl-copy)"},
		{"p", "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+two\n", "copied the change as a patch, 46 characters (wl-copy)"},
	} {
		p.Press("esc", "tab", c.key).Shows(c.said)
		p.WaitClipboard(c.text)
		if got, err := os.ReadFile(filepath.Join(bin, "copied")); err != nil || string(got) != c.text {
			t.Errorf("%s: the system's clipboard has %q, %v", c.key, got, err)
		}
	}
	p.Press("k", "c").Shows("copied the code block, 9 characters (wl-copy)")
	p.WaitClipboard("make test")
	p.DragOver("bold", "wrapped").WaitClipboard("bold words that are long enough to be wrapped")
}

func TestSaysWhenOnlyTheTerminalHasAClipboard(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{Script: toCopy, Cols: 120, Rows: 34})
	p.Ready().Ask("go").Shows("The end.", "Test it").Idle()
	p.Press("tab", "C").Shows("sent the command, 9 characters to the terminal (OSC 52), which may refuse it")
	p.WaitClipboard("make test")
}

func TestShowsAnItemOnTheWholeScreen(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{Cols: 40, Rows: 16, Script: `
handshake
expect session/prompt
request session/request_permission {"sessionId": "${session}", "toolCall": {"toolCallId": "t", "title": "Change it", "kind": "edit",
  "content": [{"type": "diff", "path": "${cwd}/a.txt", "oldText": "${x:30}\nbefore\n", "newText": "${x:30}\nafter and the end of a line that is long\n"}]},
  "options": [{"optionId": "yes", "name": "Allow it", "kind": "allow_once"}]} as answer
await answer
end-turn
`})
	p.Shows("Type a prompt, / for").Ask("go").Question("Permission").Shows("after and the end").TakesKeys()
	p.Press("ctrl+e").Shows("Permission: ✎ Change it", "before", "after", "q close")
	p.Press("w").Shows("not wrapped").Press("/").Type("before").Shows("1 of 1")
	p.Press("enter", "esc").Gone("1 of 1").Press("1", "y")
	answersNothing(p)
	p.Press("q").Gone("q close").Shows("Allow it")
}

func TestLeavesTheMouseToTheTerminal(t *testing.T) {
	t.Parallel()
	takes := func(s ptytest.State) bool { return s.Has(ansi.ModeMouseButtonEvent) }
	p := Start(t, Options{Script: "handshake"})
	p.Ready().WaitState("the mouse is taken", takes)
	p.Palette("Let the terminal use the mouse").Shows("the terminal has the mouse until the next key")
	p.WaitState("the mouse is the terminal's", func(s ptytest.State) bool { return !takes(s) && !s.Has(ansi.ModeMouseExtSgr) })
	p.Type("x").Shows("❯ x").WaitState("the mouse is taken", takes)

	p = Start(t, Options{Script: "handshake", Config: "mouse = false\n"})
	p.Ready().Type("x").Shows("❯ x")
	if takes(p.State()) {
		t.Error("the mouse is taken in spite of the configuration")
	}
}

func TestOpensFilesWithWhatEditorThereIs(t *testing.T) {
	t.Parallel()
	bin := t.TempDir()
	must(t, os.WriteFile(filepath.Join(bin, "nano"), []byte("#!/bin/sh\necho \"nano was given $*\" >"+bin+"/said\n"), 0o755))
	said := func() string {
		text, _ := os.ReadFile(filepath.Join(bin, "said"))
		return strings.TrimSpace(string(text))
	}
	p := Start(t, Options{Env: []string{"PATH=" + bin + ":" + os.Getenv("PATH")}, Script: `
handshake
expect session/prompt
update {"sessionUpdate": "tool_call", "toolCallId": "t", "title": "Read", "kind": "read", "status": "completed", "locations": [{"path": "/tmp/a b.txt", "line": 7}]}
end-turn
`})
	p.Ready().Ask("go").Shows("Read").Idle()
	p.Press("tab", "o")
	p.WaitUntil("nano was started", func(ptytest.Screen) bool { return said() != "" })
	if got, want := said(), "nano was given +7 /tmp/a b.txt"; got != want {
		t.Errorf("%q, want %q", got, want)
	}

	p = Start(t, Options{Env: []string{"EDITOR=vi $(touch x)"}, Script: `
handshake
expect session/prompt
update {"sessionUpdate": "tool_call", "toolCallId": "t", "title": "Read", "kind": "read", "status": "completed", "locations": [{"path": "/tmp/a.txt"}]}
end-turn
`})
	p.Ready().Ask("go").Shows("Read").Idle()
	p.Press("tab", "o").Shows("is not a command, set it to the name of an editor")
}
