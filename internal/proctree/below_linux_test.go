package proctree

import (
	"os/exec"
	"syscall"
	"testing"
)

// What was started for the person goes on, what an agent has started does not.
func TestEndBelowSparesWhatIsMarked(t *testing.T) {
	t.Setenv(SpareMark, "test")
	spared, ended := exec.Command("sleep", "1000"), exec.Command("sleep", "1000")
	Lead(ended)
	for _, cmd := range []*exec.Cmd{spared, ended} {
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
	}
	if err := EndBelow(t.Context()); err != nil {
		t.Error(err)
	}
	_ = ended.Wait() // the state says how it ended
	if ws := ended.ProcessState.Sys().(syscall.WaitStatus); ws.Signal() != syscall.SIGKILL {
		t.Errorf("the agent's process ended by itself: %v", ended.ProcessState)
	}
	if err := spared.Process.Signal(syscall.SIGTERM); err != nil {
		t.Error(err)
	}
	_ = spared.Wait() // likewise
	if ws := spared.ProcessState.Sys().(syscall.WaitStatus); ws.Signal() != syscall.SIGTERM {
		t.Errorf("the person's process was not spared: %v", spared.ProcessState)
	}
}
