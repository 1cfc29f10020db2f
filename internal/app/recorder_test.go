package app

import (
	"strings"
	"testing"

	"parley/config"
)

// What reaches an agent or an MCP server on the network is as secret as what is handed to a
// program: no recording and no inspector has it, whoever says it.
func TestNoRecordingHasTheSecretsOfAnAddress(t *testing.T) {
	t.Setenv("REACH_IT", "hunter2-header")
	a := config.Agent{
		ID: "far", Address: "wss://agents.example.com/acp?pass=hunter2%2Dquery&v=1",
		Headers: config.NewSecrets(map[string]string{"Authorization": "Bearer $REACH_IT"}),
	}
	secrets := RedactorFor(&config.Config{MCP: []config.MCPServer{
		{Type: config.MCPHTTP, Name: "docs", URL: "https://mcp.example.com/mcp?user=me&pass=hunter2-server"},
	}}, a)
	for _, line := range []string{
		`{"method":"session/new","params":{"mcpServers":[{"url":"https://mcp.example.com/mcp?user=me&pass=hunter2-server"}]}}`,
		`{"params":{"text":"there is nobody whose password is hunter2-query"}}`,
		`{"params":{"text":"the token hunter2-header has expired"}}`,
		`{"params":{"text":"see /acp?pass=hunter2%2Dquery&v=1"}}`,
	} {
		if got := string(secrets.Message(true, []byte(line))); strings.Contains(got, "hunter2") || !strings.Contains(got, "[secret]") {
			t.Errorf("recorded: %s", got)
		}
	}
	if got := secrets.Text("https://mcp.example.com/mcp is version 1"); got != "https://mcp.example.com/mcp is version 1" {
		t.Errorf("what is no secret is left out: %s", got)
	}
}
