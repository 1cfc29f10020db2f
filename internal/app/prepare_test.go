package app

import (
	"cmp"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"parley/config"
	"parley/internal/git"
	"parley/internal/rules"
	"parley/internal/session"
	"parley/internal/test"
)

// A new worktree is prepared once, by the user's configuration or by a project's that the user trusts.
// A setup that fails is said, and the session begins all the same.
func TestPrepare(t *testing.T) {
	const project = "[worktree]\ninclude = \"*.conf\"\nsetup = \"echo theirs >> made.txt\"\n"
	for name, c := range map[string]struct {
		user        config.Worktree
		trusted     bool
		files, lack []string
		told, say   string
		missing     string // is named
		stays       bool   // what is told
	}{
		"nothing":           {lack: []string{"local.conf", "made.txt"}, say: "does not apply: its .parley/config.toml is not trusted", missing: "2 ignored entries are not in the worktree: verse/.env, verse/local.conf"},
		"the user's":        {user: config.Worktree{Include: []string{"local.conf"}, Setup: "echo mine >> made.txt; echo out; pwd"}, trusted: true, files: []string{"local.conf", "made.txt=mine"}, told: "setting up the worktree: echo mine", say: "Set up the worktree in 0s", missing: "1 ignored entry is not in the worktree: verse/.env"},
		"a step that stays": {user: config.Worktree{Setup: "printf '1%%\\r\\033[1mout\\n'; printf \"$PWD\"; touch .env"}, trusted: true, files: []string{"local.conf"}, told: "\nout\n", say: "Set up the worktree in 0s", stays: true},
		"the project's":     {trusted: true, files: []string{"local.conf", "made.txt=theirs"}, say: "Copied into the worktree: verse/local.conf", missing: "1 ignored entry is not in the worktree: verse/.env"},
		"one that fails":    {user: config.Worktree{Setup: "echo broken; exit 3"}, lack: []string{"local.conf"}, say: "failed after 0s: echo broken; exit 3: exit code 3", missing: "2 ignored entries are not in the worktree: verse/.env, verse/local.conf"},
		"secrets":           {user: config.Worktree{Include: []string{".e*"}}, lack: []string{".env"}, say: "Files that may hold secrets were not copied into the worktree: verse/.env", missing: "1 ignored entry is not in the worktree: verse/local.conf"},
	} {
		t.Run(name, func(t *testing.T) {
			dir, run := test.New(t, map[string]string{"verse/poem.txt": "one\n", ".gitignore": "*.conf\n.env\n", "verse/.parley/config.toml": project})
			for _, file := range []string{"local.conf", ".env"} {
				must(t, os.WriteFile(filepath.Join(dir, "verse", file), []byte("x\n"), 0o600))
			}
			run(dir, "update-index", "--add", "--cacheinfo", "160000,"+strings.TrimSpace(run(dir, "rev-parse", "HEAD"))+",vendor/part")
			run(dir, "commit", "-qm", "A submodule")
			dir = filepath.Join(dir, "verse")
			if c.trusted {
				own, err := rules.Open(rules.Options{Cwd: dir, Store: rules.NewStore(config.StateDir())})
				must(t, err)
				must(t, own.SetTrust(rules.Trusted))
			}
			tree, err := git.CreateWorktree(t.Context(), dir, git.WorktreeOptions{})
			must(t, err)
			l := &Launcher{Config: &config.Config{Worktree: c.user}}
			defer l.Close()
			var telling sync.Mutex
			told := ""
			prepare := func() []session.AddNotice {
				return l.Prepare(t.Context(), Spec{Agent: &config.Agent{ID: "a"}, Cwd: tree.Place(dir)}, func(words, line string) bool {
					telling.Lock()
					defer telling.Unlock()
					if told += cmp.Or(line, words) + "\n"; line == "" && strings.HasPrefix(words, "setting up") {
						if works, err := WorksIn(tree.Path); err != nil || !works {
							t.Errorf("while it is set up, it can be dropped: %v", err)
						}
					}
					return c.stays
				})
			}
			other := make(chan []session.AddNotice)
			go func() { other <- prepare() }() // of two sessions that begin at once, one prepares it
			said := ""
			for _, n := range append(prepare(), <-other...) {
				said += n.Title + "\n" + n.Detail + "\n"
			}
			if !strings.Contains(said, "Submodules are empty in the worktree: vendor/part") {
				t.Errorf("it names no submodule:\n%s", said)
			}
			if c.missing == "" == strings.Contains(said, " not in the worktree") || !strings.Contains(said, c.missing+"\n") {
				t.Errorf("what is missing is not %q in:\n%s", c.missing, said)
			}
			if !strings.Contains(said, c.say) || !strings.Contains(told, c.told) {
				t.Errorf("it says\n%s and told\n%s", said, told)
			}
			for words, stays := range map[string]bool{said: !c.stays, told: true} {
				if c.told != "" && strings.Contains(words, "out\n"+tree.Place(dir)) != stays {
					t.Errorf("the output, told and said:\n%s\n%s", told, said)
				}
			}
			for _, file := range c.files {
				name, want, _ := strings.Cut(file, "=")
				if text, err := os.ReadFile(filepath.Join(tree.Place(dir), name)); err != nil || want != "" && string(text) != want+"\n" {
					t.Errorf("%s is %q, %v", file, text, err)
				}
			}
			for _, file := range c.lack {
				if _, err := os.Lstat(filepath.Join(tree.Place(dir), file)); err == nil {
					t.Errorf("%s is there", file)
				}
			}
			if again := prepare(); len(again) > 0 {
				t.Errorf("it is prepared again: %+v", again)
			}
		})
	}
}

// What the sandbox hides is copied only if the user's configuration names it, whatever link it is hidden by and
// also from a worktree that has a copy.
func TestPrepareHidden(t *testing.T) {
	dir, _ := test.New(t, map[string]string{"poem.txt": "one\n", ".gitignore": "keys.txt\n", git.IncludeFile: "keys.txt\n"})
	must(t, os.WriteFile(filepath.Join(dir, "keys.txt"), []byte("secret\n"), 0o600))
	link := filepath.Join(t.TempDir(), "link")
	must(t, os.Symlink(dir, link))
	from := dir
	for i, c := range []struct {
		include []string
		say     string
	}{
		{nil, "Files that the sandbox hides were not copied into the worktree: keys.txt"},
		{[]string{"keys.txt"}, "Copied into the worktree: keys.txt"},
		{nil, "Files that the sandbox hides were not copied into the worktree: keys.txt"}, // from that one
	} {
		tree, err := git.CreateWorktree(t.Context(), from, git.WorktreeOptions{})
		must(t, err)
		l := &Launcher{Config: &config.Config{Worktree: config.Worktree{Include: c.include}, Sandbox: config.Sandbox{Hide: []string{filepath.Join(link, "keys.txt")}, HideSet: true}}}
		told := ""
		notes := l.Prepare(t.Context(), Spec{Agent: &config.Agent{ID: "a"}, Cwd: tree.Path}, func(step, _ string) bool { told += step; return false })
		l.Close()
		if told != "copying ignored files" {
			t.Errorf("while it copies it says %q", told)
		}
		_, err = os.Lstat(filepath.Join(tree.Path, "keys.txt"))
		if len(notes) != 1 || notes[0].Title != c.say || (err == nil) != (c.include != nil) {
			t.Errorf("%d: %+v, %v", i, notes, err)
		}
		if c.include != nil {
			from = tree.Path
		}
	}
}
