package transcript

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/tui/toolview"
)

func TestFilesOfChanges(t *testing.T) {
	call := func(title, fields string) conversation.Event {
		return up(t, `{"sessionUpdate":"tool_call","toolCallId":"t","title":"`+title+`","kind":"edit","status":"completed",`+fields+`}`)
	}
	diff := func(path, oldText, newText string) string {
		return fmt.Sprintf(`{"type":"diff","path":%q,"oldText":%s,"newText":%q}`, path, oldText, newText)
	}
	created := `"content":[` + diff("/project/a.go", `null`, "x\n") + `]`
	for _, c := range []struct {
		name  string
		event conversation.Event
		want  string
	}{
		{"one that nothing else names", call("Edit", created), "✓ ✎ Edit a.go +1 −0 new file\n  │ 1 + x"},
		{"one that the title names", call("Edit a.go", created), "✓ ✎ Edit a.go +1 −0 new file\n  │ 1 + x"},
		{"one whose title is its path", call("project/a.go", created), "✓ ✎ a.go +1 −0 new file\n  │ 1 + x"},
		{
			"several",
			call("Apply a patch", `"content":[`+diff("/project/a.go", `null`, "x\n")+`,`+diff("/project/b.go", `"one\n"`, "two\n")+
				`,{"type":"diff","path":"/project/c.go","oldText":"gone\n","newText":"","_meta":{"kind":"delete"}}]`),
			"✓ ✎ Apply a patch a.go and 2 more +2 −2\n  │ a.go +1 −0 new file\n  │ 1 + x\n  │ b.go +1 −1\n  │ - one\n  │ + two\n  │ c.go +0 −1 deleted\n  │ - gone",
		},
		{"a part that is taken out", call("Edit", `"content":[`+diff("/project/a.go", `"x\n"`, "")+`]`), "✓ ✎ Edit a.go +0 −1\n  │ - x"},
		{
			"one that goes",
			up(t, `{"sessionUpdate":"tool_call","toolCallId":"t","title":"Remove it","kind":"delete","status":"completed","content":[`+diff("/project/a.go", `"x\n"`, "")+`]}`),
			"✓ × Remove it a.go +0 −1 deleted\n  │ - x",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := drawn([]conversation.Event{c.event}, false); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

// Lines have the numbers of the file as soon as the place of a change is known.
func TestNumbersOfFragments(t *testing.T) {
	old := "two\n"
	l := newList(fold(tool("t", acpclient.ToolCompleted, acpclient.DiffContent("/project/a", &old, "TWO\n"))), 80, 20)
	var facts toolview.Facts
	l.SetFacts(&facts)
	if got := view(l); !strings.HasSuffix(got, "\n  │ - two\n  │ + TWO") {
		t.Errorf("not known:\n%s", got)
	}
	facts.Add(toolview.Found{Positions: map[toolview.Fragment]toolview.DiffPosition{{Path: "/project/a", Old: "two\n", New: "TWO\n"}: {Line: 41}}})
	if got := view(l); !strings.HasSuffix(got, "\n  │ 41    - two\n  │    41 + TWO") {
		t.Errorf("known:\n%s", got)
	}
}

// A change keeps its numbers when it was allowed, though the agent sends another part of the
// file then, which is not found in it.
func TestNumbersStayAfterTheAnswer(t *testing.T) {
	const asked = `{"toolCallId":"t","title":"Edit a","kind":"edit","content":[{"type":"diff","path":"/project/a","oldText":"one\ntwo\nthree\n","newText":"one\nthree\n"}]}`
	done := up(t, `{"sessionUpdate":"tool_call_update","toolCallId":"t","status":"completed","content":[{"type":"diff","path":"/project/a","oldText":"two\n","newText":""}]}`)
	l := newList(fold(append(permits(t, asked, "yes"), done)...), 80, 20)
	var facts toolview.Facts
	l.SetFacts(&facts)
	facts.Add(toolview.Found{Positions: map[toolview.Fragment]toolview.DiffPosition{{Path: "/project/a", Old: "one\ntwo\nthree\n", New: "one\nthree\n"}: {Line: 41}}})
	if got := view(l); !strings.HasSuffix(got, "\n  │ 42 - two") {
		t.Error(got)
	}
}

// editedFile is a session with a change in the middle of a file of 60 lines.
func editedFile(width int) *List {
	var before strings.Builder
	for i := range 60 {
		fmt.Fprintf(&before, "line %d\n", i+1)
	}
	old := before.String()
	l := newList(fold(ask("x"), tool("a", acpclient.ToolCompleted,
		acpclient.DiffContent("/w/a.go", &old, strings.Replace(old, "line 30\n", "line thirty\n", 1)))), width, 200)
	l.Focus(true)
	return l
}

func TestContextOpens(t *testing.T) {
	l := editedFile(80)
	if !l.HasDiff() {
		t.Fatal("the call shows no change")
	}
	for i, step := range []struct{ shown, hidden string }{
		{"line 18", "line 17"}, {"line 1\n", "unchanged lines"}, {"line 27", "line 26"},
	} {
		l.WidenContext()
		text := view(l) + "\n"
		if !strings.Contains(text, step.shown) || strings.Contains(text, step.hidden) {
			t.Errorf("step %d has to show %q and not %q:\n%s", i, step.shown, step.hidden, text)
		}
	}
	l.WidenContext()
	l.Toggle()
	if text := view(l); strings.Contains(text, "line 20") || !strings.Contains(text, "line 27") {
		t.Errorf("a collapsed call shows as little as before:\n%s", text)
	}
}

// Lines of code are as wide as the screen, collapsed and expanded, and so is their ground.
func TestDiffsUseTheWidth(t *testing.T) {
	line := strings.Repeat("word ", 25) // 125 cells
	old := "a\n"
	l := newList(fold(tool("t", acpclient.ToolCompleted, acpclient.DiffContent("/project/a", &old, line+"\n"))), 160, 40)
	l.diffs.Unified = true
	for _, expanded := range []bool{false, true} {
		l.expanded[l.conv.Node(0)] = expanded
		whole := 0
		for _, drawn := range l.Lines() {
			if plain := ansi.Strip(drawn); strings.Contains(plain, strings.TrimSpace(line)) {
				whole++
				if width := ansi.StringWidth(drawn); width != 159 {
					t.Errorf("expanded %v: the ground is %d cells wide", expanded, width)
				}
			}
		}
		if whole != 1 {
			t.Errorf("expanded %v: the line is not in one piece:\n%s", expanded, view(l))
		}
	}
	l.expanded[l.conv.Node(0)] = false
	l.SetSize(140, 40)
	for _, drawn := range l.Lines() {
		if width := ansi.StringWidth(drawn); width > 140 {
			t.Errorf("%d cells in 140: %s", width, ansi.Strip(drawn))
		}
	}
}

func TestSideBySide(t *testing.T) {
	l := editedFile(140)
	sideBySide := func() bool {
		for line := range strings.Lines(view(l)) {
			if strings.Contains(line, "- line 30") && strings.Contains(line, "+ line thirty") {
				return true
			}
		}
		return false
	}
	if sideBySide() {
		t.Errorf("a collapsed call is side by side:\n%s", view(l))
	}
	l.Toggle()
	if !sideBySide() {
		t.Errorf("not side by side:\n%s", view(l))
	}
	if !l.ToggleDiffs() || sideBySide() {
		t.Errorf("still side by side:\n%s", view(l))
	}
	if !l.ToggleDiffs() || !sideBySide() {
		t.Errorf("not side by side again:\n%s", view(l))
	}
	l.SetSize(100, 200)
	if l.ToggleDiffs() || sideBySide() {
		t.Errorf("side by side in 100 columns:\n%s", view(l))
	}
}

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

// ready is the agent of a name.
func ready(name string) conversation.Event {
	return conversation.AgentReady{Info: &acpclient.InitializeResponse{AgentInfo: &acpclient.Implementation{Name: name}}}
}

// However an agent says that a command failed, the heading says so, and how, once.
func TestAFailedCommandSaysItsExitCode(t *testing.T) {
	call := func(status, fields string) conversation.Event {
		return up(t, `{"sessionUpdate":"tool_call_update","toolCallId":"t","title":"make","kind":"execute","status":"`+status+`",`+fields+`}`)
	}
	text := func(s string) string {
		quoted, _ := json.Marshal(s)
		return `"content":[{"type":"content","content":{"type":"text","text":` + string(quoted) + `}}]`
	}
	own := func(how string) string {
		return `"_meta":{"terminal_output":{"terminal_id":"x","data":"oops\n"},"terminal_exit":{"terminal_id":"x",` + how + `}}`
	}
	code := 3
	for _, c := range []struct {
		name   string
		events []conversation.Event
		want   string
	}{
		{"in the raw output", []conversation.Event{ready("OpenCode"), call("completed", text("oops")+`,"rawOutput":{"metadata":{"exit":3}}`)}, "failed, exit code 3"},
		{"in a report", []conversation.Event{ready("qwen-code"), call("completed", text("Command: make\nDirectory: (root)\nOutput: oops\nError: (none)\nExit Code: 3\nSignal: (none)\nProcess Group PGID: 7"))}, "failed, exit code 3"},
		{"of a terminal of its own", []conversation.Event{call("failed", own(`"exit_code":3`))}, "failed, exit code 3"},
		{"of one whose call it calls completed", []conversation.Event{call("completed", own(`"exit_code":3`))}, "failed, exit code 3"},
		{"of a terminal of its own that was killed", []conversation.Event{call("failed", own(`"signal":"SIGKILL"`))}, "failed, ended by SIGKILL"},
		{"of a terminal of parley", []conversation.Event{
			call("in_progress", `"rawInput":{"command":"make"},"content":[{"type":"terminal","terminalId":"x"}]`),
			conversation.TerminalCreated{ID: "x", Command: "make"},
			conversation.TerminalOutput{ID: "x", Data: []byte("oops\r\n")},
			conversation.TerminalExited{ID: "x", Status: acpclient.TerminalExitStatus{ExitCode: &code}},
			call("failed", `"title":"make"`),
		}, "failed, exit code 3"},
		{"without one", []conversation.Event{call("failed", text("oops"))}, "failed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, expanded := range []bool{false, true} {
				if got := drawn(c.events, expanded); !strings.HasPrefix(got, "✗ $ make  "+c.want+"\n  │ oops") || strings.Count(got, "exit code") > 1 || strings.Contains(got, "(none)") {
					t.Errorf("expanded %v:\n%s", expanded, got)
				}
			}
		})
	}
	stopped := drawn([]conversation.Event{call("completed", own(`"signal":"SIGTERM"`))}, false)
	if want := "✓ $ make\n  │ oops\n  │ ended by SIGTERM"; stopped != want {
		t.Errorf("what its agent has stopped:\n%s\nwant\n%s", stopped, want)
	}
}

func TestACommandWithoutOutputSaysSo(t *testing.T) {
	call := func(kind, status, fields string) []conversation.Event {
		return []conversation.Event{up(t, `{"sessionUpdate":"tool_call","toolCallId":"t","title":"touch a","kind":"`+kind+`","status":"`+status+`","rawInput":{"command":"touch a"}`+fields+`}`)}
	}
	text := func(s string) string {
		return `,"content":[{"type":"content","content":{"type":"text","text":"` + s + `"}}]`
	}
	const silent = "✓ $ touch a  (no output)"
	for _, c := range []struct {
		name   string
		events []conversation.Event
		want   string
	}{
		{"no content", call("execute", "completed", `,"content":[]`), silent},
		{"an empty text", call("execute", "completed", text("")), silent},
		{"the word that there is none", call("execute", "completed", text("(no output)")), silent},
		{"the command again", call("execute", "completed", text("touch a")), silent},
		{"a terminal of its own", call("execute", "completed", `,"_meta":{"terminal_info":{"terminal_id":"x"}}`), silent},
		{"output", call("execute", "completed", text("a line")), "✓ $ touch a\n  │ a line"},
		{"what only the raw output has", call("execute", "completed", `,"rawOutput":{"stdout":"a line"}`), "✓ $ touch a"},
		{"a command that runs", call("execute", "in_progress", ""), "○ $ touch a"},
		{"a command that failed", call("execute", "failed", ""), "✗ $ touch a  failed"},
		{"another kind of tool", call("other", "completed", ""), "✓ • touch a"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := drawn(c.events, false); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
	ran := append(call("execute", "in_progress", ""), up(t, `{"sessionUpdate":"tool_call_update","toolCallId":"t","status":"completed"}`),
		up(t, `{"sessionUpdate":"tool_call_update","toolCallId":"t","content":[{"type":"content","content":{"type":"text","text":"late"}}]}`))
	if got, want := drawn(ran, false), "✓ $ touch a\n  │ late"; got != want {
		t.Errorf("output that comes late:\n%s\nwant\n%s", got, want)
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

// The rest is counted the same whether or not the last line has its line feed.
func TestHiddenLinesAreCounted(t *testing.T) {
	lines := func(n int) string { return strings.TrimSuffix(strings.Repeat("a line\n", n), "\n") }
	items := func(n int) string { return strings.TrimSuffix(strings.Repeat("- an item\n", n), "\n") }
	for _, c := range []struct {
		name, text, want string
		kind             acpclient.ToolKind
	}{
		{"a file", lines(30), "… 24 more lines", acpclient.ToolRead},
		{"a file with a line feed at its end", lines(30) + "\n", "… 24 more lines", acpclient.ToolRead},
		{"a few lines too many", lines(9), "… 3 more lines", acpclient.ToolRead},
		{"Markdown", items(30), "… 24 more lines", acpclient.ToolOther},
		{"Markdown with a line feed at its end", items(30) + "\n", "… 24 more lines", acpclient.ToolOther},
		{"output", lines(30), "… 20 lines above", acpclient.ToolExecute},
		{"output with a line feed at its end", lines(30) + "\n", "… 20 lines above", acpclient.ToolExecute},
	} {
		t.Run(c.name, func(t *testing.T) {
			call := conversation.Update{Update: &acpclient.ToolCall{
				ToolCallID: "t", Title: "T", Kind: c.kind, Status: acpclient.ToolCompleted,
				Content: acpclient.ToolCallContents{acpclient.TextContent(c.text)},
			}}
			if got := drawn([]conversation.Event{call}, false); !strings.Contains(got, c.want) {
				t.Errorf("want %q in\n%s", c.want, got)
			}
		})
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

// piece is content that is added to the call "t".
func piece(content ...acpclient.ToolCallContent) conversation.Event {
	return conversation.Update{Update: &acpclient.ToolCallContentChunk{ToolCallID: "t", Content: content}}
}

// A call that came piece by piece, and was drawn all the while, looks as one that came at
// once.
func TestPiecesOfACall(t *testing.T) {
	terminal := acpclient.ToolCallContent{Type: acpclient.ToolContentTerminal, TerminalID: "x"}
	pieces := []acpclient.ToolCallContent{
		acpclient.TextContent("one"), acpclient.TextContent(" "), acpclient.TextContent("- two\n- three\n"),
		acpclient.DiffContent("/a.go", nil, "package a\n"), acpclient.TextContent("four"), acpclient.DiffContent("/b.go", nil, "package b\n"),
		terminal, acpclient.TextContent("five"), terminal, acpclient.TextContent(strings.Repeat("six\n\n", 40)),
	}
	begin := conversation.Update{Update: &acpclient.ToolCall{ToolCallID: "t", Title: "Work", Kind: acpclient.ToolEdit, RawInput: []byte(`{"a":1}`)}}
	c := fold(begin)
	l := newList(c, 80, 400)
	for i := range pieces {
		c.Apply(piece(pieces[i]))
		got, want := view(l), view(newList(fold(begin, piece(pieces[:i+1]...)), 80, 400))
		if got != want {
			t.Fatalf("after %d pieces:\n%s\n--- at once:\n%s", i+1, got, want)
		}
	}
	c.Apply(conversation.Update{Update: &acpclient.ToolCallUpdate{ToolCallID: "t", Content: acpclient.ToolCallContents{acpclient.TextContent("done")}}})
	c.Apply(piece(acpclient.TextContent("really")))
	if got := view(l); strings.Contains(got, "four") || !strings.Contains(got, "done") || !strings.Contains(got, "really") {
		t.Errorf("after all was replaced:\n%s", got)
	}
}

// A call with very many terminals is drawn like any other: this test does not end
// otherwise.
func TestManyTerminalsOfACall(t *testing.T) {
	const many = 200_000
	var content acpclient.ToolCallContents
	for i := range many {
		content = append(content, acpclient.ToolCallContent{Type: acpclient.ToolContentTerminal, TerminalID: acpclient.TerminalID(fmt.Sprint(i))})
	}
	l := newList(fold(conversation.Update{Update: &acpclient.ToolCall{ToolCallID: "t", Title: "Work", Content: content}}), 80, 24)
	if got := view(l); strings.TrimSpace(got) == "" {
		t.Error("nothing is drawn")
	}
}

// A frame with every tenth piece of a call. All that a call shows is one section, so that
// a frame grows with it, but what was there before is neither made nor drawn again.
func BenchmarkFrameOfPieces(b *testing.B) {
	for _, n := range []int{100, 1000, 5000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				c := fold()
				l := newList(c, 120, 34)
				for i := range n {
					c.Apply(piece(acpclient.TextContent("some text")))
					if i%10 == 0 {
						l.Lines()
					}
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/piece")
		})
	}
}
