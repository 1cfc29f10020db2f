package test

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"testing"
	"time"

	"pgregory.net/rapid"

	"parley/acpclient"
	"parley/internal/conversation"
)

// Checks sets how often rapid runs a property until the end of the test, unless -rapid.checks
// says something else.
func Checks(t testing.TB, n int) {
	t.Helper()
	runs := flag.Lookup("rapid.checks")
	if given := runs.Value.String(); given == runs.DefValue {
		t.Cleanup(func() { _ = runs.Value.Set(given) })
		if err := runs.Value.Set(strconv.Itoa(n)); err != nil {
			t.Fatal(err)
		}
	}
}

// Kinds are generators of events, by the name of their type. They use few ids, so that
// the events of a stream refer to each other.
var Kinds = map[string]*rapid.Generator[conversation.Event]{
	"AgentStarting": draw(func(t *rapid.T) conversation.Event {
		return conversation.AgentStarting{Command: someText(t), At: moment(t)}
	}),
	"AgentReady": draw(func(t *rapid.T) conversation.Event {
		return conversation.AgentReady{Info: decoded[acpclient.InitializeResponse](t, initializeResponses)}
	}),
	"AgentLost": draw(func(t *rapid.T) conversation.Event {
		return conversation.AgentLost{Err: failure(t), Stderr: someText(t), At: moment(t)}
	}),
	"SessionOpening": draw(func(t *rapid.T) conversation.Event {
		return conversation.SessionOpening{How: conversation.Opening(rapid.IntRange(0, 3).Draw(t, "how")), ID: acpclient.SessionID(id(t)), Clear: rapid.Bool().Draw(t, "clear")}
	}),
	"SessionOpened": draw(func(t *rapid.T) conversation.Event {
		return conversation.SessionOpened{ID: acpclient.SessionID(id(t)), Cwd: someText(t), State: *decoded[acpclient.SessionState](t, sessionStates)}
	}),
	"SessionFailed": draw(func(t *rapid.T) conversation.Event {
		err := failure(t)
		if err == nil {
			err = errors.New("no")
		}
		return conversation.SessionFailed{Err: err}
	}),
	"PromptSent": draw(func(t *rapid.T) conversation.Event {
		return conversation.PromptSent{Prompt: prompt(t), At: moment(t)}
	}),
	"PromptSteered": draw(func(t *rapid.T) conversation.Event {
		return conversation.PromptSteered{Prompt: prompt(t), At: moment(t)}
	}),
	"BudgetSet": draw(func(t *rapid.T) conversation.Event {
		e := conversation.BudgetSet{
			Budget: conversation.Budget{Cost: float64(number(t)), Tokens: rapid.Uint64().Draw(t, "tokens")},
			Raised: rapid.Bool().Draw(t, "raised"), Unbounded: rapid.Bool().Draw(t, "unbounded"),
		}
		if rapid.Bool().Draw(t, "goes on") {
			e.Spent = &conversation.Spent{
				Cost: &acpclient.Cost{Amount: float64(number(t)), Currency: "USD"}, Foreign: float64(number(t)), Tokens: rapid.Uint64().Draw(t, "spent"),
			}
		}
		return e
	}),
	"BudgetReached": rapid.Just[conversation.Event](conversation.BudgetReached{}),
	"BudgetShared": draw(func(t *rapid.T) conversation.Event {
		return conversation.BudgetShared{Spent: conversation.Spent{
			Cost: &acpclient.Cost{Amount: float64(number(t)), Currency: "USD"}, Foreign: float64(number(t)), Tokens: rapid.Uint64().Draw(t, "spent"),
		}}
	}),
	"LimitReached": draw(func(t *rapid.T) conversation.Event {
		return conversation.LimitReached{Kind: someText(t), Resets: moment(t), Waits: rapid.Bool().Draw(t, "waits")}
	}),
	"LimitWait": draw(func(t *rapid.T) conversation.Event { return conversation.LimitWait{Until: moment(t)} }),
	"UsageCounted": draw(func(t *rapid.T) conversation.Event {
		e := conversation.UsageCounted{Usage: acpclient.UsageUpdate{Used: 1, Size: 2}, Past: float64(number(t)), Foreign: float64(number(t))}
		if rapid.Bool().Draw(t, "before") {
			e.Before = &acpclient.Cost{Amount: float64(number(t)), Currency: "USD"}
		}
		return e
	}),
	"CancelRequested": draw(func(t *rapid.T) conversation.Event { return conversation.CancelRequested{At: moment(t)} }),
	"TurnEnded": draw(func(t *rapid.T) conversation.Event {
		reason := rapid.SampledFrom([]acpclient.StopReason{"", acpclient.StopEndTurn, acpclient.StopCancelled, acpclient.StopRefusal, "odd"}).Draw(t, "reason")
		var usage *acpclient.Usage
		if rapid.Bool().Draw(t, "counted") {
			usage = &acpclient.Usage{TotalTokens: rapid.Uint64().Draw(t, "tokens")}
		}
		return conversation.TurnEnded{Reason: reason, Err: failure(t), At: moment(t), Usage: usage}
	}),
	"QueueChanged": draw(func(t *rapid.T) conversation.Event {
		var queue []conversation.QueuedPrompt
		for i := range rapid.IntRange(0, 2).Draw(t, "prompts") {
			queue = append(queue, conversation.QueuedPrompt{ID: i + 1, Prompt: prompt(t), Folds: []conversation.Fold{{From: number(t), To: number(t), Block: i}}, Steering: rapid.Bool().Draw(t, "steering")})
		}
		return conversation.QueueChanged{Queue: queue, Paused: rapid.Bool().Draw(t, "paused")}
	}),
	"Text": draw(func(t *rapid.T) conversation.Event {
		return conversation.Text{Chunk: chunkKind(t), MessageID: acpclient.MessageID(id(t)), Text: someText(t)}
	}),
	"Update": draw(randomUpdate),
	"OptionChosen": draw(func(t *rapid.T) conversation.Event {
		return conversation.OptionChosen{Seq: number(t), Option: option(t), Value: value(t), At: moment(t)}
	}),
	"OptionSettled": draw(func(t *rapid.T) conversation.Event {
		e := conversation.OptionSettled{Seq: number(t), Option: option(t), Value: value(t), Err: failure(t)}
		if rapid.Bool().Draw(t, "with all options") {
			e.Options = decoded[acpclient.SessionState](t, sessionStates).ConfigOptions
		}
		return e
	}),
	"PermissionOpened": draw(func(t *rapid.T) conversation.Event {
		if rapid.Bool().Draw(t, "parley asks") {
			before := "a"
			q := &conversation.FileQuestion{
				Path: "/w/a", Target: "/b", Outside: true, Write: rapid.Bool().Draw(t, "write"), Hidden: rapid.Bool().Draw(t, "hidden"),
				Changed: rapid.Bool().Draw(t, "changed"), Links: rapid.IntRange(0, 2).Draw(t, "links"),
			}
			raw, err := json.Marshal(conversation.FileRequest(q, &before, "b"))
			r := new(acpclient.RequestPermissionRequest)
			if err = errors.Join(err, acpclient.Unmarshal(raw, r)); err != nil {
				t.Fatal(err)
			}
			return conversation.PermissionOpened{ID: number(t), Request: r, File: q, At: moment(t)}
		}
		return conversation.PermissionOpened{ID: number(t), Request: decoded[acpclient.RequestPermissionRequest](t, permissionRequests), Judging: rapid.Bool().Draw(t, "judging"), At: moment(t)}
	}),
	"PermissionReferred": draw(func(t *rapid.T) conversation.Event {
		e := conversation.PermissionReferred{ID: number(t), Why: someText(t), At: moment(t)}
		if rapid.Bool().Draw(t, "with proposals") {
			e.Proposals = rapid.SliceOfN(rapid.SliceOfN(rapid.String(), 1, 3), 1, 3).Draw(t, "proposals")
		}
		return e
	}),
	"PermissionClosed": draw(func(t *rapid.T) conversation.Event {
		outcome := acpclient.PermissionCancelled
		if rapid.Bool().Draw(t, "answered") {
			outcome = acpclient.PermissionSelected(rapid.SampledFrom([]acpclient.PermissionOptionID{"y", "n", ""}).Draw(t, "option"))
		}
		return conversation.PermissionClosed{ID: number(t), Outcome: outcome, Rule: someText(t), Source: someText(t), At: moment(t)}
	}),
	"ElicitationOpened": draw(func(t *rapid.T) conversation.Event {
		return conversation.ElicitationOpened{ID: number(t), Request: decoded[acpclient.CreateElicitationRequest](t, elicitationRequests), At: moment(t)}
	}),
	"ElicitationClosed": draw(func(t *rapid.T) conversation.Event {
		action := rapid.SampledFrom([]acpclient.ElicitationAction{acpclient.ElicitAccept, acpclient.ElicitDecline, acpclient.ElicitCancel}).Draw(t, "action")
		answers := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) conversation.FieldAnswer {
			return conversation.FieldAnswer{Field: rapid.String().Draw(t, "field"), Value: rapid.String().Draw(t, "value"), Secret: rapid.Bool().Draw(t, "secret")}
		}), 0, 3).Draw(t, "answers")
		return conversation.ElicitationClosed{ID: number(t), Action: action, Answers: answers, At: moment(t)}
	}),
	"ElicitationCompleted": draw(func(t *rapid.T) conversation.Event {
		return conversation.ElicitationCompleted{ElicitationID: acpclient.ElicitationID(id(t))}
	}),
	"AuthRequired": draw(func(t *rapid.T) conversation.Event {
		return conversation.AuthRequired{Message: someText(t), Err: failure(t)}
	}),
	"AuthDone": draw(func(t *rapid.T) conversation.Event {
		return conversation.AuthDone{Method: acpclient.AuthMethodID(id(t)), Err: failure(t)}
	}),
	"FileWritten": draw(func(t *rapid.T) conversation.Event {
		e := conversation.FileWritten{Path: rapid.SampledFrom([]string{"/w/a", "/w/\xff"}).Draw(t, "path"), After: someText(t)}
		if rapid.Bool().Draw(t, "there was one") {
			before := someText(t)
			e.Before = &before
		}
		return e
	}),
	"TerminalCreated": draw(func(t *rapid.T) conversation.Event {
		return conversation.TerminalCreated{ID: acpclient.TerminalID(id(t)), Command: someText(t), Cwd: someText(t)}
	}),
	"ShellStarted": draw(func(t *rapid.T) conversation.Event {
		return conversation.ShellStarted{ID: acpclient.TerminalID(id(t)), Command: someText(t), Cwd: someText(t), Lasts: rapid.Bool().Draw(t, "lasts"), At: moment(t)}
	}),
	"TerminalOutput": draw(func(t *rapid.T) conversation.Event {
		return conversation.TerminalOutput{ID: acpclient.TerminalID(id(t)), Data: []byte(someText(t))}
	}),
	"TerminalHidden": draw(func(t *rapid.T) conversation.Event {
		return conversation.TerminalHidden{ID: acpclient.TerminalID(id(t)), Hidden: rapid.Bool().Draw(t, "hidden")}
	}),
	"TerminalExited": draw(func(t *rapid.T) conversation.Event {
		return conversation.TerminalExited{ID: acpclient.TerminalID(id(t)), Status: *decoded[acpclient.TerminalExitStatus](t, exitStatuses)}
	}),
	"NoticeAdded": draw(func(t *rapid.T) conversation.Event {
		severity := rapid.SampledFrom([]acpclient.NoticeSeverity{"", acpclient.NoticeInfo, acpclient.NoticeError}).Draw(t, "severity")
		return conversation.NoticeAdded{Severity: severity, Title: someText(t), Detail: someText(t), Subject: someText(t)}
	}),
}

