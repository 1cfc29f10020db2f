package serve

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/session"
)

// working is an agent that works as agents do: options, a plan, a call it asks about, text.
const working = `handshake {} {"sessionId":"agents","modes":{"currentModeId":"a","availableModes":[{"id":"a","name":"A"},{"id":"b","name":"B"}]}}
update {"sessionUpdate":"available_commands_update","availableCommands":[{"name":"go","description":"Go"}]}
serve session/set_mode
expect session/prompt
say Good morning
update {"sessionUpdate":"plan","entries":[{"content":"one","priority":"high","status":"in_progress"}]}
update {"sessionUpdate":"tool_call","toolCallId":"t","title":"Write a.txt","kind":"edit","status":"pending","content":[{"type":"diff","path":"/w/a.txt","oldText":"b","newText":"a"}]}
request session/request_permission {"sessionId":"${session}","toolCall":{"toolCallId":"t"},"options":[{"optionId":"yes","name":"Yes","kind":"allow_once"},{"optionId":"no","name":"No","kind":"reject_once"}]} as asked
await asked contains "yes"
update {"sessionUpdate":"tool_call_update","toolCallId":"t","status":"completed"}
say , and good night
end-turn
`

// A client works in a session as with the agent itself, in both versions, and gets the same when it
// loads it.
func TestAClientWorksInASession(t *testing.T) {
	for name, v2 := range map[string]bool{"version 1": false, "version 2": true} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t, working+"serve\n")
			c := s.client(Options{}, acpclient.ClientCapabilities{}, v2)
			if caps := c.info.AgentCapabilities; c.info.AgentInfo.Title != "scripted (parley)" || caps.LoadSession != v2 || caps.SessionCapabilities.List == nil || caps.PromptCapabilities.Image {
				t.Errorf("%+v", c.info)
			}
			c.open(s.opt.Cwd)
			c.ends(c.prompt("hello"), "end_turn")
			want := "agent: Good morning\nplan one in_progress\ncall Write a.txt completed\nagent: , and good night\n"
			if got := withoutPrompts(transcript(c.conv)); got != want {
				t.Errorf("%s", got)
			}
			if len(c.asked) != 1 || c.asked[0].ToolCall.Content == nil || len(c.asked[0].Options) != 2 {
				t.Errorf("%+v", c.asked)
			}
			c.until("the commands", func() bool { return len(c.conv.Commands) == 1 })

			other := s.client(Options{}, acpclient.ClientCapabilities{}, v2)
			list, err := acpclient.Call(t.Context(), other, acpclient.SessionList, &acpclient.ListSessionsRequest{})
			if err != nil || len(list.Sessions) != 1 {
				t.Fatalf("%+v, %v", list, err)
			}
			if _, err := acpclient.Call(t.Context(), other, acpclient.SessionLoad, &acpclient.LoadSessionRequest{SessionID: list.Sessions[0].SessionID, Cwd: s.opt.Cwd}); err != nil {
				t.Fatal(err)
			}
			other.until("the rest", func() bool { return withoutPrompts(transcript(other.conv)) == want })
			if told := other.conv.Told(); len(told) != 1 || told[0] != "hello" {
				t.Errorf("%q", told)
			}

			// The client that sent the prompt knows its message again.
			for _, method := range []func() error{
				func() error {
					_, err := acpclient.Call(t.Context(), c, acpclient.SessionClose, &acpclient.CloseSessionRequest{SessionID: c.id})
					return err
				},
				func() error {
					_, err := acpclient.Call(t.Context(), c, acpclient.SessionLoad, &acpclient.LoadSessionRequest{SessionID: c.id, Cwd: s.opt.Cwd})
					return err
				},
			} {
				if err := method(); err != nil {
					t.Fatal(err)
				}
			}
			c.until("its prompt", func() bool { return len(c.told) == map[bool]int{false: 1, true: 2}[v2] })
			if v2 && c.told[0] != c.told[1] {
				t.Errorf("the prompt has the ids %q", c.told)
			}
		})
	}
}

