//go:build realagents

package e2e

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// configured returns an agent as a table of the configuration.
func (agent Agent) configured() string {
	var b strings.Builder
	fmt.Fprintf(&b, "[agents.%s]\nname = %q\ncommand = %q\nargs = [", agent.Name, agent.Name, agent.Cmd[0])
	for i, arg := range agent.Cmd[1:] {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%q", arg)
	}
	b.WriteString("]\n[agents." + agent.Name + ".env]\n")
	for _, v := range agent.Env {
		name, value, _ := strings.Cut(v, "=")
		fmt.Fprintf(&b, "%s = %q\n", name, value)
	}
	return b.String()
}

// failing makes a repository whose check fails: the answer is wrong.
func failing(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "project")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"answer.txt": "41\n", "check.sh": "test \"$(cat answer.txt)\" = 42\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"add", "."}, {"-c", "user.name=t", "-c", "user.email=t@example.com", "commit", "-q", "-m", "first"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v: %s", args, err, out)
		}
	}
	return dir
}

func answerIn(t *testing.T, dir string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, "answer.txt"))
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(b))
}

// Claude and opencode mend a failing check side by side, each in a worktree of its own, and
// one is merged.
func TestRealTwoAgentsAreCompared(t *testing.T) {
	agents := Install(t)
	model := startModel(t).URL
	claude, opencode := agents.Claude(t, model), agents.OpenCode(t, model)
	dir := failing(t)
	p := Start(t, Options{Agent: claude.Cmd, Env: claude.Env, Home: claude.Home, Project: dir, Config: opencode.configured(), Rows: 45, Loose: true, Legacy: []string{"session/set_model"}})
	p.Shows("Manual")
	p.Ask("/compare RUN echo 42 > answer.txt").Question("Compare agents", "choose 2 to 6 agents")
	p.Type("opencode").Press("enter").Shows("● opencode").Press("esc").Shows("Agents").Press("end", "up", "enter").Question("Command that tests").Type("sh check.sh").Press("enter")
	p.Shows("sh check.sh").Press("home").Shows("❯   Start").Press("enter")
	p.Shows("Compare  RUN echo 42 > answer.txt", "asks 2")
	p.Press("a").Question(", tab 2", "answer.txt").Answer("Yes").Shows("check passed", "1 file +1 −1")
	p.Press("right", "a").Question(", tab 3", "answer.txt").Answer("Allow once").Shows("none works").Gone("not checked")
	if got := answerIn(t, dir); got != "41" {
		t.Errorf("the working tree has %s", got)
	}
	p.Press("d").Shows("answer.txt", "- 41", "+ 42").Press("space").Press("m").Shows("merged answer.txt of opencode")
	if got := answerIn(t, dir); got != "42" {
		t.Errorf("the working tree has %s", got)
	}
	p.Press("q").Shows("differences").Press("esc").Gone("differences").Leave()
}

// A conversation is handed over from opencode to Claude and back, with an edit in each: the model of each
// gets what the other one did, quoted.
func TestRealAConversationIsHandedOverAndBack(t *testing.T) {
	agents := Install(t)
	model := startModel(t)
	claude, opencode := agents.Claude(t, model.URL), agents.OpenCode(t, model.URL)
	dir := failing(t)
	p := Start(t, Options{Agent: opencode.Cmd, Env: opencode.Env, Home: opencode.Home, Project: dir, Config: claude.configured() + opencode.configured(), Args: nil, Rows: 45, Loose: true, Legacy: []string{"session/set_model"}})
	p.Shows("build")
	p.Ask("RUN echo 1 > one.txt").Question("Permission", "one.txt").Answer("Allow once").Shows("DONE run").Idle()
	p.Ask("/handover").Question("Continue with another agent").Type("claude").Press("enter").Question("Hand over to claude?").Answer("Hand over")
	p.Shows("Handed over from", "to claude").Status("Manual").Idle()
	p.Ask("RUN echo 2 > two.txt").Question("Permission", "two.txt").Answer("Yes").Idle()
	heard(t, model, "RUN echo 2 > two.txt", "> RUN echo 1 > one.txt")
	p.Ask("/handover").Question("Continue with another agent").Type("opencode").Press("enter").Question("Hand over to opencode?").Answer("Hand over")
	p.Shows("to opencode").Idle()
	p.Ask("RUN echo 3 > three.txt").Question("Permission", "three.txt").Answer("Allow once").Idle()
	heard(t, model, "RUN echo 3 > three.txt", "> RUN echo 1 > one.txt", "> RUN echo 2 > two.txt")
	for _, name := range []string{"one.txt", "two.txt", "three.txt"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
	p.Press("f5").Shows("one.txt", "two.txt", "three.txt").Press("q").Leave()
}

// heard checks that one request of the model has all of the texts.
func heard(t *testing.T, model *fakeModel, texts ...string) {
	t.Helper()
	if !slices.ContainsFunc(model.Requests(), func(r Request) bool {
		return !slices.ContainsFunc(texts, func(text string) bool { return !bytes.Contains(r.Body, []byte(text)) })
	}) {
		t.Errorf("no request has all of %q", texts)
	}
}
