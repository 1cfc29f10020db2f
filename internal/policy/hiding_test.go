package policy_test

import (
	"testing"

	"parley/internal/policy"
)

// judged are commands with the verdict that a rule must give.
type judged map[policy.Verdict][]string

func (all judged) check(t *testing.T, judge func(command string) policy.Decision) {
	t.Helper()
	for want, commands := range all {
		for _, command := range commands {
			if d := judge(command); d.Verdict != want || (d.Rule == nil) != (want == 0) {
				t.Errorf("%s: %s by %v (%s), want %s (%d)", command, d.Verdict, d.Rule, d.Why, want, want)
			}
		}
	}
}

// TestHidingAProgram: a rule about a program holds however the command writes or passes the
// program on, and asks about nothing that only mentions it.
func TestHidingAProgram(t *testing.T) {
	set := rules(t, "deny execute(rm *)", "deny execute(git push *)")
	judged{
		deny: {
			`$'rm' x`, `$'\x72m' x`, `$'\162m' x`, `$'\u0072m' x`, `$'\U00000072\x{6d}' x`, `r$'\x6d' x`, `env $'\x72m' x`, `command $'\x72m' x`, `ls | xargs $'\x72m'`, `sudo $'\x72m' x`,
			`sh -c $'\x72m x'`, `sh -c $'cd a\nrm x'`, `eval $'\x72m x'`, `find . -exec $'\x72m' {} \;`, `git $'\x70ush'`, `$'rm\0ls' x`,
			"env -vS'rm x'", "env -S'rm x'", "env -vSrm x", "git-push", "git-push x", "/usr/lib/git-core/git-push x", "git send-pack x", "git -C a send-pack x", "su -lc'rm x'", "script -qc'rm x' y",
			"sh -c 'cd a; sh -c \"rm x\"'", "$X/rm x",
		},
		ask: {
			"sed '1e rm x' f", "sed 's/line/rm x/e' f", "make SHELL=/bin/rm", "make -s CC=rm", "npm run 'x;rm y'", `python3 -c 'os.system("\x72m x")'`, `git -c alias.q=$'!\x72m x' q`,
			"python3 <<E\nos.system('rm x')\nE", "python3 - <<'E'\nos.system('rm x')\nE", "perl <<E\nsystem('rm x')\nE", "python3 <<< 'os.system(\"rm x\")'", "echo 'os.system(\"rm x\")' | python3",
			"{ echo 'system(\"rm x\")' | python3; }", "cat <<E | python3\nos.system('rm x')\nE", "if true; then perl; fi <<E\nsystem 'rm x'\nE", "make -f - <<E\na:;@rm x\nE", "awk -f - f <<E\nBEGIN{system(\"rm x\")}\nE",
			"ed -s f <<E\n!rm x\nE", "sudo python3 <<E\nrm x\nE", "sh -c 'python3 <<E\nrm x\nE'", "./git <<E\nrm x\nE", "at now <<< 'ls'", "cat x | at now", "batch < x", "cat x | crontab -", "crontab < x", "cat x | fish",
			"sh -c 'r? x'", "sh -c '$X x'", `sh -c "echo $X"`, `eval "ls $X"`, `trap "ls $X" EXIT`, "sh -c 'cat x | sh'", "cat x | sh -c sh", "PATH=$X ls", "LD_PRELOAD=$X ls", "PYTHONSTARTUP=$X python3", "PERL5OPT=$X perl", "MAKEFILES=$X make",
			"~/r* x",
		},
		0: {
			"cat <<E\nrm x\nE", "cat > f <<E\nrm x\nE", "git commit -F - <<E\nno rm x\nE", "git commit -m \"$(cat <<'E'\nno rm x\nE\n)\"", "gh pr create --body-file - <<E\nrm x\nE", "grep rm x | tee log", "grep rm x | sort | head",
			"python3 - <<E\nprint(1)\nE", "echo x | python3", "sed -n 5p rm", "make rm", "echo $'rm x'", "cat $'rm'", "git stash pop stash@{1}", "PATH=$PATH:/x ls", `PATH="/x:$PATH" make`, "~/bin/tool x", "[ -n \"$X\" ] && ls",
			"cp a{,.bak} b", "git push-notes", "at -l", "crontab -l", "git log --format=%h | xargs -n1 echo",
		},
	}.check(t, func(command string) policy.Decision {
		return policy.Restrict(set, policy.Request{Kind: policy.Execute, Command: command})
	})
}

