package export

import (
	"bytes"
	"encoding/json"
	"html"
	"io"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/record"
	"parley/internal/test"
)

// session is a conversation with every kind of item, in which each text tries to be
// more than text.
func session(t testing.TB) *conversation.Conversation {
	t.Helper()
	const evil = `</pre><script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">`
	code := 2
	c := conversation.New()
	c.Cwd = "/project"
	for _, e := range []conversation.Event{
		test.Sent("Tidy up " + evil + "\x1b[31m"),
		test.Up(t, `{"sessionUpdate":"agent_thought_chunk","content":{"type":"text","text":"Hm `+evil+`"}}`),
		test.Up(t, `{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"# Done\n\n**bold** [link](javascript:alert(1)) [page](https://example.com) `+evil+`\n\n| a | b |\n|--|--|\n| 1 | 2 |"}}`),
		test.Up(t, `{"sessionUpdate":"agent_message_chunk","content":{"type":"image","mimeType":"image/png","data":"iVBORw0KGgo="}}`),
		test.Up(t, `{"sessionUpdate":"agent_message_chunk","content":{"type":"image","mimeType":"image/svg+xml","data":"PHN2Zz4="}}`),
		test.Up(t, `{"sessionUpdate":"tool_call","toolCallId":"t","title":"Edit `+evil+`","kind":"edit","status":"completed","rawInput":{"path":"`+evil+`"},"content":[{"type":"diff","path":"/project/a.go","oldText":"one\n`+evil+`\n","newText":"two\n`+evil+`\n"}]}`),
		conversation.TerminalCreated{ID: "x", Command: "make " + evil},
		test.Up(t, `{"sessionUpdate":"tool_call","toolCallId":"r","title":"Run it","kind":"execute","status":"failed","content":[{"type":"terminal","terminalId":"x"},{"type":"content","content":{"type":"text","text":"`+evil+`"}}]}`),
		conversation.TerminalOutput{ID: "x", Data: []byte("\x1b[32mok\x1b[0m " + evil + "\r\n\x1b]0;title\x07")},
		conversation.TerminalExited{ID: "x", Status: acpclient.TerminalExitStatus{ExitCode: &code}},
		conversation.ShellStarted{ID: "own", Command: "ls"},
		conversation.TerminalOutput{ID: "own", Data: []byte("a.go\r\n")},
		test.Up(t, `{"sessionUpdate":"plan","entries":[{"content":"One `+evil+`","status":"completed","priority":"high"},{"content":"Two","status":"pending","priority":"low"}]}`),
		conversation.ElicitationOpened{ID: 1, Request: &acpclient.CreateElicitationRequest{Message: "Which? " + evil}},
		conversation.QuestionClosed{ID: 1, Action: acpclient.ElicitAccept, Answers: []conversation.FieldAnswer{{Field: "Database", Value: evil}, {Field: "Password", Secret: true}}},
		conversation.NoticeAdded{Severity: acpclient.NoticeError, Title: "Trouble " + evil, Detail: evil},
		test.Up(t, `{"sessionUpdate":"tool_call","toolCallId":"`+evil+`","title":"t","kind":"`+evil+`","status":"\">`+evil+`"}`),
		conversation.NoticeAdded{Severity: acpclient.NoticeSeverity(`">` + evil), Title: "T"},
		test.Up(t, `{"sessionUpdate":"from_the_future","what":"`+evil+`"}`),
		conversation.TurnEnded{Reason: acpclient.StopEndTurn},
	} {
		c.Apply(e)
	}
	return c
}

// exported is a conversation in a form.
func exported(t testing.TB, c *conversation.Conversation, form func(io.Writer, *Transcript) error) string {
	t.Helper()
	var b bytes.Buffer
	if err := form(&b, Of(c, record.NewRedactor(nil))); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestMarkdownHasEverything(t *testing.T) {
	got := exported(t, session(t), Markdown)
	for _, want := range []string{
		"## Prompt", "> Tidy up", "# Done", "**bold**", "```diff\n> --- /project/a.go", "> -one\n", "> +two\n",
		"```console\n> $ make", "> ended: 2", "$ ls", "- [x] One", "- [ ] Two", "**Question** Which?", "Database", "(not kept)", "*Trouble",
		"from\\_the\\_future",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("it lacks %q", want)
		}
	}
	if strings.ContainsAny(got, "\x1b\x07") {
		t.Error("it has control characters")
	}
	if t.Failed() {
		t.Log(got)
	}
}

// brief is a conversation as another agent gets it.
func brief(events ...conversation.Event) (text string) {
	c := conversation.New()
	for _, e := range events {
		c.Apply(e)
	}
	for _, item := range c.Items {
		text += Brief(item)
	}
	return text
}

