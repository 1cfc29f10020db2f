package serve

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/session"
)

// With --read-only every method either only looks or is refused, and a cancel cancels nothing; serve
// refuses by itself, whatever the session's host does.
func TestReadOnlyMethods(t *testing.T) {
	s := newStage(t, `handshake {} {"modes":{"currentModeId":"a","availableModes":[{"id":"a","name":"A"},{"id":"b","name":"B"}]}}
expect session/prompt as p
say working
expect session/set_mode|session/cancel as first contains "modeId"
reply first
reply p {"stopReason":"end_turn"}
serve
`)
	s.lax, s.others = true, map[string]*stage{"b": nil}
	c := s.client(Options{}, acpclient.ClientCapabilities{}, false).open(s.opt.Cwd)
	turn := c.prompt("hello")
	c.said("working")
	looks := s.client(Options{ReadOnly: true}, acpclient.ClientCapabilities{}, false)
	looks.id = c.id
	if looks.call(acpclient.SessionLoad.Name, &acpclient.LoadSessionRequest{SessionID: c.id, Cwd: s.opt.Cwd}) != nil {
		t.Fatal("it cannot look")
	}
	text := []acpclient.ContentBlock{acpclient.TextBlock("x")}
	refused := map[string]any{
		acpclient.Authenticate.Name:           &acpclient.AuthenticateRequest{MethodID: "m"},
		acpclient.SessionNew.Name:             &acpclient.NewSessionRequest{Cwd: s.opt.Cwd},
		acpclient.SessionFork.Name:            &acpclient.ForkSessionRequest{SessionID: c.id, Cwd: s.opt.Cwd},
		acpclient.SessionPrompt.Name:          &acpclient.PromptRequest{SessionID: c.id, Prompt: text},
		acpclient.SessionSteering.Name:        &acpclient.SteeringRequest{SessionID: c.id, Prompt: text},
		acpclient.SessionSetMode.Name:         &acpclient.SetSessionModeRequest{SessionID: c.id, ModeID: "b"},
		acpclient.SessionSetConfigOption.Name: &acpclient.SetSessionConfigOptionRequest{SessionID: c.id, ConfigID: agentOption, Value: acpclient.SelectValue("b")},
		MethodUnqueue:                         map[string]any{"sessionId": c.id, "id": 1},
		MethodResumeQueue:                     map[string]any{"sessionId": c.id},
	}
	looking := []string{
		acpclient.Initialize.Name, acpclient.SessionList.Name, acpclient.SessionLoad.Name, acpclient.SessionResume.Name,
		acpclient.SessionClose.Name, MethodStatus, MethodChanges,
	}
	if all := slices.Sorted(maps.Keys(methods)); !slices.Equal(all, slices.Sorted(slices.Values(slices.Concat(slices.Collect(maps.Keys(refused)), looking)))) {
		t.Errorf("the methods are %q", all)
	}
	for method, params := range refused {
		if err := looks.call(method, params); err == nil || !strings.Contains(err.Error(), errReadOnly.Message) {
			t.Errorf("%s: %v", method, err)
		}
	}
	if err := looks.conn.Notify(acpclient.SessionCancel.Name, &acpclient.CancelNotification{SessionID: c.id}); err != nil {
		t.Fatal(err)
	}
	for _, method := range []string{MethodStatus, MethodChanges, acpclient.SessionClose.Name} { // answered after the cancel was taken
		if err := looks.call(method, map[string]any{"sessionId": c.id}); err != nil {
			t.Errorf("%s: %v", method, err)
		}
	}
	if err := c.call(acpclient.SessionSetMode.Name, &acpclient.SetSessionModeRequest{SessionID: c.id, ModeID: "b"}); err != nil {
		t.Error(err)
	}
	c.ends(turn, "end_turn")
	for i, spec := range s.made {
		if spec.LookOn != (i > 0) {
			t.Errorf("attached %+v", spec)
		}
	}
}

