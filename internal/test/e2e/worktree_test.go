//go:build unix

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"parley/internal/test"
	"parley/internal/test/ptytest"
)

// repositoryPlace is a place whose project is a git repository with one commit.
func repositoryPlace(t *testing.T) place {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	at := place{t, t.TempDir(), filepath.Join(resolved(t, t.TempDir()), "project")}
	must(t, os.Mkdir(at.dir, 0o755))
	must(t, os.WriteFile(filepath.Join(at.home, ".gitconfig"), []byte("[user]\n\tname = t\n\temail = t@example.com\n[init]\n\tdefaultBranch = main\n"), 0o600))
	must(t, os.WriteFile(filepath.Join(at.dir, "poem.txt"), []byte("one\ntwo\nthree\n"), 0o600))
	at.git("init", "-q")
	at.git("add", ".")
	at.git("commit", "-q", "-m", "first")
	return at
}

// git runs git in the project as its owner would.
func (p place) git(args ...string) string {
	p.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = p.dir
	cmd.Env = append(test.Environ(), "HOME="+p.home, "XDG_CONFIG_HOME="+p.home)
	out, err := cmd.CombinedOutput()
	if err != nil {
		p.t.Fatalf("git %s: %v: %s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

// textOf is what a file has.
func textOf(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	must(t, err)
	return string(b)
}

// editsPoem is an agent that changes a file.
const editsPoem = `
handshake {"loadSession": true} {"sessionId": "s1"}
expect session/prompt
request fs/write_text_file {"sessionId": "${session}", "path": "${cwd}/poem.txt", "content": "one\nTWO\nthree\n"} as w
await w
say The poem is better.
end-turn
expect session/prompt
request fs/write_text_file {"sessionId": "${session}", "path": "${cwd}/more.txt", "content": "more\n"} as w
await w
say There is more.
end-turn
`

// Palette runs what the palette has by a name.
func (p *Parley) Palette(name string) *Parley {
	p.t.Helper()
	p.Press("ctrl+p").Shows("Command palette")
	p.Type(name)
	p.WaitUntil("the palette has "+name+" alone", func(s ptytest.Screen) bool {
		d, open := dialogOn(s)
		return open && strings.Contains(d.text(), "❯ "+name) || open && strings.Contains(d.text(), name) && strings.Contains(d.text(), "1 of")
	})
	return p.Press("enter")
}

func TestWorktree(t *testing.T) {
	t.Parallel()
	at := repositoryPlace(t)
	p := at.start(editsPoem, "--worktree=wren")
	tree := at.dir + ".worktrees/wren"
	p.Ready().Status("on parley/wren worktree")
	p.Ask("improve it").Shows("The poem is better.").Idle()
	if got := textOf(t, filepath.Join(at.dir, "poem.txt")); strings.Contains(got, "TWO") {
		t.Errorf("the agent has written beside its worktree: %q", got)
	}

	p.Palette("Worktree: show unmerged").Shows("Changes in the worktree wren", "TWO")
	p.Press("esc").Gone("Changes in the worktree wren")

	p.Palette("Worktree: merge into main")
	p.Question("Commit first?", "poem.txt").Answer("Commit it")
	p.Shows("Commit with this message").Type("Improve the poem").Press("enter")
	p.Question("Merge into main?", "1 commit").Answer("Merge")
	p.Question("Merged", "Merged 1 commit into main").Answer("Keep the worktree")
	if got := textOf(t, filepath.Join(at.dir, "poem.txt")); !strings.Contains(got, "TWO") || at.git("log", "-1", "--format=%s") != "Improve the poem" {
		t.Errorf("after the merge the project has %q, %s", got, at.git("log"))
	}

	p.Ask("and more").Shows("There is more.").Idle()
	p.Palette("Worktree: drop")
	p.Question("Drop the worktree wren?", "1 file changed", "more.txt").Answer("Drop it")
	p.Question("was dropped", "refs/parley/dropped/wren").Answer("Stay and read")
	p.Shows("its worktree was dropped", "There is more.")
	if got := at.git("show", "refs/parley/dropped/wren:more.txt"); got != "more" {
		t.Errorf("kept is %q", got)
	}
	if _, err := os.Stat(tree); err == nil {
		t.Error("the worktree is still there")
	}
	p.Leave()
	at.start(editsPoem, "--continue").Question("This session is read-only", "is gone").Answer("Read it").Shows("There is more.").Leave()
}

// What is left behind is told when parley has left, and --continue goes back to it.
func TestWorktreeIsLeftAndComeBackTo(t *testing.T) {
	t.Parallel()
	at := repositoryPlace(t)
	p := at.start(editsPoem, "--worktree=wren")
	p.Ready().Ask("improve it").Shows("The poem is better.").Idle().Leave()
	p.WaitFor("The worktree wren is in", "1 file changed, 1 not committed", "parley --worktree=wren")
	p = at.start(`
expect initialize
reply {`+initialized+`, "agentCapabilities": `+resumes+`}
expect session/resume contains project.worktrees/wren
reply {}
hang
`, "--continue")
	p.Shows("The poem is better.").Status("on parley/wren worktree")
	p.WaitSent("session/resume", 1)
	p.Press("ctrl+s").Shows("Sessions", "♣ parley/wren")
	p.Press("esc").Leave()
}

// A conflict is told, and changes nothing.
func TestWorktreeConflict(t *testing.T) {
	t.Parallel()
	at := repositoryPlace(t)
	p := at.start(editsPoem, "--worktree=wren")
	p.Ready().Ask("improve it").Shows("The poem is better.").Idle()
	must(t, os.WriteFile(filepath.Join(at.dir, "poem.txt"), []byte("one\nzwei\nthree\n"), 0o600))
	at.git("commit", "-q", "-a", "-m", "mine")
	before := at.git("rev-parse", "HEAD")
	p.Palette("Worktree: merge into main")
	p.Question("Commit first?").Answer("Commit it")
	p.Shows("Commit with this message").Type("Improve the poem").Press("enter")
	p.Question("Nothing was merged", "poem.txt", "Nothing has changed").Answer("Close")
	if after, status := at.git("rev-parse", "HEAD"), at.git("status", "--porcelain"); after != before || status != "" {
		t.Errorf("the project went from %s to %s, %s", before, after, status)
	}
	p.Leave()
}

// A new session begins where the one in front works.
func TestANewTabStaysInTheWorktree(t *testing.T) {
	t.Parallel()
	at := repositoryPlace(t)
	p := at.start(talk(`{}`, "Hello."))
	p.Ready().Palette("New session in a worktree")
	p.Shows(" 2 ").Ready().Ask("hello").Shows("Hello.").Idle()
	p.Press("ctrl+n").Shows(" 3 ").Ready().Status("project.worktrees/")
	p.Ask("hello").Shows("Hello.").Idle()
	p.Palette("Worktree: drop").Shows("another tab has a session in this worktree")
	p.Press("alt+1").Gone("worktree").Leave()
}

// A new tab in a new worktree, from the palette.
func TestWorktreeInANewTab(t *testing.T) {
	t.Parallel()
	at := repositoryPlace(t)
	p := at.start(talk(`{}`, "Hello."))
	p.Ready().Palette("New session in a worktree")
	p.Status("project.worktrees/") // the branch stands behind it where there is room
	p.Shows(" 2 ")
	p.Ready().Press("alt+w")
	p.Gone("worktree").Leave()
	p.WaitFor("The worktree ", "nothing unmerged", "parley worktree drop")
}
