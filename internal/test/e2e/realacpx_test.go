//go:build realagents

package e2e

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"parley/internal/schema"
	"parley/internal/test"
	"parley/internal/test/ptytest"
)

// acpxVersion is that of acpx, a client of the protocol for scripts.
const acpxVersion = "0.19.1"

// acpx is that client, with an agent that parley serves. It starts parley once for each prompt.
type acpx struct {
	t         *testing.T
	agent     Agent // parley with the agent behind it
	cmd       []string
	home, dir string
	wire      *Parley
}

func servedToACPX(t *testing.T, agents Agents, behind Agent) *acpx {
	t.Helper()
	installed := agents.install(t, "acpx_"+acpxVersion, "acpx@"+acpxVersion)
	home := t.TempDir()
	must(t, os.MkdirAll(filepath.Join(home, ".config", "parley"), 0o700))
	must(t, os.Mkdir(filepath.Join(home, ".run"), 0o700))
	must(t, os.WriteFile(filepath.Join(home, ".config", "parley", "config.toml"), []byte(behind.configured()), 0o600))
	x := &acpx{t: t, home: home, dir: resolved(t, t.TempDir()), wire: &Parley{t: t, log: filepath.Join(home, "wire.log")}}
	x.agent = Agent{
		Name: "parley", Home: home, Cmd: append(test.Tap(t), test.Parley(t), "serve", "-a", behind.Name),
		Env: []string{"HOME=" + home, "XDG_RUNTIME_DIR=" + filepath.Join(home, ".run"), tapEnv + "=" + x.wire.log},
	}
	x.cmd = []string{
		agents.path(agents.node, "bin", "node"), filepath.Join(installed, "node_modules", "acpx", "dist", "cli.js"),
		"--agent", strings.Join(x.agent.Cmd, " "), "--timeout", "90",
	}
	t.Cleanup(func() {
		EndHosts(home)
		x.checkAgent()
	})
	return x
}

// checkAgent holds what parley has sent against the schema.
func (x *acpx) checkAgent() {
	validators := map[string]*schema.Validator{}
	for _, m := range x.wire.Wire() {
		if validators[m.Agent] == nil {
			validators[m.Agent] = schema.NewValidator(schema.V1())
		}
		if err := validators[m.Agent].Line(m.From, m.Line); err != nil && m.From == schema.Agent {
			x.t.Errorf("parley sent what the schema does not allow:\n%s\n%v", m.Line, err)
		}
	}
}

func (x *acpx) command(args ...string) *exec.Cmd {
	cmd := exec.CommandContext(x.t.Context(), x.cmd[0], append(x.cmd[1:], args...)...)
	cmd.Dir, cmd.Env = x.dir, append([]string{"PATH=" + os.Getenv("PATH")}, x.agent.Env...)
	return cmd
}

// prints runs acpx, which is to print the text. Its exit code says too little: that of a denied call depends
// on who has asked about it.
func (x *acpx) prints(text string, args ...string) (out []byte) {
	x.t.Helper()
	out, err := x.command(args...).CombinedOutput()
	if !strings.Contains(string(out), text) {
		x.t.Errorf("acpx %q does not print %q: %v\n%s", args, text, err, out)
	}
	return out
}

// TestRealClientACPX has acpx work with claude and with opencode behind parley.
func TestRealClientACPX(t *testing.T) {
	agents := Install(t)
	for _, setUp := range []func(testing.TB, string) Agent{agents.Claude, agents.OpenCode} {
		behind := setUp(t, startModel(t).URL)
		t.Run(behind.Name, func(t *testing.T) {
			x := servedToACPX(t, agents, behind)
			x.prints("created session", "sessions", "new")
			made, no := filepath.Join(x.dir, "made.txt"), filepath.Join(x.dir, "no.txt")
			x.prints("DONE run", "--approve-all", "prompt", "RUN touch "+made)
			if _, err := os.Stat(made); err != nil {
				t.Error(err)
			}
			x.prints("(failed)", "--deny-all", "prompt", "WRITE "+no+" no")
			if _, err := os.Stat(no); err == nil {
				t.Error("the file was written")
			}
			x.prints("mode set: plan", "set-mode", "plan")
			x.prints("config set: mode=plan", "set", "mode", "plan")
			x.cancels()
			x.endOwner()
			x.prints("still here", "prompt", "SAY still here")
			x.prints("SAY still here", "sessions", "history")
			x.prints(x.dir, "sessions", "list")
			x.prints("", "sessions", "close")
			x.loads("WRITE "+no+" no", "still here")
		})
	}
}

// cancels cancels a prompt while its answer streams, as a second acpx does.
func (x *acpx) cancels() {
	x.t.Helper()
	term := ptytest.Start(x.t, ptytest.Options{Cmd: append(x.cmd, "prompt", "SLOW 10000"), Dir: x.dir, Home: x.home, Env: x.agent.Env})
	term.WaitFor("chunk 2 ")
	x.prints("cancel requested", "cancel")
	term.WaitFor("[done] cancelled").WaitExit()
}

// endOwner ends the process that keeps the session of acpx open, and waits for that: the next prompt has to
// resume the session.
func (x *acpx) endOwner() {
	x.t.Helper()
	status := []string{"--format", "json", "status"}
	var owner struct{ PID int }
	if err := json.Unmarshal(x.prints(`"status":"alive"`, status...), &owner); err != nil {
		x.t.Fatal(err)
	}
	must(x.t, syscall.Kill(owner.PID, syscall.SIGTERM))
	for deadline := time.Now().Add(bound); bytes.Contains(x.prints("", status...), []byte(`"alive"`)); {
		if time.Now().After(deadline) {
			x.t.Fatal("the session is still open")
		}
	}
}

// loads finds the one session of acpx in the list of another client, and loads it, which acpx does only where
// an agent cannot resume.
func (x *acpx) loads(texts ...string) {
	x.t.Helper()
	p := converse(x.t, x.agent)
	var list struct {
		Sessions []struct{ SessionID string }
	}
	p.call("session/list", map[string]any{"cwd": x.dir}, &list)
	if len(list.Sessions) != 1 {
		x.t.Fatalf("the sessions are %+v", list.Sessions)
	}
	p.call("session/load", map[string]any{"sessionId": list.Sessions[0].SessionID, "cwd": x.dir, "mcpServers": []any{}}, nil)
	for _, text := range texts {
		if !strings.Contains(p.record.String(), text) {
			x.t.Errorf("of the session that was loaded, %q is missing", text)
		}
	}
}