// The text is for an agent, which learns nothing of the user's own commands and answers.
func TestBriefLeavesOutWhatIsTheUsersOwn(t *testing.T) {
	got := brief(
		test.Sent("a prompt"), conversation.ShellStarted{ID: "s", Command: "print-a-secret"}, conversation.TerminalOutput{ID: "s", Data: []byte("the secret")},
		conversation.ElicitationOpened{ID: 1, Request: &acpclient.CreateElicitationRequest{Message: "Which?"}},
		conversation.QuestionClosed{ID: 1, Action: acpclient.ElicitAccept, Answers: []conversation.FieldAnswer{{Field: "Database", Value: "a secret"}}},
	)
	if strings.Contains(got, "secret") || !strings.Contains(got, "a prompt") || !strings.Contains(got, "Which?") {
		t.Errorf("the text is\n%s", got)
	}
}

// Only a call that has succeeded is said to have changed its files.
func TestBriefOfCalls(t *testing.T) {
	const diff = `"content":[{"type":"diff","path":"/a.txt","newText":"x"}]`
	ask := test.Permission(1, `{"toolCallId":"t","title":"T","kind":"edit","status":"pending",`+diff+`}`)
	no := conversation.QuestionClosed{ID: 1, Outcome: acpclient.PermissionSelected("n")}
	call := func(kind, status, content string) conversation.Event {
		return test.Up(t, `{"sessionUpdate":"tool_call","toolCallId":"t","title":"T","kind":"`+kind+`","status":"`+status+`","rawInput":{"a":"b"},`+content+`}`)
	}
	long := `"content":[{"type":"content","content":{"type":"text","text":"` + strings.Repeat("x", 2*mostBrief) + `end"}}]`
	for want, events := range map[string][]conversation.Event{
		"> **T** · edit · completed\n>\n> ```\n> changed /a.txt\n> ```\n":               {call("edit", "completed", diff)},
		"> **T** · edit · failed\n>\n> ```\n> would change /a.txt\n> ```\n":             {call("edit", "failed", diff)},
		"> **T** · edit · rejected · you: No\n>\n> ```\n> would change /a.txt\n> ```\n": {test.Sent("x"), ask, no, conversation.TurnEnded{}},
		"\n> …" + strings.Repeat("x", mostBrief-len("end")) + "end\n":                   {call("execute", "completed", long)},
	} {
		if got := brief(events...); !strings.Contains(got, want) {
			t.Errorf("%q lacks %q", got, want)
		}
	}
}

func TestJSONIsAnObject(t *testing.T) {
	var got Transcript
	if err := json.Unmarshal([]byte(exported(t, session(t), JSON)), &got); err != nil {
		t.Fatal(err)
	}
	kinds := map[string]bool{}
	for _, e := range got.Entries {
		kinds[e.Type] = true
	}
	for _, want := range []string{"prompt", "answer", "thought", "tool_call", "command", "plan", "question", "note", "unknown"} {
		if !kinds[want] {
			t.Errorf("it has no %s", want)
		}
	}
	if got.Version != Version || got.Cwd != "/project" || !strings.HasPrefix(got.Title, "Tidy up") {
		t.Errorf("%+v", got)
	}
}

// Whatever happens in a session, it can be exported, and no text of it becomes more than
// text.
func TestAnySessionCanBeExported(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		c := conversation.New()
		for _, e := range rapid.SliceOfN(test.Random(), 0, 30).Draw(r, "events") {
			c.Apply(e)
		}
		for _, form := range []func(io.Writer, *Transcript) error{Markdown, JSON, HTML} {
			if got := exported(t, c, form); strings.ContainsAny(got, "\x1b\x07\x00") {
				r.Fatalf("it has control characters: %q", got)
			}
		}
	})
}

// An entity is the character that it names, and is shown as such.
func TestEntitiesAreShown(t *testing.T) {
	c := conversation.New()
	c.Apply(conversation.Text{Chunk: acpclient.AgentMessageChunk, Text: "a&#27;[31m b&#x202e;c `d`&#7;"})
	if got := exported(t, c, HTML); !strings.Contains(got, "a␛[31m b⟨U+202E⟩c <code>d</code>␇") {
		t.Errorf("%s", got)
	}
}

