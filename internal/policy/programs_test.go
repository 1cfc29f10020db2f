package policy_test

import (
	"strings"
	"testing"

	"parley/internal/policy"
)

// broad are rules with a star, as people write them for many programs.
func broad(t testing.TB) []policy.Rule {
	var lines []string
	for _, program := range []string{
		"sed", "cat", "head", "tail", "test", "make test", "go", "go test", "go env", "tar", "git", "git clone", "git grep", "git diff", "git config", "curl", "gcc", "sort", "uniq", "find",
		"rg", "grep", "diff", "wc", "npm", "npm run lint", "npx", "uvx", "docker run", "python", "bash", "env", "xargs", "cargo", "pytest", "touch", "mkdir", "cp", "mv", "rm", "ln", "awk",
		"perl", "printf", "date", "du", "cd", "echo", "ls", "tree", "fd", "gofmt", "./tool", "tee", "git log", "git status", "git show", "git branch", "jq",
	} {
		lines = append(lines, "allow execute("+program+" *)")
	}
	return rules(t, lines...)
}

// TestOptionsOfPrograms: under rules with a star, a program runs no other one, and uses
// no file outside the session's directories and no sensitive one.
func TestOptionsOfPrograms(t *testing.T) {
	set := broad(t)
	decide := func(command string) policy.Decision {
		return policy.Compile(set).Decide(policy.Request{Kind: policy.Execute, Command: command, Resolve: resolve})
	}
	for _, command := range []string{
		"sed '1e touch x'", "sed 's,.*,x,e'", "sed 's/a/b/w /etc/x' f", "sed -n -f x f", "sed -i 1d f", "sed --expression=1e f", "sed -e 1d f", "sed 1r/etc/passwd f", "sed w.git/hooks/x f", "sed 5p /etc/shadow",
		"make test SHELL=./evil", "make -f evil test", "make -C / test", "make --eval=x test", "make test install", "make ../x", "make -n SHELL=./evil",
		"go test -ldflags=-extld=./evil", "go test -coverprofile=/root/.bashrc", "go test -coverprofile /root/.bashrc", "go test --coverprofile=../x", "go test -coverprofile=.git/hooks/pre-commit",
		"go test -exec ./evil", "go test -toolexec=x", "go test -C /", "go test -o /usr/bin/x", "go test ./x -args -test.coverprofile=/root/.bashrc", "go test -test.coverprofile=/x", "go test -outputdir=/x", "go test -cpuprofile /x",
		"go test -mod=mod", "go test -mod mod ./...", "go list -mod=mod -m all", "go build -mod=", "go test -gcflags=x", "go test -overlay=x", "go test -modfile=x", "go test /etc", "go test ../other", "go env -w GOFLAGS=-exec=x", "go run ./x", "go generate", "go", "go nothing x", "go mod download x",
		"git clone --template=x y", "git clone x", "git clone ext::sh", "git config core.pager x", "git grep -Ovi x", "git diff --output=/x", "git diff --no-index /etc/passwd x", "git diff /etc/passwd x", "git -c a=b diff", "git -C / diff",
		"git diff --ext-diff", "git log --output=x", "git show HEAD:.env", "git show 'HEAD^{/a:b}:.env'", "git show HEAD:a/../.ENV", "git show :.env", "git diff .env", "git branch -D x", "git branch x", "git status /", "git push", "git log -O/etc/passwd", "git show ':(top).env'", "git show HEAD:", "git show -s 0123abc", "git show --stat '0123abc^{blob}'", "git show --stat HEAD:.env", "ls | git diff --cached",
		"tar cIf ./evil x", "tar cf /x y", "tar xf x", "tar --to-command=x", "curl -D FILE x", "curl x", "curl -o x y", "gcc @x", "gcc -wrapper x", "gcc x.c",
		"test -v 'x[$(touch y)]'", "test -R x", "test 'a[$(x)]' -eq 1", "test -f /etc/passwd", "test -f x -a -f /etc/x",
		"cat ~/.ssh/id_rsa", "cat /root/.ssh/id_rsa", "cat .ssh/id_rsa", "cat .env", "cat sub/.env.local", "cat ../x", "cat a/../../x", "cat -- /etc/passwd", "cat -n /etc/passwd", "cat own/x", "cat server.pem", "cat id_ed25519", "cat .vault-token", "cat $HOME/x", "cat =passwd",
		"head /etc/shadow", "head -n 5 /etc/shadow", "head -n5 /etc/shadow", "head -5 /etc/shadow", "head --lines=5 .pgpass", "head -c", "tail -n +1 .htpasswd", "tail --pid=1 x", "wc --files0-from=/etc/x",
		"sort -o x y", "sort -ox y", "sort -uo x y", "sort --compress-program=x", "sort --files0-from=x", "sort -T /x y", "uniq a b", "uniq /etc/passwd",
		"find / -name x", "find . -exec x", "find . -delete", "find . -fprintf /x y", "find -files0-from x", "find . -newer /etc/passwd", "find .ssh",
		"rg --pre x y", "rg x /etc", "rg -e x /etc", "rg -L x", "rg --hidden x", "rg -uu x", "rg --no-ignore x", "rg -f /etc/passwd", "rg -g .env x", "rg x .env", "rg --files /etc", "rg -ex /etc", "rg --regexp=x /etc", "rg -ne x /etc", "rg -z x",
		"grep x /etc/passwd", "grep -e x /etc/passwd", "grep -f /etc/passwd x", "grep -r x .", "grep -nr x .", "grep --include=x -R y", "diff x /etc/passwd", "diff -r . x", "diff --from-file=/x y",
		"npm run lint -- --fix", "npm run lint other", "npm run lint --script-shell=x", "npm install x", "npm exec x", "npx x", "uvx x", "docker run x", "python x", "python -c x", "bash -c x", "env x", "xargs x", "awk x",
		"cargo test --config x", "cargo run", "cargo test -- --logfile=/x", "cargo install x", "pytest -p x", "pytest @x", "pytest --rootdir=/", "pytest /tmp", "pytest -c /x", "pytest --basetemp=/x",
		"touch /x", "touch .git/hooks/x", "touch conftest.py", "mkdir -p .git/hooks/x", "mkdir -m 777 x", "cp a b", "cp .env x", "mv a b", "rm a", "ln -s / x", "printf -v PATH .", "printf %d 'a[$(x)]'",
		"cd - && cat x", "cd '' && cat x", "cd && cat x", "date -s x", "date 01010101", "date -f /etc/passwd", "du --files0-from=x", "tree -o x", "fd -x rm", "fd x /etc", "fd x --search-path /etc", "gofmt -w /x", "gofmt -w .git/x.go", "gofmt -r x y", "tee x", "./tool x", "/tmp/cat x", "./cat x", "jq -f /x",
		"find . -mtime -1 -exec x", "ls --color=$(x)", "ls /", "ls .ssh", "python", "bash", "xargs", "tar", "npx", "cat a --nosuch", "head --lin=5 x",
	} {
		if d := decide(command); d.Verdict != ask {
			t.Errorf("%s: %s by %s", command, d.Verdict, d.Rule)
		}
	}
	for _, command := range []string{
		"sed -n 5p x", "sed -n '5,20p' internal/x.go", "sed '1d;$d' x", "cat main.go", "cat -n a b/c", "cat /work/main.go", "cat ./a/../b", "cat -- -x", "head -5 x", "head -n5 x", "head -n 5 x", "head --lines=5 x", "tail -n +3 x",
		"test -f x", "test -d sub", "test x = y", "make test", "make test -j4 -k", "rg -- -x src", "go test ./...", "go test -run 'TestX|Y' -count=1 -v ./x", "go test -count 1", "go test -coverprofile=cover.out ./...", "go test -tags a,b /work/x",
		"go build -o bin/x ./cmd/x", "go vet ./...", "go test -mod=vendor ./...", "go build -mod readonly", "go list -m -f '{{.Path}}' all", "go mod tidy", "go doc net/http Client", "gofmt -l .",
		"git diff HEAD~1 -- x", "git diff main..HEAD", "git diff --stat", "git log --oneline -5", "git log -n 5 --format='%h %s' x", "git show HEAD:main.go", "git status -sb", "git branch -a",
		"sort -u x", "sort -k2,3n -t, x", "uniq -c", "find . -name '*.go' -not -path './vendor/*'", "find . -type f -maxdepth 2", "rg -n 'a.*b' src", "rg x", "rg --files src", "rg -t go -C 3 x", "grep -n x a b", "grep -e x -e y a",
		"npm run lint", "npm run build -s", "npm test", "cargo test -p x name", "pytest -q -k 'a and b' tests/test_x.py::TestA", "touch x", "mkdir -p a/b", "date +%s", "diff -u a b", "wc -l a", "echo -n '$(x)' a", "cat a | sort | uniq -c | head -3",
		"cat x 2>/dev/null || echo no", "cat /dev/null", "ls -la", "tree -L 2 src", "fd -e go x src",
	} {
		if d := decide(command); d.Verdict != allow {
			t.Errorf("%s: %s, because %s", command, d.Verdict, d.Why)
		}
	}
}

