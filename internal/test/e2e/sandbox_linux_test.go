package e2e

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/internal/sandbox"
	"parley/internal/test"
)

// behindWalls is for a test of what the walls keep out: a directory that they keep
// writers out of, unlike those of a test. The test is skipped where there are no walls.
func behindWalls(t *testing.T) (outside string) {
	t.Helper()
	if _, err := sandbox.New(sandbox.Bounds{}, []string{"true"}); err != nil {
		if !errors.Is(err, sandbox.ErrUnavailable) {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	outside, err := os.MkdirTemp("/var/tmp", "parley-e2e-")
	must(t, err)
	t.Cleanup(func() { os.RemoveAll(outside) })
	return outside
}

// What an agent starts, by itself or through parley, writes inside the session's
// directory and nowhere else. Nor does it choose what the system loads into the program
// that makes the walls.
func TestBoundsTheAgentAndItsCommands(t *testing.T) {
	t.Parallel()
	outside := behindWalls(t)
	try := func(who string) string {
		return fmt.Sprintf("echo %s > %s-inside; echo %s > %s/%s || echo refused %s", who, who, who, outside, who, who)
	}
	dir := t.TempDir()
	script := filepath.Join(dir, "agent.script")
	must(t, os.WriteFile(script, []byte(`
handshake
expect session/prompt
request terminal/create {"sessionId": "${session}", "command": "true", "env": [{"name": "LD_PRELOAD", "value": "${cwd}/mine.so"}]} as loaded
await loaded contains outside the sandbox
request terminal/create {"sessionId": "${session}", "command": "sh", "env": [{"name": "GREETING", "value": "hello"}], "args": ["-c", "`+try("command")+`"], "cwd": "${cwd}"} as term
await term
update {"sessionUpdate": "tool_call", "toolCallId": "c", "title": "Run it", "kind": "execute", "status": "in_progress", "content": [{"type": "terminal", "terminalId": "${term.result.terminalId}"}]}
request terminal/wait_for_exit {"sessionId": "${session}", "terminalId": "${term.result.terminalId}"} as exit
await exit contains "exitCode":0
update {"sessionUpdate": "tool_call_update", "toolCallId": "c", "status": "completed"}
end-turn
`), 0o600))
	p := Start(t, Options{
		// The test's own program, script and log have to be there behind the walls.
		Config: fmt.Sprintf("sandbox = true\nsandbox_write = [%q]\n", os.TempDir()),
		Agent:  []string{"sh", "-c", "{ " + try("agent") + "; } >&2; exec \"$0\" " + script, test.Scripted(t)},
	})
	p.Shows("❯ Type a prompt").Status("sandbox").Ask("go").Shows("refused command").Idle()
	for _, who := range []string{"agent", "command"} {
		if _, err := os.Stat(filepath.Join(p.Dir(), who+"-inside")); err != nil {
			t.Errorf("the %s could not write inside: %v", who, err)
		}
		if _, err := os.Stat(filepath.Join(outside, who)); err == nil {
			t.Errorf("the %s has written outside", who)
		}
	}
}

// The sandbox is the way out for an agent that does what a rule denies, unless it is on.
func TestTheSandboxIsRecommendedWhereItIsOff(t *testing.T) {
	t.Parallel()
	behindWalls(t)
	for _, on := range []bool{false, true} {
		p := Start(t, Options{
			Args: []string{"run", fmt.Sprintf("--sandbox=%v", on), "--deny", "execute(rm *)", "hi"},
			// The test's own program, script and log have to be there behind the walls.
			Config: fmt.Sprintf("sandbox_write = [%q]\n", os.TempDir()),
			Script: `
handshake
expect session/prompt
update {"sessionUpdate":"tool_call","toolCallId":"t1","title":"Tidy up","kind":"execute","status":"completed","rawInput":{"command":"rm f.txt"}}
say done
end-turn`,
		})
		p.Shows("The agent did what a rule denies")
		p.Exits(11)
		if got := strings.Contains(p.Screen().String(), "--sandbox"); got == on {
			t.Errorf("with --sandbox=%v it is recommended: %v:\n%s", on, got, p.Screen())
		}
	}
}

// The check of a comparison is confined as its agents are.
func TestTheCheckOfAComparisonRunsInTheSandbox(t *testing.T) {
	t.Parallel()
	outside := filepath.Join(behindWalls(t), "made")
	k := comparing(t, true, map[string]string{"alpha": prompted + "say a\nend-turn\n", "beta": prompted + "say b\nend-turn\n"})
	config := filepath.Join(strings.TrimPrefix(k.env[0], "HOME="), ".config", "parley", "config.toml")
	must(t, os.WriteFile(config, []byte(fmt.Sprintf("sandbox_write = [%q]\n", os.TempDir())+textOf(t, config)), 0o600)) // for the test's own programs
	sides, _ := k.compares(14, "-a", "alpha", "-a", "beta", "--sandbox", "--check", "touch inside && touch "+outside, "improve it")
	for _, s := range sides {
		if s.Status != "answered" || s.Check == nil || s.Check.Passed || !strings.Contains(s.Check.Output, "Read-only") && !strings.Contains(s.Check.Output, "denied") {
			t.Errorf("%+v", s)
		}
	}
	if _, err := os.Stat(outside); err == nil {
		t.Error("a check has written outside")
	}
}
