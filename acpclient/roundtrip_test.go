package acpclient

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"parley/internal/schema"
)

// messageTypes are the Go types of every params and result, by the name of
// their type in the schema, which is theirs too.
func messageTypes(methods ...typedMethod) map[string]reflect.Type {
	types := map[string]reflect.Type{}
	for _, m := range methods {
		types[m.params.Name()] = m.params
		if m.result != nil {
			types[m.result.Name()] = m.result
		}
	}
	return types
}

// equal compares decoded values, and looks into those that hide something.
var equal = cmp.Options{
	cmp.AllowUnexported(RequestID{}, RequestPermissionOutcome{}), cmpopts.EquateEmpty(),
	// How it was spelled before.
	cmpopts.IgnoreFields(SessionNotification{}, "Raw"),
	cmpopts.IgnoreFields(RequestPermissionRequest{}, "Raw"),
	cmpopts.IgnoreFields(CreateElicitationRequest{}, "Raw"),
}

// diff is cmp.Diff, which is slow to find that two values are the same.
func diff(a, b any, opts ...cmp.Option) string {
	if reflect.DeepEqual(a, b) {
		return ""
	}
	return cmp.Diff(a, b, opts...)
}

// Whatever the schema allows is decoded, nothing of it is lost, and what is
// encoded again fits the schema.
func TestRoundTrip(t *testing.T) {
	defs := schemaDefs(t, schema.V1())
	for def, typ := range messageTypes(typedMethods...) {
		t.Run(def, rapid.MakeCheck(func(rt *rapid.T) {
			checkRoundTrip(t, rt, schema.V1(), defs, def, typ, true)
		}))
	}
}

// The unstable messages that we claim keep what we know of them.
func TestRoundTripUnstable(t *testing.T) {
	defs := schemaDefs(t, schema.V1Unstable())
	defs["McpServer"] = schemaDefs(t, schema.V1())["McpServer"] // servers over ACP itself are not claimed
	types := messageTypes(unstableMethods...)
	types["SessionNotification"] = reflect.TypeFor[SessionNotification]()
	for def, typ := range types {
		t.Run(def, rapid.MakeCheck(func(rt *rapid.T) {
			checkRoundTrip(t, rt, schema.V1Unstable(), defs, def, typ, false)
		}))
	}
}

func checkRoundTrip(t *testing.T, rt *rapid.T, schema *schema.Schema, defs defs, def string, typ reflect.Type, whole bool) {
	wire, err := json.Marshal((&schemaGen{defs: defs, choose: drawn{rt}}).value(def))
	if err != nil {
		rt.Fatal(err)
	}
	if err := schema.Faults(def, wire); err != nil {
		rt.Skip("a branch of anyOf that excludes another")
	}
	first := reflect.New(typ)
	if err := Unmarshal(wire, first.Interface()); err != nil {
		rt.Fatalf("%s: %v", wire, err)
	}
	again, err := Marshal(first.Interface())
	if err != nil {
		rt.Fatalf("encode what was %s: %v", wire, err)
	}
	if err := schema.Faults(def, again); err != nil {
		rt.Fatalf("%s became %s, which breaks the schema: %v", wire, again, err)
	}
	second := reflect.New(typ)
	if err := Unmarshal(again, second.Interface()); err != nil {
		rt.Fatalf("%s: %v", again, err)
	}
	if diff := diff(first.Interface(), second.Interface(), equal); diff != "" {
		rt.Fatalf("%s, encoded as %s, comes back changed (-first +second):\n%s", wire, again, diff)
	}
	if diff := diff(essence(t, wire), essence(t, again)); whole && diff != "" {
		rt.Fatalf("%s became %s (-before +after):\n%s", wire, again, diff)
	}
}

// essence is a JSON value without what means the same as nothing.
func essence(t *testing.T, raw []byte) any {
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatal(err)
	}
	return stripEmpty(v)
}

func stripEmpty(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k, field := range v {
			if field = stripEmpty(field); field == nil {
				delete(v, k)
			} else {
				v[k] = field
			}
		}
		if len(v) == 0 {
			return nil
		}
	case []any:
		if len(v) == 0 {
			return nil
		}
		for i := range v {
			v[i] = stripEmpty(v[i])
		}
	case string:
		if v == "" {
			return nil
		}
	case bool:
		if !v {
			return nil
		}
	}
	return v
}

