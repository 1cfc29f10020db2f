//go:build unix

package rules

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"parley/acpclient"
	"parley/config"
	"parley/internal/conversation"
	"parley/internal/policy"
	"parley/internal/session"
)

// What a command names by a list, a pattern, an option or a folder counts as if it named
// the files.
func TestCommandsThatNameFilesIndirectly(t *testing.T) {
	dir := project(t, "", "opts", "src/a.go", "src/b", "ca/x", "cb/x", "conf/credentials.json", "keys/deep/server.pem", "web/.env", "web/a", "old/.env", "old/a", "empty",
		"main.go", "Makefile", "cover.out", "tool")
	repository(t, dir)
	write := func(name, text string) { must(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644)) }
	write("main.go", "package main\n")
	write("Makefile", "all:\n")
	write("cover.out", "mode: set\n")
	write("tool", "\x7fELF\x02")
	write("old/.ignore", "# all but this\n!.env*\n")
	must(t, syscall.Mkfifo(filepath.Join(dir, "fifo"), 0o600))
	must(t, os.Symlink("src", filepath.Join(dir, "link")))
	must(t, os.Symlink("keys", filepath.Join(dir, "src", "keys"))) // no program here follows it

	var lines []string
	for _, program := range []string{"strings", "diff", "git diff", "git log", "git show", "git add", "git status", "git ls-files", "git blame", "rg", "cat", "head", "ls", "find", "du", "go build", "go test", "gofmt", "touch", "stat", "pytest", "grep", "git remote", "cd"} {
		lines = append(lines, "allow execute("+program+" *)")
	}
	b := open(t, dir, NewStore(t.TempDir()), lines...)
	for want, commands := range map[policy.Verdict][]string{
		policy.Ask: {
			"strings @opts", "strings -a @opts", "strings -- @opts", "pytest @opts", "pytest -q @opts",
			"diff ca cb", "diff ca main.go", "diff main.go cb", "diff -u ./ca/ cb", "diff link cb",
			"git diff '.en?'", `git diff '\.env'`, "git diff HEAD '.en[v]'", "git log '.en?'", "git log -p -- '*nv'", "git show HEAD -- '.e*'", "git add '.en?'", "git add ':(glob)**'", "git add ':/'", "git add ':!x'", "git status ':(top).env'", "git ls-files '.e*'", "git blame '.en?'",
			"git add .", "git add -A", "git add --all", "git add conf", "git add -v keys src", "git add web",
			"rg KEY", "rg -e KEY", "rg -e KEY conf", "rg KEY keys", "rg KEY src keys", "rg KEY .", "rg --files", "cd keys && rg KEY", "rg KEY old", "cd old && rg KEY", "rg KEY web/.env", "rg KEY; cat src/b | rg x",
			"cat .git/config", "head -5 .git/config", "grep url .git/config", "git remote -v",
			"go build -o=Makefile", "go build -o main.go ./src", "go test -coverprofile=main.go", "go test -coverprofile Makefile ./...",
			"cat fifo", "head -1 fifo", "diff main.go fifo", "rg x fifo", "go test -coverprofile=fifo", "cat src/b fifo", "touch fifo",
		},
		policy.Allow: {
			"strings opts", "strings -n 5 tool", "pytest -q src", "diff main.go Makefile", "diff -u ca/x cb/x", "git diff", "git diff src", "git show HEAD:main.go", "git status src", "git add main.go", "git add src", "git add -v src/a.go ca",
			"rg KEY src", "rg -e KEY src ca", "rg -e KEY -e x main.go", "rg KEY web", "cd src && rg KEY", "cat src/b | rg KEY", "rg KEY link", "cat main.go", "ls fifo", "ls -R", "stat fifo", "find . -type p", "du -a", "ls conf",
			"go build -o=tool", "go build -o new ./src", "go build -o empty", "go test -coverprofile=cover.out", "go test -coverprofile=fresh.out", "gofmt -l .", "gofmt -w main.go", "touch main.go", "git remote",
		},
	} {
		for _, command := range commands {
			if r := judge(b, "execute", fmt.Sprintf(`{"command":%q}`, command)); r.Verdict != want {
				t.Errorf("%s: %s (%s), want %s", command, r.Verdict, r.Why, want)
			}
		}
	}
}

