package schematest

import (
	"errors"
	"slices"
	"strings"
	"testing"
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
		{"result and error", []sent{{Client, prompt, ""}, {Agent, `{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":""},"result":{}}`, "not both"}}},
		{"answered twice", []sent{
			{Client, prompt, ""},
			{Agent, `{"jsonrpc":"2.0","id":1,"result":{"stopReason":"end_turn"}}`, ""},
			{Agent, `{"jsonrpc":"2.0","id":1,"result":{"stopReason":"end_turn"}}`, "no open request"},
		}},
		{"an id twice", []sent{{Client, prompt, ""}, {Client, prompt, "open request"}}},
		{"the wrong side", []sent{{Agent, prompt, "no such method on that side"}}},
		{"unknown", []sent{{Client, `{"jsonrpc":"2.0","id":1,"method":"session/set_model","params":{}}`, "no such method"}}},
		{"allowed", []sent{{Client, `{"jsonrpc":"2.0","id":1,"method":"known/elsewhere","params":{}}`, ""}, {Agent, `{"jsonrpc":"2.0","id":1,"result":7}`, ""}}},
		{"extension", []sent{{Agent, `{"jsonrpc":"2.0","method":"_x/y"}`, ""}}},
		{"request as notification", []sent{{Client, `{"jsonrpc":"2.0","method":"session/prompt","params":{}}`, "without an id"}}},
		{"no version", []sent{{Client, `{"id":1,"method":"session/prompt"}`, "2.0"}}},
		{"no message", []sent{{Client, `hello`, "no JSON-RPC message"}, {Client, `{"jsonrpc":"2.0"}`, "neither"}}},
		{"cancel from both", []sent{
			{Client, `{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":1}}`, ""},
			{Agent, `{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":"a"}}`, ""},
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			v := NewValidator(Stable(), "known/elsewhere")
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

func TestOpen(t *testing.T) {
	v := NewValidator(Stable())
	for _, line := range []string{
		`{"jsonrpc":"2.0","id":"a","method":"session/prompt","params":{"sessionId":"s","prompt":[]}}`,
		`{"jsonrpc":"2.0","id":2,"method":"session/close","params":{"sessionId":"s"}}`,
	} {
		if err := v.Line(Client, []byte(line)); err != nil {
			t.Fatal(err)
		}
	}
	if got := v.Open(Client); !slices.Equal(got, []string{"session/close", "session/prompt"}) {
		t.Errorf("open: %q", got)
	}
	if got := v.Open(Agent); got != nil {
		t.Errorf("open: %q", got)
	}
}

// Every type that belongs to a method can be compiled, in both schemas.
func TestSchemasCompile(t *testing.T) {
	for _, s := range []*Schema{Stable(), Unstable()} {
		if len(s.Methods) < 20 {
			t.Errorf("%s has %d methods only", s.url, len(s.Methods))
		}
		for key, types := range s.Methods {
			for _, def := range []string{types.Request, types.Response, types.Notification} {
				if def == "" {
					continue
				}
				if _, err := s.compile(def); err != nil {
					t.Errorf("%v: %v", key, err)
				}
			}
		}
	}
}
