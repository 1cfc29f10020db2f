package app

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"parley/config"
	"parley/internal/git"
	"parley/internal/sandbox"
	apart "parley/internal/test"
)

// asUser is a user without rights for tests that run as root.
const asUser = 12345

// walled is a repository with an agent's sandbox around it.
type walled struct {
	t   *testing.T
	uid int
	dir string
	box *sandbox.Sandbox
	l   *Launcher
}

// everyUser runs a test as the user of the tests, and where that is root, also as one
// without rights. make prepares the repository before there is a sandbox. The test is
// skipped without bubblewrap.
func everyUser(t *testing.T, prepare func(w *walled), test func(w *walled)) {
	program := apart.Parley(t) // sets up the sandbox
	for _, uid := range []int{os.Getuid(), asUser} {
		t.Run(fmt.Sprintf("uid %d", uid), func(t *testing.T) {
			if uid != os.Getuid() && os.Getuid() != 0 {
				t.Skip("only root can become another user")
			}
			apart.Apart(t)
			root, err := os.MkdirTemp("/var/tmp", "parley-walls-") // /tmp is another one in the sandbox
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { os.RemoveAll(root) })
			if err := os.Chmod(root, 0o755); err != nil {
				t.Fatal(err)
			}
			w := &walled{t: t, uid: uid, dir: filepath.Join(root, "project")}
			for _, dir := range []string{w.dir, filepath.Join(root, "home"), filepath.Join(root, "tmp")} {
				if err := os.MkdirAll(dir, 0o755); err != nil {
					t.Fatal(err)
				}
			}
			w.own(root)
			text, err := os.ReadFile(filepath.Join(os.Getenv("HOME"), ".gitconfig"))
			if err != nil {
				t.Fatal(err)
			}
			// The sandbox is set up by root here, and an ordinary user works in it.
			safe := string(text) + "[safe]\n\tdirectory = *\n"
			if err := os.WriteFile(filepath.Join(root, "home", ".gitconfig"), []byte(safe), 0o644); err != nil {
				t.Fatal(err)
			}
			t.Setenv("HOME", filepath.Join(root, "home"))
			t.Setenv("XDG_CONFIG_HOME", filepath.Join(root, "home", ".config"))
			t.Setenv("TMPDIR", filepath.Join(root, "tmp"))
			prepare(w)
			on := true
			// Every user has to be able to start it.
			w.l = &Launcher{Config: &config.Config{}, Overrides: Overrides{Sandbox: &on}, Cwd: w.dir, program: filepath.Join(root, "parley")}
			parley, err := os.ReadFile(program)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(w.l.program, parley, 0o755); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(w.l.Close)
			box, err := w.l.sandbox(config.Agent{}, []string{w.dir})
			if err != nil {
				t.Fatal(err)
			}
			if box.Name != "bubblewrap" {
				t.Skipf("bubblewrap does not work here; %s: %s", box.Name, box.Lack)
			}
			w.box = box
			for _, temp := range w.l.temps {
				if err := os.Chmod(temp.path, 0o777); err != nil {
					t.Fatal(err)
				}
			}
			w.own(root)
			if out, err := w.inside("true"); err != nil {
				t.Fatalf("the sandbox does not work: %v: %s", err, out)
			}
			test(w)
		})
	}
}

// own gives everything in a directory to the user of the test.
func (w *walled) own(root string) {
	w.t.Helper()
	err := filepath.WalkDir(root, func(path string, _ os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Lchown(path, w.uid, w.uid)
	})
	if err != nil && w.uid != os.Getuid() {
		w.t.Fatal(err)
	}
}

// outside runs a shell command in the repository, without the sandbox.
func (w *walled) outside(script string) (string, error) {
	return w.run("sh", []string{"-c", script})
}

// inside runs one in the sandbox.
func (w *walled) inside(script string) (string, error) {
	name, args := w.box.Command("sh", []string{"-c", script})
	return w.run(name, args)
}

func (w *walled) run(name string, args []string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir = w.dir
	if w.uid != os.Getuid() {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(w.uid), Gid: uint32(w.uid)}}
	}
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// must fails the test if a command outside fails.
func (w *walled) must(script string) {
	w.t.Helper()
	if out, err := w.outside(script); err != nil {
		w.t.Fatalf("%s: %v: %s", script, err, out)
	}
}

// evil is a configuration that leaves a trace when git reads it.
const evil = `printf '[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tfsmonitor = "touch $HOME/sprung; false"\n\thooksPath = evil\n[alias]\n\tx = !touch $HOME/sprung\n'`

// plant makes a repository at a path whose configuration is evil.
func plant(path string) string {
	return "git init -q --bare " + path + " && " + evil + " > " + path + "/config"
}

