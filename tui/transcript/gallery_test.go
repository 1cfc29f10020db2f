package transcript

import (
	"bytes"
	"cmp"
	"fmt"
	"image/color"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/golden"
	"pgregory.net/rapid"

	"parley/acpclient"
	"parley/config"
	"parley/internal/conversation"
	"parley/internal/termtext"
	"parley/internal/test"
	"parley/tui/theme"
)

// scene is a part of a session that shows one kind of item, or a few that belong
// together.
type scene struct {
	name   string
	events []conversation.Event
}

// gallery has every kind of item, in every state that looks different.
func gallery(t testing.TB) []scene {
	return []scene{
		{"prompts and answers", talk(t)},
		{"markdown", []conversation.Event{say(galleryMarkdown)}},
		{"thoughts", []conversation.Event{
			up(t, `{"sessionUpdate":"agent_thought_chunk","content":{"type":"text","text":"**Looking for the cause**\n\nThe test waits for a file that nobody writes. So the writer must have failed before, and its error was dropped."}}`),
			say("The writer fails."),
		}},
		{"tools by kind", kinds(t)},
		{"tools by status", statuses(t)},
		{"changes", changes(t)},
		{"commands", commands(t)},
		{"commands of one's own", own()},
		{"what rules and parley itself have to do with it", asked(t)},
		{"calls of a subagent", delegated(t)},
		{"plans", plans(t)},
		{"questions", questions()},
		{"notes", notes(t)},
	}
}

const galleryMarkdown = `# First
## Second
Some **bold**, *slanted*, ~~struck~~ and ` + "`code`" + ` words with [a link](https://example.com/page), long enough to be wrapped at most widths that people use.

- one
  - two
- [x] done
1. first
2. second

> A quotation.

> [!WARNING]
> Mind the gap.

| Name | Size | What it is |
|---|--:|---|
| main.go | 120 | where everything begins, and most of it ends |
| go.mod | 4 | the module |

` + "```go\n// Greet greets.\nfunc Greet(name string) string {\n\treturn \"hello, \" + name // 世界\n}\n```\n\n---\n"

func talk(t testing.TB) []conversation.Event {
	return []conversation.Event{
		ask("Fix the bug in the parser"),
		say("It is fixed."),
		conversation.TurnEnded{Reason: acpclient.StopEndTurn},
		conversation.PromptSent{Prompt: []acpclient.ContentBlock{
			acpclient.TextBlock("Now write a test for it, please: one that fails without the change and passes with it.\n\nKeep it short."),
			{Type: acpclient.ContentResourceLink, Name: "parser.go", URI: "file:///project/parser.go"},
			{Type: acpclient.ContentImage, MimeType: "image/png", Data: "iVBORw0KGgo="},
		}},
		say("Here it is."),
		up(t, `{"sessionUpdate":"agent_message_chunk","content":{"type":"resource_link","name":"parser_test.go","uri":"file:///project/parser_test.go"}}`),
		up(t, `{"sessionUpdate":"agent_message_chunk","content":{"type":"audio","mimeType":"audio/wav","data":"UklGRg=="}}`),
		conversation.TurnEnded{Reason: acpclient.StopMaxTokens},
	}
}

// call is a tool call as it comes from the wire.
func call(t testing.TB, id, kind, status, title, more string) conversation.Event {
	t.Helper()
	if more != "" {
		more = "," + more
	}
	return up(t, fmt.Sprintf(`{"sessionUpdate":"tool_call","toolCallId":%q,"kind":%q,"status":%q,"title":%q%s}`, id, kind, status, title, more))
}