// A client that looks on gets a session that does not run from its log, and one whose agent has exited from its
// host. Neither is started.
func TestReadOnlyStartsNoAgent(t *testing.T) {
	s := newStage(t, "handshake\nexpect session/prompt\nsay ok\nend-turn\nexpect session/prompt\nexit 1\n").storing()
	id := s.remembers("hello")[0]
	looks := s.client(Options{ReadOnly: true}, acpclient.ClientCapabilities{}, false)
	if err := looks.resume(id); err != nil {
		t.Error(err)
	}
	if err := looks.load(id); err != nil {
		t.Fatal(err)
	}
	looks.said("user: hello\nagent: An answer to hello\n")
	looks.ends(looks.prompt("mine"), errReadOnly.Message)
	if s.ended != nil {
		t.Errorf("%+v", s.made)
	}
	c := s.client(Options{}, acpclient.ClientCapabilities{}, false).open(s.opt.Cwd)
	c.ends(c.prompt("one"), "end_turn")
	c.ends(c.prompt("two"), "The agent exited")
	looks = s.client(Options{ReadOnly: true}, acpclient.ClientCapabilities{}, false)
	if err := looks.load(c.id); err != nil {
		t.Fatal(err)
	}
	looks.said("user: one\nagent: ok\nuser: two\n")
}

// A client that looks on at a log sees the session itself when it opens it again and that runs by now.
func TestALogThatRunsByNow(t *testing.T) {
	s := newStage(t, greets).storing()
	id := s.remembers("hello")[0]
	looks := s.client(Options{ReadOnly: true}, acpclient.ClientCapabilities{}, false)
	if err := looks.load(id); err != nil {
		t.Fatal(err)
	}
	c := s.client(Options{}, acpclient.ClientCapabilities{}, false)
	if err := errors.Join(c.load(id), looks.load(id)); err != nil {
		t.Fatal(err)
	}
	c.ends(c.prompt("one"), "end_turn")
	looks.said("agent: Good morning\n")
}

// asks is an agent that asks once, and says what the answer was.
const asks = `handshake
expect session/prompt
request session/request_permission {"sessionId":"${session}","toolCall":{"toolCallId":"t","title":"ls","rawInput":{"command":"ls"}},"options":[{"optionId":"yes","name":"Yes","kind":"allow_once"},{"optionId":"no","name":"No","kind":"reject_once"}]} as asked
await asked contains "yes"
say Done.
end-turn
serve
`

// Neither the outcome "cancelled" nor an error answers a question: it stays for the other viewers, and the
// client is told of an error.
func TestWhatAnswersNothing(t *testing.T) {
	for name, test := range map[string]struct {
		answer error
		said   string
	}{
		"cancelled": {nil, ""},
		"an error":  {&acpclient.Error{Code: acpclient.CodeInternalError, Message: "no window"}, "did not answer"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t, asks)
			c := s.client(Options{}, acpclient.ClientCapabilities{}, false)
			c.decide = func(context.Context, *acpclient.RequestPermissionRequest) (acpclient.PermissionOptionID, error) {
				return "", test.answer
			}
			c.open(s.opt.Cwd)
			turn := c.prompt("go")
			viewer := s.viewer()
			see := viewer.Past()
			sees(viewer, see, func() bool { return see.Waiting() > 0 })
			c.until("the answer", func() bool { return len(c.asked) > 0 })
			if test.said != "" {
				c.said(test.said)
			}
			if err := c.call(MethodStatus, map[string]any{"sessionId": c.id}); err != nil { // the answer was taken
				t.Fatal(err)
			}
			p := conversation.Questions[*conversation.Permission](&see.State)[0]
			if err := session.Try(t.Context(), viewer, session.Answer{Question: p.Seen, Option: "yes"}); err != nil {
				t.Error(err)
			}
			c.ends(turn, "end_turn")
			if got := transcript(c.conv); test.said == "" && strings.Contains(got, "thought") || len(c.asked) != 1 {
				t.Errorf("asked %d times; %s", len(c.asked), got)
			}
		})
	}
}

// An option that was not offered answers nothing: the client is told, and asked again, but not for ever.
func TestAnOptionThatWasNotOffered(t *testing.T) {
	for _, right := range []int{2, mostAsked + 1} {
		s := newStage(t, asks)
		c := s.client(Options{}, acpclient.ClientCapabilities{}, false)
		c.decide = func(context.Context, *acpclient.RequestPermissionRequest) (acpclient.PermissionOptionID, error) {
			c.mu.Lock()
			defer c.mu.Unlock()
			if len(c.asked) == right {
				return "yes", nil
			}
			return "maybe", nil
		}
		c.open(s.opt.Cwd)
		turn := c.prompt("go")
		c.said("parley: not answered: ")
		if right > mostAsked {
			c.until("the last question", func() bool { return strings.Count(transcript(c.conv), "not answered: ") == mostAsked })
			viewer := s.viewer()
			p := conversation.Questions[*conversation.Permission](&viewer.Past().State)[0]
			if err := session.Try(t.Context(), viewer, session.Answer{Question: p.Seen, Option: "yes"}); err != nil {
				t.Error(err)
			}
		}
		c.ends(turn, "end_turn")
		if want := min(right, mostAsked); len(c.asked) != want {
			t.Errorf("asked %d times, not %d", len(c.asked), want)
		}
	}
}

