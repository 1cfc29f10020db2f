//go:build linux || darwin

package e2e

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"parley/internal/test"
)

// asksToPush asks for a permission that no rule gives.
const asksToPush = `
request session/request_permission {"sessionId": "${session}", "toolCall": {"toolCallId": "push", "title": "Push it", "kind": "execute", "rawInput": {"command": "git push"}}, "options": [{"optionId": "yes", "name": "Yes", "kind": "allow_once"}, {"optionId": "no", "name": "No", "kind": "reject_once"}]} as q
await q
`

// rewrites replaces the poem.
func rewrites(text string) string {
	return `request fs/write_text_file {"sessionId": "${session}", "path": "${cwd}/poem.txt", "content": ` + quote(text) + `} as w
await w
`
}

func quote(text string) string {
	b, _ := json.Marshal(text)
	return string(b)
}

// prompted is the beginning of a scripted agent, up to the first prompt.
const prompted = `handshake {"loadSession": true} {"sessionId": "s1"}
expect session/prompt
`

// comparing prepares agents in a repository, or in a plain directory.
func comparing(t *testing.T, repository bool, scripts map[string]string) *commands {
	t.Helper()
	at := newPlace(t)
	if repository {
		at = repositoryPlace(t)
	}
	dir, config := resolved(t, t.TempDir()), ""
	for name, script := range scripts {
		config += configured(t, dir, name, script)
		t.Cleanup(func() { (&Parley{t: t, log: wireOf(dir, name)}).validate(false) })
	}
	must(t, os.MkdirAll(filepath.Join(at.home, ".config", "parley"), 0o700))
	must(t, os.WriteFile(filepath.Join(at.home, ".config", "parley", "config.toml"), []byte(config), 0o600))
	return &commands{t: t, bin: test.Parley(t), project: at.dir, env: []string{"HOME=" + at.home, "PATH=" + os.Getenv("PATH")}}
}

// comparedSide is a side as --output json prints it.
type comparedSide struct {
	Version  int `json:"v"`
	Name     string
	Status   string
	Text     string
	Message  string
	Worktree *struct{ Name, Path, Branch string }
	Changed  *struct{ Files, Added, Removed int }
	Check    *struct {
		Passed bool
		Output string
	}
	Kept bool
}

// compares runs a comparison with an exit code, and returns its JSON and standard error.
func (k *commands) compares(code int, args ...string) (sides []comparedSide, told string) {
	k.t.Helper()
	c := k.start(append([]string{"compare", "--output", "json"}, args...)...)
	_ = c.wait()
	if got := c.cmd.ProcessState.ExitCode(); got != code {
		k.t.Fatalf("%v: exit %d, want %d; stderr %s", args, got, code, c.err.String())
	}
	if err := json.Unmarshal(c.out.Bytes(), &sides); err != nil {
		k.t.Fatalf("%v: %q: %s", err, c.out.String(), c.err.String())
	}
	return sides, c.err.String()
}

// three are agents that change the same file: one well, one that asks first, and one that fails.
func three() map[string]string {
	return map[string]string{
		"alpha": prompted + rewrites("one\nTWO\nTHREE\n") + "say Better.\nend-turn\n",
		"beta":  prompted + asksToPush + rewrites("one\nTWO\nthree\n") + "say Better, not pushed.\nend-turn\n",
		"gamma": prompted + rewrites("TWO\n") + "exit 3\n",
	}
}

