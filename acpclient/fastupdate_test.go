package acpclient

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"parley/internal/schema"
)

// The short way of decoding an update and the general one make the same of a
// line, whatever its order, its spacing and its faults. (Keys that differ in
// case only, or stand twice, are the exception: encoding/json is laxer there.)
func TestFastUpdateAgrees(t *testing.T) {
	all := schemaDefs(t, schema.V1Unstable())
	fast := 0
	property := func(rt *rapid.T) {
		n := (&schemaGen{defs: all, choose: drawn{rt}}).value("SessionNotification")
		if rapid.Bool().Draw(rt, "faulty") {
			n = spoil(rt, n)
		}
		message := map[string]any{"jsonrpc": "2.0", "method": "session/update", "params": n}
		if rapid.IntRange(0, 9).Draw(rt, "id") == 0 {
			message["id"] = rapid.SampledFrom([]any{nil, 1, "x"}).Draw(rt, "id value")
		}
		var b bytes.Buffer
		write(rt, &b, message)
		checkAgreement(rt, b.Bytes(), &fast)
	}
	for round := 0; fast == 0; round++ { // few lines go the short way, and chance may have none in a round
		if round == 50 {
			t.Fatal("nothing went the short way")
		}
		rapid.Check(t, property)
	}
}

type failer interface{ Fatalf(string, ...any) }

func checkAgreement(t failer, line []byte, fast *int) {
	got, ok := fastUpdate(line)
	if !ok {
		return
	}
	*fast++
	var m envelope
	if err := json.Unmarshal(line, &m); err != nil {
		t.Fatalf("the short way takes %s: %v", line, err)
	}
	if m.Method != SessionUpdateNotification.Name || !m.ID.IsZero() {
		t.Fatalf("the short way takes %s", line)
	}
	var want SessionNotification
	if err := want.decode(m.Params); err != nil {
		t.Fatalf("the short way takes %s: %v", line, err)
	}
	if diff := cmp.Diff(&want, got); diff != "" {
		t.Fatalf("%s (-general +short):\n%s", line, diff)
	}
	alone, ok := shortParams.update(m.Params)
	if diff := cmp.Diff(&want, alone); !ok || diff != "" {
		t.Fatalf("%s, its params alone (-general +short):\n%s", line, diff)
	}
}

// spoil puts a bad value somewhere, or another update into the raw input.
func spoil(rt *rapid.T, v any) any {
	bad := []any{
		nil, 7, "text", true,
		[]any{},
		[]any{nil},
		map[string]any{},
		[]any{map[string]any{}},
		map[string]any{"sessionUpdate": "tool_call", "toolCallId": "inner"},
		map[string]any{"sessionUpdate": "agent_message_chunk", "content": map[string]any{"type": "text", "text": "inner"}},
		`"sessionUpdate":"tool_call"`, `\"sessionUpdate\":\"agent_message_chunk\"`,
		json.Number("1e3"), json.Number("1e999"), json.RawMessage(`"\ud800"`),
	}
	switch v := v.(type) {
	case map[string]any:
		if len(v) > 0 && rapid.IntRange(0, 3).Draw(rt, "deeper") > 0 {
			key := rapid.SampledFrom(slices.Sorted(maps.Keys(v))).Draw(rt, "key")
			v[key] = spoil(rt, v[key])
			return v
		}
	case []any:
		if len(v) > 0 && rapid.IntRange(0, 3).Draw(rt, "deeper") > 0 {
			i := rapid.IntRange(0, len(v)-1).Draw(rt, "item")
			v[i] = spoil(rt, v[i])
			return v
		}
	}
	return rapid.SampledFrom(bad).Draw(rt, "bad")
}

// write encodes a value with its keys in any order and white space anywhere.
func write(rt *rapid.T, b *bytes.Buffer, v any) {
	space := func() { b.WriteString(rapid.SampledFrom([]string{"", "", "", " ", "\t", "\r "}).Draw(rt, "space")) }
	space()
	switch v := v.(type) {
	case map[string]any:
		b.WriteByte('{')
		for i, key := range rapid.Permutation(slices.Sorted(maps.Keys(v))).Draw(rt, "order") {
			if i > 0 {
				b.WriteByte(',')
			}
			space()
			write(rt, b, key)
			b.WriteByte(':')
			write(rt, b, v[key])
		}
		b.WriteByte('}')
	case []any:
		b.WriteByte('[')
		for i := range v {
			if i > 0 {
				b.WriteByte(',')
			}
			write(rt, b, v[i])
		}
		b.WriteByte(']')
	default:
		raw, err := json.Marshal(v)
		if err != nil {
			rt.Fatal(err)
		}
		b.Write(raw)
	}
	space()
}

