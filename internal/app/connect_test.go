package app

import (
	"testing"

	"parley/config"
)

// Who fails is remembered by its command, unless the command line asks again.
func TestWhoFailsOnAVersionIsRemembered(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	l := &Launcher{}
	agent := config.Agent{Command: "/bin/agent", Args: []string{"--acp"}, Protocol: config.ProtocolAuto}
	offered, memory := l.offersV2(agent)
	if !offered || memory.Fails() {
		t.Fatalf("offered %v, fails %v", offered, memory.Fails())
	}
	if err := memory.Failed(); err != nil {
		t.Fatal(err)
	}
	if _, again := l.offersV2(agent); !again.Fails() {
		t.Error("it was forgotten")
	}
	other := agent
	other.Args = nil
	if _, memory := l.offersV2(other); memory.Fails() {
		t.Error("another command fails as well")
	}
	far := config.Agent{Address: "wss://a.example/acp", Protocol: config.ProtocolAuto}
	if _, memory := l.offersV2(far); memory.Failed() != nil {
		t.Error("it is not remembered where an agent listens")
	}
	far.Address = "wss://b.example/acp"
	if _, memory := l.offersV2(far); memory.Fails() {
		t.Error("one that listens elsewhere fails as well")
	}
	l.Protocol = "auto"
	if offered, asked := l.offersV2(agent); !offered || asked.Fails() {
		t.Error("the command line does not ask again")
	}
	l.Protocol = "v1"
	if offered, _ := l.offersV2(agent); offered {
		t.Error("it is offered")
	}
}