// git takes in no file that it ignores.
func TestAddingLeavesIgnoredFilesAlone(t *testing.T) {
	dir := project(t, "", "a", ".env", "sub/key.pem")
	if out, err := exec.Command("git", "-C", dir, "init", "-q").CombinedOutput(); err != nil {
		t.Skipf("git: %v %s", err, out)
	}
	b := open(t, dir, NewStore(t.TempDir()), "allow execute(git add *)")
	for _, c := range []struct {
		ignored string
		want    policy.Verdict
	}{{"", policy.Ask}, {".env\n", policy.Ask}, {".env\n*.pem\n", policy.Allow}, {".env\n*.pem\n!key.pem\n", policy.Ask}} {
		must(t, os.WriteFile(filepath.Join(dir, ".gitignore"), []byte(c.ignored), 0o644))
		if r := judge(b, "execute", `{"command":"git add -A"}`); r.Verdict != c.want {
			t.Errorf("%q is ignored: %+v", c.ignored, r)
		}
	}
}

// A folder with more files than parley looks through is asked about.
func TestAFolderOfManyFilesIsAskedAbout(t *testing.T) {
	dir := project(t, "")
	for i := range 30 {
		must(t, os.MkdirAll(filepath.Join(dir, "many", fmt.Sprint(i), "x"), 0o755))
	}
	b := open(t, dir, NewStore(t.TempDir()), "allow execute(rg *)")
	b.places.mostSearched = 60
	if r := judge(b, "execute", `{"command":"rg x"}`); r.Verdict != policy.Ask || !strings.Contains(r.Why, "too many files") {
		t.Errorf("%+v", r)
	}
	if r := judge(b, "execute", `{"command":"rg x many"}`); r.Verdict != policy.Allow {
		t.Errorf("%+v", r)
	}
}

// BenchmarkRuleOverATree judges a search of 1,000 and of 10,000 files.
func BenchmarkRuleOverATree(b *testing.B) {
	for _, files := range []int{1000, 10_000} {
		dir := b.TempDir()
		for i := range files {
			path := filepath.Join(dir, fmt.Sprint(i%100), fmt.Sprintf("file-%d.go", i))
			if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, nil, 0o644)); err != nil {
				b.Fatal(err)
			}
		}
		sensitive, err := SensitiveFiles(config.Files{}, nil)
		if err != nil {
			b.Fatal(err)
		}
		p := newPlaces(dir, nil, sensitive)
		b.Run(fmt.Sprint(files), func(b *testing.B) {
			for b.Loop() {
				if found, ok := p.search(".", policy.SearchVisible, nil); found != "" || !ok {
					b.Fatal(found, ok)
				}
			}
		})
	}
}

// repository makes a repository of a directory, and returns a function that runs git in it.
func repository(t *testing.T, dir string) func(args ...string) {
	t.Helper()
	run := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-c", "user.name=n", "-c", "user.email=e@x", "-c", "commit.gpgsign=false"}, args...)...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	run("init", "-q", "-b", "main")
	return run
}