func kinds(t testing.TB) []conversation.Event {
	const text = `"content":[{"type":"content","content":{"type":"text","text":"What came of it."}}]`
	return []conversation.Event{
		call(t, "1", "edit", "completed", "Edit main.go", `"locations":[{"path":"/project/main.go","line":3}]`),
		call(t, "2", "delete", "completed", "Delete old.go", `"locations":[{"path":"/project/old.go"}]`),
		call(t, "3", "move", "completed", "Move a.go to b.go", `"locations":[{"path":"/project/a.go"},{"path":"/project/b.go"}]`),
		call(t, "4", "execute", "completed", "go test ./...", `"rawInput":{"command":"go test ./..."},`+text),
		call(t, "5", "think", "completed", "Ponder", text),
		call(t, "6", "fetch", "completed", "Fetch the page", `"rawInput":{"url":"https://example.com/page"},`+text),
		call(t, "7", "switch_mode", "completed", "Leave plan mode", text),
		call(t, "8", "other", "completed", "mail: send", `"rawInput":{"to":"ada@example.com","body":"Hello,\nthis is it."},`+text),
		say("And what is only looked at:"),
		call(t, "9", "read", "completed", "Read main.go", `"locations":[{"path":"/project/main.go"}],`+text),
		call(t, "10", "search", "completed", "Search for TODO", `"rawInput":{"pattern":"TODO"},`+text),
		call(t, "11", "read", "completed", "Read go.mod", `"locations":[{"path":"/project/go.mod"}],`+text),
	}
}

func statuses(t testing.TB) []conversation.Event {
	at := func(seconds int, e conversation.Event) conversation.Event {
		u := e.(conversation.Update)
		u.At = time.Unix(1_000_000+int64(seconds), 0)
		return u
	}
	const (
		command = `"rawInput":{"command":"make"}`
		failure = `"content":[{"type":"content","content":{"type":"text","text":"make: *** No rule to make target. Stop."}}]`
	)
	events := []conversation.Event{
		conversation.PromptSent{Prompt: []acpclient.ContentBlock{acpclient.TextBlock("go")}, At: time.Unix(1_000_000, 0)},
		at(0, call(t, "1", "execute", "in_progress", "make", command)),
		at(5, up(t, `{"sessionUpdate":"tool_call_update","toolCallId":"1","status":"completed"}`)),
		at(5, call(t, "2", "execute", "in_progress", "make", command)),
		at(130, up(t, `{"sessionUpdate":"tool_call_update","toolCallId":"2","status":"failed",`+failure+`}`)),
	}
	events = append(events, call(t, "3", "execute", "pending", "make", command))
	events = append(events, permits(t, `{"toolCallId":"3"}`, "no")...)
	events = append(events,
		conversation.TurnEnded{Reason: acpclient.StopEndTurn, At: time.Unix(1_000_200, 0)},
		ask("go"),
		call(t, "4", "execute", "in_progress", "make", command),
		conversation.CancelRequested{},
		conversation.TurnEnded{Reason: acpclient.StopCancelled},
		ask("go"),
		call(t, "5", "execute", "pending", "make", command),
		call(t, "6", "execute", "in_progress", "make", command),
	)
	return events
}

func changes(t testing.TB) []conversation.Event {
	events := []conversation.Event{
		call(t, "1", "edit", "completed", "Edit", `"content":[{"type":"diff","path":"/project/main.go","oldText":"func main() {\n\tprintln(\"hello\")\n}\n","newText":"func main() {\n\tname := \"world\"\n\tprintln(\"hello, \" + name)\n}\n"}]`),
		call(t, "2", "edit", "completed", "Write", `"content":[{"type":"diff","path":"/project/new.txt","oldText":null,"newText":"one\ntwo"}]`),
		call(t, "3", "edit", "completed", "Clean up", `"content":[{"type":"diff","path":"/project/a.txt","oldText":"a\tb\n","newText":"a    b\n"},{"type":"diff","path":"/project/gone.txt","oldText":"one\n","newText":""}]`),
		call(t, "4", "edit", "pending", "Edit", `"content":[{"type":"diff","path":"/project/main.go","oldText":"one\n","newText":"two\n"}]`),
	}
	events = append(events, permits(t, `{"toolCallId":"4"}`, "yes")...)
	return append(events,
		up(t, `{"sessionUpdate":"tool_call_update","toolCallId":"4","status":"completed","content":[{"type":"content","content":{"type":"text","text":"Done."}}]}`))
}

