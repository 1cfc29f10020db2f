package acpclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func ptr[T any](v T) *T { return &v }

// decodeOne decodes an update as a client would.
func decodeOne(t *testing.T, body string) SessionUpdate {
	t.Helper()
	h := hear(t, update(body)+"\n", 0)
	if len(h.updates) != 1 {
		t.Fatalf("%s: %d updates; noise %q", body, len(h.updates), h.noise)
	}
	return h.updates[0].Update
}

// Shapes of updates that real agents send, or could, and what becomes of them.
func TestUpdateShapes(t *testing.T) {
	raw := func(s string) json.RawMessage { return json.RawMessage(s) }
	text := func(s string) ContentBlock { return ContentBlock{Type: ContentText, Text: s} }
	tests := []struct {
		name, body string
		want       SessionUpdate
	}{
		{"modeId", `{"sessionUpdate":"current_mode_update","modeId":"ask"}`, &CurrentModeUpdate{CurrentModeID: "ask"}},
		{"currentModeId", `{"sessionUpdate":"current_mode_update","currentModeId":"ask"}`, &CurrentModeUpdate{CurrentModeID: "ask"}},
		{"currentModeId first", `{"sessionUpdate":"current_mode_update","currentModeId":"ask","modeId":"code"}`, &CurrentModeUpdate{CurrentModeID: "ask"}},
		{
			"no mode", `{"sessionUpdate":"current_mode_update"}`,
			&UnknownUpdate{Name: "current_mode_update", Raw: raw(`{"sessionUpdate":"current_mode_update"}`)},
		},
		{
			"unknown update", `{"sessionUpdate":"dance","steps":[1]}`,
			&UnknownUpdate{Name: "dance", Raw: raw(`{"sessionUpdate":"dance","steps":[1]}`)},
		},
		{"update without a kind", `{"x":1}`, &UnknownUpdate{Raw: raw(`{"x":1}`)}},
		{"update that is no object", `[7]`, &UnknownUpdate{Raw: raw(`[7]`)}},
		{"kind that is no string", `{"sessionUpdate":7}`, &UnknownUpdate{Raw: raw(`{"sessionUpdate":7}`)}},
		{"bare string content", `{"sessionUpdate":"agent_message_chunk","content":"hi"}`, &ContentChunk{Chunk: AgentMessageChunk, Content: text("hi")}},
		{
			"unknown content", `{"sessionUpdate":"user_message_chunk","content":{"type":"smell","of":"tar"}}`,
			&ContentChunk{Chunk: UserMessageChunk, Content: ContentBlock{Type: "smell", Raw: raw(`{"type":"smell","of":"tar"}`)}},
		},
		{
			"resource without its payload", `{"sessionUpdate":"user_message_chunk","content":{"type":"resource"}}`,
			&ContentChunk{Chunk: UserMessageChunk, Content: ContentBlock{Type: ContentResource, Raw: raw(`{"type":"resource"}`)}},
		},
		{
			"content without a type", `{"sessionUpdate":"agent_thought_chunk","content":{"text":"x"}}`,
			&UnknownUpdate{Name: "agent_thought_chunk", Raw: raw(`{"sessionUpdate":"agent_thought_chunk","content":{"text":"x"}}`)},
		},
		{
			"bare blocks in a tool call", `{"sessionUpdate":"tool_call","toolCallId":"t","title":"T","content":[{"type":"text","text":"a"}]}`,
			&ToolCall{ToolCallID: "t", Title: "T", Content: ToolCallContents{TextContent("a")}},
		},
		{
			"bare blocks in an update of one", `{"sessionUpdate":"tool_call_update","toolCallId":"t","content":[{"type":"text","text":"a"}]}`,
			&ToolCallUpdate{ToolCallID: "t", Content: ToolCallContents{TextContent("a")}},
		},
		{
			"an array under content", `{"sessionUpdate":"tool_call","toolCallId":"t","title":"T","content":[{"type":"content","content":[{"type":"text","text":"a"},7,{"type":"text","text":"b"}]}]}`,
			&ToolCall{ToolCallID: "t", Title: "T", Content: ToolCallContents{TextContent("a"), TextContent("b")}},
		},
		{
			"bare string under content", `{"sessionUpdate":"tool_call_update","toolCallId":"t","content":[{"type":"content","content":"a"}]}`,
			&ToolCallUpdate{ToolCallID: "t", Content: ToolCallContents{TextContent("a")}},
		},
		{
			"one item without its array", `{"sessionUpdate":"tool_call_update","toolCallId":"t","content":{"type":"content","content":{"type":"text","text":"a"}}}`,
			&ToolCallUpdate{ToolCallID: "t", Content: ToolCallContents{TextContent("a")}},
		},
		{
			"unknown tool content", `{"sessionUpdate":"tool_call","toolCallId":"t","title":"T","content":[{"type":"chart","x":1},{"type":"terminal","terminalId":"q"}]}`,
			&ToolCall{ToolCallID: "t", Title: "T", Content: ToolCallContents{{Type: "chart", Raw: raw(`{"type":"chart","x":1}`)}, TerminalContent("q")}},
		},
		{
			"new files", `{"sessionUpdate":"tool_call","toolCallId":"t","title":"T","content":[{"type":"diff","path":"a","newText":"n","oldText":null},{"type":"diff","path":"b","newText":"n","oldText":""},{"type":"diff","path":"c","newText":"n"}]}`,
			&ToolCall{ToolCallID: "t", Title: "T", Content: ToolCallContents{DiffContent("a", nil, "n"), DiffContent("b", ptr(""), "n"), DiffContent("c", nil, "n")}},
		},
		{"tool call without a title", `{"sessionUpdate":"tool_call","toolCallId":"t"}`, &ToolCall{ToolCallID: "t"}},
		{
			"unknown kind and status", `{"sessionUpdate":"tool_call","toolCallId":"t","title":"T","kind":"ponder","status":"paused"}`,
			&ToolCall{ToolCallID: "t", Title: "T", Kind: "ponder", Status: "paused"},
		},
		{
			"nothing and empty arrays differ", `{"sessionUpdate":"tool_call_update","toolCallId":"t","content":[],"locations":null}`,
			&ToolCallUpdate{ToolCallID: "t", Content: ToolCallContents{}},
		},
		{
			"bad locations", `{"sessionUpdate":"tool_call_update","toolCallId":"t","locations":[null,{"line":3},{"path":"/a","line":-1e3},{"path":"/b","line":"x"},{"path":"/c","line":1e3}]}`,
			&ToolCallUpdate{ToolCallID: "t", Locations: []ToolCallLocation{{Path: "/a", Line: ptr(-1000)}, {Path: "/b"}, {Path: "/c", Line: ptr(1000)}}},
		},
		{"usage spelled oddly", `{"sessionUpdate":"usage_update","used":1e3,"size":2.0e5,"cost":{"amount":"x"}}`, &UsageUpdate{Used: 1000, Size: 200000}},
		{"usage beyond any number", `{"sessionUpdate":"usage_update","used":1e400,"size":-1}`, &UsageUpdate{}},
		{
			"a title cleared, a time left alone", `{"sessionUpdate":"session_info_update","title":null}`,
			&SessionInfoUpdate{Title: Field[string]{Set: true}},
		},
		{
			"grouped options with bad items", `{"sessionUpdate":"config_option_update","configOptions":[7,{"type":"select"},{"id":"m","name":"M","type":"select","currentValue":"a","options":[{"group":"g","name":"G","options":[{"value":"a","name":"A"},5,{"name":"no value"}]},"x",{"group":"h"}]}]}`,
			&ConfigOptionUpdate{ConfigOptions: List[SessionConfigOption]{{
				ID: "m", Name: "M", Type: ConfigSelect, CurrentValue: SelectValue("a"),
				Options: ConfigSelectOptions{{Group: "g", Name: "G", Options: List[ConfigSelectOption]{{Value: "a", Name: "A"}}}},
			}}},
		},
		{
			"unknown kinds of options, and values of the wrong kind", `{"sessionUpdate":"config_option_update","configOptions":[{"id":"a","name":"A","type":"slider","currentValue":3},{"id":"b","name":"B","type":"boolean","currentValue":"on"},{"id":"c","name":"C","type":"select","currentValue":true,"options":[]},{"id":"d","name":"D","type":"boolean","currentValue":true,"category":"_mine"}]}`,
			&ConfigOptionUpdate{ConfigOptions: List[SessionConfigOption]{
				{ID: "a", Name: "A", Type: "slider", Raw: raw(`{"id":"a","name":"A","type":"slider","currentValue":3}`)},
				{ID: "d", Name: "D", Type: ConfigBoolean, CurrentValue: BoolValue(true), Category: "_mine"},
			}},
		},
		{
			"an unknown form of a plan", `{"sessionUpdate":"plan_update","plan":{"type":"gantt","planId":"p"}}`,
			&PlanUpdate{Plan: PlanUpdateContent{Type: "gantt", PlanID: "p", Raw: raw(`{"type":"gantt","planId":"p"}`)}},
		},
		{
			"a plan with a bad entry", `{"sessionUpdate":"plan","entries":[{"content":"a","priority":9},{"status":"pending"},{"content":"b","status":"waiting"}]}`,
			&Plan{Entries: List[PlanEntry]{{Content: "a"}, {Content: "b", Status: "waiting"}}},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := decodeOne(t, tt.body)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// What comes as an unknown variant goes out as it came.
func TestUnknownVariantsKeepTheirJSON(t *testing.T) {
	for _, line := range []string{
		update(`{"sessionUpdate":"dance","steps":[1]}`),
		update(`{"sessionUpdate":"agent_message_chunk","content":{"type":"smell","of":"tar"}}`),
		update(`{"sessionUpdate":"tool_call","toolCallId":"t","title":"","content":[{"type":"chart","x":1}]}`),
		update(`{"sessionUpdate":"config_option_update","configOptions":[{"id":"a","name":"A","type":"slider","currentValue":3}]}`),
		update(`{"sessionUpdate":"plan_update","plan":{"type":"gantt","planId":"p","bars":[]}}`),
	} {
		h := hear(t, line+"\n", 0)
		got, err := outgoing{Method: "session/update", Params: h.updates[0]}.encode()
		if err != nil {
			t.Fatal(err)
		}
		if strings.TrimSpace(string(got)) != line {
			t.Errorf("%s\nbecame %s", line, got)
		}
	}
}

// A permission request is asked whatever is wrong with what it is about.
func TestPermissionShapes(t *testing.T) {
	option := List[PermissionOption]{{OptionID: "y", Name: "Yes", Kind: AllowOnce}}
	const options = `"options":[{"optionId":"y","name":"Yes","kind":"allow_once"},{"name":"no id"},7]`
	tests := []struct {
		name, params string
		want         RequestPermissionRequest
	}{
		{"as thin as an id", `{"sessionId":"s","toolCall":{"toolCallId":"t"},` + options + `}`, RequestPermissionRequest{SessionID: "s", ToolCall: ToolCallUpdate{ToolCallID: "t"}, Options: option}},
		{"no tool call", `{"sessionId":"s",` + options + `}`, RequestPermissionRequest{SessionID: "s", Options: option}},
		{"a tool call that is none", `{"sessionId":"s","toolCall":"t",` + options + `}`, RequestPermissionRequest{SessionID: "s", Options: option}},
		{
			"a tool call without an id", `{"sessionId":"s","toolCall":{"title":"rm -rf","content":[{"type":"text","text":"all of it"}]},` + options + `}`,
			RequestPermissionRequest{SessionID: "s", ToolCall: ToolCallUpdate{Title: ptr("rm -rf"), Content: ToolCallContents{TextContent("all of it")}}, Options: option},
		},
		{"an id that is a number", `{"sessionId":"s","toolCall":{"toolCallId":7,"title":"x"},` + options + `}`, RequestPermissionRequest{SessionID: "s", ToolCall: ToolCallUpdate{Title: ptr("x")}, Options: option}},
		{"options that are none", `{"sessionId":"s","toolCall":{"toolCallId":"t"},"options":{}}`, RequestPermissionRequest{SessionID: "s", ToolCall: ToolCallUpdate{ToolCallID: "t"}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got RequestPermissionRequest
			_, w := connect(t, &listener{onPermission: func(_ context.Context, r *RequestPermissionRequest) (*RequestPermissionResponse, error) {
				got = *r
				return &RequestPermissionResponse{Outcome: PermissionCancelled}, nil
			}}, ConnOptions{})
			w.send(`{"jsonrpc":"2.0","id":0,"method":"session/request_permission","params":` + tt.params + `}`)
			if m := w.receive(); string(m.ID) != "0" || string(m.Result) != `{"outcome":{"outcome":"cancelled"}}` {
				t.Errorf("answered %s %s %v", m.ID, m.Result, m.Error)
			}
			tt.want.Raw = json.RawMessage(tt.params)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// Answers to our calls in every shape that means success, or failure.
func TestResultShapes(t *testing.T) {
	tests := []struct {
		name, answer string // what stands behind the id
		want         string // part of the error, "" for success
		code         ErrorCode
	}{
		{"object", `"result":{}`, "", 0},
		{"null", `"result":null`, "", 0},
		{"absent", ``, "", 0},
		{"null error beside it", `"result":{},"error":null`, "", 0},
		{"a string where it must be empty", `"result":"ok"`, "answer to authenticate", 0},
		{"error", `"error":{"code":-32000,"message":"sign in"}`, "sign in", CodeAuthRequired},
		{"error beside a result", `"result":{},"error":{"code":1,"message":"no"}`, "no (code 1)", 1},
		{"string error", `"error":"it broke"`, "it broke", CodeInternalError},
		{"code as a string", `"error":{"code":"-32000","message":"sign in"}`, "sign in (code -32000)", CodeAuthRequired},
		{"code as a fraction", `"error":{"code":-32000.0,"message":"sign in"}`, "sign in (code -32000)", CodeAuthRequired},
		{"code outside of the protocol", `"error":{"code":400,"message":"bad"}`, "bad (code 400)", 400},
		{"code that is a word", `"error":{"code":"EPIPE","message":"gone"}`, "gone", CodeInternalError},
		{"no code", `"error":{"message":"hm"}`, "hm", CodeInternalError},
		{"no message", `"error":{"code":-32603}`, "no reason", CodeInternalError},
		{"code in the message", `"error":{"code":-32603,"message":"no such chat (code -32603)"}`, "no such chat (code -32603)", CodeInternalError},
		{"code in the data", `"error":{"code":-32603,"message":"Internal error","data":{"details":"no such chat (code -32603)"}}`, "Internal error: no such chat (code -32603)", CodeInternalError},
		{"null data", `"error":{"code":-32603,"message":"m","data":null}`, "m (code -32603)", CodeInternalError},
		{"details", `"error":{"code":-32603,"message":"Internal error","data":{"details":"disk full"}}`, "Internal error: disk full", CodeInternalError},
		{"string data", `"error":{"code":-32603,"message":"Internal error","data":"disk full"}`, "Internal error: disk full", CodeInternalError},
		{"a reason", `"error":{"code":-32603,"message":"Internal error","data":{"reason":"disk full"}}`, "Internal error: disk full (code", CodeInternalError},
		{"a field of any name", `"error":{"code":-32603,"message":"Internal error","data":{"method":"x/y","because":"the disk is full"}}`, "Internal error: the disk is full (code", CodeInternalError},
		{"a list of reasons", `"error":{"code":-32602,"message":"Invalid params","data":{"issues":[{"path":["a"],"message":"too long"}]}}`, "Invalid params: too long (code", CodeInvalidParams},
		{"message that is none", `"error":{"code":5,"message":{"text":"why"}}`, "why", 5},
		{"empty", `"error":{}`, "no reason", CodeInternalError},
		{"a list", `"error":["a"]`, `["a"]`, CodeInternalError},
		{"a number", `"error":7`, "7", CodeInternalError},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c, w := connect(t, &listener{}, ConnOptions{})
			done := make(chan error, 1)
			go func() {
				_, err := Call(context.Background(), c.Conn(), Authenticate, &AuthenticateRequest{MethodID: "m"})
				done <- err
			}()
			m := w.receive()
			answer := tt.answer
			if answer != "" {
				answer = "," + answer
			}
			w.send(`{"jsonrpc":"2.0","id":` + string(m.ID) + answer + `}`)
			err := <-done
			switch {
			case tt.want == "" && err != nil:
				t.Error(err)
			case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
				t.Errorf("%v, want %q in it", err, tt.want)
			case tt.code != 0 && !IsCode(err, tt.code):
				t.Errorf("%v, want code %d", err, tt.code)
			case tt.code != 0 && strings.Count(err.Error(), "(code") != 1:
				t.Errorf("%v, want the code once", err)
			}
		})
	}
}

// The ids of answers are ours, however they are spelled; those that are not are
// ignored.
func TestAnswerIDs(t *testing.T) {
	for _, id := range []string{`1`, `"1"`, `1.0`, `1e0`} {
		c, w := connect(t, &listener{}, ConnOptions{})
		done := make(chan error, 1)
		go func() { done <- c.Conn().Call(context.Background(), "x/call", nil, nil) }()
		w.receive()
		for _, not := range []string{`0`, `2`, `-1`, `""`, `"x"`, `"1x"`, `1.5`, `null`, `99999999999999999999`, `1e300`, `"9223372036854775808"`} {
			w.send(`{"jsonrpc":"2.0","id":` + not + `,"error":{"code":1,"message":"not yours"}}`)
		}
		w.send(`{"jsonrpc":"2.0","id":` + id + `,"result":{}}`)
		if err := <-done; err != nil {
			t.Errorf("id %s: %v", id, err)
		}
	}
}

// The id of a request comes back as it was spelled.
func TestRequestIDs(t *testing.T) {
	_, w := connect(t, &listener{}, ConnOptions{})
	for _, id := range []string{`0`, `1`, `-5`, `"1"`, `"a\u0041\""`, `""`, `123456789012345678901234567890`, `1.50`, `null`} {
		w.send(`{"jsonrpc":"2.0","id":` + id + `,"method":"x/unknown"}`)
		if m := w.receive(); string(m.ID) != id || m.Error == nil || m.Error.Code != CodeMethodNotFound {
			t.Errorf("id %s: answered %s %v", id, m.ID, m.Error)
		}
	}
}

// What was not advertised is not served, not even as an extension; known
// requests with bad params are told so.
func TestRefusedRequests(t *testing.T) {
	c, w := connect(t, &listener{}, ConnOptions{})
	ask := func(method, params string) message {
		w.send(`{"jsonrpc":"2.0","id":7,"method":"` + method + `","params":` + params + `}`)
		return w.receive()
	}
	for _, m := range typedMethods {
		if m.side != "client" || m.result == nil || m.name == SessionRequestPermission.Name {
			continue
		}
		if got := ask(m.name, `{}`); got.Error == nil || got.Error.Code != CodeMethodNotFound {
			t.Errorf("%s, not advertised: %s %v", m.name, got.Result, got.Error)
		}
	}
	if got := ask("_ext", `{}`); got.Error == nil || got.Error.Code != CodeMethodNotFound {
		t.Errorf("an extension: %s %v", got.Result, got.Error)
	}

	done := make(chan error, 1)
	go func() {
		_, err := c.Initialize(context.Background(), &InitializeRequest{ClientCapabilities: ClientCapabilities{
			FS: FileSystemCapabilities{ReadTextFile: true, WriteTextFile: true}, Terminal: true, Elicitation: &ElicitationCapabilities{},
		}})
		done <- err
	}()
	w.send(`{"jsonrpc":"2.0","id":` + string(w.receive().ID) + `,"result":{"protocolVersion":1}}`)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	for _, m := range typedMethods {
		if m.side != "client" || m.result == nil {
			continue
		}
		if got := ask(m.name, `[]`); got.Error == nil || got.Error.Code != CodeInvalidParams {
			t.Errorf("%s with bad params: %s %v", m.name, got.Result, got.Error)
		}
	}
}

func TestInitializeAnotherVersion(t *testing.T) {
	c, w := connect(t, &listener{}, ConnOptions{})
	done := make(chan error, 1)
	go func() {
		_, err := c.Initialize(context.Background(), &InitializeRequest{})
		done <- err
	}()
	m := w.receive()
	if !strings.Contains(string(m.Params), `"protocolVersion":1`) {
		t.Errorf("asked %s", m.Params)
	}
	w.send(`{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":2}}`)
	if err, ok := (<-done).(*VersionError); !ok || err.Agent != 2 {
		t.Errorf("%v", err)
	}
}

// A permission request that follows its tool call on the wire is never seen
// before it, nor after what follows it.
func TestRequestsKeepTheirPlace(t *testing.T) {
	const rounds = 3000
	var seen atomic.Int64 // updates so far, two for each round
	late := 0
	l := &listener{
		onUpdate: func(*SessionNotification) { seen.Add(1) },
		onPermission: func(ctx context.Context, r *RequestPermissionRequest) (*RequestPermissionResponse, error) {
			var round int64
			_, _ = fmt.Sscan(string(r.ToolCall.ToolCallID), &round)
			if seen.Load() != 2*round+1 {
				late++ // before Async: one handler at a time
			}
			Async(ctx)
			return &RequestPermissionResponse{Outcome: PermissionCancelled}, nil
		},
	}
	c, w := connect(t, l, ConnOptions{})
	w.schema = nil
	sent := make(chan struct{})
	go func() {
		defer close(sent)
		for i := range rounds {
			w.send(
				update(fmt.Sprintf(`{"sessionUpdate":"tool_call","toolCallId":"%d","title":"T"}`, i)),
				fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"%[1]d"},"options":[]}}`, i),
				update(fmt.Sprintf(`{"sessionUpdate":"tool_call_update","toolCallId":"%d","status":"completed"}`, i)),
			)
		}
	}()
	for range rounds {
		if m := w.receive(); m.Error != nil {
			t.Fatalf("%v", m.Error)
		}
	}
	<-sent
	_ = w.to.Close()
	<-c.Conn().Done()
	if late > 0 {
		t.Errorf("%d of %d requests were seen out of their place", late, rounds)
	}
	if got := seen.Load(); got != 2*rounds {
		t.Errorf("%d updates, want %d", got, 2*rounds)
	}
}

// The end of a turn that is asked for with Go comes after all updates before it
// and before those behind it.
func TestAnswersKeepTheirPlace(t *testing.T) {
	seen := 0
	c, w := connect(t, &listener{onUpdate: func(*SessionNotification) { seen++ }}, ConnOptions{})
	for round := range 200 {
		done := make(chan int, 1)
		Go(c.Conn(), SessionPrompt, &PromptRequest{SessionID: "s"}, func(r *PromptResponse, err error) {
			if err != nil || r.StopReason != StopEndTurn {
				t.Errorf("%v %v", r, err)
			}
			done <- seen
		})
		id := string(w.receive().ID)
		w.send(chunk("a"), chunk("b"), update(`{"sessionUpdate":"plan","entries":[]}`),
			`{"jsonrpc":"2.0","id":`+id+`,"result":{"stopReason":"end_turn"}}`, chunk("after"))
		if got, want := <-done, 4*round+3; got != want {
			t.Fatalf("round %d: the turn ended after %d updates, want %d", round, got, want)
		}
	}
}

// A handler that is slow holds the agent up; nothing is lost or reordered, and
// memory does not grow with what waits.
func TestSlowReader(t *testing.T) {
	const updates = 10_000
	r, w := io.Pipe()
	var sent atomic.Int64
	go func() {
		for i := range updates {
			if _, err := io.WriteString(w, chunk(fmt.Sprint(i))+"\n"); err != nil {
				t.Error(err)
				break
			}
			sent.Store(int64(i + 1))
		}
		_ = w.Close()
	}()

	var before, now runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	next, most, furthest := 0, uint64(0), int64(0)
	c := NewClient(NewLines(r, io.Discard), &listener{onUpdate: func(n *SessionNotification) {
		if got := n.Update.(*ContentChunk).Content.Text; got != fmt.Sprint(next) {
			t.Errorf("got %s, want %d", got, next)
		}
		next++
		if next%2000 == 0 { // slow, and long enough for anything to pile up
			for range 50 {
				runtime.Gosched()
			}
			runtime.GC()
			runtime.ReadMemStats(&now)
			most = max(most, now.HeapAlloc)
			furthest = max(furthest, sent.Load()-int64(next))
		}
	}}, ConnOptions{})
	<-c.Conn().Done()
	if next != updates {
		t.Errorf("%d updates, want %d", next, updates)
	}
	if grown := int64(most) - int64(before.HeapAlloc); grown > 8<<20 {
		t.Errorf("the heap grew by %d bytes", grown)
	}
	if furthest > 2*readBuffer/int64(len(chunk(""))) {
		t.Errorf("the agent was %d messages ahead", furthest)
	}
}

// While a handler blocks, the agent's writes block too: that is what holds it up.
func TestBlockedHandlerBlocksTheAgent(t *testing.T) {
	hold, held := make(chan struct{}), make(chan struct{}, 1)
	seen := 0
	c, w := connect(t, &listener{onUpdate: func(*SessionNotification) {
		if seen++; seen == 1 {
			held <- struct{}{}
			<-hold
		}
	}}, ConnOptions{})
	w.send(chunk("first"))
	<-held
	wrote := make(chan struct{})
	go func() {
		w.send(strings.Repeat(" ", 2*readBuffer), chunk("last"))
		close(wrote)
	}()
	select {
	case <-wrote:
		t.Error("more was read than a buffer holds")
	default:
	}
	close(hold)
	<-wrote
	_ = w.to.Close()
	<-c.Conn().Done()
	if seen != 2 {
		t.Errorf("%d updates", seen)
	}
}

// An agent that has stopped reading blocks nothing of ours: not notifications,
// not calls that are given up, not what it still says, not Close.
func TestAgentThatDoesNotRead(t *testing.T) {
	answered := make(chan struct{})
	l := &listener{
		onPermission: func(context.Context, *RequestPermissionRequest) (*RequestPermissionResponse, error) {
			return &RequestPermissionResponse{Outcome: PermissionSelected("y")}, nil
		},
	}
	l.onUpdate = func(n *SessionNotification) {
		if n.Update.(*ContentChunk).Content.Text == "still here" {
			close(answered)
		}
	}
	c, w := connect(t, l, ConnOptions{})
	for range 1000 {
		if err := c.Conn().Notify(SessionCancel.Name, &CancelNotification{SessionID: "s"}); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() {
		_, err := Call(ctx, c.Conn(), SessionPrompt, &PromptRequest{SessionID: "s", Prompt: List[ContentBlock]{TextBlock(strings.Repeat("x", 1<<20))}})
		done <- err
	}()
	for i := range 100 {
		w.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"t"},"options":[]}}`, i))
	}
	w.send(chunk("still here"))
	<-answered
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	c.Conn().Close()
	<-c.Conn().Done()
}

// Answers to an agent that asks and does not read pile up to a bound only.
func TestAnswersThatAreNotReadAreBounded(t *testing.T) {
	big := strings.Repeat("x", 1<<20)
	const asked = 64
	var served atomic.Int64
	r, agent := io.Pipe()
	block := make(chan struct{})
	c := NewClient(NewLines(r, blockedWriter(block)), &listener{
		onRead: func(context.Context, *ReadTextFileRequest) (*ReadTextFileResponse, error) {
			served.Add(1)
			return &ReadTextFileResponse{Content: big}, nil
		},
	}, ConnOptions{})
	c.dispatch.offered.Store(&ClientCapabilities{FS: FileSystemCapabilities{ReadTextFile: true}})
	wrote := make(chan int, 1)
	go func() {
		n := 0
		for ; n < asked; n++ {
			line := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"fs/read_text_file","params":{"sessionId":"s","path":"/p"}}`, n)
			if _, err := io.WriteString(agent, line+strings.Repeat(" ", 2*readBuffer)+"\n"); err != nil {
				break
			}
		}
		wrote <- n
	}()
	for served.Load() <= maxQueued/int64(len(big)) {
		runtime.Gosched()
	}
	_ = agent.Close()
	if n := <-wrote; n >= asked {
		t.Errorf("all %d requests were taken", n)
	}
	c.Conn().Close()
	<-c.Conn().Done()
	close(block)
}

// blockedWriter takes nothing until it is closed.
type blockedWriter chan struct{}

func (w blockedWriter) Write(b []byte) (int, error) {
	<-w
	return len(b), nil
}

// recorded is a line of a recorded conversation with a real agent.
type recorded struct {
	From    string          `json:"from"`
	Message json.RawMessage `json:"message"`
}

// transcripts are conversations with real agents, by file name.
func transcripts(t testing.TB) map[string][]recorded {
	t.Helper()
	files, err := filepath.Glob("../internal/test/e2e/testdata/*.jsonl")
	if err != nil || len(files) == 0 {
		t.Fatalf("no transcripts: %v", err)
	}
	all := map[string][]recorded{}
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		for dec := json.NewDecoder(f); dec.More(); {
			var r recorded
			if err := dec.Decode(&r); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			all[filepath.Base(name)] = append(all[filepath.Base(name)], r)
		}
		_ = f.Close()
	}
	return all
}

// Everything that real agents said is understood, and encoded again it says the
// same.
func TestTranscripts(t *testing.T) {
	types := map[string]typedMethod{}
	for _, m := range slices.Concat(typedMethods, unstableMethods) {
		types[m.name] = m
	}
	for name, lines := range transcripts(t) {
		t.Run(name, func(t *testing.T) {
			asked := map[string]string{} // methods of the client's requests by id
			for _, line := range lines {
				var m message
				if err := json.Unmarshal(line.Message, &m); err != nil {
					t.Fatal(err)
				}
				switch {
				case line.From == "client":
					if m.Method != "" {
						asked[string(m.ID)] = m.Method
					}
				case m.Method != "" && types[m.Method].params != nil:
					checkUnderstood(t, m.Method, m.Params, types[m.Method].params)
				case m.Method == "" && m.Error == nil:
					if answered, ok := types[asked[string(m.ID)]]; ok {
						checkUnderstood(t, answered.name, m.Result, answered.result)
					}
				}
			}
		})
	}
}

func checkUnderstood(t *testing.T, method string, raw json.RawMessage, typ reflect.Type) {
	t.Helper()
	v := reflect.New(typ).Interface()
	if err := Unmarshal(raw, v); err != nil {
		t.Errorf("%s: %v\n%s", method, err, raw)
		return
	}
	if n, ok := v.(*SessionNotification); ok {
		if u, unknown := n.Update.(*UnknownUpdate); unknown {
			t.Errorf("unknown update %s", u.Raw)
		}
	}
	again, err := Marshal(v)
	if err != nil {
		t.Errorf("%s: %v", method, err)
		return
	}
	if diff := cmp.Diff(essence(t, raw), essence(t, again)); diff != "" {
		t.Errorf("%s (-said +understood):\n%s", method, diff)
	}
}