// A command of git that shows what is in files is allowed only for files of the working tree
// that git knows, and if none of them is sensitive.
func TestWhatGitShows(t *testing.T) {
	dir := project(t, "", "main.go", "src/a.go", "sub/.env", "sub/b.go", "gone/key.pem")
	git := repository(t, dir)
	git("add", "main.go", "src", "gone")
	git("commit", "-qm", "before")
	var lines []string
	for _, command := range []string{"diff", "log", "show", "status", "commit", "branch", "tag"} {
		lines = append(lines, "allow execute(git "+command+" *)")
	}
	b := open(t, dir, NewStore(t.TempDir()), lines...)
	check := func(want policy.Verdict, commands ...string) {
		t.Helper()
		for _, command := range commands {
			if r := judge(b, "execute", fmt.Sprintf(`{"command":%q}`, command)); r.Verdict != want {
				t.Errorf("%s: %s (%s), want %s", command, r.Verdict, r.Why, want)
			}
		}
	}
	must(t, os.Remove(filepath.Join(dir, "gone", "key.pem"))) // git diff shows what was in it
	check(policy.Ask, "git diff", "git diff gone", "git diff -- gone", "git diff .")
	git("rm", "-q", "gone/key.pem")
	check(policy.Allow, "git diff", "git diff src", "git diff -- sub", "git diff --stat", "git diff --stat HEAD~1", "git diff --name-only a b", "git log", "git log --stat", "git log --name-only -- sub",
		"git show --stat HEAD", "git show -s HEAD", "git show HEAD:main.go", "git status", "git status -s", "git commit -m x",
		"git log --format=%h", "git log --pretty=oneline", "git log --pretty", "git branch --format='%(refname)'", "git tag --sort=-creatordate")
	check(policy.Ask, "git log -p", "git log -p -- src", "git log -U1", "git log --patch", "git log -p -s", "git log --stat -p", "git show", "git show HEAD", "git show HEAD -- src", "git show --stat -p HEAD", "git show HEAD:sub/.env", "git show HEAD:src", "git show HEAD:main.go HEAD",
		"git diff HEAD", "git diff HEAD -- src", "git diff --cached", "git diff --stat -p HEAD", "git diff HEAD:src HEAD~1:src", "git diff --word-diff --stat HEAD", "git status -v", "git commit -v")
	git("add", "sub/.env")
	check(policy.Ask, "git diff", "git diff sub", "git diff -- ./sub/")
	check(policy.Allow, "git diff src", "git diff --stat")
	// Signatures are checked by the program that the configuration names.
	check(policy.Ask, "git log --format=%G?", "git log --pretty=format:%h%GG", "git show -s --format='%+GS'", "git show -s --pretty=%-GK", "git branch --format='%(signature)'", "git branch --sort=signature", "git tag --format='%(signature:grade)'", "git tag --format='%(raw)'")

	other := project(t, "", ".git/HEAD")
	if r := judge(open(t, other, NewStore(t.TempDir()), lines...), "execute", `{"command":"git diff"}`); r.Verdict != policy.Ask {
		t.Errorf("without a repository: %s", r.Verdict)
	}
}