func commands(t testing.TB) []conversation.Event {
	code := 2
	return []conversation.Event{
		conversation.TerminalCreated{ID: "x", Command: "go vet ./... && go test ./...", Cwd: "/project"},
		call(t, "1", "execute", "in_progress", "Check everything", `"content":[{"type":"terminal","terminalId":"x"}],"rawInput":{"command":"go vet ./... && go test ./..."}`),
		conversation.TerminalOutput{ID: "x", Data: []byte("\x1b[32mok\x1b[0m  \tproject/a\t0.01s\r\n\x1b[31mFAIL\x1b[0m\tproject/b\t0.20s\r\n" + strings.Repeat("a line of it\r\n", 12))},
		conversation.TerminalExited{ID: "x", Status: acpclient.TerminalExitStatus{ExitCode: &code}},
		up(t, `{"sessionUpdate":"tool_call_update","toolCallId":"1","status":"failed"}`),
		call(t, "2", "execute", "completed", "`ls -la`", `"rawInput":{"command":"ls -la","description":"List what is there"},"content":[{"type":"content","content":{"type":"text","text":"`+"```console\\ntotal 8\\n-rw-r--r-- 1 ada ada 120 main.go\\n```"+`"}}]`),
		call(t, "3", "execute", "completed", "Write a file", `"rawInput":{"command":"cat > a <<EOF\none\ntwo\nEOF"}`),
	}
}

func own() []conversation.Event {
	code := 1
	return []conversation.Event{
		conversation.ShellStarted{ID: "a", Command: "git status --short", Cwd: "/project"},
		conversation.TerminalOutput{ID: "a", Data: []byte(" M main.go\r\n?? new.txt\r\n")},
		conversation.TerminalExited{ID: "a", Status: acpclient.TerminalExitStatus{ExitCode: new(int)}},
		conversation.ShellStarted{ID: "b", Command: "make", Cwd: "/project/sub"},
		conversation.TerminalExited{ID: "b", Status: acpclient.TerminalExitStatus{ExitCode: &code}},
		conversation.ShellStarted{ID: "c", Command: "bash", Cwd: "/project", Lasts: true},
		conversation.TerminalOutput{ID: "c", Data: []byte("$ ")},
	}
}

func asked(t testing.TB) []conversation.Event {
	events := []conversation.Event{call(t, "1", "execute", "pending", "go test ./...", `"rawInput":{"command":"go test ./..."}`)}
	byRule := permits(t, `{"toolCallId":"1"}`, "yes")
	closed := byRule[1].(conversation.QuestionClosed)
	closed.Rule, closed.Source = "allow execute(go test *)", "~/.config/parley/config.toml"
	q := &conversation.FileQuestion{Path: "/project/hosts", Target: "/etc/hosts", Outside: true, Folder: "/etc"}
	return append(events, byRule[0], closed,
		up(t, `{"sessionUpdate":"tool_call_update","toolCallId":"1","status":"completed"}`),
		conversation.PermissionOpened{ID: 2, Request: conversation.FileRequest(q, nil, ""), File: q},
		conversation.QuestionClosed{ID: 2, Outcome: acpclient.PermissionSelected(conversation.FileOnce)})
}

func delegated(t testing.TB) []conversation.Event {
	const child = `"_meta":{"claudeCode":{"parentToolUseId":"p"}}`
	return []conversation.Event{
		call(t, "p", "think", "in_progress", "Look for callers", `"rawInput":{"description":"Look for callers","prompt":"Find all callers of Greet.","subagent_type":"explorer"}`),
		call(t, "c1", "search", "completed", "Search for Greet(", child),
		call(t, "c2", "read", "completed", "Read main.go", `"locations":[{"path":"/project/main.go"}],`+child),
		call(t, "c3", "execute", "failed", "go vet", `"rawInput":{"command":"go vet"},`+child),
		up(t, `{"sessionUpdate":"tool_call_update","toolCallId":"p","status":"completed","content":[{"type":"content","content":{"type":"text","text":"There are two callers."}}]}`),
		say("Two callers."),
	}
}