// TestToTheLetter: a rule that names a command allows it in the session's directory, and
// nowhere else.
func TestToTheLetter(t *testing.T) {
	set := rules(t, "allow execute(./build.sh)", "allow execute(make -C /tmp x)", "allow execute(cat .env)", "allow execute(go vet ./...)", "allow execute(cd sub)", "allow execute(cd /tmp)", "allow execute(sh)",
		"allow execute(cat x)", "allow execute(sort)", "allow execute(command cd sub)", "allow execute(true)", "allow execute(git status *)", "allow execute(cat *)")
	for _, c := range []struct {
		command, dir string
		want         policy.Verdict
	}{
		{"./build.sh", "", allow},
		{"./build.sh", "/work", allow},
		{"./build.sh", ".", allow},
		{"./build.sh", "sub", ask},
		{"./build.sh", "/work/sub", ask},
		{"./build.sh", "/tmp", ask},
		{"./build.sh x", "", ask},
		{"/work/build.sh", "", ask},
		{"make -C /tmp x", "", allow},
		{"make -C /tmp x", "sub", ask},
		{"cat .env", "", allow},
		{"cat .env", "sub", ask},
		{"cd /work && ./build.sh", "", allow},
		{"cd . && ./build.sh", "", allow},
		{"cd sub && ./build.sh", "", ask},
		{"cd sub; ./build.sh", "", ask},
		{"cd sub || ./build.sh", "", allow}, // only where it could not go there
		{"! cd sub || ./build.sh", "", ask},
		{"cd sub && cd .. && ./build.sh", "", allow},
		{"cd sub; cd ..; ./build.sh", "", ask}, // it may have failed to go to sub
		{"cd nowhere && true; ./build.sh", "", ask},
		{"cd sub | ./build.sh", "", ask},
		{"cd ../x && ./build.sh", "", ask},
		{"cd - && ./build.sh", "", ask},
		{"cd && ./build.sh", "", ask},
		{"cd -P sub && ./build.sh", "", ask},
		{"command cd sub && ./build.sh", "", ask},
		{"cd /tmp && go vet ./...", "", ask},
		{"cd sub && go vet ./...", "", allow}, // its words are understood
		{"cd sub && cat ../x", "", allow},
		{"cd sub; cat ../x", "", ask},
		{"cd sub && cat ../../x", "", ask},
		{"cd sub && git status", "", ask}, // there may be another repository
		{"git status", "sub", ask},
		{"cd .ssh && cat config", "", ask},
		{"cat ../x", "sub", allow},
		{"cat ../../x", "sub", ask},
		{"cd /work", "", ask},
		{"cat x | sh", "", ask},
		{"cat x | sort", "", allow},
		{strings.Repeat("cd sub; ", 100) + "cat x", "", ask},
	} {
		got := policy.Compile(set).Decide(policy.Request{Kind: policy.Execute, Command: c.command, Dir: c.dir, Resolve: resolve})
		if got.Verdict != c.want {
			t.Errorf("%.60s in %q: %s (%s), want %s", c.command, c.dir, got.Verdict, got.Why, c.want)
		}
	}
}