// Directories and commands of servers are absolute, and directories exist.
func TestWhereASessionMayBe(t *testing.T) {
	s := newStage(t, "handshake\nserve\n").storing()
	c := s.client(Options{}, acpclient.ClientCapabilities{}, false)
	there, gone := s.opt.Cwd, filepath.Join(s.opt.Cwd, "gone")
	stdio := func(command string) map[string]any {
		return map[string]any{"name": "m", "command": command, "args": []string{}, "env": []string{}}
	}
	for _, test := range []struct {
		cwd    string
		dirs   []string
		server map[string]any
		want   string
	}{
		{".", nil, stdio("/bin/true"), `"." is not absolute`},
		{"", nil, stdio("/bin/true"), `"" is not absolute`},
		{gone, nil, stdio("/bin/true"), gone},
		{there, []string{"sub"}, stdio("/bin/true"), `"sub" is not absolute`},
		{there, []string{gone}, stdio("/bin/true"), gone},
		{there, nil, stdio("true"), "no absolute path"},
		{there, nil, map[string]any{"name": "m", "type": "carrier-pigeon", "url": "x"}, "unknown type"},
	} {
		params := map[string]any{"sessionId": "x", "cwd": test.cwd, "additionalDirectories": test.dirs, "mcpServers": []any{test.server}}
		for _, err := range []error{c.call(acpclient.SessionNew.Name, params), c.call(acpclient.SessionFork.Name, params)} {
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%+v: %v", test, err)
			}
		}
	}
	if len(s.made) > 0 {
		t.Errorf("%+v", s.made)
	}
	c.open(there)
	if got := s.made[0]; got.Cwd != there || !got.Keep || got.As == "" {
		t.Errorf("%+v", got)
	}
}

// A prompt that is too long is answered with an error, and the client can go on.
func TestAPromptThatIsTooLong(t *testing.T) {
	s := newStage(t, "handshake\nserve\n")
	c := s.client(Options{}, acpclient.ClientCapabilities{}, false).open(s.opt.Cwd)
	c.ends(c.prompt(strings.Repeat("x", 24<<20)), "message refused")
	c.ends(c.prompt("short"), "end_turn")
}

// A question about a file says why parley asks, beside the change.
func TestWhyAFileIsAskedAbout(t *testing.T) {
	s := newStage(t, `handshake
expect session/prompt
request fs/write_text_file {"sessionId":"${session}","path":"/etc/parley-test","content":"rm"} as wrote
await wrote contains "error"
end-turn
serve
`)
	c := s.client(Options{}, acpclient.ClientCapabilities{}, false).open(s.opt.Cwd)
	c.decide = func(context.Context, *acpclient.RequestPermissionRequest) (acpclient.PermissionOptionID, error) {
		return conversation.FileNo, nil
	}
	c.ends(c.prompt("write"), "end_turn")
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.asked) != 1 || !strings.Contains(encode(c.asked[0].ToolCall), "It is outside the session's directories.") {
		t.Errorf("asked %s", encode(c.asked))
	}
}

// A client that does not read costs little, and stops neither the session nor another client.
func TestAClientThatDoesNotRead(t *testing.T) {
	const calls, size = 400, 100_000
	s := newStage(t, "handshake\nexpect session/prompt\n"+`update {"sessionUpdate":"tool_call","toolCallId":"t","title":"t","kind":"other","status":"in_progress"}`+"\n"+
		fmt.Sprintf("repeat %d\n  ", calls)+`update {"sessionUpdate":"tool_call_update","toolCallId":"t","rawOutput":{"n":"${n}`+strings.Repeat("x", size)+`"}}`+"\nend\nsay Done.\nend-turn\nserve\n")
	c := s.client(Options{}, acpclient.ClientCapabilities{}, false).open(s.opt.Cwd)
	stuck := s.client(Options{Running: "host"}, acpclient.ClientCapabilities{}, false).open(s.opt.Cwd)
	stuck.mu.Lock() // it reads no more
	defer stuck.mu.Unlock()
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	c.ends(c.prompt("go"), "end_turn")
	c.said("Done.")
	c.mu.Lock()
	c.lines = nil
	c.mu.Unlock()
	runtime.GC()
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > calls*size/2 {
		t.Errorf("%d MB of updates take %d MB", calls*size>>20, grown>>20)
	}
}