func plans(t testing.TB) []conversation.Event {
	return []conversation.Event{
		up(t, `{"sessionUpdate":"plan","entries":[{"content":"Find the cause","priority":"high","status":"completed"},{"content":"Mend it, with a test that fails without the change","priority":"medium","status":"in_progress"},{"content":"Tell about it","priority":"low","status":"pending"}]}`),
		call(t, "1", "other", "completed", "Update todos", `"rawInput":{"todos":[{"content":"One","status":"completed"},{"content":"Two","status":"pending"}]}`),
	}
}

func questions() []conversation.Event {
	return []conversation.Event{
		conversation.ElicitationOpened{ID: 1, Request: &acpclient.CreateElicitationRequest{Message: "Which database shall it be?"}},
		conversation.QuestionClosed{ID: 1, Action: acpclient.ElicitAccept, Answers: []conversation.FieldAnswer{{Field: "Database", Value: "PostgreSQL"}, {Field: "Version", Value: "18"}}},
		conversation.ElicitationOpened{ID: 2, Request: &acpclient.CreateElicitationRequest{Message: "And who looks after it?"}},
		conversation.QuestionClosed{ID: 2, Action: acpclient.ElicitDecline},
	}
}

func notes(t testing.TB) []conversation.Event {
	return []conversation.Event{
		ask("go"),
		up(t, `{"sessionUpdate":"notice","severity":"info","title":"A note","description":"with what there is to say about it."}`),
		up(t, `{"sessionUpdate":"notice","severity":"warning","title":"The disk is nearly full"}`),
		up(t, `{"sessionUpdate":"notice","severity":"error","title":"The index is damaged"}`),
		up(t, `{"sessionUpdate":"compaction_update","compactionId":"c","status":"completed"}`),
		up(t, `{"sessionUpdate":"from_the_future","what":"nobody knows"}`),
		conversation.TurnEnded{Err: &acpclient.Error{Code: -32603, Message: "the model is overloaded"}},
	}
}

// openAll opens everything: runs of calls, subagents, and every item.
func openAll(l *List) {
	for n := l.conv.Outline().Following(all); n != nil; n = n.Following(all) {
		l.expanded[n] = true
	}
}

func all(*conversation.Node) bool { return true }

// draws draws every scene, as it comes and with everything opened. Each line goes
// through look.
func draws(t testing.TB, th *theme.Theme, width int, look func(line string) string) []byte {
	var out bytes.Buffer
	for _, s := range gallery(t) {
		for _, opened := range []bool{false, true} {
			l := New(th, fold(s.events...))
			l.SetSize(width, 200)
			name := s.name
			if opened {
				name += ", opened"
				openAll(l)
			}
			fmt.Fprintf(&out, "== %s %s\n", name, strings.Repeat("=", max(0, width-4-len(name))))
			lines := l.Lines()
			for len(lines) > 0 && lines[len(lines)-1] == "" {
				lines = lines[:len(lines)-1] // the rest of the screen
			}
			for _, line := range lines {
				out.WriteString(strings.TrimRight(look(line), " ") + "\n")
			}
			out.WriteString("\n")
		}
	}
	return out.Bytes()
}

// TestGallery compares every kind of item with a reviewed drawing at the widths
// that people have. The one of 80 columns names the style of each piece of text;
// the palette test of package theme says which colours the styles have.
func TestGallery(t *testing.T) {
	test.UseWidthMethod(t, termtext.Graphemes)
	th, look := namedStyles(t)
	for width, look := range map[int]func(string) string{60: ansi.Strip, 80: look, 120: ansi.Strip} {
		t.Run(fmt.Sprint(width), func(t *testing.T) {
			golden.RequireEqual(t, draws(t, th, width, look))
		})
	}
}