// Random generates an event of any kind. Half of them are updates.
func Random() *rapid.Generator[conversation.Event] {
	var all []*rapid.Generator[conversation.Event]
	for _, name := range slices.Sorted(maps.Keys(Kinds)) {
		all = append(all, Kinds[name], Kinds["Update"])
	}
	return rapid.OneOf(all...)
}

func draw(make func(*rapid.T) conversation.Event) *rapid.Generator[conversation.Event] {
	return rapid.Custom(make)
}

func id(t *rapid.T) string { return rapid.SampledFrom([]string{"a", "b", ""}).Draw(t, "id") }

func number(t *rapid.T) int { return rapid.IntRange(0, 4).Draw(t, "number") }

// someText returns text, or bytes that are not text.
func someText(t *rapid.T) string {
	binary := rapid.Map(rapid.SliceOfN(rapid.Byte(), 0, 20), func(b []byte) string { return string(b) })
	return rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"", "plain", "<a href=\"x\">\u2028\\\x00\x1b[1m\r\n"}), binary).Draw(t, "bytes")
}

func moment(t *rapid.T) time.Time {
	at := time.Unix(rapid.Int64Range(0, 1<<33).Draw(t, "seconds"), rapid.Int64Range(0, 999_999_999).Draw(t, "nanoseconds"))
	return rapid.SampledFrom([]time.Time{{}, at.UTC(), at.In(time.FixedZone("elsewhere", 3600*5+1800)), at.In(time.FixedZone("odd", 61))}).Draw(t, "time")
}

