package transcript

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"parley/acpclient"
	"parley/internal/conversation"
)

// What a program printed is shown as it is, what an agent wrote as Markdown.
func TestTextOfToolCalls(t *testing.T) {
	give := func(kind, text string) []conversation.Event {
		quoted, _ := json.Marshal(text)
		return []conversation.Event{up(t, fmt.Sprintf(`{"sessionUpdate":"tool_call","toolCallId":"t","title":"Look","kind":%q,"status":"completed","content":[{"type":"content","content":{"type":"text","text":%s}}]}`, kind, quoted))}
	}
	const source = "def __init__(self):\n\treturn `x`\n\n# not a heading\n* star\n"
	for _, kind := range []string{"execute", "read", "search"} {
		want := "\n  │ def __init__(self):\n  │         return `x`\n  │\n  │ # not a heading\n  │ * star"
		if got := drawn(give(kind, source), false); !strings.HasSuffix(got, want) {
			t.Errorf("%s:\n%s\nwant\n%s", kind, got, want)
		}
	}
	for _, kind := range []string{"think", "fetch", "other", "switch_mode", "edit", "delete", "move"} {
		if got := drawn(give(kind, "see **this** and `that`"), false); !strings.HasSuffix(got, "\n  │ see this and that") {
			t.Errorf("%s:\n%s", kind, got)
		}
	}
	if got := drawn(give("execute", "```console\n$ ls\n__init__.py\n```"), false); strings.Contains(got, "```") || !strings.Contains(got, "__init__.py") {
		t.Errorf("what is fenced:\n%s", got)
	}
	// Colours of a program stay, and nothing else of what it sends.
	l := newList(fold(give("execute", "\x1b[31mred\x1b[0m\x1b]0;owned\x07\x1b[2J plain")...), 80, 10)
	if text := strings.Join(l.Lines(), "\n"); !strings.Contains(text, "\x1b[31mred") || strings.Contains(text, "\x1b]0") || strings.Contains(text, "\x1b[2J") {
		t.Errorf("%q", text)
	}
}

// A failure is told in prose, which is wrapped between words, whatever the kind of call.
// Lines that a program has laid out itself stay as they are.
func TestFailuresAreWrappedBetweenWords(t *testing.T) {
	const why = "Could not find oldString in the file. It must match exactly, including whitespace, indentation and all the line endings.\nab   cd"
	const want = "\n  │ Could not find oldString in the file. It must match exactly, including\n  │ whitespace, indentation and all the line endings.\n  │ ab   cd"
	const fenced = "```\n" + why + "\n```"
	failed := up(t, `{"sessionUpdate":"tool_call_update","toolCallId":"t","status":"failed"}`)
	for _, tt := range []struct{ kind, text string }{{"edit", why}, {"read", why}, {"execute", why}, {"edit", fenced}, {"other", fenced}} {
		text, _ := json.Marshal(tt.text)
		call := up(t, fmt.Sprintf(`{"sessionUpdate":"tool_call","toolCallId":"t","title":"Look","kind":%q,"status":"in_progress","content":[{"type":"content","content":{"type":"text","text":%s}}]}`, tt.kind, text))
		if got := drawn([]conversation.Event{call, failed}, false); !strings.HasSuffix(got, want) {
			t.Errorf("%v:\n%s", tt, got)
		}
		if got := drawn([]conversation.Event{call}, false); strings.HasSuffix(got, want) {
			t.Errorf("%v, not failed:\n%s", tt, got)
		}
	}
	l := newList(fold(up(t, `{"sessionUpdate":"tool_call","toolCallId":"t","title":"T","kind":"execute","status":"failed","content":[{"type":"content","content":{"type":"text","text":"\u001b[31mred\u001b[0m"}}]}`)), 80, 10)
	if text := strings.Join(l.Lines(), "\n"); !strings.Contains(text, "\x1b[31mred") {
		t.Errorf("%q", text)
	}
}

func TestAFailedCommandSaysItsExitCode(t *testing.T) {
	ready := conversation.AgentReady{Info: &acpclient.InitializeResponse{AgentInfo: &acpclient.Implementation{Name: "OpenCode"}}}
	call := up(t, `{"sessionUpdate":"tool_call_update","toolCallId":"t","title":"make","kind":"execute","status":"completed","content":[{"type":"content","content":{"type":"text","text":"oops"}}],"rawOutput":{"output":"oops","metadata":{"exit":3}}}`)
	if got := drawn([]conversation.Event{ready, call}, false); !strings.HasSuffix(got, "✗ $ make  exit code 3\n  │ oops") {
		t.Error(got)
	}
}

