package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"parley/internal/sandbox"
	"parley/internal/test"
)

// keptInside is what the walls keep as it is inside of the worktree: Landlock cannot.
func keptInside(t *testing.T) string {
	t.Helper()
	walls, err := sandbox.New(sandbox.Bounds{Keep: []string{t.TempDir()}}, []string{"true"})
	must(t, err)
	if walls.Lack != "" {
		t.Logf("not tried with the .git of the worktree: %s: %s", walls.Name, walls.Lack)
		return ""
	}
	return ".git"
}

// Behind the walls git can commit in a worktree, whose repository lies outside of it;
// what git would run there one day cannot be written.
func TestGitWorksInAWorktreeBehindTheWalls(t *testing.T) {
	t.Parallel()
	outside := behindWalls(t)
	at := repositoryPlace(t)
	project := filepath.Join(outside, "project")
	must(t, exec.Command("cp", "-a", at.dir, project).Run())
	at.dir = project
	try := fmt.Sprintf(`echo new > new.txt; git add . && git commit -q -m "by the agent"; `+
		`for f in %[1]s/.git/config %[1]s/.git/hooks/pre-commit %[1]s/.git/HEAD %[1]s/poem.txt %[2]s; do { echo evil >> $f; } 2>/dev/null && echo "$f" >> written.txt; done`,
		project, keptInside(t))
	dir := t.TempDir()
	script := filepath.Join(dir, "agent.script")
	must(t, os.WriteFile(script, []byte(talk(`{}`, "Committed.")), 0o600))
	p := Start(t, Options{
		Home: at.home, Project: project, Args: []string{"--worktree=wren"}, Env: []string{"GIT_CONFIG_NOSYSTEM=1"},
		Config: fmt.Sprintf("sandbox = true\nsandbox_write = [%q]\n", os.TempDir()),
		Agent:  []string{"sh", "-c", "{ " + try + "; } >&2; exec \"$0\" " + script, test.Scripted(t)},
	})
	p.Shows("❯ Type a prompt").Status("sandbox").Ask("go").Shows("Committed.").Idle()
	if got := at.git("log", "-1", "--format=%s", "parley/wren"); got != "by the agent" {
		t.Errorf("the last commit of the worktree is %q", got)
	}
	if b, err := os.ReadFile(filepath.Join(project+".worktrees", "wren", "written.txt")); err == nil {
		t.Errorf("the agent has written %s", strings.Fields(string(b)))
	}
	p.Leave()
}