func chunkKind(t *rapid.T) acpclient.ChunkKind {
	return rapid.SampledFrom([]acpclient.ChunkKind{acpclient.UserMessageChunk, acpclient.AgentMessageChunk, acpclient.AgentThoughtChunk}).Draw(t, "chunk")
}

func option(t *rapid.T) acpclient.ConfigID {
	return rapid.SampledFrom([]acpclient.ConfigID{"m", "t", conversation.LegacyModeID, conversation.LegacyModelID, "gone"}).Draw(t, "option")
}

func value(t *rapid.T) acpclient.ConfigValue {
	if rapid.Bool().Draw(t, "boolean") {
		return acpclient.BoolValue(rapid.Bool().Draw(t, "on"))
	}
	return acpclient.SelectValue(rapid.SampledFrom([]acpclient.ConfigValueID{"ask", "code", "a", "b", "odd"}).Draw(t, "value"))
}

// failure returns an error of any kind that events have, or nil.
func failure(t *rapid.T) error {
	answer := &acpclient.Error{
		Code:    rapid.SampledFrom([]acpclient.ErrorCode{acpclient.CodeInternalError, acpclient.CodeAuthRequired, 400}).Draw(t, "code"),
		Message: rapid.String().Draw(t, "message"),
		Data:    rapid.SampledFrom([]json.RawMessage{nil, json.RawMessage(`{"details":"d <b>"}`), json.RawMessage(`[1, 2]`), json.RawMessage(`"s"`)}).Draw(t, "data"),
	}
	return rapid.SampledFrom([]error{
		nil, nil, answer, fmt.Errorf("it failed: %w", answer), errors.New(someText(t)),
		&acpclient.StartError{Command: acpclient.Command{Path: "agent", Env: []string{"KEY=" + Secret}}, Err: errors.New("no")},
		errors.Join(&acpclient.VersionError{Agent: 7}, answer),
	}).Draw(t, "error")
}

