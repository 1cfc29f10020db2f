package conversation_test

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/test"
)

// encoded is the line of an event. What it decodes to must make the same line.
func encoded(t rapid.TB, e conversation.Event) (line []byte, again conversation.Event) {
	t.Helper()
	line, err := conversation.Encode(e)
	if err != nil {
		t.Fatalf("%#v: %v", e, err)
	}
	if bytes.ContainsAny(line, "\n") {
		t.Fatalf("%#v becomes more than one line:\n%s", e, line)
	}
	again, err = conversation.Decode(line)
	if err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	second, err := conversation.Encode(again)
	if err != nil || !bytes.Equal(line, second) {
		t.Fatalf("%s\nbecomes\n%s\n%v", line, second, err)
	}
	return line, again
}

// eventTypes are the names of all types of events. They are read from the source, because Go
// cannot list the types that implement an interface.
func eventTypes(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		source, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range source.Decls {
			if m, ok := d.(*ast.FuncDecl); ok && m.Name.Name == "fold" && m.Recv != nil {
				names = append(names, m.Recv.List[0].Type.(*ast.Ident).Name)
			}
		}
	}
	slices.Sort(names)
	return names
}

// Every event that there is can be written and read again.
func TestEveryEventHasAFormat(t *testing.T) {
	if d := cmp.Diff(eventTypes(t), slices.Sorted(maps.Keys(test.Kinds))); d != "" {
		t.Fatalf("these are events, those are kinds:\n%s", d)
	}
	for name, kind := range test.Kinds {
		t.Run(name, rapid.MakeCheck(func(rt *rapid.T) {
			e := kind.Draw(rt, "event")
			line, again := encoded(rt, e)
			if u, ok := e.(conversation.Update); ok {
				u.Raw = again.(conversation.Update).Raw // an update of parley's own has none before
				e = u
			}
			if d := test.Diff(e, again); d != "" {
				rt.Fatalf("%s comes back as another (-before +after):\n%s", line, d)
			}
			if bytes.Contains(line, []byte(test.Secret)) {
				rt.Fatalf("the environment is in %s", line)
			}
		}))
	}
}

// A stream that was stored folds to the conversation that it was.
func TestStoredStreamsFoldToTheSame(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		sameFold(rt, rapid.SliceOfN(test.Random(), 0, 40).Draw(rt, "stream"))
	})
}

// So do conversations with real agents as they were stored, each folded to something.
func TestStoredConversationsFoldToTheSame(t *testing.T) {
	files, err := filepath.Glob("testdata/agents/*.jsonl")
	if err != nil || len(files) == 0 {
		t.Fatalf("there are none: %v", err)
	}
	for _, name := range files {
		t.Run(filepath.Base(name), func(t *testing.T) {
			stored, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			var stream []conversation.Event
			for line := range bytes.Lines(stored) {
				e, err := conversation.Decode(line)
				if err != nil {
					t.Fatal(err)
				}
				stream = append(stream, e)
			}
			if c := sameFold(t, stream); c.ID == "" || len(c.Items) < 2 || len(c.Options) == 0 || c.Turn.Running || len(test.Permissions(c)) > 0 {
				t.Errorf("the conversation is %+v", c)
			}
			for _, e := range stream {
				u, ok := e.(conversation.Update)
				if !ok {
					continue
				}
				if line, _ := encoded(t, e); !bytes.Contains(line, u.Raw) || len(u.Raw) == 0 {
					t.Errorf("%s is not in %s", u.Raw, line)
				}
			}
		})
	}
}

func sameFold(t rapid.TB, stream []conversation.Event) *conversation.Conversation {
	t.Helper()
	want, got := conversation.New(), conversation.New()
	for _, e := range stream {
		want.Apply(e)
		_, again := encoded(t, e)
		got.Apply(again)
	}
	if d := test.Diff(want, got); d != "" {
		t.Fatalf("the stored stream is another conversation (-before +after):\n%s", d)
	}
	return want
}