// namedStyles returns a theme in which every meaning has a colour of its own, and a
// function that writes a line with the names of its styles: "⟨bold error on badge⟩".
func namedStyles(t testing.TB) (*theme.Theme, func(line string) string) {
	var colours config.Colours
	names := map[string]string{} // of the colours
	for i, c := range colours.Named() {
		*c.At = fmt.Sprintf("#ffff%02x", i)
		switch c.Name {
		case "badge", "chosen", "prompt", "added", "added_word", "removed", "removed_word":
			*c.At = fmt.Sprintf("#0000%02x", i) // a ground
		}
		names[*c.At] = c.Name
	}
	scheme := theme.Named("dark").With("meanings", colours)
	name := func(c color.Color) string {
		r, g, b, _ := c.RGBA()
		hex := fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
		return cmp.Or(names[hex], hex)
	}
	styleName := func(c *uv.Cell) string {
		var words []string
		for _, attr := range []struct {
			bit  uint8
			name string
		}{{uv.AttrBold, "bold"}, {uv.AttrItalic, "italic"}, {uv.AttrReverse, "reverse"}, {uv.AttrStrikethrough, "struck"}} {
			if c.Style.Attrs&attr.bit != 0 {
				words = append(words, attr.name)
			}
		}
		if c.Style.Underline != uv.UnderlineNone {
			words = append(words, "underlined")
		}
		if c.Style.Fg != nil {
			words = append(words, name(c.Style.Fg))
		}
		if c.Style.Bg != nil {
			words = append(words, "on", name(c.Style.Bg))
		}
		if c.Link.URL != "" {
			words = append(words, "to", c.Link.URL)
		}
		return strings.Join(words, " ")
	}
	return scheme.Theme(theme.TrueColor), func(line string) string {
		screen := uv.NewScreenBuffer(ansi.StringWidth(line), 1)
		uv.NewStyledString(line).Draw(screen, screen.Bounds())
		var out strings.Builder
		last := ""
		for x := range screen.Width() {
			c := screen.CellAt(x, 0)
			if c.IsZero() { // the second half of a wide character
				continue
			}
			if style := styleName(c); style != last {
				out.WriteString("⟨" + style + "⟩")
				last = style
			}
			out.WriteString(c.Content)
		}
		return out.String()
	}
}

// Whatever is added to the items has to be looked at, too.
func TestGalleryHasEveryItem(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range gallery(t) {
		for _, item := range fold(s.events...).Items {
			seen[fmt.Sprintf("%T", item)] = true
			if call, ok := item.(*conversation.ToolCall); ok {
				seen["kind "+string(call.Kind)] = true
			}
		}
	}
	for _, want := range []string{
		"*conversation.Message", "*conversation.ToolCall", "*conversation.Plan", "*conversation.Elicitation",
		"*conversation.ShellCommand", "*conversation.Note", "*conversation.Compaction", "*conversation.Unknown",
		"kind read", "kind edit", "kind delete", "kind move", "kind search", "kind execute", "kind think", "kind fetch", "kind switch_mode", "kind other",
	} {
		if !seen[want] {
			t.Errorf("the gallery has no %s", want)
		}
	}
}

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

// items show a text in each way that the transcript shows text whole.
var items = map[string]func(string) []conversation.Event{
	"question": func(s string) []conversation.Event { return []conversation.Event{ask(s)} },
	"answer":   func(s string) []conversation.Event { return []conversation.Event{say(s)} },
	"error": func(s string) []conversation.Event {
		return []conversation.Event{ask("x"), conversation.TurnEnded{Err: &acpclient.Error{Code: 400, Message: s}}}
	},
	"plan": func(s string) []conversation.Event {
		return []conversation.Event{conversation.Update{Update: &acpclient.Plan{Entries: []acpclient.PlanEntry{{Content: s}}}}}
	},
	"title": func(s string) []conversation.Event {
		return []conversation.Event{conversation.Update{Update: &acpclient.ToolCall{ToolCallID: "a", Title: s}}}
	},
	"tool text": func(s string) []conversation.Event {
		return []conversation.Event{conversation.Update{Update: &acpclient.ToolCall{
			ToolCallID: "a", Title: "Tool", Kind: acpclient.ToolOther, Content: acpclient.ToolCallContents{acpclient.TextContent(s)},
		}}}
	},
	"output": func(s string) []conversation.Event {
		return []conversation.Event{tool("a", acpclient.ToolCompleted, acpclient.TextContent(s))}
	},
	"command": func(s string) []conversation.Event {
		return []conversation.Event{conversation.Update{Update: &acpclient.ToolCall{
			ToolCallID: "a", Title: "Tool", Kind: acpclient.ToolExecute, RawInput: []byte(`{"command":"` + s + `"}`),
		}}}
	},
	"answer to a question": func(s string) []conversation.Event {
		return []conversation.Event{
			conversation.ElicitationOpened{ID: 1, Request: &acpclient.CreateElicitationRequest{Message: "?"}},
			conversation.QuestionClosed{ID: 1, Action: acpclient.ElicitAccept, Answers: []conversation.FieldAnswer{{Field: "Field", Value: s}}},
		}
	},
	"diff": func(s string) []conversation.Event {
		return []conversation.Event{tool("a", acpclient.ToolCompleted, acpclient.DiffContent("/project/a", nil, s))}
	},
	"input": func(s string) []conversation.Event {
		return []conversation.Event{conversation.Update{Update: &acpclient.ToolCall{
			ToolCallID: "a", Title: "Tool", RawInput: []byte(`{"x":"` + s + `"}`), // in which nothing has to be escaped
		}}}
	},
	"terminal": func(s string) []conversation.Event {
		return []conversation.Event{
			conversation.TerminalCreated{ID: "x", Command: "make"},
			tool("a", acpclient.ToolCompleted, acpclient.TerminalContent("x")),
			conversation.TerminalOutput{ID: "x", Data: []byte(s + "\r\n")},
		}
	},
}