// The page has no way to load or run anything.
func TestPageIsInert(t *testing.T) {
	got := exported(t, session(t), HTML)
	for _, never := range []string{"<script", "<img src=x", "javascript:", "svg+xml;base64", "<iframe", "<link"} {
		if strings.Contains(strings.ToLower(got), never) {
			t.Errorf("the page has %q", never)
		}
	}
	for _, want := range []string{
		"default-src &#39;none&#39;", "<title>Tidy up", `<a href="https://example.com">page</a>`, `<span class="del">-one`, `<span class="add">+two`,
		"data:image/png;base64,", "<table>", ">ok</span>", "ended: 2", "(not kept)",
	} {
		if !strings.Contains(got, want) && !strings.Contains(got, strings.ReplaceAll(want, "&#39;", "'")) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if t.Failed() {
		t.Log(got)
	}
}

// A text of nothing but backticks is written as fast as any other: this test does not
// end otherwise.
func TestPageDrawsTitles(t *testing.T) {
	c := conversation.New()
	c.Apply(test.Up(t, `{"sessionUpdate":"tool_call","toolCallId":"t","title":"Edit `+"`a.go`"+` <b>","kind":"edit","status":"completed","content":[{"type":"diff","path":"/a.go","oldText":"-- one\nsame\n","newText":"two\nsame\nthree\n"}]}`))
	c.Apply(test.Up(t, `{"sessionUpdate":"tool_call","toolCallId":"u","title":"# no heading","kind":"other","status":"completed"}`))
	page := exported(t, c, HTML)
	for _, want := range []string{`<span class="head">--- `, `<span class="del">--- one`, "<b>Edit <code>a.go</code> &lt;b&gt;</b><span>+2 −1</span>", "<b># no heading</b>"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q:\n%s", want, page)
		}
	}
}

func TestTextOfBackticks(t *testing.T) {
	ticks := strings.Repeat("`", 4<<20)
	c := conversation.New()
	c.Apply(test.Up(t, `{"sessionUpdate":"tool_call","toolCallId":"t","title":"T","content":[{"type":"content","content":{"type":"text","text":"`+ticks+`"}}]}`))
	if out := exported(t, c, Markdown); !strings.Contains(out, "> "+ticks+"`\n> "+ticks+"\n> "+ticks+"`\n") {
		t.Error("the text is not in a block of code with a longer fence")
	}
}

// What is said before and after an image stays before and after it.
func TestBlocksKeepTheirOrder(t *testing.T) {
	c := conversation.New()
	image := acpclient.ContentBlock{Type: acpclient.ContentImage, MimeType: "image/png", Data: "aaaa"}
	c.Apply(conversation.PromptSent{Prompt: []acpclient.ContentBlock{acpclient.TextBlock("before"), image, acpclient.TextBlock("after")}})
	for name, form := range map[string]func(io.Writer, *Transcript) error{"aaaa": HTML, "image": Markdown} {
		got := exported(t, c, form)
		got = got[strings.LastIndex(got, "before"):]
		if at, end := strings.Index(got, name), strings.Index(got, "after"); at < 0 || end < at {
			t.Errorf("not in order: %s", got)
		}
	}
}

// A browser would fetch the image, even if the page then does not show it.
func TestImagesOfMarkdownAreLinks(t *testing.T) {
	c := conversation.New()
	c.Apply(conversation.Text{Chunk: acpclient.AgentMessageChunk, Text: "See ![the **plan**](https://example.com/a.png) and [![badge](https://example.com/b.png)](https://example.com)"})
	got := exported(t, c, HTML)
	if strings.Contains(got, "<img") || !strings.Contains(got, `<a href="https://example.com/a.png">the <strong>plan</strong></a> and <a href="https://example.com">badge</a>`) {
		t.Errorf("the page is %s", got[strings.Index(got, "<main>"):])
	}
}

// An edit is a diff under the name of its file, without the input that says the same, and
// nothing is a fence around nothing.
func TestAnEditIsADiffInMarkdown(t *testing.T) {
	c := conversation.New()
	for _, e := range []conversation.Event{
		test.Sent("edit"),
		test.Up(t, `{"sessionUpdate":"tool_call","toolCallId":"e","title":"Edit","kind":"edit","status":"completed","rawInput":{"file_path":"/p/a.go","old_string":"one","new_string":"two"},
			"content":[{"type":"diff","path":"/p/a.go","oldText":"one\n","newText":"two\n"},{"type":"diff","path":"/p/b.go","oldText":"b\n","newText":"b\n"},{"type":"content","content":{"type":"text","text":" \n"}}]}`),
		test.Up(t, `{"sessionUpdate":"tool_call","toolCallId":"r","title":"Run","kind":"execute","status":"completed","rawInput":{"command":"true"},"content":[{"type":"terminal","terminalId":"x"}]}`),
	} {
		c.Apply(e)
	}
	got := exported(t, c, Markdown)
	for _, want := range []string{"> /p/a.go:\n>\n> ```diff\n> --- /p/a.go", "> -one\n", "> +two\n", "> /p/b.go: no change\n", `"command": "true"`} {
		if !strings.Contains(got, want) {
			t.Errorf("it lacks %q", want)
		}
	}
	for _, bad := range []string{"old_string", "> ```\n> ```", "```\n>\n> ```"} {
		if strings.Contains(got, bad) {
			t.Errorf("it has %q", bad)
		}
	}
	if t.Failed() {
		t.Log(got)
	}
}