// The zero value of everything that a client sends has what the schema requires:
// arrays are never null, and empty strings are there.
func TestZeroValuesFitTheSchema(t *testing.T) {
	for _, m := range slices.Concat(typedMethods, unstableMethods) {
		sent := m.params
		if m.side == "client" {
			sent = m.result
		}
		if sent == nil {
			continue
		}
		b, err := Marshal(reflect.New(sent).Interface())
		if err != nil {
			t.Errorf("%v: %v", sent, err)
			continue
		}
		if err := schema.V1Unstable().Faults(sent.Name(), b); err != nil {
			t.Errorf("%v: %s: %v", sent, b, err)
		}
	}
}

// What stands inside of what a client sends fits the schema when it is empty.
func TestEmptyPartsFitTheSchema(t *testing.T) {
	empty := ""
	tests := []struct {
		def  string
		part any
	}{
		{"ContentBlock", TextBlock("")},
		{"ContentBlock", ImageBlock("", "")},
		{"ContentBlock", ContentBlock{Type: ContentAudio}},
		{"ContentBlock", ResourceLinkBlock("", "")},
		{"ContentBlock", TextResourceBlock("", "", "")},
		{"ContentBlock", ContentBlock{Type: ContentResource, Resource: &ResourceContents{Blob: &empty}}},
		{"ContentBlock", ContentBlock{Type: ContentResource, Resource: &ResourceContents{}}},
		{"ContentBlock", ContentBlock{Type: ContentText, Annotations: &Annotations{}}},
		{"McpServer", MCPServer{}},
		{"McpServer", MCPServer{Type: MCPHTTP}},
		{"McpServer", MCPServer{Type: MCPSSE}},
		{"EnvVariable", EnvVariable{}},
		{"HttpHeader", HTTPHeader{}},
		{"Implementation", Implementation{}},
		{"ClientCapabilities", ClientCapabilities{
			Session:     &ClientSessionCapabilities{Compaction: &Supported{}, Notices: &Supported{}, ConfigOptions: &SessionConfigOptionsCapabilities{Boolean: &Supported{}}},
			Auth:        AuthCapabilities{Terminal: true},
			Elicitation: &ElicitationCapabilities{Form: &Supported{}, URL: &Supported{}},
		}},
		{"SetSessionConfigOptionRequest", SetSessionConfigOptionRequest{Value: BoolValue(false)}},
		{"RequestPermissionOutcome", PermissionCancelled},
		{"RequestPermissionOutcome", PermissionSelected("x")},
		{"RequestPermissionOutcome", PermissionSelected("")},
		{"CreateElicitationResponse", CreateElicitationResponse{Action: ElicitAccept, Content: map[string]any{"a": "", "b": false, "c": 0, "d": []string{}}}},
		{"TerminalExitStatus", TerminalExitStatus{}},
		{"Error", Error{}},
		{"ToolCallUpdate", ToolCallUpdate{}},
		{"ToolCall", ToolCall{}},
		{"ToolCallContent", TextContent("")},
		{"ToolCallContent", DiffContent("", nil, "")},
		{"ToolCallContent", TerminalContent("")},
		{"SessionConfigOption", SessionConfigOption{Type: ConfigSelect}},
		{"SessionConfigOption", SessionConfigOption{Type: ConfigBoolean, CurrentValue: BoolValue(false)}},
		{"Plan", Plan{}},
	}
	for _, tt := range tests {
		b, err := Marshal(tt.part)
		if err != nil {
			t.Errorf("%s: %v", tt.def, err)
			continue
		}
		if err := schema.V1().Faults(tt.def, b); err != nil {
			t.Errorf("%s: %s: %v", tt.def, b, err)
		}
	}
}

// What cannot be encoded is an error, and no half message.
func TestEncodeErrors(t *testing.T) {
	for _, v := range []any{
		ContentBlock{Type: "hologram"},
		ContentBlock{Type: ContentResource},
		ToolCallContent{Type: ToolContentBlock},
		ToolCallContent{Type: "hologram"},
		MCPServer{Type: "pigeon"},
		SessionConfigOption{Type: "slider"},
		PlanUpdateContent{Type: "hologram"},
		SessionNotification{SessionID: "s"},
	} {
		b, err := Marshal(v)
		if err == nil {
			t.Errorf("%#v became %s", v, b)
		} else if !strings.Contains(err.Error(), "cannot be encoded") && !strings.Contains(err.Error(), "without an update") {
			t.Errorf("%#v: unclear error %q", v, err)
		}
	}
}

// Text goes out readable: HTML is no matter here, wherever it stands.
func TestTextIsNotEscapedForHTML(t *testing.T) {
	line, err := outgoing{Method: "m", Params: &PromptRequest{Prompt: List[ContentBlock]{TextBlock("a<b && c>d")}}}.encode()
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(line), "a<b && c>d") {
		t.Errorf("%s", line)
	}
}

