package serve

import (
	"context"
	"strings"
	"testing"

	"parley/acpclient"
	"parley/config"
	"parley/internal/conversation"
)

// A client gets what the agent offers, as far as parley passes it on, without sign-in methods that would run a
// program in its terminal.
func TestWhatIsOffered(t *testing.T) {
	yes := &acpclient.Supported{}
	agent := conversation.AgentState{
		Info: acpclient.Implementation{Name: "scripted"},
		AuthMethods: []acpclient.AuthMethod{
			{ID: "plain", Name: "Plain", Description: "d", Meta: acpclient.Meta(`{"x":1}`)},
			{ID: "type", Name: "T", Type: acpclient.AuthMethodTerminal, Args: []string{"login"}},
			{ID: "meta", Name: "M", Meta: acpclient.Meta(`{"terminal-auth":{"command":"/bin/login","args":[],"label":"l"}}`)},
		},
	}
	all := agent
	all.Steering, all.Capabilities = true, acpclient.AgentCapabilities{
		LoadSession: true, PromptCapabilities: acpclient.PromptCapabilities{Image: true}, MCPCapabilities: acpclient.MCPCapabilities{HTTP: true},
		SessionCapabilities: acpclient.SessionCapabilities{Fork: yes, AdditionalDirectories: yes},
	}
	resumes := agent
	resumes.Capabilities.SessionCapabilities.Resume = yes
	const methods = `"authMethods":[{"id":"plain","name":"Plain","description":"d"}],"agentInfo":{"name":"parley","title":"scripted (parley)","version":"1.2"}`
	const nothing = `"promptCapabilities":{"image":false,"audio":false,"embeddedContext":false},"mcpCapabilities":{"http":false,"sse":false},`
	for name, test := range map[string]struct {
		agent      conversation.AgentState
		any, alone bool
		want       string
	}{
		"what the agent offers":     {agent: all, want: `"loadSession":true,"promptCapabilities":{"image":true,"audio":false,"embeddedContext":false},"mcpCapabilities":{"http":true,"sse":false},"sessionCapabilities":{"list":{},"additionalDirectories":{},"resume":{},"close":{},"fork":{}}|` + methods + `,"_meta":{"steering":{"supported":true}}`},
		"nothing":                   {agent: agent, want: `"loadSession":false,` + nothing + `"sessionCapabilities":{"list":{},"close":{}}|` + methods},
		"that the agent can resume": {agent: resumes, want: `"loadSession":true,` + nothing + `"sessionCapabilities":{"list":{},"resume":{},"close":{}}|` + methods},
		"of agents to choose from":  {any: true, want: `"loadSession":true,"promptCapabilities":{"image":true,"audio":false,"embeddedContext":true},"mcpCapabilities":{"http":false,"sse":false},"sessionCapabilities":{"list":{},"resume":{},"close":{}}|"authMethods":[],"agentInfo":{"name":"parley","title":"parley","version":"1.2"}`},
		"of a session served alone": {alone: true, want: `"loadSession":true,"promptCapabilities":{"image":false,"audio":true,"embeddedContext":false},"mcpCapabilities":{"http":false,"sse":false},"sessionCapabilities":{"list":{},"resume":{},"close":{}}|"authMethods":[],"agentInfo":{"name":"parley","title":"Scripted agent (parley)","version":"1.2"}`},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t, `handshake {"promptCapabilities":{"audio":true}}`+"\nserve\n")
			opt := Options{Version: "1.2"}
			if test.alone {
				s.client(Options{}, acpclient.ClientCapabilities{}, false).open(s.opt.Cwd)
				opt.Running = "host"
			}
			if test.any {
				s.others = map[string]*stage{}
			}
			opt.Hello = func(context.Context, config.Agent) (conversation.AgentState, error) { return test.agent, nil }
			c := s.client(opt, acpclient.ClientCapabilities{}, false)
			want := `{"protocolVersion":1,"agentCapabilities":{` + strings.Replace(test.want, "|", `,"_meta":{"parley":{"status":true}}},`, 1) + "}"
			if got := encode(c.info); got != want {
				t.Errorf("%s", got)
			}
		})
	}
}