// The kind is guessed from what may be another's; the real one decides.
func TestFastUpdateGuesses(t *testing.T) {
	tests := []struct {
		name, line string
		fast       bool
	}{
		{"chunk", chunk("a"), true},
		{"tool call", update(`{"sessionUpdate":"tool_call","toolCallId":"t","title":"T"}`), true},
		{"tool call update", update(`{"sessionUpdate" : "tool_call_update","toolCallId":"t","rawInput":null}`), true},
		{"another kind in the raw input first", update(`{"rawInput":{"sessionUpdate":"agent_message_chunk"},"sessionUpdate":"tool_call","toolCallId":"t","title":"T"}`), false},
		{"its own kind in the raw input first", update(`{"rawInput":{"sessionUpdate":"tool_call_update"},"sessionUpdate":"tool_call","toolCallId":"t","title":"T"}`), true},
		{"quoted in the raw input first", update(`{"rawInput":"\"sessionUpdate\":\"plan\"","sessionUpdate":"tool_call","toolCallId":"t","title":"T"}`), true},
		{"plan", update(`{"sessionUpdate":"plan","entries":[]}`), false},
		{"a request", `{"jsonrpc":"2.0","id":0,` + chunk("a")[17:], false},
		{"null _meta", update(`{"sessionUpdate":"tool_call","toolCallId":"t","title":"T","_meta":null}`), true},
		{"bad location", update(`{"sessionUpdate":"tool_call","toolCallId":"t","title":"T","locations":[null]}`), false},
		{"resource without uri", update(`{"sessionUpdate":"user_message_chunk","content":{"type":"resource","resource":{}}}`), false},
		{"two messages", chunk("a") + chunk("b"), false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			fast := 0
			checkAgreement(t, []byte(tt.line), &fast)
			if (fast == 1) != tt.fast {
				t.Errorf("the short way: %v, want %v", fast == 1, tt.fast)
			}
		})
	}
}

// A piece of text goes the shortest way, however it is spelled, and nothing else does.
func TestTextGoesTheShortestWay(t *testing.T) {
	block := func(content string) string {
		return update(`{"sessionUpdate":"agent_message_chunk","content":` + content + `}`)
	}
	tests := []struct {
		name, line string
		takes      bool
	}{
		{"words", chunk("a few words"), true},
		{"escapes", block(`{"type":"text","text":"\"\u00e9\ud83d\ude00\\\n"}`), true},
		{"half a surrogate", block(`{"type":"text","text":"\ud83d"}`), true},
		{"what is not UTF-8", block(`{"type":"text","text":"` + "\xff" + `"}`), true},
		{"nothing", block(`{"type":"text","text":""}`), true},
		{"spaces, and another order", `{ "params" : {"update":{ "content":{"text":"a" ,"type":"text"},"messageId":"m", "sessionUpdate":"agent_message_chunk" }, "sessionId":"s"},"method":"session/update" }`, true},
		{"an image", block(`{"type":"image","data":"","mimeType":"image/png"}`), false},
		{"no text", block(`{"type":"text"}`), false},
		{"text that is none", block(`{"type":"text","text":7}`), false},
		{"annotations", block(`{"type":"text","text":"a","annotations":{"priority":1}}`), false},
		{"_meta", update(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"a"},"_meta":{"a":1}}`), false},
		{"another kind in the content", update(`{"content":{"type":"text","text":"a","sessionUpdate":"agent_message_chunk"},"sessionUpdate":"agent_message_chunk"}`), false},
		{"another kind", update(`{"sessionUpdate":"plan","content":{"type":"text","text":"a"}}`), false},
		{"a request", `{"id":1,` + chunk("a")[1:], false},
		{"another method", strings.Replace(chunk("a"), "session/update", "session/other", 1), false},
		{"a session that is none", strings.Replace(chunk("a"), `"sessionId":"s"`, `"sessionId":null`, 1), false},
		{"the half of a line", chunk("a")[:40], false},
		{"two lines", chunk("a") + chunk("b"), false},
		{"an array", "[" + chunk("a") + "]", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, took := textLine([]byte(tt.line), AgentMessageChunk)
			if took != tt.takes {
				t.Errorf("taken: %t, want %t: %s", took, tt.takes, tt.line)
			}
			checkAgreement(t, []byte(tt.line), new(int))
		})
	}
}

// A member is found as a decoder finds it, however the object is spelled.
func TestMember(t *testing.T) {
	fixed := []string{
		`{}`, ` { } `, `{"a":1}`, `{"a":"}\\"}`, `{"a":"\\\"a\\\\","b":[{"a":2}," ]"],"a" : { "b":"{" } }`,
		"{\r\n\t\"b\" : true , \"a\" :\tnull\n}", `{"\u0061":1,"a":-2.5e3}`, `{"a":[]}`, `{"b":"a","a":""}`,
	}
	check := func(t failer, object []byte) {
		var want struct {
			A json.RawMessage `json:"a"`
		}
		if err := json.Unmarshal(object, &want); err != nil {
			t.Fatalf("%s: %v", object, err)
		}
		if got := member(object, "a"); string(got) != string(want.A) {
			t.Fatalf("a of %s is %s, want %s", object, got, want.A)
		}
	}
	for _, object := range fixed {
		check(t, []byte(object))
	}
	rapid.Check(t, func(rt *rapid.T) {
		var value func(depth int) any
		value = func(depth int) any {
			text := rapid.StringOf(rapid.SampledFrom([]rune(`ab"\{}[],: `)))
			kinds := 5
			if depth == 0 {
				kinds = 3
			}
			switch rapid.IntRange(0, kinds-1).Draw(rt, "kind") {
			case 0:
				return text.Draw(rt, "text")
			case 1:
				return rapid.Float64Range(-1e9, 1e9).Draw(rt, "number")
			case 2:
				return rapid.SampledFrom([]any{true, false, nil}).Draw(rt, "word")
			case 3:
				return []any{value(depth - 1), value(depth - 1)}
			}
			return map[string]any{"a": value(depth - 1), text.Draw(rt, "key"): value(depth - 1)}
		}
		object, err := json.MarshalIndent(map[string]any{"a": value(3), "b": value(3), "": value(1)}, "", rapid.SampledFrom([]string{"", " ", "\t"}).Draw(rt, "indent"))
		if err != nil {
			rt.Fatal(err)
		}
		check(rt, object)
	})
}
