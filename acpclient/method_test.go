package acpclient

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"parley/internal/schema"
)

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
	typed(SessionSetTitle),
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
	handler := reflect.TypeFor[Handler]()
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