// TestHidingAFile: a rule about files asks about a command whose files are known only when it
// runs, or are in a folder that it names, if one of them may be a file of the rule.
func TestHidingAFile(t *testing.T) {
	files := tree{"secret": {}, "vendor/a": {}, "src/a.go": {}, "main.go": {}}
	judge := func(rule string) func(string) policy.Decision {
		set := rules(t, rule)
		return func(command string) policy.Decision {
			return policy.Restrict(set, policy.Request{Kind: policy.Execute, Command: command, Resolve: files.resolve, Search: files.search, Tracked: files.tracked})
		}
	}
	harmlessCommands := []string{
		"go test ./...", "git status", "ls *.go", "ls", "ls -la", "rg x src", "npm test", "cat *.go", "grep x *.go src/*.go", "grep -rn x src", "wc -l src/*.go", "find . -name '*.go'", "find . -name '*.go' -exec grep x {} +", "echo $X *",
		"git commit -m \"$(cat <<'E'\nsecret vendor\nE\n)\"", "git push origin $X", "git checkout -b x", "git branch -D $X", "gh pr create --body \"$(cat x)\"", "[ -n \"$X\" ] && ls", "export A=$X", "kill $X", "ls $X", "make",
		"./build", "python3 x.py", "~/bin/tool x", "curl -s https://example.com/$X", "curl localhost:$X/y", "jq . package.json", "diff <(ls a) <(ls b)", "cp main.go{,.bak}", "for f in *; do echo $f; done", "echo x | xargs echo", "cd src && ls", "(cd src; ls)",
		"tar czf x.tgz src", "rm -r src", "cat src/?.go",
	}
	judged{
		deny: {"cat secret", `cat $'\x73ecret'`, "grep x secret", "cat < secret", "cat <> secret", "sed 's/a/b/' secret", "sh -c 'cat secret'", "cat $(cat secret)", "sort a secret", "cat src/*/../../secret", "cd $X && cat secret"},
		ask: {
			"cat sec*", "cat s?cret", "cat [rs]ecret", "cat {secret,x}", "cat *", "cat -- *", "awk 1 *", "grep s*", "cat $PWD/secret", `cat "$PWD/secret"`, "cat ~+/secret", "cat ~/secret", "f=sec; cat ${f}ret", "cat $f", `cat "$f"`, "cat x$f",
			"for f in *; do cat $f; done", "cat $(ls)", "ls | xargs cat", "ls | xargs -I{} cat {}", "ls | sudo xargs grep x", "xargs cat <<< x", "find . -exec cat {} +", "find -exec cat {} +", "find . -name 's*' -exec cat {} +", `find . -name '*.go' -o -type f -exec cat {} \;`, "grep -r . .", "grep -rh x", "git grep x",
			"rg x", "rg x .", "rg --hidden x", "cp -r . elsewhere", "tar c .", "docker build .", "tar c ..", "cp -r /work /tmp", "cat /wor*/secret", "sh -c 'cat sec*'", "eval cat sec\\*", "sh -c \"cat $f\"", "git diff", "git log -p", "git show HEAD", "git stash show -p", "git archive HEAD", "git add .",
			"git config -f secret -l", "python3 - <<E\nopen('secret')\nE", "echo \"open('secret')\" | python3", "cd $X; rg x", "grep $X main.go", "$X secret", "$X", "head -n $X main.go", "source $X", "curl file:$X", "A=secret strange",
		},
		0: harmlessCommands,
	}.check(t, judge("deny read(secret)"))
	judged{
		deny: {"echo x > vendor/a", `echo x > $'\x76endor/a'`, "(cd vendor; echo x > a)", "{ cd vendor; }; echo x > a", "if true; then cd vendor; fi; echo x > a", "sh -c 'cd vendor; echo x > a'", "echo $(cd vendor; echo x > a)", "gofmt -w vendor/a"},
		ask: {
			"echo x > v*/a", "d=vendor; echo x > $d/a", "echo x > $f", "cp x v*", "cp x $f", "find . -name a -delete", "find . -delete", "find . -exec sed -i s/a/b/ {} +", "ls | xargs sed -i s/a/b/", "git clean -fdx", "git stash -u", "git checkout HEAD~1 -- .", "git reset --hard", "git switch main",
			"rm -r .", "rm -r *", "prettier -w .", "gofmt -w .", "tar xf x.tar", "tar -x -f x.tar", "unzip x.zip", "patch -p0 < x", "cd v*; echo x > a", "cd $X; touch a", "uniq x vendor/a", "touch src/$X.go", "git config -f vendor/a a.b c", "sed -i s/a/b/ {vendor,src}/a",
		},
		0: append([]string{"cat vendor/*", "grep -r x .", "git grep x", "git diff", "git log -p", "gofmt -l .", "cat $X"}, harmlessCommands...),
	}.check(t, judge("deny edit(vendor)"))
	judged{
		ask: {"cat .e*", "cat .env.*", "cat src/.e*", "cat $X", "cat $X/.env", "cat src/$X"},
		0:   append([]string{"cat *", "cat *.go", "rg x", "grep -r x .", "cd $X && cat a", "cat $X/a.go", "git diff"}, harmlessCommands...),
	}.check(t, judge("ask read(**/.env*)"))
}

