package conversation_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/test"
)

// Two questions about one call are each about what they ask.
func TestTwoQuestionsAboutOneCall(t *testing.T) {
	c := fold(t, test.Sent("x"), `{"sessionUpdate":"tool_call","toolCallId":"t","title":"Work","kind":"other","rawInput":{}}`,
		test.Permission(1, `{"toolCallId":"t","title":"Write a.txt","kind":"edit","content":[{"type":"diff","path":"a.txt","newText":"a"}]}`),
		test.Permission(2, `{"toolCallId":"t","title":"Run it","kind":"execute","rawInput":{"command":"sh a.txt"}}`))
	first, second := test.Permissions(c)[0].Asked, test.Permissions(c)[1].Asked
	if first.Title != "Write a.txt" || len(first.Content) != 1 || string(first.RawInput) != "{}" {
		t.Errorf("the first question is about %+v", first)
	}
	if second.Title != "Run it" || len(second.Content) != 0 || string(second.RawInput) != `{"command":"sh a.txt"}` {
		t.Errorf("the second question is about %+v", second)
	}
	if test.Permissions(c)[0].ToolCall != test.Permissions(c)[1].ToolCall {
		t.Error("they are about different calls")
	}
	// What the agent tells of the call since is news to both.
	c = fold(t, test.Permission(1, `{"toolCallId":"t","title":"Write a.txt"}`))
	before := test.Permissions(c)[0].Asked
	c.Apply(test.Up(t, `{"sessionUpdate":"tool_call_update","toolCallId":"t","title":"Write b.txt"}`))
	if got := test.Permissions(c)[0].Asked; got.Title != "Write b.txt" || before.Title != "Write a.txt" || got.Version() <= before.Version() {
		t.Errorf("an update is not followed: %+v", got)
	}
}

// What was asked stays with the call, whatever the agent makes of it.
func TestWhatWasAskedStays(t *testing.T) {
	c := fold(t, test.Sent("x"), test.Permission(1, `{"toolCallId":"t","title":"Write a.txt","content":[{"type":"diff","path":"a.txt","newText":"a"}]}`),
		conversation.QuestionClosed{ID: 1, Outcome: acpclient.PermissionSelected("y")},
		`{"sessionUpdate":"tool_call_update","toolCallId":"t","status":"completed","content":[{"type":"content","content":{"type":"text","text":"Done."}}]}`)
	tool := onlyTool(t, c)
	if len(tool.Asked) != 1 || tool.Asked[0].Content[0].Path != "a.txt" || tool.Content[0].Content.Text != "Done." {
		t.Errorf("%+v", tool)
	}
}

func TestRejectedCalls(t *testing.T) {
	ask := test.Permission(1, `{"toolCallId":"t","title":"T","status":"pending"}`)
	answer := func(o acpclient.PermissionOptionID) conversation.Event {
		return conversation.QuestionClosed{ID: 1, Outcome: acpclient.PermissionSelected(o)}
	}
	status := func(s string) string {
		return `{"sessionUpdate":"tool_call_update","toolCallId":"t","status":"` + s + `"}`
	}
	for name, c := range map[string]struct {
		events              []any
		rejected, cancelled bool
	}{
		"while the turn runs":              {[]any{test.Sent("x"), ask, answer("n")}, false, false},
		"without another word":             {[]any{test.Sent("x"), ask, answer("n"), conversation.TurnEnded{}}, true, false},
		"in a turn that ends as cancelled": {[]any{test.Sent("x"), ask, answer("n"), conversation.TurnEnded{Reason: acpclient.StopCancelled}}, true, false},
		"in a turn that is cancelled":      {[]any{test.Sent("x"), ask, answer("n"), conversation.CancelRequested{}}, true, false},
		"said to have failed":              {[]any{test.Sent("x"), ask, answer("n"), status("failed"), conversation.TurnEnded{}}, true, false},
		"said to have failed, later":       {[]any{test.Sent("x"), ask, answer("n"), conversation.TurnEnded{}, status("failed")}, true, false},
		"allowed, and failed":              {[]any{test.Sent("x"), ask, answer("y"), status("failed"), conversation.TurnEnded{}}, false, false},
		"done all the same":                {[]any{test.Sent("x"), ask, answer("n"), status("completed"), conversation.TurnEnded{}}, false, false},
		"said to be done, later":           {[]any{test.Sent("x"), ask, answer("n"), conversation.TurnEnded{}, status("completed")}, false, false},
		"allowed":                          {[]any{test.Sent("x"), ask, answer("y"), conversation.TurnEnded{}}, false, false},
		"cancelled and not answered":       {[]any{test.Sent("x"), ask, conversation.CancelRequested{}, conversation.QuestionClosed{ID: 1}}, false, true},
		"asked outside of any turn":        {[]any{ask, answer("n")}, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := onlyTool(t, fold(t, c.events...)); got.Rejected != c.rejected || got.Cancelled != c.cancelled {
				t.Errorf("rejected %v, cancelled %v", got.Rejected, got.Cancelled)
			}
		})
	}
}

