package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
)

func TestValidator(t *testing.T) {
	const prompt = `{"jsonrpc":"2.0","id":1,"method":"session/prompt","params":{"sessionId":"s","prompt":[]}}`
	type sent struct {
		from Side
		line string
		want string // part of the complaint, "" for none
	}
	tests := []struct {
		name  string
		lines []sent
	}{
		{"a turn", []sent{
			{Client, prompt, ""},
			{Agent, `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan","entries":[]}}}`, ""},
			{Agent, `{"jsonrpc":"2.0","id":1,"result":{"stopReason":"end_turn"}}`, ""},
		}},
		{"both sides use one id", []sent{
			{Client, prompt, ""},
			{Agent, `{"jsonrpc":"2.0","id":1,"method":"terminal/kill","params":{"sessionId":"s","terminalId":"t"}}`, ""},
			{Client, `{"jsonrpc":"2.0","id":1,"result":{}}`, ""},
			{Agent, `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"no"}}`, ""},
		}},
		{"bad params", []sent{{Client, `{"jsonrpc":"2.0","id":1,"method":"session/prompt","params":{"sessionId":1,"prompt":[]}}`, `client: params of session/prompt at "/sessionId"`}}},
		{"bad result", []sent{{Client, prompt, ""}, {Agent, `{"jsonrpc":"2.0","id":1,"result":{"stopReason":"whim"}}`, `agent: result of session/prompt at "/stopReason"`}}},
		{"bad error", []sent{{Client, prompt, ""}, {Agent, `{"jsonrpc":"2.0","id":1,"error":{"code":1}}`, "agent: error of session/prompt"}}},
		{"result and error", []sent{{Client, prompt, ""}, {Agent, `{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":""},"result":{}}`, "either a result or an error"}}},
		{"answered twice", []sent{
			{Client, prompt, ""},
			{Agent, `{"jsonrpc":"2.0","id":1,"result":{"stopReason":"end_turn"}}`, ""},
			{Agent, `{"jsonrpc":"2.0","id":1,"result":{"stopReason":"end_turn"}}`, "not an open request"},
		}},
		{"an id twice", []sent{{Client, prompt, ""}, {Client, prompt, "open request"}}},
		{"the wrong side", []sent{{Agent, prompt, "no such method in this direction"}}},
		{"unknown", []sent{{Client, `{"jsonrpc":"2.0","id":1,"method":"session/set_model","params":{}}`, "no such method"}}},
		{"allowed", []sent{{Client, `{"jsonrpc":"2.0","id":1,"method":"known/elsewhere","params":{}}`, ""}, {Agent, `{"jsonrpc":"2.0","id":1,"result":7}`, ""}}},
		{"extension", []sent{{Agent, `{"jsonrpc":"2.0","method":"_x/y"}`, ""}}},
		{"request as notification", []sent{{Client, `{"jsonrpc":"2.0","method":"session/prompt","params":{}}`, "without an id"}}},
		{"no version", []sent{{Client, `{"id":1,"method":"session/prompt"}`, "2.0"}}},
		{"no message", []sent{{Client, `hello`, "not a JSON-RPC message"}, {Client, `{"jsonrpc":"2.0"}`, "neither"}}},
		{"cancel from both", []sent{
			{Client, `{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":1}}`, ""},
			{Agent, `{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":"a"}}`, ""},
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			v := NewValidator(V1(), "known/elsewhere")
			for _, s := range tt.lines {
				err := v.Line(s.from, []byte(s.line))
				switch {
				case s.want == "" && err != nil:
					t.Errorf("%s: %v", s.line, err)
				case s.want != "" && (err == nil || !strings.Contains(err.Error(), s.want)):
					t.Errorf("%s: %v, want %q in it", s.line, err, s.want)
				}
				if violation := (*Violation)(nil); err != nil && !errors.As(err, &violation) {
					t.Errorf("%v is no *Violation", err)
				}
			}
		})
	}
}