func withoutPrompts(transcript string) string {
	var kept []string
	for line := range strings.Lines(transcript) {
		if !strings.HasPrefix(line, "user") && !strings.HasPrefix(line, "note") {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "")
}

// What another viewer does reaches the client: its prompts, its answers, its settings.
func TestWhatAnotherViewerDoes(t *testing.T) {
	s := newStage(t, working+"serve\n")
	c := s.client(Options{}, acpclient.ClientCapabilities{}, false)
	c.decide = func(ctx context.Context, _ *acpclient.RequestPermissionRequest) (acpclient.PermissionOptionID, error) {
		<-ctx.Done() // withdrawn, once it is answered elsewhere
		return "no", nil
	}
	c.open(s.opt.Cwd)
	viewer, err := s.attach(t.Context(), false)
	if err != nil {
		t.Fatal(err)
	}
	defer viewer.Close(context.Background())
	session.Post(viewer, session.Prompt{Prompt: conversation.QueuedPrompt{Prompt: []acpclient.ContentBlock{acpclient.TextBlock("from elsewhere")}}})
	c.until("the question", func() bool { return len(c.asked) == 1 })
	see := viewer.Past()
	sees(viewer, see, func() bool { return len(conversation.Questions[*conversation.Permission](&see.State)) > 0 })
	p := conversation.Questions[*conversation.Permission](&see.State)[0]
	if err := session.Try(t.Context(), viewer, session.Answer{Question: p.Seen, Option: "yes"}); err != nil {
		t.Fatal(err)
	}
	c.said("and good night")
	if got := transcript(c.conv); !strings.HasPrefix(got, "user: from elsewhere\nagent: Good morning\n") || !strings.Contains(got, "call Write a.txt completed") {
		t.Errorf("%s", got)
	}
	if err := session.Try(t.Context(), viewer, session.SetOption{Option: see.OptionByCategory(acpclient.CategoryMode).ID, Value: acpclient.SelectValue("b")}); err != nil {
		t.Fatal(err)
	}
	c.until("the mode", func() bool {
		o := c.conv.OptionByCategory(acpclient.CategoryMode)
		return o != nil && o.CurrentValue.ID == "b"
	})
	_, err = acpclient.Call(t.Context(), c, acpclient.SessionSetMode, &acpclient.SetSessionModeRequest{SessionID: c.id, ModeID: "z"})
	if err == nil || !strings.Contains(err.Error(), `with the value "z"`) {
		t.Error(err)
	}
}

// Loading a session starts its agent again where it has exited: for the client that has it open, for
// another, and for one that finds it stored.
func TestASessionWhoseAgentHasExited(t *testing.T) {
	s := newStage(t, "handshake {\"loadSession\":true}\nexpect session/prompt\nend-turn\nexpect session/prompt\nexit 1\n")
	c := s.client(Options{}, acpclient.ClientCapabilities{}, false).open(s.opt.Cwd)
	c.ends(c.prompt("one"), "end_turn")
	load := &acpclient.LoadSessionRequest{SessionID: c.id, Cwd: s.opt.Cwd}
	for _, fresh := range []bool{false, true} {
		c.ends(c.prompt("two"), "exited")
		c.ends(c.prompt("three"), "Load the session again")
		if fresh {
			c = s.client(Options{}, acpclient.ClientCapabilities{}, false)
			c.id = load.SessionID
		}
		if _, err := acpclient.Call(t.Context(), c, acpclient.SessionLoad, load); err != nil {
			t.Fatalf("fresh client %t: %v", fresh, err)
		}
		c.ends(c.prompt("again"), "end_turn")
	}
	stored := newStage(t, working+"serve\n")
	stored.stored = true
	c = stored.client(Options{}, acpclient.ClientCapabilities{}, false).open(stored.opt.Cwd)
	c.ends(c.prompt("hello"), "end_turn")
}

// asksTwice is an agent that asks, changes what it asks, and does what it may.
const asksTwice = `handshake {} {"modes":{"currentModeId":"a","availableModes":[{"id":"a","name":"A"},{"id":"b","name":"B"}]}}
expect session/prompt
update {"sessionUpdate":"tool_call","toolCallId":"t","title":"ls","kind":"execute","rawInput":{"command":"ls"}}
request session/request_permission {"sessionId":"${session}","toolCall":{"toolCallId":"t"},"options":[{"optionId":"yes","name":"Yes","kind":"allow_once"},{"optionId":"no","name":"No","kind":"reject_once"}]} as asked
expect session/set_mode
reply
update {"sessionUpdate":"tool_call_update","toolCallId":"t","title":"rm","rawInput":{"command":"rm -rf /"}}
await asked contains "no"
end-turn
serve
`

// An answer counts for what the client was asked: a question that has become another is withdrawn and
// asked again, and a late answer allows nothing.
func TestAnAnswerIsForWhatWasAsked(t *testing.T) {
	s := newStage(t, asksTwice)
	c := s.client(Options{}, acpclient.ClientCapabilities{}, false)
	withdrawn := make(chan string, 2)
	c.decide = func(ctx context.Context, r *acpclient.RequestPermissionRequest) (acpclient.PermissionOptionID, error) {
		if string(r.ToolCall.RawInput) != `{"command":"ls"}` {
			withdrawn <- string(r.ToolCall.RawInput)
			return "no", nil
		}
		go func() { // lets the agent go on
			_, _ = acpclient.Call(t.Context(), c, acpclient.SessionSetMode, &acpclient.SetSessionModeRequest{SessionID: c.id, ModeID: "b"})
		}()
		<-ctx.Done()
		withdrawn <- "the first"
		return "yes", nil // too late
	}
	c.open(s.opt.Cwd)
	c.ends(c.prompt("go"), "end_turn")
	got := []string{<-withdrawn, <-withdrawn}
	slices.Sort(got)
	if got[1] != `{"command":"rm -rf /"}` || got[0] != "the first" {
		t.Errorf("%q", got)
	}
	c.said("call rm failed")
}

// Who looks on gets everything and does nothing.
func TestAClientThatLooksOn(t *testing.T) {
	s := newStage(t, working+"serve\n")
	c := s.client(Options{}, acpclient.ClientCapabilities{}, false).open(s.opt.Cwd)
	looks := s.client(Options{ReadOnly: true, Running: "host"}, acpclient.ClientCapabilities{}, false).open(s.opt.Cwd)
	c.ends(c.prompt("hello"), "end_turn")
	looks.said("and good night")
	if len(looks.asked) > 0 {
		t.Error("it was asked")
	}
	looks.ends(looks.prompt("mine"), "can only look")
	if err := looks.conn.Notify(acpclient.SessionCancel.Name, &acpclient.CancelNotification{SessionID: looks.id}); err != nil {
		t.Error(err)
	}
	for method, params := range map[string]any{
		acpclient.SessionSetMode.Name:  &acpclient.SetSessionModeRequest{SessionID: looks.id, ModeID: "b"},
		acpclient.SessionSteering.Name: &acpclient.SteeringRequest{SessionID: looks.id, Prompt: []acpclient.ContentBlock{acpclient.TextBlock("x")}},
		MethodUnqueue:                  map[string]any{"sessionId": looks.id, "id": 1},
		MethodResumeQueue:              map[string]any{"sessionId": looks.id},
	} {
		if err := looks.Call(t.Context(), method, params, nil); err == nil || !strings.Contains(err.Error(), "can only look") {
			t.Errorf("%s: %v", method, err)
		}
	}
}

// A prompt waits in the queue while a turn runs, and the client can take it back; cancelling ends the
// turn, and what it has queued.
func TestPromptsOfAClientAreQueuedAndCancelled(t *testing.T) {
	s := newStage(t, "handshake\nexpect session/prompt\nsay working\nwait-cancel\nend-turn cancelled\nserve\n")
	c := s.client(Options{}, acpclient.ClientCapabilities{}, false).open(s.opt.Cwd)
	first := c.prompt("one")
	c.said("working")
	second := c.prompt("two")
	st := c.reports(func(st Status) bool { return len(st.Queue) > 0 })
	if st.Queue[0].Text != "two" || !st.Queue[0].Own || st.State != "working" {
		t.Errorf("%+v", st)
	}
	if err := c.Call(t.Context(), MethodUnqueue, map[string]any{"sessionId": c.id, "id": st.Queue[0].ID}, nil); err != nil {
		t.Fatal(err)
	}
	c.ends(second, "cancelled")
	third := c.prompt("three")
	if err := c.conn.Notify(acpclient.SessionCancel.Name, &acpclient.CancelNotification{SessionID: c.id}); err != nil {
		t.Fatal(err)
	}
	c.ends(first, "cancelled")
	c.ends(third, "cancelled")
	c.ends(c.prompt("four"), "end_turn")
}

// What goes wrong at the agent is the answer to the prompt.
func TestAPromptThatFails(t *testing.T) {
	s := newStage(t, "handshake\nexpect session/prompt\nreply-error -32000 sign in first\nexpect session/prompt\nreply-error -32603 it broke\nexpect session/prompt\nexit 1\n")
	c := s.client(Options{}, acpclient.ClientCapabilities{}, false).open(s.opt.Cwd)
	c.ends(c.prompt("one"), "code -32000")
	c.ends(c.prompt("two"), "it broke")
	c.ends(c.prompt("three"), "The agent exited")
	c.ends(c.prompt("four"), "Load the session again")
}

// The output of a command is text, or comes as the client can show it.
func TestACommandsOutput(t *testing.T) {
	const script = "handshake\nexpect session/prompt\n" +
		`update {"sessionUpdate":"tool_call","toolCallId":"t","title":"make","kind":"execute","status":"in_progress","_meta":{"terminal_info":{"terminal_id":"x"}}}` + "\n" +
		`update {"sessionUpdate":"tool_call_update","toolCallId":"t","_meta":{"terminal_output":{"terminal_id":"x","data":"\u001b[31mred\u001b[0m\r\n"}}}` + "\n" +
		`update {"sessionUpdate":"tool_call_update","toolCallId":"t","status":"completed","_meta":{"terminal_exit":{"terminal_id":"x","exit_code":0}}}` + "\n" +
		`update {"sessionUpdate":"tool_call","toolCallId":"q","title":"true","kind":"execute","status":"completed","_meta":{"terminal_info":{"terminal_id":"y"}}}` + "\n" +
		"end-turn\nserve\n"
	for name, as := range map[string]struct {
		caps acpclient.ClientCapabilities
		v2   bool
		want string
	}{
		"text":         {want: "call make completed\n  ```\nred\n```\ncall true completed\n"},
		"in _meta":     {caps: acpclient.ClientCapabilities{Meta: acpclient.Meta(`{"terminal_output":true}`)}, want: "call make completed\n  terminal \x1b[31mred\x1b[0m\r\n\ncall true completed\n  terminal \n"},
		"in version 2": {v2: true, want: "call make completed\n  terminal \x1b[31mred\x1b[0m\r\n\ncall true completed\n  terminal \n"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t, script)
			c := s.client(Options{}, as.caps, as.v2).open(s.opt.Cwd)
			c.ends(c.prompt("go"), "end_turn")
			if got := withoutPrompts(transcript(c.conv)); got != as.want {
				t.Errorf("%q, not %q", got, as.want)
			}
		})
	}
}

