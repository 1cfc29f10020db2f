//go:build unix

package e2e

import (
	"os/exec"
	"testing"

	"parley/internal/test/ptytest"
)

// byBash starts an interactive bash, which finds parley's command in the file "start".
// It counts its commands in what it asks with, so that a test can tell that it asks again.
var byBash = []string{"bash", "-c", `printf '%q ' "$@" >start; PS1='shell \#> ' exec bash --norc --noprofile -i`, "bash"}

// A shell that people use stops parley and goes on with it, and the same picture is
// there again: on the whole screen, and below what the shell has written.
func TestBashSuspendsAndContinues(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("there is no bash")
	}
	for name, args := range map[string][]string{"screen": nil, "inline": {"--inline"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := Start(t, Options{Under: byBash, Args: args, Script: begin + `
say Hello to you.
end-turn
expect session/prompt
say Still here.
end-turn
`})
			p.Shows("shell 1>").Send(". ./start\n")
			p.Shows("Type a prompt").Ask("hello").Shows("Hello to you.").Idle()
			p.Press("ctrl+z").Shows("Stopped", "shell 2>")
			p.Send("echo between; fg\n")
			p.WaitUntil("the picture is back", func(s ptytest.Screen) bool {
				return s.Contains("❯ hello") && s.Contains("Hello to you.") && s.Contains("❯ Type a prompt") && s.AltScreen == (args == nil)
			})
			p.Ask("and now?").Shows("Still here.").Idle().Press("ctrl+d")
			p.Shows("shell 3>").Gone("❯ Type a prompt").Send("exit\n")
			p.Exits(0)
		})
	}
}