// No export has a secret, wherever it stands and however it is written there.
func TestNoExportHasASecret(t *testing.T) {
	const plain, odd = "sk-live-0123456789abcdef", `p"a\<s>&s_w*rd`
	inJSON := `p\"a\\<s>&s_w*rd`
	const wide = "DEPLOY_API_KEY_OF_THE_SERVICE_THAT_HAS_SUCH_A_LONG_NAME_THAT_THE_TERMINAL_HAS_TO_BREAK_THE_LINE_THAT_SHOWS_ITS_VALUE="
	var events []conversation.Event
	for _, s := range []struct{ text, json string }{{plain, plain}, {odd, inJSON}} {
		events = append(
			events, test.Sent("use "+s.text),
			test.Up(t, `{"sessionUpdate":"session_info_update","title":"About `+s.json+`"}`),
			test.Up(t, `{"sessionUpdate":"agent_thought_chunk","content":{"type":"text","text":"so `+s.json+`"}}`),
			test.Up(t, `{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"it is `+s.json+`"}}`),
			test.Up(t, `{"sessionUpdate":"agent_message_chunk","content":{"type":"resource_link","name":"`+s.json+`","uri":"https://x/?k=`+s.json+`"}}`),
			test.Up(t, `{"sessionUpdate":"tool_call","toolCallId":"`+s.json+`","title":"curl `+s.json+`","kind":"execute","rawInput":{"command":"curl `+s.json+`"},"locations":[{"path":"/`+s.json+`"}],
				"content":[{"type":"diff","path":"/`+s.json+`","oldText":"k=`+s.json+`","newText":"key=`+s.json+`"},{"type":"content","content":{"type":"text","text":"`+s.json+`"}},{"type":"terminal","terminalId":"x"},{"type":"odd","is":"`+s.json+`"}]}`),
			conversation.TerminalCreated{ID: "x", Command: "echo " + s.text},
			conversation.TerminalOutput{ID: "x", Data: []byte(wide + s.text + "\r\n")},
			test.Up(t, `{"sessionUpdate":"plan","entries":[{"content":"set `+s.json+`","status":"pending","priority":"low"}]}`),
			conversation.ElicitationOpened{ID: 1, Request: &acpclient.CreateElicitationRequest{Message: "Is it " + s.text}},
			conversation.QuestionClosed{ID: 1, Action: acpclient.ElicitAccept, Answers: []conversation.FieldAnswer{{Field: s.text, Value: s.text}}},
			conversation.NoticeAdded{Title: "No " + s.text, Detail: s.text},
			test.Up(t, `{"sessionUpdate":"from_the_future","what":"`+s.json+`"}`),
		)
	}
	c := conversation.New()
	for _, e := range events {
		c.Apply(e)
	}
	for name, form := range map[string]func(io.Writer, *Transcript) error{"Markdown": Markdown, "JSON": JSON, "HTML": HTML} {
		var b bytes.Buffer
		if err := form(&b, Of(c, record.NewRedactor([]string{plain, odd}))); err != nil {
			t.Fatal(err)
		}
		got := strings.NewReplacer("\n", "", "\\", "", `\n`, "").Replace(html.UnescapeString(b.String()))
		if strings.Contains(got, "0123456789") || strings.Contains(got, "p\"a") || !strings.Contains(got, "secret") {
			t.Errorf("%s has a secret:\n%s", name, b.String())
		}
	}
}

// The page shows names and ranges as the screen does.
func TestMarksWithinWordsStay(t *testing.T) {
	c := conversation.New()
	c.Apply(conversation.Text{Chunk: acpclient.AgentMessageChunk, Text: "Open __init__.py from 16~24h, 8~16h, ~~not~~ **now**, press *⃣*⃣"})
	if got := exported(t, c, HTML); !strings.Contains(got, "Open __init__.py from 16~24h, 8~16h, <del>not</del> <strong>now</strong>, press *⃣*⃣") {
		t.Errorf("the page is %s", got[strings.Index(got, "<main>"):])
	}
}