// The output of a command that is sent as text is its end. How it has ended, and that an agent has replaced its
// output, are said where the protocol has words for it. The commands of other viewers come likewise.
func TestHowACommandsOutputComes(t *testing.T) {
	const next = "\nend-turn\nexpect session/prompt\n"
	const prints = `update {"sessionUpdate":"terminal_update","terminalId":"x","command":"make","cwd":"/w","output":{"data":"b25l"}}` + next
	const ends = `update {"sessionUpdate":"terminal_update","terminalId":"x","exitStatus":{"signal":"SIGKILL"}}` + "\n"
	const replaces = `update {"sessionUpdate":"terminal_update","terminalId":"x","output":{"data":"dHdv"}}` + next
	const more = `update {"sessionUpdate":"tool_call_update","toolCallId":"t","_meta":{"terminal_output":{"terminal_id":"x","data":"`
	meta := acpclient.ClientCapabilities{Meta: acpclient.Meta(`{"terminal_output":true}`)}
	long := strings.Repeat("0123456789abcd\\r\\n", 1000)
	for name, test := range map[string]struct {
		caps   acpclient.ClientCapabilities
		v2     bool
		script string
		line   string // that another viewer runs
		want   []string
	}{
		"a signal, in _meta":       {caps: meta, script: prints + ends, want: []string{`"terminal_output":{"data":"one","terminal_id":"x"}`, `"terminal_exit":{"exit_code":null,"signal":"SIGKILL","terminal_id":"x"}`}},
		"a signal, in version 2":   {v2: true, script: prints + ends, want: []string{`"command":"make","cwd":"/w"`, `"data":"b25l"`, `terminal_update {"exitStatus":{"signal":"SIGKILL"},"terminalId":"x"}`}},
		"after its turn, in _meta": {caps: meta, script: prints + more + "more" + `"}}}` + "\n", want: []string{`"data":"one"`, `"data":"more"`}},
		"replaced, as text":        {script: prints + replaces + ends, want: []string{"```\\none\\n```", "```\\ntwo\\n```"}},
		"replaced, in version 2":   {v2: true, script: prints + replaces + ends, want: []string{`"data":"b25l"`, `terminal_update {"output":{"data":"dHdv"},"terminalId":"x"}`, `"exitStatus"`}},
		"long, as text": {
			script: more + long + `"}}}` + "\n",
			want:   []string{"```\\n" + strings.Repeat("0123456789abcd\\n", mostText/16) + "```"},
		},
		"of another viewer":               {line: "echo one", want: []string{"```\\none\\n```", `"status":"completed"`}},
		"of another viewer, in _meta":     {line: "echo one", caps: meta, want: []string{`"data":"one\r\n"`, `"terminal_exit":{"exit_code":0`}},
		"of another viewer, in version 2": {line: "echo one", v2: true, want: []string{`"command":"echo one"`, `"data":"b25lDQo="`, `"exitStatus":{"exitCode":0}`}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t, "handshake\nexpect session/prompt\n"+
				`update {"sessionUpdate":"tool_call","toolCallId":"t","title":"make","kind":"execute","status":"in_progress","content":[{"type":"terminal","terminalId":"x"}]}`+"\n"+test.script+"end-turn\nserve\n")
			c := s.client(Options{}, test.caps, test.v2).open(s.opt.Cwd)
			for range 1 + strings.Count(test.script, next) {
				c.ends(c.prompt("go"), "end_turn")
			}
			if test.line != "" {
				if _, err := session.Do(t.Context(), s.viewer(), session.StartShell{Spec: session.ShellSpec{Line: test.line, Cols: 80, Rows: 24}}); err != nil {
					t.Fatal(err)
				}
			}
			c.until(strings.Join(test.want, "\n"), func() bool {
				all := strings.Join(c.updates(), "\n")
				for _, part := range test.want {
					_, rest, found := strings.Cut(all, part)
					if !found {
						return false
					}
					if test.line == "" { // another viewer's command may be over when it is first seen
						all = rest
					}
				}
				return true
			})
		})
	}
}

