package cli

import (
	"cmp"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/config"
	"parley/internal/app"
	"parley/internal/git"
	"parley/internal/test"
)

// A worktree in which a session works stays, even with --force, stored or not and without a
// prompt; what was merged is said
// when it goes.
func TestWorktreeDropRefusesWhatIsInUse(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	dir, _ := test.New(t, map[string]string{"poem.txt": "one\n"})
	tree, err := git.CreateWorktree(t.Context(), dir, git.WorktreeOptions{Name: "wren"})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(tree.Path, "poem.txt"), []byte("two\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	launcher := &app.Launcher{Config: &config.Config{}} // stores nothing
	defer launcher.Close()
	made, err := launcher.Make(t.Context(), app.Spec{Agent: &config.Agent{ID: "mine", Name: "Mine", Command: "false"}, Cwd: tree.Path})
	if err != nil {
		t.Fatal(err)
	}
	drop := func(args ...string) (int, string) {
		var out strings.Builder
		code := run(t.Context(), &streams{In: strings.NewReader(""), Out: &out, Err: &out}, append([]string{"worktree", "--cwd", dir}, args...))
		return code, out.String()
	}
	if code, out := drop("merge", "-m", "better"); code != exitOK {
		t.Fatal(out)
	}
	for _, args := range [][]string{{"drop"}, {"drop", "--force"}} {
		if code, out := drop(args...); code != exitError || !strings.Contains(out, "a session works in the worktree wren\nClose it first") {
			t.Errorf("%q: %d, %s", args, code, out)
		}
	}
	made.Session.Close(t.Context())
	if code, out := drop("drop"); code != exitOK || !strings.Contains(out, "1 commit of it is in main.") {
		t.Errorf("%d, %s", code, out)
	}
}

// A merge that conflicts changes nothing and names the next step; what would be lost is
// listed before a worktree is dropped.
func TestWorktreeMergeAndDropSayWhatIsLeft(t *testing.T) {
	dir, inGit := test.New(t, map[string]string{"poem.txt": "one\n", ".gitignore": "*.log\n"})
	tree, err := git.CreateWorktree(t.Context(), dir, git.WorktreeOptions{Name: "wren"})
	if err != nil {
		t.Fatal(err)
	}
	write := func(dir, name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(tree.Path, "poem.txt", "two\n")
	write(tree.Path, "run.log", "log\n")
	write(dir, "poem.txt", "three\n")
	inGit(dir, "commit", "-q", "-a", "-m", "mine")
	for _, c := range []struct {
		args string
		code int
		want []string
	}{
		{"merge", exitError, []string{"there are uncommitted changes:\n• poem.txt\n", "--commit MESSAGE commits them first"}},
		{"merge -m better", exitError, []string{"poem.txt", "Nothing has changed. Merge main in the worktree", tree.Path}},
		{"drop", exitError, []string{"--force", "Not merged: 1 file changed, 1 commit", "• poem.txt", "lost for good", "• run.log"}},
		{"reset", exitOK, nil},
		{"merge", exitError, []string{"the merge would overwrite 1 uncommitted file in " + dir + ":\n• poem.txt", "Commit or stash them first."}},
		{"same", exitOK, nil},
		{"drop", exitError, []string{"has files that git ignores", "• run.log"}},
		{"drop --force", exitOK, []string{"dropped the worktree wren", "refs/parley/dropped/wren"}},
	} {
		switch c.args {
		case "reset": // what was committed is not
			inGit(dir, "reset", "-q", "HEAD~")
			continue
		case "same":
			write(dir, "poem.txt", "two\n")
			continue
		}
		var out strings.Builder
		code := run(t.Context(), &streams{In: strings.NewReader(""), Out: &out, Err: &out}, append([]string{"worktree", "--cwd", dir}, strings.Fields(c.args)...))
		if code != c.code {
			t.Errorf("%s: exit code %d: %s", c.args, code, out.String())
		}
		for _, want := range c.want {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%s says %q, without %q", c.args, out.String(), want)
			}
		}
	}
}

// A merge names what a write would ask about, and merges nothing without an answer.
func TestWorktreeMergeNamesWhatAWriteAsks(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	dir, inGit := test.New(t, map[string]string{"poem.txt": "one\n"})
	tree, err := git.CreateWorktree(t.Context(), dir, git.WorktreeOptions{Name: "wren"})
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"poem.txt": "two\n", ".envrc": "touch x\n"} {
		if err := os.WriteFile(filepath.Join(tree.Path, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, target := range map[string]string{"out": "/etc/hostname", "in": "poem.txt"} {
		if err := os.Symlink(target, filepath.Join(tree.Path, name)); err != nil {
			t.Fatal(err)
		}
	}
	was := inGit(dir, "rev-parse", "HEAD")
	var out strings.Builder
	code := run(t.Context(), &streams{In: strings.NewReader(""), Out: &out, Err: &out}, []string{"worktree", "--cwd", dir, "merge", "-m", "all"})
	said := out.String()
	if code != exitError || !strings.Contains(said, "• .envrc (it may hold secrets)\n• out (it is a link that may lead out") || !strings.Contains(said, "nothing was merged") || !strings.Contains(said, "git merge parley/wren") || strings.Contains(said, "poem.txt") {
		t.Errorf("%d: %s", code, said)
	}
	if now := inGit(dir, "rev-parse", "HEAD"); now != was {
		t.Errorf("merged: %s", inGit(dir, "log", "--oneline"))
	}
	configured := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", configured)
	if err := cmp.Or(os.Mkdir(filepath.Join(configured, "parley"), 0o700), os.WriteFile(filepath.Join(configured, "parley", "config.toml"), []byte("[rules]\ndeny = [\"edit(poem.txt)\"]\n"), 0o600)); err != nil {
		t.Fatal(err)
	}
	out.Reset()
	code = run(t.Context(), &streams{In: strings.NewReader("y\n"), Out: &out, Err: &out, InTerminal: true, ErrTerminal: true}, []string{"worktree", "--cwd", dir, "merge"})
	if said := out.String(); code != exitError || !strings.Contains(said, "poem.txt (denied by") || inGit(dir, "rev-parse", "HEAD") != was {
		t.Errorf("%d: %s", code, said)
	}
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	out.Reset()
	code = run(t.Context(), &streams{In: strings.NewReader("y\n"), Out: &out, Err: &out, InTerminal: true, ErrTerminal: true}, []string{"worktree", "--cwd", dir, "merge"})
	if now := inGit(dir, "rev-parse", "HEAD"); code != exitOK || now == was {
		t.Errorf("%d: %s", code, out.String())
	}
}
