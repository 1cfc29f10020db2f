//go:build unix

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/internal/test"
	"parley/internal/test/ptytest"
)

// signer is a program that is an agent, and that signs in by itself on a terminal: it asks
// for a code, without an echo, once the agent that was asked how to sign in has ended.
const signer = `#!/bin/sh
dir=%[1]q
if [ "$1" != --sign-in ]; then
	echo $$ > "$dir/pid"
	exec %[2]q "$dir/script" "$dir/heard"
fi
test -t 0 && test -t 1 && test -t 2 || { echo "this is no terminal"; exit 9; }
kill -0 "$(cat "$dir/pid")" 2>/dev/null && { echo "the agent still runs"; exit 9; }
stty -echo
printf 'The code for %%s: ' "$ACCOUNT"
read -r code
stty echo
echo
[ "$code" = 1234 ] || { echo "that is the wrong code"; exit 3; }
echo "$code" > "$dir/code"
`

// signsIn starts "parley agents login" on a terminal, with an agent that does what a script
// says; dir is where the agent keeps what it has heard.
func signsIn(t *testing.T, script string, args ...string) (term *ptytest.Terminal, dir string) {
	t.Helper()
	dir = resolved(t, t.TempDir())
	program := filepath.Join(dir, "agent")
	must(t, os.WriteFile(program, fmt.Appendf(nil, signer, dir, test.Scripted(t)), 0o700))
	must(t, os.WriteFile(filepath.Join(dir, "script"), []byte(script), 0o600))
	home := resolved(t, t.TempDir())
	config := filepath.Join(home, ".config", "parley")
	must(t, os.MkdirAll(config, 0o700))
	must(t, os.WriteFile(filepath.Join(config, "config.toml"), fmt.Appendf(nil, "[agents.mine]\ncommand = %q\n", program), 0o600))
	cmd := append([]string{test.Parley(t), "agents", "login", "mine"}, args...)
	return ptytest.Start(t, ptytest.Options{Cmd: cmd, Home: home}), dir
}

func exits(t *testing.T, term *ptytest.Terminal, want int) {
	t.Helper()
	if got := term.WaitExit(); got != want {
		t.Errorf("exit code %d, want %d", got, want)
	}
}

const twoWays = `
expect initialize contains "terminal":true
reply {"protocolVersion": 1, "authMethods": [
  {"id": "browser", "name": "In the browser", "description": "opens a page"},
  {"id": "code", "name": "With a code", "type": "terminal", "args": ["--sign-in"], "env": {"ACCOUNT": "me"}}]}
expect authenticate
stderr Go to https://example.com/device
reply
`

// The agent's own program has the terminal, with all that the way to sign in adds to it.
func TestSignsInOnTheTerminal(t *testing.T) {
	t.Parallel()
	term, dir := signsIn(t, twoWays)
	term.WaitFor("1  In the browser (browser)  opens a page", "2  With a code (code)", "Which? [1-2]").Type("2").Press("enter")
	term.WaitFor("The agent names variables for its program", "agent --sign-in", "with ACCOUNT=me", "Run it? [y/N]").Type("y").Press("enter")
	term.WaitFor("The code for me:").Type("1234").Press("enter")
	term.WaitFor("signed in to mine")
	exits(t, term, 0)
	if got, err := os.ReadFile(filepath.Join(dir, "code")); string(got) != "1234\n" {
		t.Errorf("the code is %q, %v", got, err)
	}
	if s := term.Screen(); s.Contains("1234") {
		t.Errorf("the code is on the screen:\n%s", s)
	}
	if heard, err := os.ReadFile(filepath.Join(dir, "heard")); err != nil || strings.Contains(string(heard), "authenticate") {
		t.Errorf("the agent has heard\n%s\n%v", heard, err)
	}
}

// A program that the agent chose is shown whole, and runs only once the user has said so.
func TestSignsInWithAProgramOfTheAgents(t *testing.T) {
	t.Parallel()
	for _, answer := range []string{"n", "y"} {
		ran := filepath.Join(t.TempDir(), "ran")
		term, _ := signsIn(t, `
expect initialize contains "terminal-auth":true
reply {"protocolVersion": 1, "authMethods": [{"id": "in", "name": "In", "_meta": {"terminal-auth": {
  "command": "sh", "args": ["-c", "echo $ACCOUNT > \"$0\"", "`+ran+`"], "env": {"ACCOUNT": "me"}}}}]}
hang
`)
		term.WaitFor("The agent names this program", "sh -c 'echo $ACCOUNT >", filepath.Base(ran), "with ACCOUNT=me", "Run it? [y/N]")
		if _, err := os.Stat(ran); err == nil {
			t.Fatal("it ran unasked")
		}
		term.Type(answer).Press("enter")
		if answer == "n" {
			term.WaitFor("not signed in: the program was not run")
			exits(t, term, 1)
			if _, err := os.Stat(ran); err == nil {
				t.Error("it ran against the answer")
			}
			continue
		}
		term.WaitFor("signed in to mine")
		exits(t, term, 0)
		if got, err := os.ReadFile(ran); string(got) != "me\n" {
			t.Errorf("it wrote %q, %v", got, err)
		}
	}
}

// That it did not work is told, with the exit code.
func TestSignsInOnTheTerminalInVain(t *testing.T) {
	t.Parallel()
	term, _ := signsIn(t, twoWays, "code")
	term.WaitFor("Run it? [y/N]").Type("y").Press("enter").WaitFor("The code for me:").Type("4321").Press("enter")
	term.WaitFor("that is the wrong code", "the sign-in program of mine failed: exit code 3")
	exits(t, term, 1)
	if term.Screen().Contains("signed in to") {
		t.Errorf("the screen is\n%s", term.Screen())
	}
}

// The agent itself signs in; what it prints meanwhile is shown.
func TestSignsInByTheAgent(t *testing.T) {
	t.Parallel()
	term, dir := signsIn(t, twoWays)
	term.WaitFor("Which? [1-2]").Type("1").Press("enter")
	term.WaitFor("mine: In the browser", "Go to https://example.com/device", "signed in to mine")
	exits(t, term, 0)
	if heard, err := os.ReadFile(filepath.Join(dir, "heard")); err != nil || !strings.Contains(string(heard), `"methodId":"browser"`) {
		t.Errorf("the agent has heard\n%s\n%v", heard, err)
	}
}

// Who does not want to wait for it any longer, leaves with ctrl+c.
func TestSigningInIsInterrupted(t *testing.T) {
	t.Parallel()
	term, _ := signsIn(t, `
expect initialize
reply {"protocolVersion": 1, "authMethods": [{"id": "browser", "name": "In the browser"}]}
expect authenticate
stderr Waiting for you
hang
`)
	term.WaitFor("Waiting for you").Press("ctrl+c").WaitFor("interrupted")
	if got := term.WaitExit(); got == 0 {
		t.Error("it ends as if all were well")
	}
}
