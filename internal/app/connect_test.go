package app

import (
	"testing"

	"parley/config"
	"parley/internal/session"
)

// Who fails is remembered by its command, unless the command line asks again.
func TestWhoFailsOnAVersionIsRemembered(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	l := &Launcher{}
	agent := config.Agent{Command: "/bin/agent", Args: []string{"--acp"}, Protocol: config.ProtocolAuto}
	offered, memory := l.protocol(agent)
	if offered != session.ProtocolAuto || memory.Fails() {
		t.Fatalf("%q, fails %v", offered, memory.Fails())
	}
	if err := memory.Failed(); err != nil {
		t.Fatal(err)
	}
	if _, again := l.protocol(agent); !again.Fails() {
		t.Error("it was forgotten")
	}
	other := agent
	other.Args = nil
	if _, memory := l.protocol(other); memory.Fails() {
		t.Error("another command fails as well")
	}
	far := config.Agent{Address: "wss://a.example/acp", Protocol: config.ProtocolAuto}
	if _, memory := l.protocol(far); memory.Failed() != nil {
		t.Error("it is not remembered where an agent listens")
	}
	far.Address = "wss://b.example/acp"
	if _, memory := l.protocol(far); memory.Fails() {
		t.Error("one that listens elsewhere fails as well")
	}
	l.Protocol = "auto"
	if offered, asked := l.protocol(agent); offered != session.ProtocolAuto || asked.Fails() {
		t.Error("the command line does not ask again")
	}
	l.Protocol = "v1"
	if offered, _ := l.protocol(agent); offered != session.ProtocolV1 {
		t.Errorf("%q is offered", offered)
	}
}
