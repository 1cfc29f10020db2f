package policy_test

import (
	"path"
	"strings"
	"testing"

	"parley/internal/policy"
)

// tree is a session's directory for tests: its files by path, with what they are.
type tree map[string]policy.Path

func (files tree) resolve(name string) policy.Path {
	p := resolve(name)
	like, exists := files[p.Name]
	p.Folder, p.Special, p.Content = like.Folder, like.Special, like.Content
	for file := range files {
		p.Folder = p.Folder || p.Name == "." || strings.HasPrefix(file, p.Name+"/")
	}
	p.Exists, p.Above = exists || p.Folder || p.Name == ".git", p.Name == "/"
	return p
}

// search finds sensitive files; below "big" there are too many.
func (files tree) search(dir string, how policy.SearchMode, about func(policy.Path) bool) (string, bool) {
	dir = resolve(dir).Name
	for file := range files {
		below := dir == "." || strings.HasPrefix(file, dir+"/")
		hidden := how == policy.SearchVisible && strings.HasPrefix(path.Base(file), ".")
		matches := resolve(file).Secret != ""
		if about != nil {
			matches = about(resolve(file))
		}
		if below && !hidden && matches {
			return file, true
		}
	}
	return "", dir != "big"
}

// TestWordsThatStandForFiles: files that a command reaches by a folder, a pattern or a list
// count, and no file is lost or waited for.
func TestWordsThatStandForFiles(t *testing.T) {
	files := tree{"src/a.go": {}, "keys/server.pem": {}, "web/.env": {}, "big/x": {}, "main.go": {Content: true}, "cover.out": {}, "fifo": {Special: true}}
	var lines []string
	for _, program := range []string{"strings", "diff", "git", "git diff", "git log", "git add", "git status", "git ls-files", "rg", "cat", "ls", "stat", "touch", "go build", "go test", "gofmt", "pytest", "cd"} {
		lines = append(lines, "allow execute("+program+" *)")
	}
	set := rules(t, lines...)
	decide := func(command string, search func(string, policy.SearchMode, func(policy.Path) bool) (string, bool)) policy.Decision {
		return policy.Compile(set).Decide(policy.Request{Kind: policy.Execute, Command: command, Resolve: files.resolve, Search: search})
	}
	for command, why := range map[string]string{
		"strings @opts": "more words", "strings -a -- @opts": "more words", "pytest @opts": "more words",
		"diff src keys": "files in src", "diff main.go src": "files in src",
		"git diff '.en?'": "harmless", `git log '\.env'`: "harmless", "git diff '[.]env'": "harmless", "git add '.e*'": "harmless", "git add ':/x'": "harmless", "git status ':!x'": "harmless", "git ls-files '*nv'": "harmless",
		"rg x": "server.pem", "rg -e x": "server.pem", "rg x keys": "server.pem", "rg x src keys": "server.pem", "cd keys && rg x": "server.pem", "rg x big": "too many",
		"git add -A": "sensitive", "git add .": "sensitive", "git add web": "web/.env", "git add src web": "web/.env",
		"cat fifo": "regular", "rg x fifo": "regular", "touch fifo": "regular", "go test -coverprofile=fifo": "regular", "diff main.go fifo": "regular",
		"go build -o=main.go": "overwritten", "go test -coverprofile main.go": "overwritten", "gofmt -w .git/x.go": "sensitive", "touch conftest.py": "sensitive",
	} {
		if d := decide(command, files.search); d.Verdict != ask || !strings.Contains(d.Why, why) {
			t.Errorf("%s: %s (%s), want a question because of %q", command, d.Verdict, d.Why, why)
		}
	}
	for _, command := range []string{
		"strings opts", "diff main.go cover.out", "git diff src", "git log HEAD~1 -- main.go", "git add src", "git add main.go", "git status src", "rg x src", "rg x web", "rg x main.go", "cat keys/x | rg x",
		"cat main.go", "ls fifo", "stat fifo", "ls keys", "touch main.go", "gofmt -w main.go src", "go build -o=cover.out", "go test -coverprofile=cover.out",
	} {
		if d := decide(command, files.search); d.Verdict != allow {
			t.Errorf("%s: %s (%s)", command, d.Verdict, d.Why)
		}
	}
	if d := decide("rg x src", nil); d.Verdict != ask {
		t.Errorf("a folder that nobody can look into: %s by %v", d.Verdict, d.Rule)
	}
}

// TestBoundsOfCommands: what is beyond a bound is asked about, or denied as if it were in
// there.
func TestBoundsOfCommands(t *testing.T) {
	set := rules(t, "allow execute(echo *)", "allow execute(ls *)", "allow execute(uname *)", "allow execute(go vet ./...)", "deny execute(rm *)")
	decide := func(command, dir string) policy.Verdict {
		return policy.Compile(set).Decide(policy.Request{Kind: policy.Execute, Command: command, Dir: dir, Resolve: resolve}).Verdict
	}
	if v := decide("echo "+strings.Repeat("x", 60<<10), ""); v != allow {
		t.Errorf("a long command: %s", v)
	}
	if v := decide("echo "+strings.Repeat("x", 64<<10), ""); v != ask {
		t.Errorf("a command that is too long: %s", v)
	}
	if v := decide(strings.Repeat("sudo ", 600)+"rm x", ""); v != deny {
		t.Errorf("a denied program behind many others: %s", v)
	}
	for _, dir := range []string{"/tmp", "..", "~", "$HOME"} {
		if v := decide("uname -a", dir); v != ask {
			t.Errorf("in %s: %s", dir, v)
		}
	}
	if v := decide("cd $X; uname -a", ""); v != ask {
		t.Errorf("in an unknown directory: %s", v)
	}
}