// A question about something that the agent gives no id is all that it will ever say of
// it: the item ends with the answer, and not as one that has yet to begin.
func TestAQuestionWithoutAnIDEndsWithItsAnswer(t *testing.T) {
	const ask = `{"kind":"execute","title":"May I clean up?","rawInput":{"command":"rm -rf build"}}`
	for name, tt := range map[string]struct {
		outcome             acpclient.RequestPermissionOutcome
		status              acpclient.ToolCallStatus
		rejected, cancelled bool
	}{
		"allowed":   {acpclient.PermissionSelected("y"), acpclient.ToolCompleted, false, false},
		"rejected":  {acpclient.PermissionSelected("n"), "", true, false},
		"cancelled": {acpclient.PermissionCancelled, "", false, true},
	} {
		t.Run(name, func(t *testing.T) {
			c := fold(t, test.Sent("x"), test.Permission(1, ask), conversation.QuestionClosed{ID: 1, Outcome: tt.outcome})
			for range 2 { // while the turn runs, and after it
				if tool := onlyTool(t, c); tool.Status != tt.status || tool.Rejected != tt.rejected || tool.Cancelled != tt.cancelled || tool.Running() {
					t.Errorf("%+v", tool)
				}
				c.Apply(conversation.TurnEnded{Reason: acpclient.StopEndTurn})
			}
		})
	}
}

// A question may outlive the transcript that its call was in: another session is opened
// while it is open.
func TestAQuestionOutlivesItsTranscript(t *testing.T) {
	c := conversation.New()
	c.Apply(test.Permission(1, `{"toolCallId":"t"}`))
	c.Apply(conversation.SessionOpening{ID: "other", Clear: true})
	c.Apply(conversation.QuestionClosed{ID: 1, Outcome: acpclient.PermissionSelected("yes")})
	if len(test.Permissions(c)) > 0 || len(c.Items) > 0 {
		t.Errorf("%d questions and %d items are left", len(test.Permissions(c)), len(c.Items))
	}
	c.Apply(test.Permission(2, `{"toolCallId":"t"}`))
	c.Apply(conversation.SessionOpening{ID: "other", Clear: true})
	c.Apply(test.Up(t, `{"sessionUpdate":"tool_call","toolCallId":"u","title":"Another"}`))
	c.Apply(conversation.QuestionClosed{ID: 2, Outcome: acpclient.PermissionSelected("yes")})
	if len(c.Items) != 1 {
		t.Errorf("%d items", len(c.Items))
	}
}

// A question of parley's own stands in the transcript with its answer, and leaves the
// agent's message whole.
func TestFileQuestion(t *testing.T) {
	q := &conversation.FileQuestion{Path: "/w/link", Target: "/etc/hosts", Outside: true, Folder: "/etc"}
	asked := conversation.PermissionOpened{ID: 1, Request: conversation.FileRequest(q, nil, ""), File: q}
	for name, tt := range map[string]struct {
		outcome                       acpclient.RequestPermissionOutcome
		rejected, cancelled, complete bool
	}{
		"yes":       {acpclient.PermissionSelected(conversation.FileOnce), false, false, true},
		"no":        {acpclient.PermissionSelected(conversation.FileNo), true, false, false},
		"cancelled": {acpclient.PermissionCancelled, false, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			c := fold(t, test.Sent("x"), test.AgentSays("one ", ""), asked)
			if len(test.Permissions(c)) != 1 || test.Permissions(c)[0].File != q || test.Permissions(c)[0].Asked.Kind != acpclient.ToolRead {
				t.Fatalf("the open questions are %+v", test.Permissions(c))
			}
			c.Apply(conversation.QuestionClosed{ID: 1, Outcome: tt.outcome})
			c.Apply(test.Up(t, test.AgentSays("two", "")))
			tool := onlyTool(t, c)
			if tool.Rejected != tt.rejected || tool.Cancelled != tt.cancelled || (tool.Status == acpclient.ToolCompleted) != tt.complete || tool.Running() {
				t.Errorf("%+v", tool)
			}
			said := 0
			for _, item := range c.Items {
				if m, ok := item.(*conversation.Message); ok && m.Chunk == acpclient.AgentMessageChunk {
					if said++; m.Parts.Plain() != "one two" {
						t.Errorf("the agent said %q", m.Parts.Plain())
					}
				}
			}
			if said != 1 || len(test.Permissions(c)) != 0 {
				t.Errorf("%d messages, %d open questions", said, len(test.Permissions(c)))
			}
		})
	}
}