// After a session, git executes nothing that the agent has put into the repository.
func TestGitRunsNothingOfTheAgent(t *testing.T) {
	type attack struct{ name, script string }
	prepare := `git init -q . && mkdir -p tools/hooks && echo poem > poem.txt && touch team.gitconfig && printf '#!/bin/sh\ncat\n' > tools/clean && chmod +x tools/clean &&
		git init -q lib && git -C lib commit -q --allow-empty -m lib && printf '[submodule "lib"]\n\tpath = lib\n\turl = ./lib\n' > .gitmodules &&
		echo '*.dat filter=x' > .gitattributes && git add . 2>/dev/null && git commit -q -m first &&
		git config extensions.worktreeConfig true && git config include.path ../team.gitconfig && git config --add include.path ../later/team.gitconfig &&
		git config filter.x.clean ./tools/clean && rm -rf .git/hooks`
	hook := `mkdir -p evil && printf '#!/bin/sh\ntouch $HOME/sprung\n' > evil/pre-commit && cp evil/pre-commit evil/post-checkout && chmod +x evil/*; `
	for _, c := range []struct {
		name, prepare string
		attacks       []attack // destructive ones come last
	}{
		{"repository", prepare, []attack{
			{"commondir", plant("evil/repository") + "; echo ../evil/repository > .git/commondir"},
			{"config", evil + " >> .git/config"},
			{"renamed config", evil + " > .git/new; mv -f .git/new .git/config"},
			{"config by git", "git config core.fsmonitor 'touch $HOME/sprung; false'"},
			{"worktree config", evil + " > .git/config.worktree"},
			{"hook", "cp evil/pre-commit .git/hooks/"},
			{"hooks link", "rm -rf .git/hooks; ln -s ../evil .git/hooks"},
			{"hooks directory", "rm -rf .git/hooks; mv evil .git/hooks"},
			{"included", evil + " > team.gitconfig"},
			{"not yet included", evil + " > later/team.gitconfig; mkdir -p later; " + evil + " > later/team.gitconfig"},
			{"program", "printf '#!/bin/sh\ntouch $HOME/sprung\ncat\n' > tools/clean; mv tools/clean tools/c; cp tools/c tools/clean"},
			{"submodule", "cd lib && rm -rf .git && " + plant(".git")},
			{"moved away", "mv .git old; " + plant(".git")},
			{"bare repository", "rm -f .git/HEAD; " + plant("bare") + "; mv bare/* ."},
			{"without refs", "mv .git/refs .git/old; " + plant("bare") + "; mv bare/* ."},
			{"without objects", "mv .git/objects .git/old; " + plant("bare") + "; mv bare/* ."},
			{"no permission", "chmod 0 .git/refs .git/objects .git; " + plant("bare") + "; mv bare/* ."},
			{"replaced", plant("evil/r") + "; rm -rf .git; echo gitdir: evil/r > .git"},
			{"removed", "rm -rf .git; " + plant(".git")},
		}},
		{"hooks in the project", prepare + " && git config core.hooksPath tools/hooks", []attack{
			{"hooks in project", "printf '#!/bin/sh\ntouch $HOME/sprung\n' > tools/hooks/pre-commit; chmod +x tools/hooks/pre-commit"},
			{"moved project", "mv tools other; mkdir -p tools/hooks; cp evil/pre-commit tools/hooks/"},
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			everyUser(t, func(w *walled) { w.must(c.prepare) }, func(w *walled) {
				for _, a := range c.attacks {
					trace := "sprung-" + strings.ReplaceAll(a.name, " ", "-")
					out, err := w.inside(strings.ReplaceAll(hook+a.script, "sprung", trace))
					w.t.Logf("%s: %v: %s", a.name, err, out)
				}
				w.l.Close()
				out, _ := w.outside("touch poem.txt; echo data > new.dat; git status; git add .; git commit -q -m second; git checkout -q -b other; git x; git diff; true")
				if traces, _ := filepath.Glob(filepath.Join(os.Getenv("HOME"), "sprung*")); len(traces) > 0 {
					w.t.Errorf("git has run what the agent wants, by %q: %s", traces, out)
				}
				if out, err := w.outside("git log --format=%s"); err != nil || !strings.HasPrefix(out, "second\n") {
					w.t.Errorf("the user's git is broken: %v: %s", err, out)
				}
			})
		})
	}
}