// What was answered is not remembered.
func TestAnsweredRequestsAreForgotten(t *testing.T) {
	v := NewValidator(V1())
	for id := range 100 {
		if err := v.Line(Client, fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":"session/close","params":{"sessionId":"s"}}`, id)); err != nil {
			t.Fatal(err)
		}
		if err := v.Line(Agent, fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"result":{}}`, id)); err != nil {
			t.Fatal(err)
		}
	}
	if len(v.open) > 0 {
		t.Errorf("%d requests are remembered", len(v.open))
	}
}

// Every type that belongs to a method can be used, in all schemas.
func TestSchemasCompile(t *testing.T) {
	for _, s := range []*Schema{V1(), V1Unstable(), V2(), V2Unstable()} {
		if len(s.Methods) < 15 {
			t.Errorf("%s has %d methods only", s.name, len(s.Methods))
		}
		if _, err := resolved(s); err != nil {
			t.Errorf("%s: %v", s.name, err)
		}
		for key, types := range s.Methods {
			for _, def := range []string{types.Request, types.Response, types.Notification} {
				if def != "" && s.defs[def] == nil {
					t.Errorf("%v has no type %s", key, def)
				}
			}
		}
	}
}

// mutants are a value of JSON, with one thing or another changed in it.
func mutants(t *testing.T, text string) (out []string) {
	t.Helper()
	var whole any
	if err := json.Unmarshal([]byte(text), &whole); err != nil {
		t.Fatal(err)
	}
	add := func() {
		b, _ := json.Marshal(whole)
		out = append(out, string(b))
	}
	add()
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			for name, was := range v {
				for _, is := range []any{nil, -1.5, "whim", []any{7.0}, map[string]any{"type": "text"}} {
					v[name] = is
					add()
				}
				delete(v, name)
				add()
				v[name] = was
				walk(was)
			}
		case []any:
			for _, one := range v {
				walk(one)
			}
		}
	}
	walk(whole)
	return out
}

// resolved validates an object with one field, whose name is the entry of `$defs` for its value,
// by the library.
func resolved(s *Schema) (*jsonschema.Resolved, error) {
	root := &jsonschema.Schema{}
	if err := json.Unmarshal(s.Raw, root); err != nil {
		return nil, err
	}
	root = &jsonschema.Schema{Defs: root.Defs, Properties: map[string]*jsonschema.Schema{}}
	for def := range root.Defs {
		root.Properties[def] = &jsonschema.Schema{Ref: refTo + def}
	}
	return root.Resolve(nil)
}

// Whatever the library refuses is explained, and what it takes has no faults.
func TestWhatIsRefusedIsExplained(t *testing.T) {
	values := map[string][]string{
		"SessionNotification": {
			`{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","messageId":"m","content":{"type":"text","text":"x","annotations":{"audience":["user"],"priority":1}}}}`,
			`{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"t","title":"x","kind":"edit","status":"pending","locations":[{"path":"/a","line":1}],"rawInput":{},"content":[{"type":"diff","path":"/a","oldText":null,"newText":"b"},{"type":"terminal","terminalId":"t"},{"type":"content","content":{"type":"resource_link","uri":"file:///a","name":"a"}}]}}`,
			`{"sessionId":"s","update":{"sessionUpdate":"plan","entries":[{"content":"x","priority":"high","status":"pending"}]}}`,
			`{"sessionId":"s","update":{"sessionUpdate":"config_option_update","configOptions":[{"id":"m","name":"M","type":"select","currentValue":"a","options":[{"value":"a","name":"A"}]}]}}`,
			`{"sessionId":"s","update":{"sessionUpdate":"available_commands_update","availableCommands":[{"name":"a","description":"b","input":{"hint":"c"}}]}}`,
		},
		"InitializeResponse":       {`{"protocolVersion":1,"agentCapabilities":{"loadSession":true,"promptCapabilities":{"image":true},"mcpCapabilities":{"http":true}},"authMethods":[{"id":"a","name":"b","description":"c"}],"agentInfo":{"name":"a","version":"1"}}`},
		"NewSessionResponse":       {`{"sessionId":"s","modes":{"currentModeId":"a","availableModes":[{"id":"a","name":"A"}]}}`},
		"RequestPermissionRequest": {`{"sessionId":"s","toolCall":{"toolCallId":"t"},"options":[{"optionId":"a","name":"A","kind":"allow_once"}]}`},
		"PromptResponse":           {`{"stopReason":"end_turn"}`},
		"Error":                    {`{"code":-32603,"message":"no","data":{}}`},
	}
	for _, s := range []*Schema{V1Unstable(), V2Unstable()} {
		resolved, err := resolved(s)
		if err != nil {
			t.Fatal(err)
		}
		for def, all := range values {
			if s.defs[def] == nil {
				continue
			}
			for _, text := range all {
				for _, mutant := range mutants(t, text) {
					var v any
					_ = json.Unmarshal([]byte(mutant), &v)
					library, faults := resolved.Validate(map[string]any{def: v}), s.explain(s.defs[def], v, "")
					if (library == nil) != (len(faults) == 0) {
						t.Fatalf("%s %s: %s\nthe library: %v\nexplained: %v", s.name, def, mutant, library, faults)
					}
				}
			}
		}
	}
}

// What is wrong is told of the alternative that was meant, and where it is.
func TestFaultsAreExplained(t *testing.T) {
	for value, want := range map[string]string{
		`{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text"}}}`:          `at "/update/content": "text" is missing`,
		`{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":7,"title":"x"}}`:                   `at "/update/toolCallId": it is an integer, not a string`,
		`{"sessionId":"s","update":{"sessionUpdate":"tool_call","title":"x"}}`:                                  `at "/update": "toolCallId" is missing`,
		`{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"t","title":"x","status":"whim"}}`: `at "/update/status": "whim" is not one of "completed", "failed", "in_progress", "pending"`,
		`{"sessionId":"s","update":{"sessionUpdate":"plan","entries":[{"content":"x","priority":"high"}]}}`:     `at "/update/entries/0": "status" is missing`,
		`{"sessionId":1,"update":{"sessionUpdate":"plan","entries":[]}}`:                                        `at "/sessionId": it is an integer, not a string`,
		`{"sessionId":"s","update":{"sessionUpdate":"moon"}}`:                                                   `at "/update/sessionUpdate": "moon" is not one of `,
		`[]`: `at "": it is an array, not an object`,
	} {
		if faults := V1().Faults("SessionNotification", []byte(value)); len(faults) != 1 || !strings.HasPrefix(faults[0].Error(), want) {
			t.Errorf("%s: %v, want %s", value, faults, want)
		}
	}
}