// A question that is being judged is not the user's: it is not shown, and its time is
// not theirs. What the rules leave open takes its place among the others.
func TestJudgedQuestions(t *testing.T) {
	judging := func(id int, tool string) conversation.PermissionOpened {
		e := test.Permission(id, tool)
		e.Judging = true
		return e
	}
	open := func(c *conversation.Conversation) (ids []int) {
		for _, p := range test.Permissions(c) {
			ids = append(ids, p.ID)
		}
		return ids
	}
	c := foldTimed([]timed{
		{0, test.Sent("x")},
		{1, test.Up(t, `{"sessionUpdate":"tool_call","toolCallId":"a","kind":"read","status":"pending"}`)},
		{2, judging(1, `{"toolCallId":"a","rawInput":{"path":"p"}}`)},
		{4, test.Permission(2, `{"toolCallId":"b"}`)},
	})
	if got := open(c); len(got) != 1 || got[0] != 2 || len(test.Judging(&c.State)) != 1 || calls(c)[0].Waits() {
		t.Fatalf("open are %v, %d are judged", got, len(test.Judging(&c.State)))
	}
	asked := test.Judging(&c.State)[0].Asked
	c.Apply(test.Up(t, `{"sessionUpdate":"tool_call_update","toolCallId":"a","rawInput":{"path":"q"}}`))
	if test.Judging(&c.State)[0].Asked == asked || string(test.Judging(&c.State)[0].Asked.RawInput) != `{"path":"q"}` {
		t.Error("a question that is being judged does not follow its call")
	}
	c.Apply(test.At(conversation.PermissionReferred{ID: 1, Why: "because", Proposals: [][]string{{"allow read"}}}, seconds(5)))
	if got := open(c); len(got) != 2 || got[0] != 1 || len(test.Judging(&c.State)) != 0 || test.Permissions(c)[0].Why != "because" || !calls(c)[0].Waits() {
		t.Fatalf("open are %v, %d are judged", got, len(test.Judging(&c.State)))
	}
	c.Apply(test.At(conversation.QuestionClosed{ID: 1, Outcome: acpclient.PermissionSelected("y")}, seconds(60)))
	c.Apply(judging(3, `{"toolCallId":"c"}`))
	c.Apply(conversation.QuestionClosed{ID: 3, Outcome: acpclient.PermissionSelected("n"), Rule: "deny read", Source: "f"})
	if a := calls(c)[2].Answer; a == nil || a.Rule != "deny read" || a.Source != "f" || !a.Rejects() || len(calls(c)[2].Asked) != 1 {
		t.Errorf("the answer of a rule is %+v", a)
	}
	c.Apply(judging(4, `{"toolCallId":"d"}`))
	c.Apply(conversation.PermissionReferred{ID: 9})
	c.Apply(conversation.AgentLost{})
	if len(test.Judging(&c.State))+len(test.Permissions(c)) != 0 {
		t.Error("questions outlive the agent")
	}
}

const schema = `{"mode":"form","sessionId":"s","message":"About the release","requestedSchema":{"type":"object","properties":{
	"name":{"type":"string","title":"Name"},"colour":{"type":"string","oneOf":[{"const":"r","title":"Red"}]},"parts":{"type":"array","title":"Parts","items":{"enum":["ci","docs"]}},
	"count":{"type":"integer","title":"Count"},"loud":{"type":"boolean","title":"Loud"},"note":{"type":"string"},
	"pw":{"type":"string","title":"Your password"},"apiKey":{"type":"string","title":"For the API"},"code":{"type":"string","format":"password"}}}}`

