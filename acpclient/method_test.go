package acpclient

import (
	"context"
	"reflect"
	"slices"
	"strings"
	"testing"

	"parley/internal/test/schematest"
)

// typedMethod is a Method or Notification of this package, for reflection.
type typedMethod struct {
	side, name     string       // as the schema's x-side and x-method
	params, result reflect.Type // a notification has no result
	goName         string       // of the method of Client or Handler, "" if the Conn does it
}

func typed[P, R any](side string, m Method[P, R], goName string) typedMethod {
	return typedMethod{side, m.Name, reflect.TypeFor[P](), reflect.TypeFor[R](), goName}
}

func told[P any](side string, n Notification[P], goName string) typedMethod {
	return typedMethod{side, n.Name, reflect.TypeFor[P](), nil, goName}
}

var typedMethods = []typedMethod{
	typed("agent", Initialize, "Initialize"),
	typed("agent", Authenticate, "Authenticate"),
	typed("agent", Logout, "Logout"),
	typed("agent", SessionNew, "NewSession"),
	typed("agent", SessionLoad, "LoadSession"),
	typed("agent", SessionResume, "ResumeSession"),
	typed("agent", SessionList, "ListSessions"),
	typed("agent", SessionDelete, "DeleteSession"),
	typed("agent", SessionClose, "CloseSession"),
	typed("agent", SessionPrompt, "Prompt"),
	typed("agent", SessionSetMode, "SetSessionMode"),
	typed("agent", SessionSetConfigOption, "SetSessionConfigOption"),
	told("agent", SessionCancel, "Cancel"),
	typed("client", SessionRequestPermission, "RequestPermission"),
	typed("client", FSReadTextFile, "ReadTextFile"),
	typed("client", FSWriteTextFile, "WriteTextFile"),
	typed("client", TerminalCreate, "CreateTerminal"),
	typed("client", TerminalOutput, "TerminalOutput"),
	typed("client", TerminalWaitForExit, "WaitForTerminalExit"),
	typed("client", TerminalKill, "KillTerminal"),
	typed("client", TerminalRelease, "ReleaseTerminal"),
	typed("client", ElicitationCreate, "CreateElicitation"),
	told("client", SessionUpdateNotification, "SessionUpdate"),
	told("client", ElicitationComplete, "CompleteElicitation"),
	told("protocol", CancelRequest, ""),
}

// unstableMethods are those additions that we claim to know.
var unstableMethods = []typedMethod{
	typed("agent", SessionFork, "ForkSession"),
	typed("agent", SessionSetTitle, "SetSessionTitle"),
}

func TestEveryMethodIsTyped(t *testing.T) {
	check := func(schema *schematest.Schema, methods []typedMethod) map[schematest.MethodKey]bool {
		seen := map[schematest.MethodKey]bool{}
		for _, m := range methods {
			key := schematest.MethodKey{Side: m.side, Method: m.name}
			seen[key] = true
			want, ok := schema.Methods[key]
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
			checkGoMethod(t, m)
		}
		return seen
	}
	seen := check(schematest.Stable(), typedMethods)
	for key := range schematest.Stable().Methods {
		if !seen[key] {
			t.Errorf("%v is not typed", key)
		}
	}
	check(schematest.Unstable(), unstableMethods)
}

// checkGoMethod looks for func(ctx, *Params) (*Result, error) on Client or
// Handler.
func checkGoMethod(t *testing.T, m typedMethod) {
	t.Helper()
	if m.goName == "" {
		return
	}
	holder := reflect.TypeFor[*Client]()
	if m.side == "client" {
		holder = reflect.TypeFor[Handler]()
	}
	method, ok := holder.MethodByName(m.goName)
	if !ok {
		t.Errorf("%s: %v has no %s", m.name, holder, m.goName)
		return
	}
	params, result := m.params, m.result
	f := method.Type
	in, out := f.NumIn(), f.NumOut()
	if f.In(in-1) != reflect.PointerTo(params) {
		t.Errorf("%s takes %v, want *%v", m.goName, f.In(in-1), params)
	}
	if result != nil && (out != 2 || f.Out(0) != reflect.PointerTo(result) || f.In(in-2) != reflect.TypeFor[context.Context]()) {
		t.Errorf("%s is %v, want (context.Context, *%v) (*%v, error)", m.goName, f, params, result)
	}
}

// unclaimedUpdates are the unstable updates that are shown generically.
var unclaimedUpdates = []string{"session_message", "session_message_chunk"}

// Every update of the schema, and the unstable ones that we claim, has its own
// type under the right discriminator.
func TestEveryUpdateIsTyped(t *testing.T) {
	for _, schema := range []*schematest.Schema{schematest.Stable(), schematest.Unstable()} {
		variants := schemaDefs(t, schema)["SessionUpdate"]["oneOf"].([]any)
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