// Secret is the value of an environment variable of commands that could not be started.
const Secret = "the-secret-of-the-environment"

func prompt(t *rapid.T) []acpclient.ContentBlock {
	size := int64(7)
	blocks := []acpclient.ContentBlock{
		acpclient.TextBlock(rapid.String().Draw(t, "text")),
		{Type: acpclient.ContentResourceLink, Name: "f", URI: "file:///f", Size: &size},
		acpclient.ImageBlock("image/png", "AA=="),
		acpclient.TextResourceBlock("file:///f", "text/plain", "<text>\n"),
	}
	return rapid.SliceOfN(rapid.SampledFrom(blocks), 0, 3).Draw(t, "prompt")
}

// decoded returns one of several values, as it comes from the wire.
func decoded[T any](t *rapid.T, wire []string) *T {
	v := new(T)
	raw := rapid.SampledFrom(wire).Draw(t, "wire")
	if err := acpclient.Unmarshal(json.RawMessage(raw), v); err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	return v
}

// randomUpdate returns an update as it comes from the wire, in one of its spellings, or
// one of parley's own.
func randomUpdate(t *rapid.T) conversation.Event {
	if rapid.IntRange(0, 9).Draw(t, "whose") == 0 {
		title := rapid.String().Draw(t, "title")
		return conversation.Update{Update: &acpclient.SessionInfoUpdate{Title: acpclient.Field[string]{Set: true, Value: &title}}, At: moment(t)}
	}
	raw := rapid.SampledFrom(updates).Draw(t, "update")
	if raw != `{}` && rapid.Bool().Draw(t, "with what is not known") {
		raw = `{"future": {"x" : [1, null]},` + raw[1:]
	}
	raw = `{"sessionId":"s","update": ` + raw + `,"_meta":{"n":1}}`
	if rapid.IntRange(0, 9).Draw(t, "line") == 0 {
		raw += "\n"
		raw = "\n" + raw[:1] + "\n\t" + raw[1:]
	}
	n := new(acpclient.SessionNotification)
	if err := acpclient.Unmarshal(json.RawMessage(raw), n); err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	return At(conversation.FromNotification(n), moment(t))
}