// What the user answers stays, but no secret of theirs.
func TestAnsweredElicitationsStay(t *testing.T) {
	r := new(acpclient.CreateElicitationRequest)
	if err := acpclient.Unmarshal([]byte(schema), r); err != nil {
		t.Fatal(err)
	}
	answers := conversation.AnswersTo(r, map[string]any{
		"name": "parley", "colour": "r", "parts": []string{"ci", "docs"}, "count": int64(3), "loud": false,
		"pw": "hunter2", "apiKey": "hunter2", "code": "hunter2",
	})
	want := []conversation.FieldAnswer{
		{Field: "Name", Value: "parley"},
		{Field: "colour", Value: "Red"},
		{Field: "Parts", Value: "ci, docs"},
		{Field: "Count", Value: "3"},
		{Field: "Loud", Value: "no"},
		{Field: "Your password", Secret: true},
		{Field: "For the API", Secret: true},
		{Field: "code", Secret: true},
	}
	if d := cmp.Diff(want, answers); d != "" {
		t.Error(d)
	}
	c := fold(t, test.AgentSays("a", ""), conversation.ElicitationOpened{ID: 1, Request: r}, test.AgentSays("b", ""),
		conversation.QuestionClosed{ID: 1, Action: acpclient.ElicitAccept, Answers: answers}, test.AgentSays("c", ""),
		conversation.ElicitationOpened{ID: 2, Request: r}, conversation.QuestionClosed{ID: 2, Action: acpclient.ElicitCancel})
	test.WantTranscript(t, c, "agent: ab", "question: About the release: accept", "agent: c")
	q, _ := c.Items[1].(*conversation.Elicitation)
	if len(test.Elicitations(c)) != 0 || q == nil || !slices.Equal(q.Answers, answers) {
		t.Errorf("%+v", q)
	}
	if got := conversation.AnswersTo(&acpclient.CreateElicitationRequest{Mode: acpclient.ElicitURL}, nil); got != nil {
		t.Errorf("without a form: %+v", got)
	}
}

// opencode repeats after its question what it said of the call before, with the directory
// that the question leaves out: the proposed rules are still about what is asked. Another
// command ends them.
func TestProposalsOutliveARepetition(t *testing.T) {
	ask := func() (*conversation.Conversation, func(raw string)) {
		c := conversation.New()
		tell := func(raw string) {
			update := &acpclient.ToolCallUpdate{ToolCallID: "c", RawInput: []byte(raw)}
			kind := acpclient.ToolExecute
			update.Kind = &kind
			update.Locations = []acpclient.ToolCallLocation{{Path: "/project"}}
			c.Apply(conversation.Update{Update: update})
		}
		tell(`{"command":"rm -rf build","cwd":"/project"}`)
		c.Apply(conversation.PermissionOpened{ID: 1, Judging: true, Request: &acpclient.RequestPermissionRequest{
			ToolCall: acpclient.ToolCallUpdate{ToolCallID: "c", RawInput: []byte(`{"command":"rm -rf build"}`)},
		}})
		c.Apply(conversation.PermissionReferred{ID: 1, Proposals: [][]string{{"allow execute(rm -rf build)"}}})
		return c, tell
	}
	c, tell := ask()
	tell(`{"command":"rm -rf build","cwd":"/project"}`)
	if len(test.Permissions(c)[0].Proposals) == 0 {
		t.Error("a repetition has ended the proposals")
	}
	c, tell = ask()
	c.Cwd = "/project"
	c.Apply(conversation.Update{Update: &acpclient.ToolCallUpdate{ToolCallID: "c", RawInput: []byte(`{"command":"rm -rf build"}`)}})
	tell(`{"command":"rm -rf build","workdir":"/project"}`) // for the first time
	if len(test.Permissions(c)[0].Proposals) == 0 {
		t.Error("the session's directory has ended the proposals")
	}
	for _, other := range []string{`{"command":"rm -rf /","cwd":"/project"}`, `{"command":"rm -rf build","cwd":"/"}`} {
		c, tell = ask()
		tell(other)
		if len(test.Permissions(c)[0].Proposals) > 0 {
			t.Errorf("%s keeps the proposals", other)
		}
	}
}