// Nothing that the agent leaves in .git leads git's own writing out of the walls, or makes
// it wait: neither when the user commits after a turn, nor after the session.
func TestGitWritesNowhereElse(t *testing.T) {
	const prepare = "git init -q . && echo poem > poem.txt && git add . && git commit -q -m first && git branch side && echo kept > $HOME/trap"
	type attack struct{ name, script string }
	rounds := [][]attack{ // in each, those that do not stand in another's place
		{
			{"message", "rm -f G/COMMIT_EDITMSG; ln -s $HOME/trap G/COMMIT_EDITMSG"},
			{"message of tags", "ln -s $HOME/trap G/TAG_EDITMSG"},
			{"message of merges", "rm -f G/MERGE_MSG G/SQUASH_MSG; ln -s $HOME/trap G/MERGE_MSG; ln -s $HOME/trap G/SQUASH_MSG"},
			{"log of HEAD", "rm -f G/logs/HEAD; ln -s $HOME/trap G/logs/HEAD"},
			{"log of a branch", "rm -f R/logs/refs/heads/main; ln -s $HOME/trap R/logs/refs/heads/main"},
			{"branches", "rm -rf R/refs/tags; ln -s $HOME R/refs/tags"},
			{"index", "mv G/index G/other; ln -s $HOME/trap G/index"},
			{"heads", "ln -sf $HOME/trap G/ORIG_HEAD; ln -sf $HOME/trap G/FETCH_HEAD; ln -sf $HOME/trap R/packed-refs"},
			{"objects", "cp -a $HOME/.links/. R/objects/ 2>/dev/null; find R/objects -type l | grep -q ."},
		},
		{
			{"not there yet", "rm -f G/COMMIT_EDITMSG; ln -s $HOME/none G/COMMIT_EDITMSG"},
			{"logs", "rm -rf R/logs/refs; ln -s $HOME R/logs/refs"},
		},
		{{"pipe", "rm -f G/COMMIT_EDITMSG; mkfifo G/COMMIT_EDITMSG"}},
	}
	for kind, c := range map[string]struct{ prepare, git, common string }{
		"repository": {prepare, ".git", ".git"},
		"worktree":   {"git init -q ../main && cd ../main && " + prepare + " && git worktree add -q --force -B own ../project", "../main/.git/worktrees/project", "../main/.git"},
	} {
		t.Run(kind, func(t *testing.T) {
			withLinks := func(w *walled) {
				w.must(c.prepare)
				links := filepath.Join(os.Getenv("HOME"), ".links") // instead of all directories of objects
				if err := os.Mkdir(links, 0o755); err != nil {
					w.t.Fatal(err)
				}
				for i := range 256 {
					if err := os.Symlink(os.Getenv("HOME"), filepath.Join(links, fmt.Sprintf("%02x", i))); err != nil {
						w.t.Fatal(err)
					}
				}
			}
			everyUser(t, withLinks, func(w *walled) {
				check := func(name, after, told string) {
					if left, _ := w.outside("find " + c.git + " " + c.common + " -type l -o -type p"); left != "" {
						w.t.Errorf("%safter the %s there is left %q", name, after, left)
					}
					if !strings.Contains(told, "Removed links") {
						w.t.Errorf("%safter the %s it is told %q", name, after, told)
					}
					out, _ := w.outside("date +%N > file; git add . ; timeout 20 git commit -q -m 'evil\n; touch x'; git tag -f -a -m evil tag; git fetch -q .; git checkout -q -B new; git merge -q --squash side; git pack-refs --all")
					trap, err := os.ReadFile(filepath.Join(os.Getenv("HOME"), "trap"))
					entries, _ := filepath.Glob(filepath.Join(os.Getenv("HOME"), "[a-z0-9]*"))
					if err != nil || string(trap) != "kept\n" || len(entries) != 1 {
						w.t.Errorf("%safter the %s, git has written %q, %v; %v: %s", name, after, trap, err, entries, out)
					}
				}
				paths := strings.NewReplacer("G/", c.git+"/", "R/", c.common+"/")
				for _, round := range rounds {
					names := ""
					for _, a := range round {
						if out, err := w.inside(paths.Replace(a.script)); err != nil {
							w.t.Logf("%s: %v: %s", a.name, err, out) // the sandbox prevents it
							continue
						}
						names += a.name + ", "
					}
					title, detail := w.l.cleanGit()
					check(names, "turn", title+detail)
				}
				told := ""
				w.l.Warn = func(text string) { told = text }
				if out, err := w.inside(paths.Replace(rounds[0][0].script)); err != nil {
					w.t.Fatalf("%v: %s", err, out)
				}
				w.l.Close()
				check("message, ", "session", told)
			})
		})
	}
}

// An agent can take the permissions of a repository away while its session lasts.
func TestPermissionsComeBack(t *testing.T) {
	everyUser(t, func(w *walled) { w.must("git init -q . && git commit -q --allow-empty -m first") }, func(w *walled) {
		if out, err := w.inside("chmod 0 .git/refs .git/objects .git"); err != nil {
			w.t.Fatalf("%v: %s", err, out)
		}
		git := filepath.Join(w.dir, ".git")
		if info, err := os.Stat(git); err != nil || info.Mode().Perm() != 0 {
			w.t.Errorf("during the session: %v, %v", info.Mode(), err)
		}
		w.l.Close()
		for _, dir := range []string{git, filepath.Join(git, "refs"), filepath.Join(git, "objects")} {
			if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o755 {
				w.t.Errorf("after it, %s: %v, %v", dir, info.Mode(), err)
			}
		}
		w.must("git log")
	})
}

// In a directory without a repository, none appears that git would use.
func TestNoRepositoryAppears(t *testing.T) {
	everyUser(t, func(*walled) {}, func(w *walled) {
		if out, err := w.inside("git init"); err == nil {
			w.t.Errorf("the agent has made a repository: %s", out)
		}
		w.l.Close()
		if _, err := os.Lstat(filepath.Join(w.dir, ".git")); err == nil {
			w.t.Error(".git is left")
		}
	})
}

// An agent can commit, and nothing is left of what keeps names from being created.
func TestCommitsInTheSandbox(t *testing.T) {
	everyUser(t, func(w *walled) {
		w.must("git init -q . && echo poem > poem.txt && git add . && git commit -q -m first")
	}, func(w *walled) {
		out, err := w.inside("echo more >> poem.txt && git commit -q -a -m second && git branch side && git tag one && git stash list && git status --porcelain && git commit -q --amend -m third")
		if err != nil || out != "" {
			w.t.Errorf("%v: %s", err, out)
		}
		if out, err := w.outside("git log --format=%s && git status --porcelain"); err != nil || out != "third\nfirst\n" {
			w.t.Errorf("outside, while the agent runs: %v: %s", err, out)
		}
		w.l.Close()
		for _, name := range []string{"commondir", "config.worktree"} {
			if _, err := os.Lstat(filepath.Join(w.dir, ".git", name)); err == nil {
				w.t.Errorf("%s is left", name)
			}
		}
	})
}

// What the user has run beside an agent, such as a check or the setup of a worktree, has its sandbox.
func TestRunsCommandsInTheSandbox(t *testing.T) {
	everyUser(t, func(w *walled) {}, func(w *walled) {
		if w.uid != os.Getuid() {
			return
		}
		out := filepath.Join(filepath.Dir(w.dir), "outside")
		r, err := w.l.RunFor(t.Context(), config.Agent{}, w.dir, "echo in > inside; echo out > "+out, time.Minute)
		if _, escaped := os.Stat(out); err != nil || r.Passed || escaped == nil {
			t.Errorf("%+v, %v; outside %v", r, err, escaped)
		}
		if text, err := os.ReadFile(filepath.Join(w.dir, "inside")); string(text) != "in\n" {
			t.Errorf("inside it has written %q, %v", text, err)
		}
	})
}