// Every character of an item stands on the screen once it is expanded.
func TestEveryCharacterReachesTheScreen(t *testing.T) {
	names := slices.Sorted(maps.Keys(items))
	for _, on := range test.TerminalSettings() {
		t.Run(on.String(), func(t *testing.T) {
			test.UseWidthMethod(t, on.Method)
			rapid.Check(t, func(t *rapid.T) {
				name := rapid.SampledFrom(names).Draw(t, "item")
				text := strings.ToValidUTF8(test.HardText(20).Draw(t, "text"), "\ufffd")
				source := text
				if name == "answer" || name == "tool text" {
					source = strings.ReplaceAll(text, "~", "\\~")
				}
				if name == "input" || name == "command" {
					text = termtext.Visible(text) // what cannot be seen is shown by its number there
				}
				width := rapid.IntRange(20, 140).Draw(t, "width")
				l := newList(fold(items[name](source)...), width, 300)
				l.Focus(true)
				l.Toggle()
				screen := test.ShowOnTerminal(on.Kind, l.Lines(), width)
				if lost := test.MissingText(screen, text); lost != "" {
					t.Fatalf("the screen lacks %+q\n%s", lost, strings.TrimRight(screen, " \n"))
				}
			})
		})
	}
}

// When it turns out how the terminal measures text, all is drawn anew.
func TestViewFollowsTheMethod(t *testing.T) {
	test.UseWidthMethod(t, termtext.Safe)
	thumbs := strings.Repeat("👍🏽", 7)
	for name, events := range items {
		if name == "terminal" || name == "output" { // which always have room for any
			continue
		}
		l := newList(fold(events(thumbs)...), 30, 30)
		l.Focus(true)
		l.Toggle()
		termtext.UseMethod(termtext.Safe)
		if got := view(l); strings.Contains(got, thumbs) {
			t.Errorf("%s: 28 cells of thumbs stand on one line:\n%s", name, got)
		}
		termtext.UseMethod(termtext.Graphemes)
		if got := view(l); !strings.Contains(got, thumbs) {
			t.Errorf("%s: 14 cells of thumbs stand on several lines:\n%s", name, got)
		}
	}
}

// A title that is wrapped keeps its looks on each line, and leaves them there.
func TestWrappedTitleKeepsItsLooks(t *testing.T) {
	l := newList(fold(tool(strings.Repeat("word ", 9), acpclient.ToolCompleted)), 24, 10)
	l.Focus(true)
	l.Toggle()
	for _, line := range l.Lines()[:2] {
		on, off := strings.LastIndex(line, "\x1b[1;"), strings.LastIndex(line, "\x1b[m")
		if !strings.Contains(line, "word") || on < 0 || off < on {
			t.Errorf("a line of the title is %q", line)
		}
	}
}