// Three viewers of a session prompt, answer and cancel at random. Each act happens once, nothing is lost,
// and all see the same.
func TestViewersAtOnce(t *testing.T) {
	const turn = `expect session/prompt
update {"sessionUpdate":"tool_call","toolCallId":"t","title":"ask","kind":"execute","status":"pending","rawInput":{"command":"ls"}}
request session/request_permission {"sessionId":"${session}","toolCall":{"toolCallId":"t"},"options":[{"optionId":"yes","name":"Yes","kind":"allow_once"},{"optionId":"no","name":"No","kind":"reject_once"}]} as asked
await asked
update {"sessionUpdate":"tool_call_update","toolCallId":"t","status":"completed"}
say Done.
end-turn
`
	const prompts = 12
	s := newStage(t, "handshake\n"+strings.Repeat(turn, 3*prompts)+"serve\n")
	clients := []*client{s.client(Options{}, acpclient.ClientCapabilities{}, false).open(s.opt.Cwd)}
	clients = append(clients, s.client(Options{Running: "host"}, acpclient.ClientCapabilities{}, true).open(s.opt.Cwd))
	viewer, err := s.attach(t.Context(), false)
	if err != nil {
		t.Fatal(err)
	}
	defer viewer.Close(context.Background())
	see, seen := viewer.Past(), make(chan struct{}, 1)
	sees := func() {
		for _, e := range viewer.Stream().Take() {
			see.Apply(e)
			for _, p := range conversation.Questions[*conversation.Permission](&see.State) {
				session.Post(viewer, session.Answer{Question: p.Seen, Option: "no"})
			}
		}
	}
	var ends []<-chan string
	for i := range prompts {
		for n, c := range clients {
			ends = append(ends, c.prompt(fmt.Sprintf("prompt %d of client %d", i, n)))
			if i%5 == 4 {
				_ = c.conn.Notify(acpclient.SessionCancel.Name, &acpclient.CancelNotification{SessionID: c.id})
			}
		}
		session.Post(viewer, session.Prompt{Prompt: conversation.QueuedPrompt{Prompt: []acpclient.ContentBlock{acpclient.TextBlock(fmt.Sprintf("prompt %d of the viewer", i))}}})
		session.Post(viewer, session.ResumeQueue{})
		sees()
	}
	stop := make(chan struct{})
	go func() {
		defer close(seen)
		for {
			if sees(); see.QueuePaused { // a cancel pauses what others have queued
				session.Post(viewer, session.ResumeQueue{})
			}
			select {
			case <-viewer.Stream().Ready():
			case <-stop:
				return
			}
		}
	}()
	count := map[string]int{}
	for _, end := range ends {
		select {
		case how := <-end:
			count[how]++
		case <-time.After(20 * time.Second):
			t.Fatalf("a prompt is not answered; %v", count)
		}
	}
	for how := range count {
		if strings.HasPrefix(how, "Not sent: ") { // the queue was paused by then
			count["cancelled"] += count[how]
		}
	}
	if count["end_turn"]+count["cancelled"] != len(ends) {
		t.Errorf("%v", count)
	}
	for _, c := range clients {
		c.until("the end", func() bool { return strings.Contains(transcript(c.conv), "Done.") })
	}
	for begun := time.Now(); ; {
		var st Status
		if time.Since(begun) > 20*time.Second {
			t.Fatalf("it does not come to rest: queue %+v, paused %v, turn %+v, questions %v; %s", see.Queue, see.QueuePaused, see.Turn, see.Waiting(), transcript(see))
		}
		if err := clients[0].Call(t.Context(), MethodStatus, map[string]any{"sessionId": clients[0].id}, &st); err != nil {
			t.Fatal(err)
		}
		if len(st.Queue) == 0 && !st.Overview.Working {
			break
		}
	}
	close(stop)
	<-seen
	for sees(); !see.Idle(); sees() {
		<-viewer.Stream().Ready()
	}
	want := withoutPrompts(transcript(see))
	for _, c := range clients {
		c.until("what the viewer sees:\n"+want, func() bool { return withoutPrompts(transcript(c.conv)) == want })
	}
	told := map[string]int{}
	for _, prompt := range see.Told() {
		told[prompt]++
	}
	for prompt, times := range told {
		if times != 1 {
			t.Errorf("%q was sent %d times", prompt, times)
		}
	}
	for i := range prompts {
		if told[fmt.Sprintf("prompt %d of the viewer", i)] != 1 {
			t.Errorf("the viewer's prompt %d is lost", i)
		}
	}
}