// An agent in the repository cannot lead those in its worktrees elsewhere.
func TestWorktreesInTheSandbox(t *testing.T) {
	if _, err := exec.LookPath("git-lfs"); err != nil {
		t.Skip("git-lfs is not installed")
	}
	everyUser(t, func(w *walled) {
		w.must("git lfs install --skip-repo && git init -q . && echo '*.bin filter=lfs' > .gitattributes && git add . && git commit -q -m first && git worktree add -q ../project.worktrees/own && rm -rf .git/logs && mkdir $HOME/private")
	}, func(w *walled) {
		tree := filepath.Join(filepath.Dir(w.dir), "project.worktrees", "own")
		guards := false
		in := func(script string) (string, error) {
			w.t.Helper()
			box, err := w.l.sandbox(config.Agent{}, []string{tree})
			if err != nil {
				w.t.Fatal(err)
			}
			for _, temp := range w.l.temps {
				if err := os.Chmod(temp.path, 0o777); err != nil {
					w.t.Fatal(err)
				}
			}
			guards = box.Lack == ""
			name, args := box.Command("sh", []string{"-c", "cd " + tree + " && " + script})
			return w.run(name, args)
		}
		for _, name := range []string{"lfs", "logs", "reftable", "objects", "refs"} {
			lead := fmt.Sprintf("mv .git/%[1]s .git/old-%[1]s; ln -s $HOME/private .git/%[1]s", name)
			said, err := w.inside(lead)
			if out, failed := in("touch $HOME/private/" + name); failed == nil {
				w.t.Errorf("%s leads elsewhere: %v: %s%s", name, err, said, out)
			}
			_, _ = w.outside(fmt.Sprintf("test -h .git/%[1]s && rm .git/%[1]s; test -e .git/old-%[1]s && mv .git/old-%[1]s .git/%[1]s", name))
		}
		alternates := "cd " + w.dir + "/.git/objects && { echo /x > info/alternates || ln -sf /x info/alternates || { mv info moved && mkdir info && echo /x > info/alternates; }; }"
		for where, run := range map[string]func(string) (string, error){"worktree": in, "repository": w.inside} {
			if out, err := run(alternates); err == nil && guards {
				w.t.Errorf("from the %s, it leads git to other objects: %s", where, out)
			}
		}
		admin := w.dir + "/.git/worktrees/own/"
		if out, err := in("mkdir " + admin + "objects || mkdir " + admin + "lfs || ln -s $HOME/private " + admin + "lfs"); err == nil && guards {
			w.t.Errorf("it makes another store for Git LFS: %s", out)
		}
		if !guards { // Landlock keeps nothing within what it opens
			w.must("rm -rf .git/worktrees/own/objects .git/worktrees/own/lfs .git/objects/info/alternates")
		}
		if out, err := in("echo second > b.bin && git add b.bin && git commit -q -m second"); err != nil {
			w.t.Errorf("%v: %s", err, out)
		}
	})
}

// What Git LFS keeps of a submodule is there in a worktree.
func TestFiltersInSubmodules(t *testing.T) {
	if _, err := exec.LookPath("git-lfs"); err != nil {
		t.Skip("git-lfs is not installed")
	}
	everyUser(t, func(w *walled) {
		w.must(`git lfs install --skip-repo && git init -q ../lib && cd ../lib && echo '*.bin filter=lfs' > .gitattributes && echo words > a.bin && git add . && git commit -q -m lib &&
			cd ../project && git init -q . && git -c protocol.file.allow=always submodule --quiet add ../lib lib && git commit -q -m first`)
	}, func(w *walled) {
		if w.uid != os.Getuid() {
			w.t.Skip("git runs as the user of the tests")
		}
		git.FilterProgram = w.l.program
		w.t.Cleanup(func() { git.FilterProgram = "" })
		tree, err := git.CreateWorktree(w.t.Context(), w.dir, git.WorktreeOptions{Name: "own"})
		if err == nil {
			err = tree.FillSubmodules(w.t.Context())
		}
		if b, _ := os.ReadFile(filepath.Join(tree.Path, "lib", "a.bin")); err != nil || string(b) != "words\n" {
			w.t.Errorf("there is %q: %v", b, err)
		}
	})
}

