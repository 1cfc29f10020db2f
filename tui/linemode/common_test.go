package linemode_test

import (
	"os"
	"path/filepath"
	"testing"

	"parley/internal/git"
	"parley/internal/session"
	"parley/internal/store"
	"parley/internal/test"
	"parley/tui/linemode"
)

// The worktree of a session is shown, merged and dropped in lines, too. Dropping it ends the program.
func TestTheWorktreeInLines(t *testing.T) {
	dir, _ := test.New(t, map[string]string{"poem.txt": "one\n"})
	tree, err := git.CreateWorktree(t.Context(), dir, git.WorktreeOptions{Name: "feature"})
	if err == nil {
		err = os.WriteFile(filepath.Join(tree.Path, "poem.txt"), []byte("one\ntwo\n"), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	r := follows(t, "handshake\n", nil, func(opt *session.Options) { opt.Cwd = tree.Path })
	r.reads("\n> ").types("/worktree\n").reads("The worktree feature:", "1. Show unmerged changes", "2. Merge into main", "4. Drop", "5. None")
	r.looks().reads("Answer 1 to 5").types("5\n")
	r.types("/worktree diff\n").reads("Changes in the worktree feature", "+two")
	r.types("/worktree keep\n").reads("To come back to it: parley --worktree=feature")
	r.types("/worktree merge\n").reads("Commit first?", "1. Commit it")
	r.looks().reads("Answer 1 to 2").types("1\n").reads("Commit with this message")
	lock := filepath.Join(dir, ".git", "worktrees", "feature", "index.lock")
	if err := os.WriteFile(lock, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	r.looks().reads("commit message").types("Add a line\n").reads("index.lock", "Commit with this message")
	if err := os.Remove(lock); err != nil {
		t.Fatal(err)
	}
	r.looks().reads("commit message").types("\n").reads("Merge into main?") // the same message
	r.looks().reads("Answer 1 to 2").types("1\n").reads("Merged 1 commit into main", "2. Drop the worktree")
	if text, err := os.ReadFile(filepath.Join(dir, "poem.txt")); string(text) != "one\ntwo\n" {
		t.Errorf("merged is %q, %v", text, err)
	}
	r.looks().reads("Answer 1 to 2").types("2\n").reads("Drop the worktree feature?", "1. Keep it", "2. Drop it")
	r.looks().reads("Answer 1 to 2").types("2\n").reads("The worktree feature was dropped").leaves()
	if !git.WorktreeGone(tree.Path) {
		t.Error("the worktree is there")
	}
}

// Documents are read by their sections.
func TestDocumentsInLines(t *testing.T) {
	r := runs(t, "handshake\n", nil, func(opt *linemode.Options) { opt.News = "# Changelog\n\n## 1.3.0\n\n- Sings.\n\n## 1.2.0\n\n- Hums.\n" })
	r.reads("\n> ").types("/news\n").reads("1. Changelog\n2. 1.3.0\n3. 1.2.0\n/news N: show.")
	r.types("/news 2\n").reads("## 1.3.0\n\n- Sings.\n")
	r.types("/guide rules\n").reads("## Rules\n")
}

// A name is stored with the session.
func TestRenameInLines(t *testing.T) {
	lib := store.NewLibrary(store.New(t.TempDir()))
	t.Cleanup(func() { _ = lib.Close() })
	r := runs(t, "handshake\n", nil, func(opt *linemode.Options) { opt.Stored = lib })
	r.reads("\n> ").types("/rename\n").reads("Which name?").types("/rename The shed\n").reads("no stored session to name")
}

// What works in the background is listed, shown and stopped by its number.
func TestTheBackgroundInLines(t *testing.T) {
	r := follows(t, `handshake
expect session/prompt
update {"sessionUpdate":"subagent_update","sessionId":"k","title":"Look around","description":"explorer","capabilities":{"cancel":{}},"state":{"state":"running"}}
update {"sessionUpdate":"async_task_spawned","asyncTaskId":"b","name":"Wait for it","taskType":"shell","canStop":true}
say "Working.\n"
end-turn
expect session/cancel contains "k"
expect _session/async_task/stop as stop contains "asyncTaskId":"b"
reply stop {"stopped":false}
`, nil)
	r.reads("\n> ").types("go\n").reads("Working.", "\n> ")
	r.types("/tasks\n").reads("1. Subagents: Look around", "2. Tasks of the agent: Wait for it: shell", "/tasks N: open, /tasks stop N.")
	r.types("/tasks 1\n").reads("Look around")
	r.types("/tasks stop 1\n").types("/tasks stop 2\n").reads("Wait for it: the agent did not stop the task.")
}