func TestCompareRun(t *testing.T) {
	t.Parallel()
	k := comparing(t, true, three())
	sides, told := k.compares(0, "-a", "alpha", "-a", "beta", "-a", "gamma", "--check", "grep TWO poem.txt", "--keep", "best-check", "--allow", "execute(terraform *)", "improve it\nplease")
	want := []comparedSide{{Status: "answered", Text: "Better."}, {Status: "permission_denied", Text: "Better, not pushed.", Kept: true}, {Status: "agent_failed"}}
	for i, s := range sides {
		w := want[i]
		if s.Version != 1 || s.Status != w.Status || s.Text != w.Text || s.Kept != w.Kept {
			t.Errorf("%+v, want %+v", s, w)
		}
		if checked := s.Check != nil && s.Check.Passed && s.Check.Output == "TWO"; checked != (i < 2) {
			t.Errorf("%s: the check is %+v", s.Name, s.Check)
		}
		if s.Worktree == nil || s.Worktree.Branch != "parley/"+s.Worktree.Name || !strings.Contains(textOf(t, filepath.Join(s.Worktree.Path, "poem.txt")), "TWO") {
			t.Errorf("%s: the worktree is %+v", s.Name, s.Worktree)
		}
	}
	if c := sides[0].Changed; c == nil || c.Files != 1 || c.Added != 2 || c.Removed != 2 {
		t.Errorf("alpha has changed %+v", c)
	}
	// The fewest changed lines are the best.
	if got := textOf(t, filepath.Join(k.project, "poem.txt")); got != "one\nTWO\nthree\n" {
		t.Errorf("the working tree has %q", got)
	}
	for _, line := range []string{"alpha: passed the check", "beta: denied: execute: Push it", "gamma: the agent exited", "beta: is the best: merged 1 file", "/compare", "parley worktree diff|merge|drop NAME"} {
		if !strings.Contains(told, line) {
			t.Errorf("stderr has no %q:\n%s", line, told)
		}
	}

	// What is wrong with a rule is said for all at once.
	if n := strings.Count(told, "never allows anything"); n != 1 {
		t.Errorf("stderr says %d times that the rule allows nothing:\n%s", n, told)
	}

	// All are named afterwards, and dropped by the name of the comparison.
	name, _, _ := strings.Cut(sides[0].Worktree.Name, "-1-")
	list := k.run("worktree", "list")
	if strings.Count(list, "  of the comparison "+name+", ") != 3 || !strings.Contains(list, "gamma: improve it\n") || strings.Contains(list, "please") {
		t.Errorf("listed are\n%s", list)
	}
	var trees []struct {
		Name       string
		Comparison struct{ Name, Agent, Prompt string }
	}
	must(t, json.Unmarshal([]byte(k.run("worktree", "list", "--json")), &trees))
	if len(trees) != 3 || trees[1].Comparison.Name != name || trees[1].Comparison.Agent != "beta" || trees[1].Comparison.Prompt != "improve it" {
		t.Errorf("%+v", trees)
	}
	c := k.start("worktree", "drop", name)
	c.ends(1, "", name+"-3-gamma: Not merged")
	for i, s := range sides { // beta's changes are in the working tree
		if _, err := os.Stat(s.Worktree.Path); err != nil || strings.Contains(c.err.String(), "worktree "+s.Worktree.Name) != (i != 1) {
			t.Errorf("%v: %s", err, c.err.String())
		}
	}
	k.run("worktree", "drop", name, "--force")
	if list := k.run("worktree", "list"); list != "" {
		t.Errorf("after the drop there are\n%s", list)
	}
}

// Without a check, the first without an answer decides the exit code, and a table has all.
func TestCompareTable(t *testing.T) {
	t.Parallel()
	k := comparing(t, true, three())
	c := k.start("compare", "-a", "alpha", "-a", "beta", "-a", "gamma", "improve it")
	_ = c.wait()
	if got := c.cmd.ProcessState.ExitCode(); got != 5 || !strings.Contains(c.err.String(), "permission denied: beta") {
		t.Errorf("exit %d: %s", got, c.err.String())
	}
	lines := strings.Split(strings.TrimSpace(c.out.String()), "\n")
	for i, want := range [][]string{{"Agent", "Status", "Time", "Files", "Lines", "Worktree"}, {"alpha", "answered", "+2 -2", "-1-alpha"}, {"beta", "permission denied", "+1 -1"}, {"gamma", "agent failed"}} {
		for _, text := range want {
			if len(lines) != 4 || !strings.Contains(lines[i], text) {
				t.Fatalf("no %q in line %d of\n%s", text, i, c.out.String())
			}
		}
	}
	if strings.Contains(lines[0], "Check") || strings.Contains(lines[0], "Cost") {
		t.Errorf("columns without anything in them: %s", lines[0])
	}
}