// TestFoldersThatHoldAFileOfARule: a call about a folder is not allowed without a question if it
// holds what a rule denies, nor is a command that shows such a file of git's.
func TestFoldersThatHoldAFileOfARule(t *testing.T) {
	files := tree{"secret": {}, "keys/a": {}, "src/a.go": {}}
	set := rules(t, "allow read", "allow search", "allow execute(rg *)", "allow execute(git log *)", "allow execute(git diff *)", "allow execute(git show *)", "deny read(secret)", "deny read(keys/*)")
	for _, c := range []struct {
		kind policy.Kind
		what string
		want policy.Verdict
	}{
		{"read", "src", allow},
		{"read", "src/a.go", allow},
		{"read", ".", ask},
		{"read", "keys", ask},
		{"read", "secret", deny},
		{"search", "src", allow},
		{"search", ".", ask},
		{"search", "keys", ask},
		{"search", "secret", deny},
		{"execute", "rg x src", allow},
		{"execute", "rg x .", ask},
		{"execute", "rg x", ask},
		{"execute", "rg x keys", ask},
		{"execute", "git log -p", ask},
		{"execute", "git log -p src", allow},
		{"execute", "git log", allow},
		{"execute", "git diff --cached", ask},
		{"execute", "git diff --stat", allow},
		{"execute", "git show HEAD", ask},
	} {
		call, err := policy.CallOf(string(c.kind), c.what)
		if err != nil {
			t.Fatal(err)
		}
		r := policy.Describe(call, "", "", files.resolve)
		r.Search, r.Tracked = files.search, files.tracked
		if d := policy.Decide(set, r); d.Verdict != c.want || d.Verdict == ask && d.Why == "" {
			t.Errorf("%s %s: %s by %v (%s), want %s", c.kind, c.what, d.Verdict, d.Rule, d.Why, c.want)
		}
	}
}

// TestWhatIsDone: only what is certain counts of what an agent has done.
func TestWhatIsDone(t *testing.T) {
	set := rules(t, "deny execute(rm *)", "deny read(secret)", "ask execute(make *)")
	judged{deny: {"rm x", "make x; rm x", "cat secret"}, ask: {"make x"}, 0: {"$X y", "cat $X", "rg x", "strange rm x"}}.check(t, func(command string) policy.Decision {
		return policy.Violated(set, policy.Request{Kind: policy.Execute, Command: command, Resolve: resolve})
	})
}