// The lines are what the documentation says: stored sessions depend on them.
func TestLines(t *testing.T) {
	line := 3
	at := time.Date(2026, 11, 21, 13, 0, 0, 5e8, time.FixedZone("", 3600))
	for _, c := range []struct {
		event conversation.Event
		want  string
	}{
		{conversation.Text{Chunk: acpclient.AgentMessageChunk, MessageID: "m", Text: "a<b> \"c\"\n\x1b\u2028"}, `{"v":1,"event":"text","data":{"chunk":"agent_message_chunk","messageId":"m","text":"a<b> \"c\"\n\u001b\u2028"}}`},
		{conversation.TerminalOutput{ID: "t", Data: []byte("cut \xe2\x82")}, `{"v":1,"event":"terminal_output","data":{"id":"t","data":{"base64":"Y3V0IOKC"}}}`},
		{conversation.ShellStarted{ID: "t", Command: "make", Cwd: "/w", At: at}, `{"v":1,"event":"shell_started","data":{"id":"t","command":"make","cwd":"/w","at":"2026-11-21T12:00:00.5Z"}}`},
		{conversation.TurnEnded{Reason: acpclient.StopEndTurn, At: at}, `{"v":1,"event":"turn_ended","data":{"reason":"end_turn","at":"2026-11-21T12:00:00.5Z"}}`},
		{conversation.TurnEnded{}, `{"v":1,"event":"turn_ended","data":{}}`},
		{conversation.TurnEnded{Err: fmt.Errorf("so: %w", &acpclient.Error{Code: 400, Message: "m", Data: []byte(`"<d>"`)})}, `{"v":1,"event":"turn_ended","data":{"error":{"text":"so: m: <d> (code 400)","answer":{"code":400,"message":"m","data":"<d>"}}}}`},
		{conversation.AgentLost{Err: &acpclient.VersionError{Agent: 2}, Stderr: "e"}, `{"v":1,"event":"agent_lost","data":{"error":{"text":"the agent speaks version 2 of the Agent Client Protocol, but this client only version 1","agentVersion":2},"stderr":"e"}}`},
		{conversation.SessionFailed{Err: &acpclient.StartError{Command: acpclient.Command{Path: "x", Env: []string{"A=b"}}, Err: errors.New("no")}}, `{"v":1,"event":"session_failed","data":{"error":{"text":"cannot start x: no","notStarted":true}}}`},
		{conversation.SessionOpening{How: conversation.OpenLoad, ID: "s", Clear: true}, `{"v":1,"event":"session_opening","data":{"how":"load","id":"s","clear":true}}`},
		{conversation.FileWritten{Path: "/a"}, `{"v":1,"event":"file_written","data":{"path":"/a"}}`},
		{conversation.OptionChosen{Seq: 1, Option: "o", Value: acpclient.BoolValue(false)}, `{"v":1,"event":"option_chosen","data":{"seq":1,"option":"o","value":false}}`},
		{test.Permission(7, `{"toolCallId":"t"}`), `{"v":1,"event":"permission_opened","data":{"id":7,"request":{"sessionId":"s","toolCall":{"toolCallId":"t"},"options":[{"optionId":"y","name":"Yes","kind":"allow_once"},{"optionId":"n","name":"No","kind":"reject_once"}]}}}`},
		{conversation.PermissionReferred{ID: 7, Why: "because", Proposals: [][]string{{"allow read"}}}, `{"v":1,"event":"permission_referred","data":{"id":7,"why":"because","proposals":[["allow read"]]}}`},
		{conversation.FilesSeen{ID: 7, Files: []conversation.FileSeen{{Path: "/a", Exists: true, Text: "x"}, {Path: "b", Unknown: true}}}, `{"v":1,"event":"files_seen","data":{"id":7,"files":[{"path":"/a","exists":true,"text":"x"},{"path":"b","unknown":true}]}}`},
		{conversation.QuestionClosed{ID: 7, Outcome: acpclient.PermissionSelected("y"), Rule: "allow read", Source: "f:1"}, `{"v":1,"event":"question_closed","data":{"id":7,"outcome":{"outcome":"selected","optionId":"y"},"rule":"allow read","source":"f:1"}}`},
		{test.Up(t, `{"sessionUpdate":"plan", "entries":[], "new":{"x" : 1}}`), `{"v":1,"event":"update","data":{"sessionId":"s","update":{"sessionUpdate":"plan", "entries":[], "new":{"x" : 1}}}}`},
		{test.At(test.Up(t, `{"sessionUpdate":"plan","entries":[]}`), at), `{"v":1,"event":"update","at":"2026-11-21T12:00:00.5Z","data":{"sessionId":"s","update":{"sessionUpdate":"plan","entries":[]}}}`},
		{conversation.NoticeAdded{Severity: acpclient.NoticeInfo, Title: "t", Detail: "d"}, `{"v":1,"event":"said","data":{"severity":"info","title":"t","detail":"d"}}`},
		{conversation.NoticeAdded{Title: "t", Subject: "call c"}, `{"v":1,"event":"said","data":{"title":"t","subject":"call c"}}`},
		{conversation.QuestionClosed{ID: 7, Outcome: acpclient.PermissionCancelled, At: at}, `{"v":1,"event":"question_closed","data":{"id":7,"at":"2026-11-21T12:00:00.5Z"}}`},
		{
			conversation.Update{Update: &acpclient.ToolCall{ToolCallID: "t", Title: "a>b", Locations: []acpclient.ToolCallLocation{{Path: "p", Line: &line}}}},
			`{"v":1,"event":"update","data":{"sessionId":"","update":{"sessionUpdate":"tool_call","toolCallId":"t","title":"a>b","locations":[{"path":"p","line":3}]}}}`,
		},
	} {
		if got, _ := encoded(t, c.event); string(got) != c.want {
			t.Errorf("%#v becomes\n%s, want\n%s", c.event, got, c.want)
		}
	}
}