// A question has another revision whenever it asks something else, and only then.
func TestARevisionGrowsWithWhatIsAsked(t *testing.T) {
	const call = `{"sessionUpdate":"tool_call_update","toolCallId":"t",`
	for name, c := range map[string]struct {
		update string
		grows  bool
	}{
		"title":           {call + `"title":"Another"}`, true},
		"kind":            {call + `"kind":"delete"}`, true},
		"input":           {call + `"rawInput":{"command":"rm -rf ~"}}`, true},
		"content":         {call + `"content":[{"type":"diff","path":"a","newText":"b"}]}`, true},
		"place":           {call + `"locations":[{"path":"/etc/passwd"}]}`, true},
		"line of a place": {call + `"locations":[{"path":"/a","line":2}]}`, true},
		"more content":    {`{"sessionUpdate":"tool_call_content_chunk","toolCallId":"t","content":[{"type":"content","content":{"type":"text","text":"and"}}]}`, true},
		"who asks":        {`{"sessionUpdate":"tool_call_update","toolCallId":"parent","title":"Somebody else"}`, true},
		"another parent":  {call + `"_meta":{"claudeCode":{"parentToolUseId":"other"}}}`, true},
		"the same":        {call + `"title":"Run it","rawInput":{"command":"ls"},"locations":[{"path":"/a","line":1}]}`, false},
		"spaces":          {call + `"rawInput":{ "command": "ls" }}`, false},
		"status":          {call + `"status":"in_progress"}`, false},
		"output":          {call + `"rawOutput":{"text":"x"}}`, false},
		"another call":    {`{"sessionUpdate":"tool_call_update","toolCallId":"u","title":"Another"}`, false},
		"text":            {test.AgentSays("Hm", ""), false},
	} {
		t.Run(name, func(t *testing.T) {
			c1 := fold(t, test.Sent("x"), `{"sessionUpdate":"tool_call","toolCallId":"parent","title":"Look around"}`,
				`{"sessionUpdate":"tool_call","toolCallId":"t","_meta":{"claudeCode":{"parentToolUseId":"parent"}}}`,
				test.Permission(1, `{"toolCallId":"t","title":"Run it","kind":"execute","rawInput":{"command":"ls"},"locations":[{"path":"/a","line":1}]}`))
			before := test.Permissions(c1)[0].Seen
			if before.ID != 1 || before.Revision != 1 {
				t.Fatalf("it begins as %+v", before)
			}
			test.Permissions(c1)[0].Ordinary = true
			c1.Apply(test.Up(t, c.update))
			now, open := test.Permissions(c1)[0].Now(), c1.Asks(c1.Question(1))
			if grows := now.Revision > before.Revision; !open || grows != c.grows || grows != (now.Shown != before.Shown) {
				t.Errorf("it becomes %+v", now)
			}
			if test.Permissions(c1)[0].Ordinary == c.grows {
				t.Errorf("ordinary: %t", !c.grows)
			}
		})
	}
}

// A question that is being judged is not asked yet, and begins with its first revision. Its
// proposals are part of what is asked.
func TestTheRevisionOfAQuestionThatIsJudged(t *testing.T) {
	opened := test.Permission(1, `{"toolCallId":"t","title":"Run it","rawInput":{"command":"ls"}}`)
	opened.Judging = true
	c := fold(t, test.Sent("x"), opened, `{"sessionUpdate":"tool_call_update","toolCallId":"t","rawInput":{"command":"ls -l"}}`)
	if c.Asks(c.Question(1)) {
		t.Error("it is asked before it was judged")
	}
	c.Apply(conversation.PermissionReferred{ID: 1, Proposals: [][]string{{"allow read"}}, Ordinary: true})
	if now := c.Question(1).Now(); !c.Asks(c.Question(1)) || now.Revision != 1 || !test.Permissions(c)[0].Ordinary {
		t.Errorf("it begins as %+v", now)
	}
	// opencode repeats a part of the input: what is asked is less, and no rule is proposed for it.
	c.Apply(test.Up(t, `{"sessionUpdate":"tool_call_update","toolCallId":"t","rawInput":{"command":"rm"}}`))
	if now := c.Question(1).Now(); now.Revision != 2 || test.Permissions(c)[0].Proposals != nil {
		t.Errorf("without its proposals it is %+v", now)
	}
	c.Apply(conversation.QuestionClosed{ID: 1, Outcome: acpclient.PermissionSelected("y")})
	if c.Question(1) != nil {
		t.Error("it is open after the answer")
	}
}