// A rule that denies holds a folder with such a file, and git that knows one, also where other
// rules allow the search or the command. What it is not about stays allowed.
func TestWhatHoldsADeniedFileIsAskedAbout(t *testing.T) {
	dir := project(t, "", "keys/denied", "src/a", "src/.hidden", "linked/a", ".gitignore")
	outside := filepath.Join(t.TempDir(), "denied")
	must(t, os.WriteFile(outside, []byte("x\n"), 0o600))
	must(t, os.Symlink(outside, filepath.Join(dir, "linked", "link")))
	must(t, os.WriteFile(filepath.Join(dir, "keys", "denied"), []byte("y\n"), 0o600))
	run := repository(t, dir)
	run("init", "-q")
	run("add", "-A")
	run("commit", "-qm", "x")
	b := open(t, dir, NewStore(t.TempDir()), "allow search", "allow read", "allow execute(rg *)", "allow execute(git log *)", "allow execute(git diff *)", "allow execute(git show *)", "deny read(keys/denied)", "deny read(src/.hidden)")
	for what, want := range map[string]policy.Verdict{".": policy.Ask, "linked/a": policy.Allow} {
		linked := open(t, dir, NewStore(t.TempDir()), "allow search", "deny read("+outside+")")
		if r := judge(linked, "search", `{"path":"`+filepath.Join(dir, what)+`"}`); r.Verdict != want {
			t.Errorf("a search in %s, with a link to what is denied: %+v", what, r)
		}
	}
	path := func(name string) string { return `{"path":"` + filepath.Join(dir, name) + `"}` }
	command := func(line string) string { return `{"command":"` + line + `"}` }
	for _, c := range []struct {
		kind  acpclient.ToolKind
		input string
		want  policy.Verdict
	}{
		{"search", path("."), policy.Ask},
		{"search", path("keys"), policy.Ask},
		{"search", path("keys/denied"), policy.Deny},
		{"search", path("src"), policy.Ask},
		{"search", path("linked/a"), policy.Allow},
		{"read", path("."), policy.Ask},
		{"read", path("src/a"), policy.Allow},
		{"execute", command("rg x"), policy.Ask},
		{"execute", command("rg x src"), policy.Allow}, // which leaves out hidden files
		{"execute", command("git log -p"), policy.Ask},
		{"execute", command("git log"), policy.Allow},
		{"execute", command("git diff --cached"), policy.Ask},
		{"execute", command("git show HEAD"), policy.Ask},
		{"execute", command("git diff src/a"), policy.Allow},
	} {
		if r := judge(b, c.kind, c.input); r.Verdict != c.want || r.Verdict == policy.Ask && r.Why == "" {
			t.Errorf("%s %s: %+v, want %s", c.kind, c.input, r, c.want)
		}
	}
	// What parley runs for the agent has no other question.
	for line, want := range map[string]policy.Verdict{
		"grep -r x .": policy.Ask, "grep -r x ..": policy.Ask, "cat k*/d*": policy.Ask, "cat " + filepath.Dir(dir) + "/*/keys/denied": policy.Ask, "cat $PWD/keys/denied": policy.Ask, "git diff": policy.Ask,
		"cat src/a*": 0, "ls -R": 0, "git status": 0, "go test ./...": 0, "cat keys/denied": policy.Deny,
	} {
		call := &conversation.ToolCall{Kind: "execute", RawInput: []byte(command(line))}
		if r := b.Judge(t.Context(), session.Case{Call: call, Unasked: true}); r.Verdict != want {
			t.Errorf("%s: %+v, want %s", line, r, want)
		}
		if r := b.Judge(t.Context(), session.Case{Call: call, Unasked: true, Done: true}); (r.Verdict == policy.Deny) != (want == policy.Deny) || r.Verdict == policy.Ask {
			t.Errorf("%s is done: %+v", line, r)
		}
	}
}