// Where an agent has led Git LFS elsewhere, git that parley runs writes nothing there, and reads nothing that is hidden from
// agents.
func TestFiltersInTheSandbox(t *testing.T) {
	if _, err := exec.LookPath("git-lfs"); err != nil {
		t.Skip("git-lfs is not installed")
	}
	var tree *git.Worktree
	everyUser(t, func(w *walled) {
		w.must(`git lfs install --skip-repo && git init -q . && echo '*.bin filter=lfs merge=lfs' > .gitattributes && echo 'first words' > a.bin && git add . && git commit -q -m first &&
			mkdir $HOME/.ssh $HOME/outside && echo hidden words of the user > $HOME/.ssh/id_rsa`)
		var err error
		if tree, err = git.CreateWorktree(t.Context(), w.dir, git.WorktreeOptions{Name: "own"}); err != nil {
			t.Fatal(err)
		}
	}, func(w *walled) {
		if w.uid != os.Getuid() {
			w.t.Skip("git runs as the user of the tests")
		}
		git.FilterProgram = w.l.program
		w.t.Cleanup(func() { git.FilterProgram = "" })
		file := func(path string) string {
			b, _ := os.ReadFile(path)
			return string(b)
		}
		merge := func() (string, error) {
			m, err := w.l.PlanMerge(w.t.Context(), git.WorktreeAt(tree.Path))
			if err == nil {
				_, err = m.Do(w.t.Context())
			}
			return file(filepath.Join(w.dir, "b.bin")), err
		}
		w.must("cd " + tree.Path + " && echo 'other words' > a.bin && echo 'more words' > b.bin && git add . && git commit -q -m second")
		if text, err := merge(); err != nil || text != "more words\n" {
			w.t.Errorf("a merge brings %q: %v", text, err)
		}
		w.must("git config lfs.storage " + filepath.Join(filepath.Dir(w.dir), "store"))
		if _, err := git.CreateWorktree(w.t.Context(), w.dir, git.WorktreeOptions{Name: "other"}); err == nil {
			w.t.Error("there is content that the store has not")
		}
		w.must("cp -r .git/lfs/. ../store")
		if other, err := git.CreateWorktree(w.t.Context(), w.dir, git.WorktreeOptions{Name: "other"}); err != nil || file(filepath.Join(other.Path, "b.bin")) != "more words\n" {
			w.t.Errorf("the store is elsewhere: %v", err)
		}
		w.must("git config --unset lfs.storage")
		const name = "aa00000000000000000000000000000000000000000000000000000000001234"
		w.must("cd " + tree.Path + ` && printf 'version https://git-lfs.github.com/spec/v1\noid sha256:` + name + `\nsize 25\n' > b.bin && git add b.bin && git commit -q -m third`)
		if out, err := w.inside("mkdir -p .git/lfs/objects/aa/00 && ln -s $HOME/.ssh/id_rsa .git/lfs/objects/aa/00/" + name); err != nil {
			w.t.Fatalf("%v: %s", err, out)
		}
		if text, err := merge(); err == nil || strings.Contains(text, "hidden") {
			w.t.Errorf("what is hidden is read: %q, %v", text, err)
		}
		if out, err := w.inside("rm -rf .git/lfs/objects && ln -s $HOME/outside .git/lfs/objects && echo 'wrong words' > " + filepath.Join(w.dir, "a.bin")); err != nil {
			w.t.Fatalf("%v: %s", err, out)
		}
		w.must("cd " + tree.Path + " && echo 'third words' > a.bin")
		here := git.WorktreeAt(tree.Path)
		for what, run := range map[string]func() error{
			"work":  func() error { _, err := here.Work(w.t.Context()); return err },
			"patch": func() error { _, err := here.Patch(w.t.Context()); return err },
			"merge": func() error { _, err := merge(); return err },
			"drop":  func() error { _, err := here.Drop(w.t.Context()); return err },
		} {
			err := run()
			if out, _ := w.outside("ls $HOME/outside"); out != "" || err == nil {
				w.t.Errorf("%s: %v; it has written outside: %s", what, err, out)
			}
		}
	})
}

// Where the user has Git LFS keep the contents of files, an agent that may write there leads it nowhere else.
func TestWhereGitLFSKeepsContents(t *testing.T) {
	if _, err := exec.LookPath("git-lfs"); err != nil {
		t.Skip("git-lfs is not installed")
	}
	var tree *git.Worktree
	everyUser(t, func(w *walled) {
		w.must(`git lfs install --skip-repo && git config --global merge.lfs-text.driver 'git lfs merge-driver --ancestor %O --current %A --other %B --marker-size %L --output %A' &&
			git init -q . && printf '*.bin filter=lfs merge=lfs-text\n*.look filter=look\n' > .gitattributes && printf '1\n2\n3\n4\n5\n6\n' > a.bin && echo /store > .gitignore &&
			git config lfs.storage ../store/lfs && git add . && git commit -q -m first && ls store/lfs/objects && mkdir -p $HOME/outside/lfs`)
		var err error
		if tree, err = git.CreateWorktree(t.Context(), w.dir, git.WorktreeOptions{Name: "own"}); err != nil {
			t.Fatal(err)
		}
	}, func(w *walled) {
		if out, err := w.inside("mv store moved || mv store/lfs store/moved"); err == nil {
			w.t.Errorf("the agent has moved it: %s", out)
		}
		if out, err := w.inside("echo words > a.bin && git add a.bin"); err != nil {
			w.t.Errorf("the agent cannot use it: %v: %s", err, out)
		}
		if w.uid != os.Getuid() {
			w.t.Skip("git runs as the user of the tests")
		}
		git.FilterProgram = w.l.program
		w.t.Cleanup(func() { git.FilterProgram = "" })
		w.must("git reset -q --hard && cd " + tree.Path + " && sed -i s/1/agent/ a.bin && git commit -q -a -m second && cd " + w.dir + " && sed -i s/6/user/ a.bin && git commit -q -a -m third")
		m, err := w.l.PlanMerge(w.t.Context(), git.WorktreeAt(tree.Path))
		if err == nil {
			_, err = m.Do(w.t.Context())
		}
		if out, _ := w.outside("tr '\n' ' ' < a.bin"); err != nil || out != "agent 2 3 4 5 user " {
			w.t.Errorf("its merge driver writes %q: %v", out, err)
		}
		temp, err := os.MkdirTemp("/tmp", "parley-lfs-") // which is another one in the sandbox
		if err != nil {
			w.t.Fatal(err)
		}
		w.t.Cleanup(func() { os.RemoveAll(temp) })
		root := filepath.Dir(w.dir)
		for _, c := range []struct{ what, does, fails, want string }{
			{"a link further up", "mv store moved && ln -s $HOME/outside store", "leads from " + w.dir + "/store/lfs to " + root + "/home/outside/lfs: if it is yours, set lfs.storage to where", ""},
			{"a link in its place", "git config --unset lfs.storage && rm -rf .git/lfs && ln -s $HOME/outside/lfs .git/lfs", "set lfs.storage to where it leads", ""},
			{"a link in place of its parent", "git config lfs.storage ../store/deep/lfs", "leads from " + w.dir + "/store to", ""},
			{"none yet", "git config lfs.storage " + root + "/deep/er/store", "", "oid sha256"},
			{"empty", "git config lfs.storage ''; rm .git/lfs", "", "oid sha256"},
			{"below /tmp", "touch " + temp + "/secret && git config --global filter.look.clean 'ls -A " + temp + "; : git-lfs' && git config lfs.storage " + temp + "/store", "", "+store"},
		} {
			w.must(c.does + "; cd " + tree.Path + " && echo " + c.what + " > new.bin && echo look > new.look")
			patch, err := git.WorktreeAt(tree.Path).Patch(w.t.Context())
			if (err != nil) != (c.fails != "") || err != nil && !strings.Contains(err.Error(), c.fails) || !strings.Contains(patch, c.want) || strings.Contains(patch, "+secret") {
				w.t.Errorf("%s: %v\n%s", c.what, err, patch)
			}
			if out, _ := w.outside("cd $HOME/outside && find . -type f -o -name deep"); out != "" {
				w.t.Errorf("%s: it has written outside: %s", c.what, out)
			}
		}
	})
}