// typedMethod is a Method or Notification of this package, for reflection.
type typedMethod struct {
	side, name     string       // as the schema's x-side and x-method
	params, result reflect.Type // a notification has no result
}

func typed[P, R any](m Method[P, R]) typedMethod {
	return typedMethod{"agent", m.Name, reflect.TypeFor[P](), reflect.TypeFor[R]()}
}

// typedMethods are all that the stable protocol has: those of an agent, and those in
// the table of what a Handler takes.
var typedMethods = append([]typedMethod{
	typed(Initialize),
	typed(Authenticate),
	typed(Logout),
	typed(SessionNew),
	typed(SessionLoad),
	typed(SessionResume),
	typed(SessionList),
	typed(SessionDelete),
	typed(SessionClose),
	typed(SessionPrompt),
	typed(SessionSetMode),
	typed(SessionSetConfigOption),
	{"agent", SessionCancel.Name, reflect.TypeFor[CancelNotification](), nil},
	{"protocol", CancelRequest.Name, reflect.TypeFor[CancelRequestNotification](), nil}, // the Conn does it
}, handled()...)

// handled lists the table of client methods.
func handled() []typedMethod {
	var all []typedMethod
	for _, name := range slices.Sorted(maps.Keys(clientMethods)) {
		m := clientMethods[name]
		all = append(all, typedMethod{"client", m.name, m.params, m.result})
	}
	return all
}

// unstableMethods are those additions that we claim to know.
var unstableMethods = []typedMethod{
	typed(SessionFork),
}

func TestEveryMethodIsTyped(t *testing.T) {
	check := func(s *schema.Schema, methods []typedMethod) map[schema.MethodKey]bool {
		seen := map[schema.MethodKey]bool{}
		for _, m := range methods {
			key := schema.MethodKey{Side: m.side, Method: m.name}
			seen[key] = true
			want, ok := s.Methods[key]
			if !ok {
				t.Errorf("the schema has no %v", key)
				continue
			}
			if m.result == nil {
				if m.params.Name() != want.Notification {
					t.Errorf("%v: params %v, want %s", key, m.params, want.Notification)
				}
			} else if m.params.Name() != want.Request || m.result.Name() != want.Response {
				t.Errorf("%v: %v and %v, want %s and %s", key, m.params, m.result, want.Request, want.Response)
			}
		}
		return seen
	}
	seen := check(schema.V1(), typedMethods)
	for key := range schema.V1().Methods {
		if !seen[key] {
			t.Errorf("%v is not typed", key)
		}
	}
	check(schema.V1Unstable(), unstableMethods)
}

// Each method of Handler is the one that its entry in the table leads to, and
// each has one.
func TestTableLeadsToEveryMethodOfHandler(t *testing.T) {
	type handlers interface {
		Handler
		PermissionHandler
		FileHandler
		TerminalHandler
		ElicitationHandler
	}
	handler := reflect.TypeFor[handlers]()
	if len(clientMethods) != handler.NumMethod() {
		t.Errorf("Handler has %d methods, the table %d", handler.NumMethod(), len(clientMethods))
	}
	byParams := map[reflect.Type]string{}
	for i := range handler.NumMethod() {
		m := handler.Method(i)
		byParams[m.Type.In(1).Elem()] = m.Name
	}
	for name, m := range clientMethods {
		if byParams[m.params] == "" {
			t.Errorf("no method of Handler takes the %v of %s", m.params, name)
		}
	}
}

// unclaimedUpdates are the unstable updates that are shown generically.
var unclaimedUpdates = []string{"session_message", "session_message_chunk"}

// Every update of the schema, and the unstable ones that we claim, has its own
// type under the right discriminator.
func TestEveryUpdateIsTyped(t *testing.T) {
	for _, s := range []*schema.Schema{schema.V1(), schema.V1Unstable()} {
		variants := schemaDefs(t, s)["SessionUpdate"]["oneOf"].([]any)
		for _, v := range variants {
			v := v.(map[string]any)
			kind := v["properties"].(map[string]any)["sessionUpdate"].(map[string]any)["const"].(string)
			ref := v["allOf"].([]any)[0].(map[string]any)["$ref"].(string)
			u := newUpdate(kind)
			if slices.Contains(unclaimedUpdates, kind) {
				continue
			}
			if u == nil {
				t.Errorf("update %s is not typed", kind)
				continue
			}
			if got, want := reflect.TypeOf(u).Elem().Name(), strings.TrimPrefix(ref, "#/$defs/"); got != want {
				t.Errorf("update %s is a %s, want %s", kind, got, want)
			}
			if u.UpdateKind() != kind {
				t.Errorf("update %s calls itself %s", kind, u.UpdateKind())
			}
		}
	}
}