// TestNeverProposed: a star is proposed only for programs whose words are known, and not
// for those where it is of little use or of much danger.
func TestNeverProposed(t *testing.T) {
	for _, command := range []string{
		"sed -n 5p x", "cd sub", "test -f x", "tar cf x y", "npx x", "uvx x", "docker run x", "git config a.b c", "go env GOFLAGS", "go env", "make test", "npm run lint", "python x.py", "bash x.sh", "rm x", "./tool x", "curl x", "git push", "kubectl get x",
	} {
		r := policy.Request{Kind: policy.Execute, Command: command, Resolve: resolve}
		got, _ := policy.Compile(nil).Propose(r)
		if len(got) != 1 || len(got[0]) != 1 || got[0][0].Pattern != command {
			t.Errorf("%s: %v", command, got)
		}
	}
	for command, want := range map[string]string{
		"rg 'a.*b' src":                   "allow execute(rg *)",
		"cd /work && go test ./x":         "allow execute(go test ./x)",
		"cd sub && ./build.sh":            "",
		"cat a | sh":                      "",
		"go test ./x | tail -5":           "allow execute(go test ./x) + allow execute(tail -5)",
		"cat /etc/hosts":                  "allow execute(cat /etc/hosts)",
		"git status && rg '*' && ./x 'y'": "allow execute(git status *) + allow execute(rg *) + allow execute(./x y)",
	} {
		var lines []string
		if got, _ := policy.Compile(nil).Propose(policy.Request{Kind: policy.Execute, Command: command, Resolve: resolve}); len(got) > 0 {
			for _, r := range got[0] {
				lines = append(lines, r.String())
			}
		}
		if got := strings.Join(lines, " + "); got != want {
			t.Errorf("%s: %s, want %s", command, got, want)
		}
	}
}

// TestPrograms: the programs of a command are those that run, however deep, and not their
