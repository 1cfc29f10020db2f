//go:build realagents

package realagents

import (
	"os"
	"path/filepath"
	"testing"

	"parley/internal/test/e2e"
)

// TestSecondVersion uses parley with an agent on the protocol's own TypeScript package.
// Whatever either side sends is held against the schema of the second version.
func TestSecondVersion(t *testing.T) {
	agent := Install(t).SDK(t)
	p := e2e.Start(t, e2e.Options{Args: []string{"--protocol=auto"}, Agent: agent.Cmd, Env: agent.Env, Home: agent.Home, Cols: 120, Rows: 60})
	p.Ready().Shows("Asking", "Agent of the SDK 1 ACP 2")

	p.Ask("all").Question("May I write the file?").Answer("Go on")
	p.Question("May I list files?", "ls -l").Answer("Go on")
	p.Shows("❯ all", "This is right.", "total 4 ✓", "A notice of the agent", "_of_its_own", "1 task goes on in the background")
	if got, err := os.ReadFile(filepath.Join(p.Project(), "a.txt")); err != nil || string(got) != "made by the agent\n" {
		t.Errorf("the file holds %q, error %v", got, err)
	}

	p.Ask("form").Question("Which colour?").TakesKeys().Type("red").Press("tab", "enter").Shows("You have chosen red.").Idle()
	p.Ask("slow").Shows("Waiting to be cancelled.").Press("esc").Shows("That was it.", "Cancelled")
	p.Ask("fail").Shows("the model is out of reach")
	p.Press("shift+tab").Status("Working on")
	p.Idle().Leave()
	for method, want := range map[string]int{"session/new": 1, "session/prompt": 4, "session/cancel": 1, "session/set_config_option": 1, "session/close": 1} {
		if got := p.Sent(method); len(got) != want {
			t.Errorf("%s was sent %d times, want %d", method, len(got), want)
		}
	}
}
