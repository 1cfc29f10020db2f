package session

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"parley/acpclient"
	"parley/internal/conversation"
)

// Environment and headers never come among the events, wherever the agent, the
// user or the configuration has named them. What they are for still gets them.
func TestNoSecretIsAmongTheEvents(t *testing.T) {
	const secret = "s3cret"
	bubble(t, func(t *testing.T, h *harness) {
		ran := h.agent().ask(t.Context(), "terminal/create", `{"sessionId":"s1","command":"ls","env":[{"name":"KEY","value":"`+secret+`"}]}`)
		h.settle()
		if got := <-ran; got.err != nil {
			t.Error(got.err)
		}
		login, err := Do(h.Context(), h, TerminalAuth{"tty"})
		if err != nil || !strings.Contains(strings.Join(login.Env, " "), "TOKEN="+secret) {
			t.Errorf("signing in runs %v, %v", login, err)
		}
		if names := h.conv.Agent.AuthMethods[0].Env; len(names) != 1 {
			t.Errorf("the variables of signing in are %v", names)
		}
		if p := AuthProgramOf(h.conv.Agent.AuthMethods[1]); p == nil || p.Command != "sh" || len(p.Env) != 1 {
			t.Errorf("the program of signing in is %v", p)
		}
		h.spawnOf = func() error { return &acpclient.StartError{Command: h.Options().Command, Err: errors.New("no")} }
		h.agent().exit(errors.New("crash"))
		h.settle()
		Post(h, Start{})
		h.settle()
		if len(eventsOf[conversation.AgentLost](h)) != 2 {
			t.Error("the agent was started")
		}
		for _, e := range h.events {
			line, err := conversation.Encode(e)
			if err != nil {
				t.Errorf("%#v: %v", e, err)
			}
			if bytes.Contains(line, []byte(secret)) {
				t.Errorf("%s", line)
			}
		}
	}, func(h *harness, o *Options) {
		o.Command.Env = []string{"KEY=" + secret}
		o.MCPServers = []acpclient.MCPServer{
			{Name: "one", Command: "/one", Env: []acpclient.EnvVariable{{Name: "KEY", Value: secret}}},
			{Name: "two", Type: acpclient.MCPHTTP, URL: "https://example.com", Headers: []acpclient.HTTPHeader{{Name: "Key", Value: secret}}},
		}
		h.prepare = func(a *fakeAgent) {
			a.auto["initialize"] = json.RawMessage(`{"protocolVersion":1,"agentCapabilities":{},"authMethods":[{"id":"tty","name":"Terminal","type":"terminal","env":{"TOKEN":"` + secret + `"}},
				{"id":"meta","name":"Named","_meta":{"terminal-auth":{"command":"sh","env":{"TOKEN":"` + secret + `"}}}},
				{"id":"odd","name":"Odd","_meta":{"terminal-auth":{"command":1,"env":{"TOKEN":"` + secret + `"}}}}]}`)
		}
	})
}
