package acpclient

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"parley/internal/schema"
)

// markedValue is a value in an example message whose schema asks for leniency.
type markedValue struct {
	message string // the type of the whole message
	example []byte
	path    []any
	schema  map[string]any
}

func (m markedValue) is(mark string) bool { return m.schema["x-deserialize-"+mark] == true }

// markedValues finds an example for every leniency mark of the schema that a
// message can come near, by the place of the mark in the schema.
func markedValues(t *testing.T) map[string]markedValue {
	markedOnce.Do(func() { marked = findMarkedValues(t) })
	return marked
}

var (
	markedOnce sync.Once
	marked     map[string]markedValue
)

func findMarkedValues(t *testing.T) map[string]markedValue {
	found := map[string]markedValue{}
	all := schemaDefs(t, schema.V1())
	for _, def := range slices.Sorted(maps.Keys(goTypes)) {
		// As many examples as it takes to see every variant within a variant.
		for n := range 14 * 5 * 6 {
			var marks []markedValue
			var places []string
			gen := &schemaGen{defs: all, choose: exhaustive{&n}, mark: func(path []any, at string, schema map[string]any) {
				m := markedValue{message: def, path: slices.Clone(path), schema: schema}
				if _, known := found[at]; !known && (m.is("default-on-error") || m.is("skip-invalid-items") || m.is("default-on-null")) {
					marks, places = append(marks, m), append(places, at)
				}
			}}
			example, err := json.Marshal(gen.value(def))
			if err != nil {
				t.Fatal(err)
			}
			if len(marks) == 0 || schema.V1().Faults(def, example) != nil {
				continue
			}
			for i, m := range marks {
				m.example = example
				found[places[i]] = m
			}
		}
	}
	return found
}

// marksInSchema lists where the schema has leniency marks.
func marksInSchema(t *testing.T) []string {
	var places []string
	var walk func(at string, s map[string]any)
	walk = func(at string, s map[string]any) {
		for key := range s {
			if strings.HasPrefix(key, "x-deserialize-") {
				places = append(places, at)
				break
			}
		}
		if properties, ok := s["properties"].(map[string]any); ok {
			for name, p := range properties {
				walk(at+"/"+name, p.(map[string]any))
			}
		}
		for _, key := range []string{"anyOf", "oneOf", "allOf"} {
			parts, _ := s[key].([]any)
			for i, p := range parts {
				walk(fmt.Sprintf("%s/%s/%d", at, key, i), p.(map[string]any))
			}
		}
	}
	for def, s := range schemaDefs(t, schema.V1()) {
		walk(def, s)
	}
	slices.Sort(places)
	return places
}

var goTypes = messageTypes(typedMethods...)

// edit decodes the example and changes what stands at the path: change gets the
// object or array that holds it.
func (m markedValue) edit(t *testing.T, change func(holder any, key any) any) []byte {
	var root any
	if err := json.Unmarshal(m.example, &root); err != nil {
		t.Fatal(err)
	}
	var descend func(v any, path []any) any
	descend = func(v any, path []any) any {
		if len(path) == 1 {
			return change(v, path[0])
		}
		switch v := v.(type) {
		case map[string]any:
			v[path[0].(string)] = descend(v[path[0].(string)], path[1:])
		case []any:
			v[path[0].(int)] = descend(v[path[0].(int)], path[1:])
		}
		return v
	}
	edited, err := json.Marshal(descend(root, m.path))
	if err != nil {
		t.Fatal(err)
	}
	return edited
}

func (m markedValue) decode(t *testing.T, raw []byte) any {
	t.Helper()
	v := reflect.New(goTypes[m.message]).Interface()
	if err := Unmarshal(raw, v); err != nil {
		t.Fatalf("the message is lost: %v\n%s", err, raw)
	}
	return v
}

// badValues are values of every kind of JSON; those that fit a field are no
// test of it.
var badValues = []any{7.5, "bad", true, map[string]any{"bad": true}, []any{[]any{}}, nil}

