package test

import (
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"reflect"
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
var Kinds = func() map[string]*rapid.Generator[conversation.Event] {
	all := map[string]*rapid.Generator[conversation.Event]{}
	for _, e := range conversation.Kinds() {
		kind := reflect.TypeOf(e)
		all[kind.Name()] = rapid.Custom(func(t *rapid.T) conversation.Event { return randomEvent(t, kind) })
	}
	return all
}()

// randomEvent fills the fields of an event by their types, which suits most kinds.
func randomEvent(t *rapid.T, kind reflect.Type) conversation.Event {
	if kind == reflect.TypeFor[conversation.Update]() {
		return randomUpdate(t)
	}
	rapid.Bool().Draw(t, kind.Name()) // rapid needs data of an event without fields, too
	v := reflect.New(kind).Elem()
	for f := range kind.Fields() {
		v.FieldByIndex(f.Index).Set(randomField(t, f, false))
	}
	switch e := v.Interface().(type) {
	case conversation.AgentReady:
		e.Info = decoded[acpclient.InitializeResponse](t, initializeResponses) // never absent
		return e
	case conversation.SessionFailed:
		e.Err = cmp.Or(e.Err, errors.New("no"))
		return e
	case conversation.PermissionOpened:
		if e.File != nil {
			e.Request, e.Judging = fileRequest(t, e.File), false
		}
		return e
	default:
		return e.(conversation.Event)
	}
}

func fileRequest(t *rapid.T, q *conversation.FileQuestion) *acpclient.RequestPermissionRequest {
	before := "a"
	raw, err := json.Marshal(conversation.FileRequest(q, &before, "b"))
	r := new(acpclient.RequestPermissionRequest)
	if err = errors.Join(err, acpclient.Unmarshal(raw, r)); err != nil {
		t.Fatal(err)
	}
	return r
}

// randomField returns a value for a field of an event or, if it is inner, of a value in one,
// whose texts are UTF-8.
func randomField(t *rapid.T, f reflect.StructField, inner bool) reflect.Value {
	fill := func(v any) reflect.Value { return reflect.ValueOf(v).Convert(f.Type) }
	optional := func() bool { return rapid.Bool().Draw(t, f.Name) }
	pick := func(values ...any) reflect.Value { return fill(rapid.SampledFrom(values).Draw(t, f.Name)) }
	switch reflect.Zero(f.Type).Interface().(type) {
	case time.Time:
		return fill(moment(t))
	case conversation.Opening:
		return pick(conversation.OpenNew, conversation.OpenLoad, conversation.OpenResume, conversation.OpenFork)
	case acpclient.StopReason:
		return pick("", acpclient.StopEndTurn, acpclient.StopCancelled, acpclient.StopRefusal, "odd")
	case acpclient.NoticeSeverity:
		return pick("", acpclient.NoticeInfo, acpclient.NoticeError)
	case acpclient.ElicitationAction:
		return pick(acpclient.ElicitAccept, acpclient.ElicitDecline, acpclient.ElicitCancel)
	case acpclient.ChunkKind:
		return pick(acpclient.UserMessageChunk, acpclient.AgentMessageChunk, acpclient.AgentThoughtChunk)
	case acpclient.ConfigID:
		return pick("m", "t", conversation.LegacyModeID, conversation.LegacyModelID, "gone")
	case acpclient.Meta, []acpclient.ToolCallUpdate, [][2]int:
		return reflect.Zero(f.Type)
	case acpclient.ConfigValue:
		return fill(value(t))
	case acpclient.RequestPermissionOutcome:
		return pick(acpclient.PermissionCancelled, acpclient.PermissionSelected("y"), acpclient.PermissionSelected("n"), acpclient.PermissionSelected(""))
	case []acpclient.ContentBlock:
		return fill(prompt(t))
	case []acpclient.SessionConfigOption:
		if !optional() {
			return reflect.Zero(f.Type)
		}
		return fill(decoded[acpclient.SessionState](t, sessionStates).ConfigOptions)
	case acpclient.SessionState:
		return fill(*decoded[acpclient.SessionState](t, sessionStates))
	case acpclient.TerminalExitStatus:
		return fill(*decoded[acpclient.TerminalExitStatus](t, exitStatuses))
	case *acpclient.InitializeResponse:
		return fill(decoded[acpclient.InitializeResponse](t, initializeResponses))
	case *acpclient.RequestPermissionRequest:
		return fill(decoded[acpclient.RequestPermissionRequest](t, permissionRequests))
	case *acpclient.CreateElicitationRequest:
		return fill(decoded[acpclient.CreateElicitationRequest](t, elicitationRequests))
	}
	v := reflect.New(f.Type).Elem()
	part := func(of reflect.Type) reflect.Value {
		return randomField(t, reflect.StructField{Name: f.Name, Type: of}, true)
	}
	switch f.Type.Kind() {
	case reflect.Interface: // an error
		if err := failure(t); err != nil {
			v.Set(reflect.ValueOf(err))
		}
	case reflect.String:
		switch {
		case f.Type != reflect.TypeFor[string]():
			v.SetString(id(t))
		case inner:
			v.SetString(rapid.String().Draw(t, f.Name))
		default:
			v.SetString(someText(t))
		}
	case reflect.Bool:
		v.SetBool(optional())
	case reflect.Int:
		v.SetInt(int64(number(t)))
	case reflect.Uint64:
		v.SetUint(rapid.Uint64().Draw(t, f.Name))
	case reflect.Float64:
		v.SetFloat(float64(number(t)))
	case reflect.Uint8:
		v.SetUint(uint64(rapid.Byte().Draw(t, f.Name)))
	case reflect.Pointer:
		if optional() {
			v.Set(reflect.New(f.Type.Elem()))
			v.Elem().Set(part(f.Type.Elem()))
		}
	case reflect.Slice:
		least := 0
		if inner {
			least = 1
		}
		for range rapid.IntRange(least, 2).Draw(t, f.Name) {
			v.Set(reflect.Append(v, part(f.Type.Elem())))
		}
	case reflect.Struct:
		for of := range f.Type.Fields() {
			v.FieldByIndex(of.Index).Set(randomField(t, of, true))
		}
	default:
		t.Fatalf("no values of %s for %s", f.Type, f.Name)
	}
	return v
}

// Random generates an event of any kind. Half of them are updates.
func Random() *rapid.Generator[conversation.Event] {
	var all []*rapid.Generator[conversation.Event]
	for _, name := range slices.Sorted(maps.Keys(Kinds)) {
		all = append(all, Kinds[name], Kinds["Update"])
	}
	return rapid.OneOf(all...)
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