// A client that leaves cancels nothing: its turn goes on, its question stays, and what it has queued.
func TestAClientThatLeaves(t *testing.T) {
	for range 10 { // its request and its session end at once
		leaves(t)
	}
}

func leaves(t *testing.T) {
	t.Helper()
	s := newStage(t, working+"serve\n")
	c := s.client(Options{}, acpclient.ClientCapabilities{}, false)
	c.decide = func(ctx context.Context, _ *acpclient.RequestPermissionRequest) (acpclient.PermissionOptionID, error) {
		<-ctx.Done()
		return "", ctx.Err()
	}
	c.open(s.opt.Cwd)
	c.prompt("hello")
	c.until("the question", func() bool { return len(c.asked) == 1 })
	c.prompt("and then")
	var st Status
	for len(st.Queue) == 0 {
		st = Status{}
		if err := c.Call(t.Context(), MethodStatus, map[string]any{"sessionId": c.id}, &st); err != nil {
			t.Fatal(err)
		}
	}
	c.leave()
	viewer, err := s.attach(t.Context(), false)
	if err != nil {
		t.Fatal(err)
	}
	defer viewer.Close(context.Background())
	if now := viewer.Past(); !now.Turn.Running || now.Waiting() != 1 || len(now.Queue) != 1 || now.QueuePaused {
		t.Errorf("turn %+v, %d questions, queue %+v", now.Turn, now.Waiting(), now.Queue)
	}
}