// Logs have these names from before answers had one kind.
func TestFormerNamesOfAnswers(t *testing.T) {
	for line, want := range map[string]conversation.QuestionClosed{
		`{"v":1,"event":"permission_closed","data":{"id":7,"outcome":{"outcome":"selected","optionId":"y"},"rule":"allow read"}}`: {ID: 7, Outcome: acpclient.PermissionSelected("y"), Rule: "allow read"},
		`{"v":1,"event":"permission_closed","data":{"id":7,"outcome":{"outcome":"cancelled"}}}`:                                   {ID: 7},
		`{"v":1,"event":"elicitation_closed","data":{"id":8,"action":"accept","answers":[{"field":"a","value":"b"}]}}`:            {ID: 8, Action: acpclient.ElicitAccept, Answers: []conversation.FieldAnswer{{Field: "a", Value: "b"}}},
	} {
		if got, err := conversation.Decode([]byte(line)); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s is read as %#v, %v", line, got, err)
		}
	}
}

// What the program looks for in errors is still there.
func TestErrorsKeepWhatTheyAre(t *testing.T) {
	answer := &acpclient.Error{Code: acpclient.CodeAuthRequired, Message: "sign in", Data: []byte(`{"a": 1}`)}
	for _, err := range []error{
		answer,
		&acpclient.Error{Code: 7, Message: "plain"},
		fmt.Errorf("it failed: %w", answer),
		&acpclient.StartError{Command: acpclient.Command{Path: "x"}, Err: errors.New("no")},
		&acpclient.VersionError{Agent: 3},
		errors.Join(errors.New("a"), &acpclient.VersionError{Agent: 3}, answer),
		errors.New("bytes \xff"),
		errors.New(""),
	} {
		_, e := encoded(t, conversation.TurnEnded{Err: err})
		got := e.(conversation.TurnEnded).Err
		if got == nil || got.Error() != err.Error() {
			t.Errorf("%q comes back as %v", err, got)
			continue
		}
		var wantAnswer, gotAnswer *acpclient.Error
		if errors.As(err, &wantAnswer) != errors.As(got, &gotAnswer) || wantAnswer != nil && (gotAnswer.Code != wantAnswer.Code || gotAnswer.Message != wantAnswer.Message || len(gotAnswer.Data) == 0 != (len(wantAnswer.Data) == 0)) {
			t.Errorf("%v comes back with the answer %+v", err, gotAnswer)
		}
		var wantStart, gotStart *acpclient.StartError
		if errors.As(err, &wantStart) != errors.As(got, &gotStart) {
			t.Errorf("%v comes back with the start error %v", err, gotStart)
		}
		var wantVersion, gotVersion *acpclient.VersionError
		if errors.As(err, &wantVersion) != errors.As(got, &gotVersion) || wantVersion != nil && *gotVersion != *wantVersion {
			t.Errorf("%v comes back with the version %v", err, gotVersion)
		}
	}
	_, e := encoded(t, conversation.AgentLost{Err: &acpclient.Error{Code: 7, Message: "plain"}})
	if _, plain := e.(conversation.AgentLost).Err.(*acpclient.Error); !plain {
		t.Errorf("an answer comes back as %T", e.(conversation.AgentLost).Err)
	}
}

