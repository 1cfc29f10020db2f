//go:build realagents

package realagents

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"testing"

	"parley/internal/test/fakemodel"
	"parley/internal/test/ptytest"
)

// TestDoctor examines each of the agents. What is found about them is logged, because
// it is theirs to change; that all of it could be examined is parley's.
func TestDoctor(t *testing.T) {
	agents := Install(t)
	bin := ptytest.BuildParley(t)
	for _, setUp := range []func(testing.TB, string) Agent{agents.OpenCode, agents.Claude, agents.Gemini} {
		agent := setUp(t, fakemodel.Start(t).URL)
		t.Run(agent.Name, func(t *testing.T) {
			args := []string{"doctor", "--json", "--prompt", "SLOW 300", "--"}
			cmd := exec.CommandContext(t.Context(), bin, append(args, agent.Cmd...)...)
			cmd.Dir = t.TempDir()
			cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + agent.Home}, agent.Env...)
			out, err := cmd.Output()
			var ended *exec.ExitError
			if err != nil && !errors.As(err, &ended) {
				t.Fatal(err)
			}
			t.Logf("%s", out)
			var report struct {
				Outcome, Why string
				Agent        struct{ Name string }
				Tried        []string
				Timings      []struct{ What string }
			}
			if err := json.Unmarshal(out, &report); err != nil {
				t.Fatal(err)
			}
			timed := map[string]bool{}
			for _, timing := range report.Timings {
				timed[timing.What] = true
			}
			for _, what := range []string{"start to initialize", "session/new", "session/prompt", "session/cancel"} {
				if !timed[what] {
					t.Errorf("%s was not tried: %s, %s", what, report.Outcome, report.Why)
				}
			}
			if report.Agent.Name == "" || report.Why != "" {
				t.Errorf("the agent %q was not examined in whole: %s", report.Agent.Name, report.Why)
			}
		})
	}
}