// What stops a sandbox from being made says how to install one only where there is none.
func TestHintsOfTheSandbox(t *testing.T) {
	for says, installs := range map[string]bool{
		"Creating new namespace failed: Resource temporarily unavailable": false,
		"No permissions to create new namespace":                          true,
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "bwrap"), []byte("#!/bin/sh\necho 'bwrap: "+says+"' >&2\nexit 1\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		t.Setenv("PATH", dir)
		on := true
		l := &Launcher{Config: &config.Config{Sandbox: config.Sandbox{Offline: true}}, Overrides: Overrides{Sandbox: &on}, Cwd: t.TempDir()} // Landlock is offline nowhere
		err := l.CheckSandbox(nil)
		l.Close()
		hint, _ := errors.AsType[*HintError](err)
		if hint == nil || strings.Contains(hint.Hint, "Install bubblewrap") != installs || !strings.Contains(hint.Hint, "--sandbox=false") {
			t.Errorf("%s: %v; %+v", says, err, hint)
		}
	}
}

// What an agent could make in a place that counts later is made before it starts, and a link there is not followed.
func TestTheSandboxIsMadeOfNothingThatAnAgentMakes(t *testing.T) {
	program := apart.Parley(t) // sets up the sandbox
	apart.Apart(t)
	on, dir := true, filepath.Join(t.TempDir(), "project")
	store := filepath.Join(dir, "deep", "store")
	if out, err := exec.Command("sh", "-c", "git init -q "+dir+" && git -C "+dir+" config lfs.storage "+store).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	l := &Launcher{Config: &config.Config{Sandbox: config.Sandbox{Write: []string{filepath.Join(dir, "build")}}}, Overrides: Overrides{Sandbox: &on}, Cwd: dir, program: program}
	t.Cleanup(l.Close)
	if err := l.CheckSandbox(nil); errors.Is(err, sandbox.ErrUnavailable) {
		t.Skip(err)
	} else if err != nil {
		t.Fatal(err)
	}
	for _, made := range []string{config.DataDir(), config.CacheDir(), store} {
		if info, err := os.Stat(made); err != nil || !info.IsDir() {
			t.Errorf("%s: %v", made, err)
		}
	}
	if err := os.Symlink(os.Getenv("HOME"), filepath.Join(dir, "build")); err != nil {
		t.Fatal(err)
	}
	err := l.CheckSandbox(nil)
	if hint, _ := errors.AsType[*HintError](err); hint == nil || !strings.Contains(hint.Hint, "name where it leads in sandbox_write") {
		t.Errorf("with a link: %v; %+v", err, hint)
	}
}