// Long output is folded to where it matters, and no line of it is lost when it is
// opened, however it is wrapped.
func TestLongOutput(t *testing.T) {
	var lines []string
	for i := 1; i <= 200; i++ {
		lines = append(lines, fmt.Sprintf("%03d %s|", i, strings.Repeat("wide ", i%30)))
	}
	text := strings.Join(lines, "\n") + "\n"
	for kind, c := range map[acpclient.ToolKind]struct{ first, last, word string }{
		acpclient.ToolRead:    {"001 ", "006 ", "… 194 more lines"},
		acpclient.ToolExecute: {"191 ", "200 ", "… 190 lines above"},
	} {
		call := conversation.Update{Update: &acpclient.ToolCall{ToolCallID: "t", Title: "T", Kind: kind, Content: acpclient.ToolCallContents{acpclient.TextContent(text)}}}
		got := view(newList(fold(call), 240, 400))
		for _, want := range []string{c.first, c.last, c.word} {
			if !strings.Contains(got, want) {
				t.Errorf("%s: %q is not in\n%s", kind, want, got)
			}
		}
		l := newList(fold(call), 60, 1000)
		l.expanded[l.conv.Node(0)] = true
		var all strings.Builder
		for _, line := range strings.Split(view(l), "\n")[1:] {
			_, line, _ = strings.Cut(line, "│ ")
			all.WriteString(line)
		}
		squeeze := strings.NewReplacer(" ", "", "\n", "")
		if got, want := squeeze.Replace(all.String()), squeeze.Replace(text); got != want {
			t.Errorf("%s: expanded, it is not what was given", kind)
		}
	}
}

// A word about one line takes as much room as the line.
func TestOneLineIsNotFolded(t *testing.T) {
	numbered := func(n int) string { return strings.Repeat("x\n", n-1) + "last line" }
	text := func(kind acpclient.ToolKind, s string) []conversation.Event {
		return []conversation.Event{conversation.Update{Update: &acpclient.ToolCall{ToolCallID: "t", Title: "T", Kind: kind, Content: acpclient.ToolCallContents{acpclient.TextContent(s)}}}}
	}
	diff := func(n int) []conversation.Event {
		return []conversation.Event{tool("t", acpclient.ToolCompleted, acpclient.DiffContent("/project/a", nil, numbered(n)+"\n"))}
	}
	term := func(n int) []conversation.Event {
		return []conversation.Event{
			conversation.TerminalCreated{ID: "x", Command: "make"},
			conversation.TerminalOutput{ID: "x", Data: []byte(strings.ReplaceAll("first\n"+numbered(n-1), "\n", "\r\n"))},
			tool("t", acpclient.ToolCompleted, acpclient.TerminalContent("x")),
		}
	}
	unknown := func(raw string) []conversation.Event {
		return []conversation.Event{tool("t", "", acpclient.ToolCallContent{Type: "hologram", Raw: []byte(raw)})}
	}
	paragraph := func(n int) string { return strings.ReplaceAll(numbered(n), "\n", "  \n") }
	for name, c := range map[string]struct {
		one, two []conversation.Event
		shown    string
	}{
		"output":       {text("read", numbered(textPeek+1)), text("read", numbered(textPeek+2)), "last line"},
		"a command's":  {text("execute", "first\n"+numbered(terminalPeek)), text("execute", "first\n"+numbered(terminalPeek+1)), "first"},
		"a terminal":   {term(terminalPeek + 1), term(terminalPeek + 2), "first"},
		"Markdown":     {text("other", paragraph(textPeek+1)), text("other", paragraph(textPeek+2)), "last line"},
		"a change":     {diff(diffPeek + 1), diff(diffPeek + 2), "last line"},
		"unknown JSON": {unknown(`"last line"`), unknown(`[1,2]`), "last line"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := drawn(c.one, false); strings.Contains(got, "…") || !strings.Contains(got, c.shown) {
				t.Errorf("one line is folded:\n%s", got)
			}
			if got := drawn(c.two, false); !strings.Contains(got, "… ") || strings.Contains(got, "… 1 ") {
				t.Errorf("two lines are not folded:\n%s", got)
			}
		})
	}
}