// If none passes the check, nothing is merged, and the exit code says so. Uncommitted changes are
// in the worktrees if the user wishes.
func TestCompareNonePasses(t *testing.T) {
	t.Parallel()
	k := comparing(t, true, three())
	must(t, os.WriteFile(filepath.Join(k.project, "draft.txt"), []byte("unfinished\n"), 0o600))
	sides, told := k.compares(14, "-a", "alpha", "-a", "beta", "--with-changes", "--check", "cat draft.txt; echo no poem; exit 7", "--keep", "best-check", "improve it")
	if got := textOf(t, filepath.Join(k.project, "poem.txt")); got != "one\ntwo\nthree\n" || sides[0].Kept || sides[1].Kept {
		t.Errorf("the working tree has %q", got)
	}
	for _, line := range []string{"alpha: failed the check: exit code 7", "beta:   unfinished", "beta:   no poem", "no agent has passed the check"} {
		if !strings.Contains(told, line) {
			t.Errorf("stderr has no %q:\n%s", line, told)
		}
	}
}

// The budget is for all of them together: what one spends, the others cannot.
func TestCompareSharesABudget(t *testing.T) {
	t.Parallel()
	spends := func(amount string) string {
		return prompted + `update {"sessionUpdate": "usage_update", "used": 1, "size": 2, "cost": {"amount": ` + amount + `, "currency": "USD"}}
wait-cancel
end-turn cancelled
`
	}
	k := comparing(t, true, map[string]string{"alpha": spends("0.9"), "beta": spends("0.2")})
	sides, _ := k.compares(12, "-a", "alpha", "-a", "beta", "--max-cost", "1", "spend it")
	for _, s := range sides {
		if s.Status != "over_budget" || s.Message != "the budget is used up: $1.10 of $1.00 by all sessions that share it" {
			t.Errorf("%+v", s)
		}
	}
}

// patient are agents that ask, and work until they are cancelled.
func patient() map[string]string {
	works := prompted + asksToPush + "wait-cancel\nend-turn cancelled\n"
	return map[string]string{"alpha": works, "beta": works}
}

// bothWork waits until both agents are at work.
func bothWork(c *command) {
	c.t.Helper()
	for seen := 0; seen < 2; seen++ {
		c.tells(": denied:")
	}
}

// An interrupt reaches all agents.
func TestCompareInterrupted(t *testing.T) {
	t.Parallel()
	k := comparing(t, true, patient())
	c := k.start("compare", "-a", "alpha", "-a", "beta", "--check", "true", "wait")
	bothWork(c)
	must(t, c.cmd.Process.Signal(syscall.SIGINT))
	_ = c.wait()
	if got := c.cmd.ProcessState.ExitCode(); got != 4 || strings.Count(c.out.String(), "cancelled") != 2 || strings.Contains(c.out.String(), "passed") {
		t.Errorf("exit %d: %s%s", got, c.out.String(), c.err.String())
	}
}

// After a kill, all worktrees and sessions are found again and named.
func TestCompareKilled(t *testing.T) {
	t.Parallel()
	k := comparing(t, true, patient())
	c := k.start("compare", "-a", "alpha", "-a", "beta", "wait for me")
	bothWork(c)
	must(t, c.cmd.Process.Kill())
	_ = c.wait()
	list, sessions := k.run("worktree", "list"), k.run("sessions")
	for _, name := range []string{"-1-alpha", "-2-beta"} {
		if !strings.Contains(list, name) || !strings.Contains(sessions, name) {
			t.Errorf("%s is not in\n%s%s", name, list, sessions)
		}
	}
	if strings.Count(list, "wait for me") != 2 || strings.Count(sessions, "wait for me") != 2 {
		t.Errorf("listed are\n%s%s", list, sessions)
	}
}

