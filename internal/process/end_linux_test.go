package process

import (
	"bufio"
	"errors"
	"os/exec"
	"syscall"
	"testing"
)

// What was started for the user goes on, what an agent has started does not.
func TestEndBelowSparesWhatIsMarked(t *testing.T) {
	t.Setenv(spareMark, "test")
	const script = "echo running; read line" // for its input lasts as long as the test
	spared, ended := exec.Command("sh", "-c", script), exec.Command("sh", "-c", script)
	Lead(ended)
	for _, cmd := range []*exec.Cmd{spared, ended} {
		startAndWait(t, cmd)
	}
	if err := endBelow(t.Context()); err != nil {
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
		t.Errorf("the user's process was not spared: %v", spared.ProcessState)
	}
}

// startAndWait starts a script, and waits for its first word: a program has no environment
// yet in the moment in which Start returns.
func startAndWait(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	in, inErr := cmd.StdinPipe()
	out, outErr := cmd.StdoutPipe()
	if err := errors.Join(inErr, outErr, cmd.Start()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = in.Close() })
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
}