// What waits behind a turn that fails is not sent by itself: its client is told.
func TestAPromptBehindATurnThatFails(t *testing.T) {
	s := newStage(t, "handshake\nexpect session/prompt as first\nsay working\nexpect session/set_mode\nreply-error first -32603 it broke\nserve\n")
	c := s.client(Options{}, acpclient.ClientCapabilities{}, false).open(s.opt.Cwd)
	first := c.prompt("one")
	c.said("working")
	second := c.prompt("two")
	viewer, err := s.attach(t.Context(), false)
	if err != nil {
		t.Fatal(err)
	}
	defer viewer.Close(context.Background())
	see := viewer.Past()
	sees(viewer, see, func() bool { return len(see.Queue) > 0 })
	session.Post(viewer, session.SetOption{Option: conversation.LegacyModeID, Value: acpclient.SelectValue("b")})
	c.ends(first, "it broke")
	c.ends(second, "Not sent: ")
	c.ends(c.prompt("three"), "end_turn")
}

// Two requests for one session open it once; one that waits for the agent is answered when the session is
// closed; and a session whose host was killed is opened from its log.
func TestASessionIsLoadedOnce(t *testing.T) {
	s := newStage(t, "handshake\nexpect session/prompt\nsay hello\nend-turn\nserve\n")
	c := s.client(Options{}, acpclient.ClientCapabilities{}, false).open(s.opt.Cwd)
	c.ends(c.prompt("one"), "end_turn")
	other := s.client(Options{}, acpclient.ClientCapabilities{}, false)
	other.id = c.id
	loads := make(chan error, 2)
	for range 2 {
		acpclient.Go(other, acpclient.SessionResume, &acpclient.ResumeSessionRequest{SessionID: c.id, Cwd: s.opt.Cwd}, func(_ *acpclient.ResumeSessionResponse, err error) { loads <- err })
	}
	if err := errors.Join(<-loads, <-loads); err != nil {
		t.Fatal(err)
	}
	c.ends(c.prompt("two"), "end_turn")
	other.until("the other's prompt", func() bool { return len(other.conv.Told()) > 0 })
	other.mu.Lock()
	if told := other.conv.Told(); len(told) != 1 || told[0] != "two" {
		t.Errorf("%q", told)
	}
	other.mu.Unlock()
	s.reset()
	c.ends(c.prompt("three"), "Load the session again")
	if _, err := acpclient.Call(t.Context(), c, acpclient.SessionResume, &acpclient.ResumeSessionRequest{SessionID: c.id, Cwd: s.opt.Cwd}); err != nil {
		t.Error(err)
	}
	c.ends(c.prompt("four"), "end_turn")
}

