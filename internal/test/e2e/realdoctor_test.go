//go:build realagents

package e2e

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"parley/internal/test"
)

// TestRealDoctor examines each of the agents, and parley with the agent behind it. What is found about an
// agent is logged, because it is theirs to change; that all of it could be examined is parley's, and so is
// what is found only where parley serves it.
func TestRealDoctor(t *testing.T) {
	agents := Install(t)
	for _, setUp := range []func(testing.TB, string) Agent{agents.OpenCode, agents.Claude, agents.Gemini, agents.Codex, agents.Qwen} {
		agent := setUp(t, startModel(t).URL)
		t.Run(agent.Name, func(t *testing.T) {
			run := filepath.Join(agent.Home, ".run")
			must(t, os.Mkdir(run, 0o700))
			agent.Env = append(agent.Env, "XDG_RUNTIME_DIR="+run)
			t.Cleanup(func() { EndHosts(agent.Home) })
			served := agent
			served.Cmd = append([]string{test.Parley(t), "serve", "--"}, agent.Cmd...)
			theirs := append(deviations(t, agent, "v1"), deviations(t, agent, "auto")...)
			if slices.Contains(theirs, "session-load") {
				theirs = append(theirs, "session-resume") // parley resumes by loading
			}
			for _, rule := range append(deviations(t, served, "v1"), deviations(t, served, "auto")...) {
				if !slices.Contains(theirs, rule) {
					t.Errorf("served by parley, the agent deviates from %s", rule)
				}
			}
		})
	}
}

// deviations examines an agent and returns the rules from which it deviates.
func deviations(t *testing.T, agent Agent, protocol string) (rules []string) {
	t.Helper()
	args := []string{"doctor", "--json", "--protocol", protocol, "--prompt", "SLOW 100", "--"}
	cmd := exec.CommandContext(t.Context(), test.Parley(t), append(args, agent.Cmd...)...)
	cmd.Dir = t.TempDir()
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH")}, agent.Env...)
	out, err := cmd.Output()
	var ended *exec.ExitError
	if err != nil && !errors.As(err, &ended) {
		t.Fatal(err)
	}
	t.Logf("%s", out)
	var report struct {
		Outcome, Why string
		Agent        struct{ Name string }
		Deviations   []struct{ Rule string }
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
	for _, d := range report.Deviations {
		rules = append(rules, d.Rule)
	}
	return rules
}

// TestRealDoctorV2 examines the agent on the protocol's own TypeScript package in the second
// version. It is careless with what nobody should send, but does what a session needs.
func TestRealDoctorV2(t *testing.T) {
	agent := Install(t).SDK(t)
	args := []string{"doctor", "--protocol", "auto", "--json", "--prompt", "count", "--"}
	cmd := exec.CommandContext(t.Context(), test.Parley(t), append(append(args, agent.Cmd...), "signed-in")...)
	cmd.Dir = t.TempDir()
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH")}, agent.Env...)
	out, err := cmd.Output()
	var ended *exec.ExitError
	if err != nil && !errors.As(err, &ended) {
		t.Fatal(err)
	}
	t.Logf("%s", out)
	var report struct {
		Why             string
		ProtocolVersion int
		Deviations      []struct{ Rule, Message string }
		Timings         []struct{ What string }
	}
	if err := json.Unmarshal(out, &report); err != nil {
		t.Fatal(err)
	}
	timed := map[string]bool{}
	for _, timing := range report.Timings {
		timed[timing.What] = true
	}
	for _, what := range []string{"session/prompt to idle", "session/cancel", "session/resume from the start"} {
		if !timed[what] {
			t.Errorf("%s was not tried", what)
		}
	}
	if report.ProtocolVersion != 2 || report.Why != "" {
		t.Errorf("the agent was not examined in whole in version 2: %d, %s", report.ProtocolVersion, report.Why)
	}
	careless := []string{"config-options", "replay-from", "unknown-session", "id-precision", "unknown-value", "list-cursor", "missing-session"}
	for _, d := range report.Deviations {
		if !slices.Contains(careless, d.Rule) {
			t.Errorf("%s: %s", d.Rule, d.Message)
		}
	}
}
