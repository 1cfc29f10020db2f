package acpclient

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"parley/internal/schema"
)

// What is decoded of an update does not depend on the order and the spacing in which
// it is written, whatever its faults.
func TestSpellingDoesNotMatter(t *testing.T) {
	all := schemaDefs(t, schema.V1Unstable())
	compactJSON := cmp.Transformer("compact", func(raw json.RawMessage) any {
		var v any
		_ = json.Unmarshal(raw, &v)
		return v
	})
	rapid.Check(t, func(rt *rapid.T) {
		n := (&schemaGen{defs: all, choose: drawn{rt}}).value("SessionNotification")
		if rapid.Bool().Draw(rt, "faulty") {
			n = spoil(rt, n)
		}
		plain, err := json.Marshal(n)
		if err != nil {
			rt.Fatal(err)
		}
		var b bytes.Buffer
		write(rt, &b, n)
		var want, got SessionNotification
		wantErr, gotErr := Unmarshal(plain, &want), Unmarshal(b.Bytes(), &got)
		if diff := cmp.Diff(want, got, compactJSON); diff != "" || (wantErr == nil) != (gotErr == nil) {
			rt.Fatalf("%s: %v\n%s: %v\n(-plain +respelled):\n%s", plain, wantErr, b.Bytes(), gotErr, diff)
		}
	})
}

type failer interface{ Fatalf(string, ...any) }

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

// An update is of the kind that its own discriminator says, whatever stands in it.
func TestUpdateKinds(t *testing.T) {
	tests := []struct{ name, update, kind string }{
		{"tool call", `{"sessionUpdate":"tool_call","toolCallId":"t","title":"T"}`, "tool_call"},
		{"with a space", `{"sessionUpdate" : "tool_call_update","toolCallId":"t","rawInput":null}`, "tool_call_update"},
		{"another kind in the raw input first", `{"rawInput":{"sessionUpdate":"agent_message_chunk"},"sessionUpdate":"tool_call","toolCallId":"t","title":"T"}`, "tool_call"},
		{"quoted in the raw input first", `{"rawInput":"\"sessionUpdate\":\"plan\"","sessionUpdate":"tool_call","toolCallId":"t","title":"T"}`, "tool_call"},
		{"in the content", `{"content":{"type":"text","text":"a","sessionUpdate":"agent_message_chunk"},"sessionUpdate":"plan"}`, "plan"},
		{"with an escape", `{"session\u0055pdate":"pl\u0061n"}`, "plan"},
		{"twice", `{"sessionUpdate":"plan","sessionUpdate":"tool_call","toolCallId":"t"}`, "tool_call"},
		{"none", `{"update":"plan"}`, ""},
		{"no string", `{"sessionUpdate":7}`, ""},
		{"no object", `["sessionUpdate","plan"]`, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var n SessionNotification
			if err := Unmarshal([]byte(`{"sessionId":"s","update":`+tt.update+`}`), &n); err != nil {
				t.Fatal(err)
			}
			if kind := n.Update.UpdateKind(); kind != tt.kind {
				t.Errorf("it is a %q, want %q", kind, tt.kind)
			}
		})
	}
}

// A string is decoded as encoding/json decodes it.
func TestStrings(t *testing.T) {
	for _, spelled := range []string{
		`""`, `"a few words"`, `"\"\u00e9\ud83d\ude00\\\n"`, `"\ud83d"`, `"a\b\f\r\t\/\"z"`, `"\\u0041"`, "\"\xff\"", `"\u0000"`, "\"\u2028\"", `null`, `7`, `{}`, `[]`, `true`,
	} {
		var want string
		wantErr := json.Unmarshal([]byte(spelled), &want)
		got, err := decodeString([]byte(spelled))
		if got != want || (err == nil) != (wantErr == nil) {
			t.Errorf("%s is %q, %v; want %q, %v", spelled, got, err, want, wantErr)
		}
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
