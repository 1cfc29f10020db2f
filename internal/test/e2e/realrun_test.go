//go:build realagents

package e2e

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"parley/internal/test"
)

// TestRealRun works with each of the agents without a screen.
func TestRealRun(t *testing.T) {
	agents := Install(t)
	bin := test.Parley(t)
	for _, setUp := range []func(testing.TB, string) Agent{agents.OpenCode, agents.Claude, agents.Gemini} {
		agent := setUp(t, startModel(t).URL)
		t.Run(agent.Name, func(t *testing.T) {
			dir, err := filepath.EvalSymlinks(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			if text := runsPlain(t, 0, bin, dir, agent, "SAY hello from the model"); text != "hello from the model\n" {
				t.Errorf("without a form, the output is %q", text)
			}
			out := runsHeadless(t, 0, bin, dir, agent, "SAY hello from the model")
			if out.Status != "answered" || out.Text != "hello from the model" || out.SessionID == "" {
				t.Errorf("%+v", out)
			}
			file := filepath.Join(dir, "hello.txt")
			out = runsHeadless(t, 5, bin, dir, agent, "WRITE "+file+" hello file")
			if _, err := os.Stat(file); err == nil || len(out.Denied) != 1 {
				t.Fatalf("it was written though nothing allows it, or that is not said: %v, %+v, %s", err, out, out.told)
			}
			if len(out.Denied[0].Allow) == 0 {
				t.Fatalf("it is not said what allows it: %q", out.told)
			}
			// What is said to allow it does.
			allow := "--allow=" + out.Denied[0].Allow[0]
			out = runsHeadless(t, 0, bin, dir, agent, allow, "WRITE "+file+" hello file")
			if got, err := os.ReadFile(file); err != nil || string(got) != "hello file\n" || len(out.Denied) != 0 {
				t.Errorf("the file holds %q, %v, %+v", got, err, out)
			}
		})
	}
}

// result is what a test reads of the output.
type result struct {
	Status, Text, SessionID string
	Denied                  []struct{ Allow []string }

	told string // on standard error
}

// runsHeadless runs an agent without a screen, and checks the exit code.
func runsHeadless(t *testing.T, code int, bin, dir string, agent Agent, args ...string) (out result) {
	t.Helper()
	text, told := runsFor(t, code, bin, dir, agent, append([]string{"--output=json"}, args...))
	if err := json.Unmarshal(text, &out); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	out.told = told
	return out
}

// runsPlain is runsHeadless for the output that people read.
func runsPlain(t *testing.T, code int, bin, dir string, agent Agent, args ...string) string {
	t.Helper()
	text, _ := runsFor(t, code, bin, dir, agent, args)
	return string(text)
}

// runsFor runs an agent with flags and a prompt, and returns what is on standard output
// and on standard error.
func runsFor(t *testing.T, code int, bin, dir string, agent Agent, args []string) (text []byte, told string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), bin, append(append([]string{"run"}, args...), append([]string{"--"}, agent.Cmd...)...)...)
	cmd.Dir = dir
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + agent.Home}, agent.Env...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	text, err := cmd.Output()
	var ended *exec.ExitError
	if err != nil && !errors.As(err, &ended) {
		t.Fatal(err)
	}
	if got := cmd.ProcessState.ExitCode(); got != code {
		t.Errorf("the exit code is %d, want %d: %s", got, code, stderr.Bytes())
	}
	return text, stderr.String()
}
