package config

import (
	"errors"
	"strings"
	"testing"
)

func TestProtocolOfAnAgent(t *testing.T) {
	c := parse(t, "[agents.a]\ncommand = \"x\"\nprotocol = \"auto\"\n[agents.b]\ncommand = \"x\"\n")
	if c.Agents[0].Protocol != ProtocolAuto || c.Agents[1].Protocol != "" {
		t.Errorf("%+v", c.Agents)
	}
	_, err := Parse("config.toml", []byte("[agents.a]\ncommand = \"x\"\nprotocol = \"v2\"\n"))
	if err == nil || !strings.Contains(err.Error(), `cannot be "v2"`) {
		t.Error(err)
	}
	_, err = Parse("config.toml", []byte("[agents.a]\ncommand = \"x\"\nprotocol = \"websocket\"\n"))
	var wrong *Error
	if !errors.As(err, &wrong) || wrong.Hint != "known: v1, auto" {
		t.Errorf("%+v", wrong)
	}
}