// takesAnything are fields that hold any JSON, or more than the schema says.
func takesAnything(at string) bool {
	for _, end := range []string{"/rawInput", "/rawOutput", "/_meta", "/data"} {
		if strings.HasSuffix(at, end) {
			return true
		}
	}
	return false
}

// kinder are the places where we take more than the schema asks for: values of
// enumerations that it does not know yet, a command that takes input and does
// not say which, text without its block.
var kinder = []string{
	"ToolCall/kind=bad", "ToolCall/status=bad", "ToolCallUpdate/kind=bad", "ToolCallUpdate/status=bad",
	"ElicitationSchema/type=bad", "Annotations/audience=bad",
	"AvailableCommand/input=map[bad:true]",
	"CompactionUpdate/summary=bad",
}

// A marked field with a value that does not fit is as if it were not there, and
// everything around it is kept.
func TestBadFieldsTakeTheirDefault(t *testing.T) {
	for at, m := range markedValues(t) {
		if takesAnything(at) {
			continue
		}
		want := m.decode(t, m.edit(t, func(holder, key any) any {
			delete(holder.(map[string]any), key.(string))
			return holder
		}))
		for _, bad := range badValues {
			if _, array := bad.([]any); array && m.is("skip-invalid-items") {
				continue // an array of bad items: see below
			}
			if bad != nil && schemaTakes(t, m, bad) || slices.Contains(kinder, fmt.Sprintf("%s=%v", at, bad)) {
				continue
			}
			t.Run(fmt.Sprintf("%s=%v", at, bad), func(t *testing.T) {
				got := m.decode(t, m.edit(t, func(holder, key any) any {
					holder.(map[string]any)[key.(string)] = bad
					return holder
				}))
				if diff := diff(want, got, equal, sameMeaning); diff != "" {
					t.Errorf("(-without the field +with a bad one):\n%s", diff)
				}
			})
		}
	}
}

// sameMeaning lets a cleared field pass for an absent one: for null that is what
// the difference is there for.
var sameMeaning = cmp.Comparer(func(a, b Field[string]) bool { return a.Value == nil && b.Value == nil || cmp.Equal(a.Value, b.Value) })

// schemaTakes reports whether a bad value is none for this field.
func schemaTakes(t *testing.T, m markedValue, bad any) bool {
	edited := m.edit(t, func(holder, key any) any {
		holder.(map[string]any)[key.(string)] = bad
		return holder
	})
	return schema.V1().Faults(m.message, edited) == nil
}

// A bad item of a marked array is left out, and the others are kept.
// Some agents send URLs for paths.
func TestAFileURLIsItsPath(t *testing.T) {
	for sent, want := range map[string]string{
		"file:///work/a%20b.go": "/work/a b.go", "file://localhost/x": "/x", "FILE:/x": "/x", "/file:/x": "/file:/x", "file": "file", "file://elsewhere/x": "file://elsewhere/x",
	} {
		var u ToolCall
		text := fmt.Sprintf(`{"toolCallId": "1", "title": "", "content": [{"type": "diff", "path": %q, "newText": ""}], "locations": [{"path": %q}]}`, sent, sent)
		if err := Unmarshal([]byte(text), &u); err != nil || u.Content[0].Path != want || u.Locations[0].Path != want {
			t.Errorf("%s is decoded as %+v, %v", sent, u, err)
		}
	}
}

func TestBadItemsAreSkipped(t *testing.T) {
	for at, m := range markedValues(t) {
		if !m.is("skip-invalid-items") {
			continue
		}
		for _, bad := range badValues {
			for _, where := range []int{0, 1, 2} {
				t.Run(fmt.Sprintf("%s[%d]=%v", at, where, bad), func(t *testing.T) {
					edited := m.edit(t, func(holder, key any) any {
						items := holder.(map[string]any)[key.(string)].([]any)
						holder.(map[string]any)[key.(string)] = slices.Insert(items, where, bad)
						return holder
					})
					if schema.V1().Faults(m.message, edited) == nil || slices.Contains(kinder, fmt.Sprintf("%s=%v", at, bad)) {
						t.Skip("it is taken")
					}
					got, want := m.decode(t, edited), m.decode(t, m.example)
					if diff := diff(want, got, equal); diff != "" {
						t.Errorf("(-without the item +with a bad one):\n%s", diff)
					}
				})
			}
		}
	}
}