func TestLinesThatCannotBeRead(t *testing.T) {
	for line, want := range map[string]error{
		`{"v":1,"event":"sneezed","data":{}}`:                    conversation.ErrUnknownEvent,
		`{"v":2,"event":"text","data":{"chunk":"x","text":"y"}}`: conversation.ErrNewerVersion,
		`{"v":99,"event":"sneezed","data":7}`:                    conversation.ErrNewerVersion,
		``:                                                       nil,
		`{"v":1,"event":"text","data":{"chunk":"agent_message_chunk","te`: nil,
		`7`:  nil,
		`{}`: nil,
		`{"event":"text","data":{"chunk":"x","text":"y"}}`: nil,
		`{"v":1}`:                            conversation.ErrUnknownEvent,
		`{"v":1,"event":"text"}`:             nil,
		`{"v":1,"event":"text","data":null}`: nil,
		`{"v":1,"event":"text","data":{"chunk":"agent_message_chunk"}}`:                                                 nil,
		`{"v":1,"event":"text","data":{"chunk":"x","text":7}}`:                                                          nil,
		`{"v":1,"event":"terminal_output","data":{"id":"x","data":{"base64":"?"}}}`:                                     nil,
		`{"v":1,"event":"session_failed","data":{"error":null}}`:                                                        nil,
		`{"v":1,"event":"session_failed","data":{"error":{}}}`:                                                          nil,
		`{"v":1,"event":"permission_opened","data":{"id":1,"request":null}}`:                                            nil,
		`{"v":1,"event":"permission_opened","data":{"id":1,"request":7}}`:                                               nil,
		`{"v":1,"event":"agent_ready","data":{}}`:                                                                       nil,
		`{"v":1,"event":"cancel_requested","data":{"at":"today"}}`:                                                      nil,
		`{"v":1,"event":"update","data":{"sessionId":"s"}}`:                                                             nil,
		`{"v":1,"event":"update","data":null}`:                                                                          nil,
		`{"v":1,"event":"update","at":"today","data":{"sessionId":"s","update":{"sessionUpdate":"plan","entries":[]}}}`: nil,
	} {
		e, err := conversation.Decode([]byte(line))
		switch {
		case err == nil:
			t.Errorf("%s is read as %#v", line, e)
		case want != nil && !errors.Is(err, want):
			t.Errorf("%s: %v, want %v", line, err, want)
		case want == nil && (errors.Is(err, conversation.ErrUnknownEvent) || errors.Is(err, conversation.ErrNewerVersion)):
			t.Errorf("%s: %v", line, err)
		}
	}
}