// What a command reaches through links counts, also where a pattern, a process or CDPATH leads to
// them: a file that a link leads to, and a program by every name on the way to it.
func TestLinksInCommandsAreFollowed(t *testing.T) {
	dir := project(t, "", "secret", "locked", "src/a.go", "lnk2/a", "x/a", "bin/a")
	for link, to := range map[string]string{
		"slink": "secret", "klink": "locked", "dlink": ".", "x/lnk2": dir, "x/up": "..", "src/ok": "a.go", "proc": "/proc", "own": "/proc/self/cwd", "s2": "slink",
		"tool2": "bin/tool", "bin/tool": "/bin/rm.real", "bin/rm": "/bin/odd", "chain": "bin/rm", "bin/foo": "/bin/rm", "bin/ls": "/bin/rm", "bin/ok": "/bin/other",
	} {
		must(t, os.Symlink(to, filepath.Join(dir, link)))
	}
	b := open(t, dir, NewStore(t.TempDir()), "deny read(secret)", "deny edit(locked)", "deny execute(rm *)")
	t.Chdir(t.TempDir())
	for want, commands := range map[policy.Verdict][]string{
		policy.Deny: {"cat slink", "cat s2", "cat dlink/secret", "cat x/up/secret", "./chain y", "bin/foo y", "hash -p bin/foo foo; foo y", "env -C bin ./foo y", "env --chdir=bin ./foo y", "env -Cbin ./foo y", "pushd bin; ./foo y", "cd bin && ../chain y", "cd $X; bin/foo y"},
		policy.Ask: {
			"cat sl*", "cat */secret", "cat ?link/secret", "cat [d]link/s*", "cat {y,dlink}/secret", "cat x/*/s*", "cat < sl*", "cat $PWD/slink", "cat ~+/dlink/secret", "cd x && cat */secret", "rg x d*", "strange sl*", "cd /proc/self/cwd && cat secret",
			"cat /dev/fd/../cwd/secret", "cat /dev/fd/../../self/cwd/secret", "cat /dev/fd/../root" + dir + "/secret", "cat /dev/stdin/../../cwd/secret", "cat /proc/$$/cwd/secret", "cat /proc/$PPID/cwd/secret", "cat /proc/*/cwd/secret", "cat /proc/self/cwd/secret", "cat /proc/self/cwd/s*", "cat own/secret", "cat proc/self/cwd/secret", "cd /dev/fd/..; cat cwd/secret",
			"CDPATH=x; export CDPATH; cd lnk2 && cat s*", "export CDPATH=x; cd /; cd lnk2 && cat s*", "export CD'PATH'=x; sh -c 'cd " + dir + "; cd lnk2 && cat s*'", "CDPATH=x cd lnk2; cat s*",
			"tee kl*", "echo > kl*", "sed -i s/a/b/ */locked", "truncate -s 1 d*/locked", "rm2 d*/locked", "tee {y,dlink}/locked", "tee /dev/fd/../cwd/locked", "echo > /proc/$$/cwd/locked", "dd of=/dev/fd/../cwd/locked",
			"PATH=bin foo y", "PATH=$PWD/bin:$PATH foo y", "export PATH=bin; foo y", "export PATH=bin; ls y", "env -i PATH=bin foo y", "env PATH=$X foo y", "export PATH=$X; foo y", "~+/chain y", "$PWD/bin/foo y", "git -c alias.x='!./chain y' x", "GIT_PAGER='./chain y' git log", "alias x=bin/foo; x y",
		},
		0: {
			"cat src/*", "cat src/ok", "cat s*/a.go", "cat */a.go", "cat x/*", "cat $X/a.go", "cat ~/x/a.go", "cat /proc/cpuinfo", "cat /proc/self/status", "cat /proc/$$/status", "diff <(ls x) <(ls src)", "echo x > /dev/stderr", "ls *", "tee src/b", "cd x && cat a", "cd $X && cd src && cat a.go",
			"PATH=$PATH:/y make", "PATH=bin ok y", "export PATH=$PATH:$HOME/go/bin; go test ./...", "export PATH=/usr/bin:$PATH && make", "env PATH=$PATH:/y make", "env PATH=\"$HOME/go/bin:$PATH\" make", "bin/ok y", "~/bin/ok y", "env -C src make", "pushd src && make && popd", "grep 'PATH=$X' src/a.go", "python3 src/x.py",
		},
	} {
		for _, command := range commands {
			call := &conversation.ToolCall{Kind: "execute", RawInput: []byte(fmt.Sprintf(`{"command":%q}`, command))}
			if r := b.Judge(t.Context(), session.Case{Call: call, Unasked: true}); r.Verdict != want {
				t.Errorf("%s: %+v, want %s", command, r, want)
			}
		}
	}
	call := &conversation.ToolCall{Kind: "execute", RawInput: []byte(`{"command":"cd lnk2 && cat s*","env":{"CDPATH":"x"}}`)}
	if r := b.Judge(t.Context(), session.Case{Call: call, Unasked: true}); r.Verdict != policy.Ask {
		t.Errorf("a variable of the call: %+v", r)
	}
}