// Where agents are to be in a sandbox, no filter runs outside of one. A merge driver writes in the work tree, not in .git.
func TestFiltersRunInTheSandboxOfAgents(t *testing.T) {
	program := apart.Parley(t) // sets up the sandbox
	apart.Apart(t)
	dir := t.TempDir()
	t.Chdir(dir)
	if err := os.Mkdir(".git", 0o700); err != nil {
		t.Fatal(err)
	}
	l := &Launcher{Config: &config.Config{}, program: program}
	t.Cleanup(l.Close)
	repository := t.TempDir() // as of a worktree
	err := l.RunFilter(t.Context(), repository, []string{"."}, "touch made .git/made")
	if _, is := errors.AsType[*exec.ExitError](err); err != nil && !is {
		t.Skipf("no sandbox works here: %v", err)
	}
	if _, made := os.Stat("made"); err == nil || made != nil {
		t.Errorf("a merge driver has written .git (%v), or not the work tree: %v", err, made)
	}
	if real, err := exec.LookPath("bwrap"); err == nil { // that fails at first, as where a socket goes that it hides
		once := t.TempDir()
		script := "#!/bin/sh\ncase \"$*\" in *'echo >&3'*) mkdir " + once + "/failed && exit 1; esac\nexec " + real + " \"$@\"\n"
		if err := os.WriteFile(filepath.Join(once, "bwrap"), []byte(script), 0o700); err != nil {
			t.Fatal(err)
		}
		path := os.Getenv("PATH")
		t.Setenv("PATH", once+":"+path)
		if err := l.RunFilter(t.Context(), repository, nil, "true"); err != nil || os.Remove(filepath.Join(once, "failed")) != nil {
			t.Errorf("it is not tried again: %v", err)
		}
		t.Setenv("PATH", path)
	}
	bin := t.TempDir() // with a bubblewrap that may not do it; Landlock is offline nowhere
	if err := os.WriteFile(filepath.Join(bin, "bwrap"), []byte("#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	for name, c := range map[string]config.Config{
		"none":      {},
		"all":       {Sandbox: config.Sandbox{On: true}},
		"one agent": {Agents: []config.Agent{{ID: "a", Sandbox: config.AgentSandbox{On: true, Set: true}}}},
	} {
		c.Sandbox.Offline = true
		l := &Launcher{Config: &c, program: program}
		err := l.RunFilter(t.Context(), repository, nil, "true")
		if (err != nil) != (name != "none") {
			t.Errorf("sandboxed: %s: %v", name, err)
		}
		l.Close()
	}
}

// An agent leads the repositories of submodules to no other objects, neither in the repository nor in a worktree.
func TestRepositoriesOfSubmodulesInTheSandbox(t *testing.T) {
	const list = "objects/info/alternates"
	everyUser(t, func(w *walled) {
		w.must(`git init -q ../lib && git -C ../lib commit -q --allow-empty -m lib && git init -q . && git -c protocol.file.allow=always submodule --quiet add "$PWD/../lib" a/lib &&
			git commit -q -m first && M=.git/modules/a/lib && mkdir -p $M/modules && cp -r ../lib/.git $M/modules/deep && touch $M/` + list + `-old && git worktree add -q ../project.worktrees/own`)
	}, func(w *walled) {
		script := `M=` + filepath.Join(w.dir, ".git", "modules") + `
			for R in $M/a/lib $M/a/lib/modules/deep $M/new; do mkdir -p $R/objects/info; echo /x > $R/` + list + `; ln -sf /x $R/` + list + `; done
			ln $M/a/lib/` + list + `-old linked && echo /x > linked
			mkdir -p evil/objects/info; echo /x > evil/` + list + `; mv $M moved; mv $M/a moved; mv $M/a/lib moved; mv evil $M/b; ln -s $PWD/evil $M/c
			git -c protocol.file.allow=always submodule --quiet add --reference ` + filepath.Dir(w.dir) + `/lib ` + filepath.Dir(w.dir) + `/lib another; true`
		state := "cd .git/modules && find . -type f -exec sha1sum {} + ; find . | sort"
		before, _ := w.outside(state)
		_, _ = w.inside(script)
		box, err := w.l.sandbox(config.Agent{}, []string{filepath.Join(filepath.Dir(w.dir), "project.worktrees", "own")})
		if err != nil {
			w.t.Fatal(err)
		}
		name, args := box.Command("sh", []string{"-c", "cd ../project.worktrees/own; " + script})
		_, _ = w.run(name, args)
		w.l.Close()
		if after, _ := w.outside(state); after != before || !strings.Contains(before, "deep/HEAD") {
			w.t.Errorf("the repositories were\n%s\nand are\n%s", before, after)
		}
	})
}

// A .git that can be replaced is refused.
func TestRefusesALinkedRepository(t *testing.T) {
	dir, run := apart.New(t, map[string]string{"poem.txt": "poem\n"})
	_ = run
	if err := os.Rename(filepath.Join(dir, ".git"), filepath.Join(dir, "repository")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("repository", filepath.Join(dir, ".git")); err != nil {
		t.Fatal(err)
	}
	on := true
	l := &Launcher{Config: &config.Config{}, Overrides: Overrides{Sandbox: &on}, Cwd: dir, program: apart.Parley(t)}
	defer l.Close()
	if err := l.CheckSandbox(nil); err == nil || !strings.Contains(err.Error(), "symbolic link") {
		t.Errorf("got %v", err)
	}
}

// parley's own directories are hidden in every sandbox, even if nothing was in them before,
// whatever sandbox_hide says, and wherever they are.
func TestHidesWhatIsParleysOwn(t *testing.T) {
	program := apart.Parley(t) // sets up the sandbox
	withoutBubblewrap := without(t, "bwrap")
	for _, backend := range []string{"bubblewrap", "Landlock"} {
		for name, c := range map[string]struct {
			hide config.Sandbox
			run  string // of XDG_RUNTIME_DIR, in the home directory
		}{
			"by default":           {config.Sandbox{}, "run"},
			"sandbox_hide":         {config.Sandbox{Hide: []string{}, HideSet: true}, "run"},
			"without XDG_RUNTIME":  {config.Sandbox{Hide: []string{}, HideSet: true}, ""},
			"in the project":       {config.Sandbox{Hide: []string{}, HideSet: true}, "project/run"},
			"settings in the tree": {config.Sandbox{Hide: []string{}, HideSet: true}, "run"},
		} {
			t.Run(backend+"/"+name, func(t *testing.T) {
				apart.Apart(t)
				root, err := os.MkdirTemp("/var/tmp", "parley-own-") // /tmp is another one in the sandbox
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { os.RemoveAll(root) })
				t.Setenv("HOME", root)
				for _, v := range []string{"XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME"} {
					t.Setenv(v, "")
				}
				if t.Setenv("XDG_RUNTIME_DIR", ""); c.run != "" {
					t.Setenv("XDG_RUNTIME_DIR", filepath.Join(root, c.run))
				}
				if backend == "Landlock" {
					t.Setenv("PATH", withoutBubblewrap)
				}
				project := filepath.Join(root, "project")
				secrets := []string{filepath.Join(config.StateDir(), "secret"), config.ConfigFile(), filepath.Join(config.RunDir(), "secret")}
				if name == "settings in the tree" {
					if err := os.MkdirAll(filepath.Join(project, "settings"), 0o755); err != nil {
						t.Fatal(err)
					}
					if err := os.MkdirAll(filepath.Dir(config.ConfigFile()), 0o755); err != nil {
						t.Fatal(err)
					}
					if err := os.WriteFile(filepath.Join(project, "settings", "config.toml"), nil, 0o600); err != nil {
						t.Fatal(err)
					}
					if err := os.Symlink(filepath.Join(project, "settings", "config.toml"), config.ConfigFile()); err != nil {
						t.Fatal(err)
					}
					secrets = append(secrets, filepath.Join(project, "settings", "config.toml"))
				}
				if err := os.MkdirAll(filepath.Join(project, "src"), 0o755); err != nil {
					t.Fatal(err)
				}
				on := true
				l := &Launcher{Config: &config.Config{Sandbox: c.hide}, Overrides: Overrides{Sandbox: &on}, Cwd: project, program: program}
				t.Cleanup(l.Close)
				box, err := l.sandbox(config.Agent{}, []string{project})
				if err != nil {
					t.Skipf("there is no sandbox here: %v", err)
				}
				if box.Name != backend {
					t.Skipf("%s does not work here", backend)
				}
				inside := func(script string) (string, error) {
					name, args := box.Command("sh", []string{"-c", script})
					cmd := exec.Command(name, args...)
					cmd.Dir = project
					out, err := cmd.CombinedOutput()
					return string(out), err
				}
				for _, secret := range secrets {
					if err := os.WriteFile(secret, []byte("secret\n"), 0o666); err != nil {
						t.Fatal(err)
					}
					out, _ := inside("grep secret " + secret + " && echo read; echo new > " + secret + "; mv " + filepath.Dir(secret) + " taken; rm -f " + secret)
					if strings.Contains(out, "read\n") {
						t.Errorf("the agent reads %s: %s", secret, out)
					}
					if text, err := os.ReadFile(secret); string(text) != "secret\n" {
						t.Errorf("%s has %q, %v", secret, text, err)
					}
				}
				if out, err := inside("echo new > src/file && grep new src/file"); err != nil {
					t.Errorf("in the project: %v: %s", err, out)
				}
				if _, err := inside("echo new > file"); (err != nil) != strings.Contains(box.Lack, "creates nothing in "+project) {
					t.Errorf("a new file in the project: %v; it is told %q", err, box.Lack)
				}
			})
		}
	}
}

// without returns a PATH on which everything is but a program.
func without(t *testing.T, program string) string {
	t.Helper()
	dir := t.TempDir()
	for _, from := range filepath.SplitList(os.Getenv("PATH")) {
		entries, _ := os.ReadDir(from)
		for _, e := range entries {
			if e.Name() != program {
				_ = os.Symlink(filepath.Join(from, e.Name()), filepath.Join(dir, e.Name())) // the first one counts
			}
		}
	}
	return dir
}

// An agent may not work in what is parley's own.
func TestRefusesToWorkInWhatIsParleysOwn(t *testing.T) {
	program := apart.Parley(t)
	apart.Apart(t)
	on := true
	for _, dir := range config.PrivatePaths() {
		l := &Launcher{Config: &config.Config{}, Overrides: Overrides{Sandbox: &on}, Cwd: dir, program: program}
		err := l.CheckSandbox(nil)
		if h, ok := errors.AsType[*HintError](err); !ok || !strings.Contains(err.Error(), "parley's own") || !strings.Contains(h.Hint, "--sandbox=false") {
			t.Errorf("%s: %v", dir, err)
		}
		l.Close()
	}
}

// An agent's program or script that the sandbox hides is named before it is started.
func TestSaysThatTheSandboxHidesTheAgent(t *testing.T) {
	dir, err := os.MkdirTemp("/tmp", "parley-agent-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	script := filepath.Join(dir, "agent.js")
	if err := os.WriteFile(script, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	everyUser(t, func(*walled) {}, func(w *walled) {
		for _, a := range []config.Agent{{Command: script}, {Command: "sh", Args: []string{script}}, {Command: "sh", Args: []string{"agent.js"}, Cwd: dir}} {
			_, _, err := commandOf(a, w.box, w.dir)
			if err == nil || !strings.Contains(err.Error(), "the sandbox hides "+script) {
				w.t.Errorf("%+v: %v", a, err)
			}
		}
		if _, _, err := commandOf(config.Agent{Command: "sh", Args: []string{"-c", "true", "/tmp"}}, w.box, w.dir); err != nil {
			w.t.Error(err)
		}
	})
}

// Where only Landlock works, it is said what it cannot do.
func TestSaysWhatLandlockCannotDo(t *testing.T) {
	program := apart.Parley(t)
	apart.Apart(t)
	t.Setenv("PATH", t.TempDir()) // there is no bubblewrap
	on := true
	l := &Launcher{Config: &config.Config{}, Overrides: Overrides{Sandbox: &on}, Cwd: t.TempDir(), program: program}
	defer l.Close()
	box, err := l.sandbox(config.Agent{}, []string{l.Cwd})
	if err != nil {
		t.Skipf("Landlock does not work here: %v", err)
	}
	if want := "sandbox (Landlock: hides only parley's own files, does not guard .git)"; boundsText(box, config.Sandbox{}) != want {
		t.Errorf("the status line says %q, want %q", boundsText(box, config.Sandbox{}), want)
	}
}