// Every mark of the schema is tested by the two above, unless no message of ours
// comes near it.
func TestEveryMarkIsTested(t *testing.T) {
	found := markedValues(t)
	for _, at := range marksInSchema(t) {
		if _, ok := found[at]; ok {
			continue
		}
		switch {
		case at == "Error/data": // in no params and no result: see TestEncodeErrors
		default:
			t.Errorf("%s is not tested", at)
		}
	}
	if len(found) < 200 {
		t.Errorf("only %d marks were found", len(found))
	}
}

// A large text is written by hand, and read back as any other.
func TestLargeTexts(t *testing.T) {
	pieces := rapid.Custom(func(t *rapid.T) string {
		return rapid.StringOfN(rapid.Rune(), 1, 50, -1).Draw(t, "text") + string(rapid.SliceOfN(rapid.Byte(), 0, 4).Draw(t, "bytes"))
	})
	for seed := range 5 { // each takes a megabyte
		piece := pieces.Example(seed)
		text := strings.Repeat(piece, largeTextSize/len(piece)+1)
		id := NumberID(7)
		message, err := outgoing{ID: &id, Result: &ReadTextFileResponse{Content: text, Meta: Meta(`{"a":1}`)}}.encode()
		if err != nil {
			t.Fatal(err)
		}
		var got struct {
			ID     int
			Result ReadTextFileResponse
		}
		if err := json.Unmarshal(message, &got); err != nil {
			t.Fatal(err)
		}
		if got.ID != 7 || got.Result.Content != strings.ToValidUTF8(text, "\uFFFD") && !brokenInside(text) || string(got.Result.Meta) != `{"a":1}` {
			t.Errorf("%q came back as another text", piece)
		}
		if cap(message) == len(message) {
			t.Error("there is no room for the line end")
		}
	}
}

// brokenInside reports bytes that are no UTF-8: each is replaced, where ToValidUTF8
// replaces a run of them.
func brokenInside(text string) bool { return strings.ToValidUTF8(text, "") != text }

// silent is a transport whose peer asks once and never reads.
type silent struct {
	requests chan string
	writing  chan struct{}
	end      chan struct{}
}

func (s *silent) Read() ([]byte, error) {
	select {
	case r := <-s.requests:
		return []byte(r), nil
	case <-s.end:
		return nil, context.Canceled
	}
}

func (s *silent) Write([]byte) error {
	s.writing <- struct{}{}
	<-s.end
	return context.Canceled
}

func (s *silent) Close() error { return nil }

// answering answers every request at once, and says when it was asked, and when its
// answer was written.
type answering struct{ asked, answered chan string }

func (answering) HandleNotification(context.Context, string, json.RawMessage) {}

func (a answering) HandleRequest(ctx context.Context, method string, _ json.RawMessage) (any, error) {
	if !OnAnswered(ctx, func() { a.answered <- method }) {
		return nil, context.Canceled
	}
	a.asked <- method
	return nil, nil
}

func TestOnAnsweredWaitsForTheWrite(t *testing.T) {
	peer := &silent{requests: make(chan string, 2), writing: make(chan struct{}, 2), end: make(chan struct{})}
	peer.requests <- `{"jsonrpc":"2.0","id":1,"method":"first"}`
	peer.requests <- `{"jsonrpc":"2.0","id":2,"method":"second"}`
	a := answering{make(chan string, 2), make(chan string, 2)}
	c := NewConn(peer, a, ConnOptions{})
	defer c.Close()
	<-peer.writing
	for range 2 {
		<-a.asked // else the connection may end before the second is read
	}
	select {
	case m := <-a.answered:
		t.Errorf("the answer to %s is said to be written", m)
	default:
	}
	close(peer.end) // neither will be
	for range 2 {
		<-a.answered
	}
	if OnAnswered(t.Context(), func() {}) {
		t.Error("a context that is no handler's was taken")
	}
}