// Fields that a later version has added are ignored.
func TestFieldsOfLaterVersions(t *testing.T) {
	e, err := conversation.Decode([]byte(` {"v":1,"at":7,"event":"text","data":{"chunk":"c","text":"t","mood":"good"}}` + "\r\n"))
	if want := (conversation.Text{Chunk: "c", Text: "t"}); err != nil || e != want {
		t.Errorf("%#v, %v", e, err)
	}
}

func TestEventsThatCannotBeWritten(t *testing.T) {
	for _, e := range []conversation.Event{
		nil,
		conversation.PermissionOpened{ID: 1},
		conversation.SessionFailed{},
		conversation.Update{},
		conversation.Update{Update: &acpclient.UnknownUpdate{Name: "x"}},
		conversation.PromptSent{Prompt: []acpclient.ContentBlock{{Type: "hologram"}}},
		test.At(test.Up(t, `{"sessionUpdate":"plan","entries":[]}`), time.Date(12000, 1, 1, 0, 0, 0, 0, time.UTC)),
		conversation.CancelRequested{At: time.Date(12000, 1, 1, 0, 0, 0, 0, time.UTC)},
	} {
		dst := []byte("before")
		got, err := conversation.AppendEncode(dst, e)
		if err == nil || string(got) != "before" {
			t.Errorf("%#v becomes %s, %v", e, got, err)
		}
	}
	got, err := conversation.AppendEncode([]byte("[\n"), conversation.ElicitationCompleted{ElicitationID: "e"})
	if want := "[\n" + `{"v":1,"event":"elicitation_completed","data":{"elicitationId":"e"}}`; err != nil || string(got) != want {
		t.Errorf("%s, %v", got, err)
	}
}

// The time of an update is read wherever it stands.
func TestTimesOfUpdates(t *testing.T) {
	for _, line := range []string{
		`{"v":1,"event":"update","at":"2026-11-21T12:00:00.5Z","data":{"sessionId":"s","update":{"sessionUpdate":"plan","entries":[]}}}`,
		`{"data":{"sessionId":"s","update":{"sessionUpdate":"plan","entries":[]}}, "at":"2026-11-21T13:00:00.5+01:00","event":"update","v":1}`,
	} {
		e, err := conversation.Decode([]byte(line))
		if u, ok := e.(conversation.Update); !ok || !u.At.Equal(time.Date(2026, 11, 21, 12, 0, 0, 5e8, time.UTC)) {
			t.Errorf("%s is read as %#v, %v", line, e, err)
		}
	}
}

// FuzzDecode: nothing panics, and what can be read can be written, read again and
// folded. Of a line that is damaged, the protocol's types may mend something when
// they are written; after that, nothing changes any more.
func FuzzDecode(f *testing.F) {
	for _, kind := range test.Kinds {
		for seed := range 5 {
			line, err := conversation.Encode(kind.Example(seed))
			if err != nil {
				f.Fatal(err)
			}
			f.Add(line)
		}
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		e, err := conversation.Decode(line)
		if err != nil {
			return
		}
		mended, err := conversation.Encode(e)
		if err != nil {
			t.Fatalf("%s is read as %#v, which cannot be written: %v", line, e, err)
		}
		want, err := conversation.Decode(mended)
		if err != nil {
			t.Fatalf("%s becomes %s, which cannot be read: %v", line, mended, err)
		}
		second, got := encoded(t, want)
		if d := test.Diff(want, got); d != "" || !bytes.Equal(mended, second) {
			t.Fatalf("%s becomes %s, which becomes %s (-before +after):\n%s", line, mended, second, d)
		}
		c := conversation.New()
		c.Apply(e)
		c.Apply(want)
	})
}