// Whenever a comparison that begins is killed, or the removal of a worktree, parley lists all that git has
// of it, and drops it.
func TestBeginsAndDropsKilled(t *testing.T) {
	t.Parallel()
	k := comparing(t, true, patient())
	git := func(args ...string) []string {
		cmd := exec.Command("git", args...)
		cmd.Dir, cmd.Env = k.project, k.env
		out, err := cmd.Output()
		must(t, err)
		return strings.Fields(string(out))
	}
	// kill runs a command, kills it within a time, and returns what is listed then.
	kill := func(within time.Duration, args ...string) (names []string) {
		c := k.start(args...)
		time.Sleep(rand.N(within)) // the moment, nothing to wait for
		must(t, c.cmd.Process.Kill())
		_ = c.wait()
		var listed []struct{ Name string }
		must(t, json.Unmarshal([]byte(k.run("worktree", "list", "--json")), &listed))
		for _, l := range listed {
			names = append(names, l.Name)
		}
		for _, ref := range slices.Concat(git("for-each-ref", "--format=%(refname)", "refs/heads/parley"), git("worktree", "list", "--porcelain")) {
			name := filepath.Base(ref)
			if (strings.HasPrefix(ref, "refs/heads/parley/") || strings.HasPrefix(ref, k.project+".worktrees/")) && !slices.Contains(names, name) {
				t.Errorf("after %q, git has %s, and listed are %q", args, ref, names)
			}
		}
		return names
	}
	for range moments(t, 6) {
		for _, name := range kill(250*time.Millisecond, "compare", "-a", "alpha", "-a", "beta", "wait for me") {
			if !slices.Contains(kill(120*time.Millisecond, "worktree", "drop", "--force", name), name) {
				continue
			}
			if c := k.start("worktree", "drop", "--force", name); c.wait() != nil {
				lock := regexp.MustCompile(`'(/[^']*\.lock)'`).FindStringSubmatch(c.err.String()) // of a killed git
				if lock == nil {
					t.Fatalf("drop %s: %s", name, c.err.String())
				}
				must(t, os.Remove(lock[1]))
				k.run("worktree", "drop", "--force", name)
			}
		}
		if left := git("for-each-ref", "refs/heads/parley"); len(left) > 0 || len(git("worktree", "list")) != 3 {
			t.Errorf("left are %q and %q", left, git("worktree", "list"))
		}
	}
}

// Outside a repository there are no worktrees. There the agents answer, and change nothing.
func TestCompareOutsideARepository(t *testing.T) {
	t.Parallel()
	k := comparing(t, false, map[string]string{
		"alpha": prompted + rewrites("mine") + "say It is a **poem**.\nend-turn\n",
		"beta":  prompted + asksToPush + "say It is empty.\nend-turn\n",
	})
	k.start("compare", "-a", "alpha", "-a", "beta", "what is it?").ends(1, "", "not in a git repository\n'git init' makes it one; each agent works in a git worktree of its own.\nTo have them answer side by side, without changes: --no-worktrees")
	c := k.start("compare", "-a", "alpha", "-a", "beta", "--no-worktrees", "what is it?")
	_ = c.wait()
	for _, text := range []string{"# alpha\n\nIt is a **poem**.\n", "# beta\n\nIt is empty.\n", "Agent  Status"} {
		if !strings.Contains(c.out.String(), text) {
			t.Errorf("no %q in\n%s", text, c.out.String())
		}
	}
	if _, err := os.Stat(filepath.Join(k.project, "poem.txt")); err == nil {
		t.Error("an agent has written")
	}
	if told := c.err.String(); !strings.Contains(told, "All agents work in "+k.project) || strings.Contains(told, "worktree drop") {
		t.Error(told)
	}
}

// What is saved for the project holds in the worktrees.
func TestCompareKeepsTheRulesOfTheProject(t *testing.T) {
	t.Parallel()
	k := comparing(t, true, three())
	k.run("rules", "add", "deny edit(poem.txt)")
	sides, told := k.compares(0, "-a", "alpha", "-a", "alpha", "improve it")
	for _, s := range sides {
		if got := textOf(t, filepath.Join(s.Worktree.Path, "poem.txt")); got != "one\ntwo\nthree\n" || s.Changed.Files != 0 {
			t.Errorf("%s has written %q", s.Name, got)
		}
	}
	if strings.Count(told, "by the rule deny edit(poem.txt) (saved by parley, for this project)") != 2 {
		t.Error(told)
	}
}