const signsIn = "expect initialize\nreply {\"protocolVersion\":1,\"authMethods\":[{\"id\":\"m\",\"name\":\"M\"}]}\nexpect session/new\nreply {\"sessionId\":\"s\"}\nexpect session/prompt\nreply-error -32000 sign in first\n"

// Whatever ends while a request waits, the request is answered.
func TestNoRequestHangs(t *testing.T) {
	mode := func(c *client) error {
		_, err := acpclient.Call(t.Context(), c, acpclient.SessionSetMode, &acpclient.SetSessionModeRequest{SessionID: c.id, ModeID: "b"})
		return err
	}
	login := func(c *client) error {
		c.ends(c.prompt("one"), "code -32000")
		_, err := acpclient.Call(t.Context(), c, acpclient.Authenticate, &acpclient.AuthenticateRequest{MethodID: "m"})
		return err
	}
	for name, test := range map[string]struct {
		script string
		ask    func(*client) error
		want   string
	}{
		"the agent exits while an option is set":  {"handshake {} {\"modes\":{\"currentModeId\":\"a\",\"availableModes\":[{\"id\":\"a\",\"name\":\"A\"},{\"id\":\"b\",\"name\":\"B\"}]}}\nexpect session/set_mode\nexit 1\n", mode, "The agent exited"},
		"the agent exits while the user signs in": {signsIn + "expect authenticate\nexit 1\n", login, "The agent exited"},
		"the session that wanted it is closed": {signsIn + "serve\n", func(c *client) error {
			c.ends(c.prompt("one"), "code -32000")
			if _, err := acpclient.Call(t.Context(), c, acpclient.SessionClose, &acpclient.CloseSessionRequest{SessionID: c.id}); err != nil {
				return err
			}
			_, err := acpclient.Call(t.Context(), c, acpclient.Authenticate, &acpclient.AuthenticateRequest{MethodID: "m"})
			return err
		}, ""},
		"a block that no agent gets": {"handshake\nserve\n", func(c *client) error {
			return c.Call(t.Context(), acpclient.SessionPrompt.Name, map[string]any{"sessionId": c.id, "prompt": []any{map[string]any{"type": "hologram"}}}, nil)
		}, "unknown type"},
		"a server with a relative command": {"handshake\nserve\n", func(c *client) error {
			_, err := acpclient.Call(t.Context(), c, acpclient.SessionNew, &acpclient.NewSessionRequest{Cwd: t.TempDir(), MCPServers: []acpclient.MCPServer{{Name: "m", Command: "./x"}}})
			return err
		}, "no absolute path"},
		"initialize comes again": {"handshake\nserve\n", func(c *client) error {
			return c.Call(t.Context(), "initialize", &acpclient.InitializeRequest{ProtocolVersion: 1}, nil)
		}, "answered before"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t, test.script)
			c := s.client(Options{}, acpclient.ClientCapabilities{}, false).open(s.opt.Cwd)
			if err := test.ask(c); (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
				t.Error(err)
			}
		})
	}
}

// A session that the client closes has none of its prompts any more, and can be opened again.
func TestACloseTakesPromptsBack(t *testing.T) {
	for _, v2 := range []bool{false, true} {
		s := newStage(t, "handshake {\"loadSession\":true}\nexpect session/prompt\nsay working\nwait-cancel\nend-turn cancelled\nserve\n")
		c := s.client(Options{}, acpclient.ClientCapabilities{}, v2).open(s.opt.Cwd)
		viewer, err := s.attach(t.Context(), false)
		if err != nil {
			t.Fatal(err)
		}
		defer viewer.Close(context.Background())
		session.Post(viewer, session.Prompt{Prompt: conversation.QueuedPrompt{Prompt: []acpclient.ContentBlock{acpclient.TextBlock("from elsewhere")}}})
		c.said("working")
		two := c.prompt("two")
		if _, err := acpclient.Call(t.Context(), c, acpclient.SessionClose, &acpclient.CloseSessionRequest{SessionID: c.id}); err != nil {
			t.Fatal(err)
		}
		look, err := s.attach(t.Context(), true)
		if err != nil {
			t.Fatal(err)
		}
		if now := look.Past(); len(now.Queue) > 0 || len(now.Told()) != 1 || !now.Turn.Running {
			t.Errorf("queue %+v, told %q, turn %+v", now.Queue, now.Told(), now.Turn)
		}
		look.Close(context.Background())
		if _, err := acpclient.Call(t.Context(), c, acpclient.SessionResume, &acpclient.ResumeSessionRequest{SessionID: c.id, Cwd: s.opt.Cwd}); err != nil {
			t.Fatal(err)
		}
		see := viewer.Past()
		sees(viewer, see, func() bool { return see.Turn.Running })
		session.Post(viewer, session.Cancel{})
		sees(viewer, see, func() bool { return !see.Turn.Running })
		c.ends(two, "cancelled") // in version 2 with all that goes on
		c.ends(c.prompt("three"), "end_turn")
	}
}

// A prompt for a session that cannot be loaded does not stay in its queue: the client sends it again.
func TestASessionThatFailsToLoadKeepsNoPrompt(t *testing.T) {
	s := newStage(t, "handshake\nserve\n")
	id := s.client(Options{}, acpclient.ClientCapabilities{}, false).open(s.opt.Cwd).id
	s.reset()
	starts, fails := make(chan struct{}), make(chan struct{})
	s.opt.Spawn = func(acpclient.Command) (*acpclient.Peer, error) {
		close(starts)
		<-fails
		return nil, errors.New("it is broken")
	}
	c := s.client(Options{}, acpclient.ClientCapabilities{}, false)
	loaded, answered := make(chan error, 1), make(chan error, 1)
	acpclient.Go(c, acpclient.SessionResume, &acpclient.ResumeSessionRequest{SessionID: id, Cwd: s.opt.Cwd}, func(_ *acpclient.ResumeSessionResponse, err error) { loaded <- err })
	<-starts
	viewer := s.viewer()
	see, queued := viewer.Past(), make(chan struct{})
	go func() {
		sees(viewer, see, func() bool { return len(see.Queue) > 0 })
		close(queued)
	}()
	for waits := false; !waits; {
		acpclient.Go(c, acpclient.SessionPrompt, &acpclient.PromptRequest{SessionID: id, Prompt: []acpclient.ContentBlock{acpclient.TextBlock("lost?")}}, func(_ *acpclient.PromptResponse, err error) { answered <- err })
		select {
		case <-answered: // the session is not known yet
		case <-queued:
			waits = true
		}
	}
	close(fails)
	if err := <-loaded; err == nil || !strings.Contains(err.Error(), "it is broken") {
		t.Errorf("loaded: %v", err)
	}
	<-answered
	sees(viewer, see, func() bool { return see.Gone() && len(see.Queue) == 0 })
}

// A session that is served alone is one, however often a client begins one.
func TestOneSessionIsOpenedOnce(t *testing.T) {
	s := newStage(t, "handshake\nexpect session/prompt\nsay hello\nend-turn\nserve\n")
	c := s.client(Options{}, acpclient.ClientCapabilities{}, false).open(s.opt.Cwd)
	other := s.client(Options{Running: "host"}, acpclient.ClientCapabilities{}, false).open(s.opt.Cwd)
	other.open(s.opt.Cwd)
	c.ends(c.prompt("one"), "end_turn")
	other.said("agent: hello\n")
	other.ends(other.prompt("two"), "end_turn")
	if got := transcript(other.conv); !strings.HasPrefix(got, "user: one\nagent: hello\n") || strings.Count(got, "hello") != 1 {
		t.Errorf("%s", got)
	}
}
