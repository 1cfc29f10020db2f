package rules

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"parley/acpclient"
	"parley/config"
	"parley/internal/conversation"
	"parley/internal/git"
	"parley/internal/policy"
	"parley/internal/session"
	apart "parley/internal/test"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// project is a directory with files, whose own configuration is text if that is not
// empty.
func project(t *testing.T, text string, files ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, f := range files {
		must(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, f)), 0o755))
		must(t, os.WriteFile(filepath.Join(dir, f), nil, 0o644))
	}
	if text != "" {
		must(t, os.MkdirAll(filepath.Join(dir, ".parley"), 0o755))
		must(t, os.WriteFile(filepath.Join(dir, config.ProjectFile), []byte(text), 0o644))
	}
	return dir
}

func open(t *testing.T, cwd string, s *Store, configured ...string) *Set {
	t.Helper()
	opt := Options{Agent: config.Agent{ID: "claude"}, Cwd: cwd, Store: s}
	for _, line := range configured {
		r, err := policy.Parse(line)
		must(t, err)
		opt.Configured = append(opt.Configured, r)
	}
	b, err := Open(opt)
	must(t, err)
	return b
}

func judge(b *Set, kind acpclient.ToolKind, input string) session.Ruling {
	return b.Judge(context.Background(), session.Case{Call: &conversation.ToolCall{Kind: kind, RawInput: []byte(input)}})
}

func TestAProjectsRulesCountOnceItIsTrusted(t *testing.T) {
	store := NewStore(t.TempDir())
	dir := project(t, "[rules]\nallow = [\"execute(make test)\"]\ndeny = [\"read\"]\n", "a")
	made := func() policy.Verdict { return judge(open(t, dir, store), "execute", `{"command":"make test"}`).Verdict }

	b := open(t, dir, store)
	if b.Trust() != Undecided || len(b.Project().Rules) != 2 || b.Project().Err != nil {
		t.Fatalf("%q, %+v", b.Trust(), b.Project())
	}
	if v := made(); v != policy.Ask {
		t.Errorf("untrusted: %s", v)
	}
	if r := judge(b, "read", `{"path":"a"}`); r.Verdict != policy.Ask {
		t.Errorf("a denial of nobody knows whom counts: %+v", r)
	}
	must(t, b.SetTrust(Trusted))
	if r := judge(b, "execute", `{"command":"make test"}`); r.Verdict != policy.Allow || !strings.Contains(r.Source, ".parley/config.toml:2") {
		t.Errorf("trusted: %+v", r)
	}
	if v := made(); v != policy.Allow {
		t.Errorf("trusted before: %s", v)
	}
	link := filepath.Join(t.TempDir(), "link")
	must(t, os.Symlink(dir, link))
	if b := open(t, link, store); b.Trust() != Trusted {
		t.Error("the same directory by another name is not trusted")
	}
	// After a change the user is asked again; a session that runs goes on by what
	// was trusted.
	must(t, os.WriteFile(filepath.Join(dir, config.ProjectFile), []byte("[rules]\nallow = [\"execute(make *)\"]\n"), 0o644))
	if v := made(); v != policy.Ask {
		t.Errorf("after a change: %s", v)
	}
	if r := judge(b, "execute", `{"command":"make install"}`); r.Verdict != policy.Ask {
		t.Errorf("what was changed since counts: %+v", r)
	}
	must(t, open(t, dir, store).SetTrust(Never))
	must(t, os.WriteFile(filepath.Join(dir, config.ProjectFile), []byte("[rules]\n"), 0o644))
	if b := open(t, dir, store); b.Trust() != Never {
		t.Errorf("never is %q", b.Trust())
	}
	must(t, open(t, dir, store).SetTrust(Undecided))
	if b := open(t, dir, store); b.Trust() != Undecided {
		t.Errorf("put off is %q", b.Trust())
	}
}

func TestProjectFilesThatAreNone(t *testing.T) {
	dir := project(t, "[agents.x]\ncommand = \"evil\"")
	if p := open(t, dir, NewStore(t.TempDir())).Project(); p.Err == nil || p.Rules != nil {
		t.Errorf("%+v", p)
	}
	dir = project(t, "")
	must(t, os.MkdirAll(filepath.Join(dir, ".parley"), 0o755))
	must(t, os.Symlink("/dev/zero", filepath.Join(dir, config.ProjectFile)))
	if p := open(t, dir, NewStore(t.TempDir())).Project(); p.Err == nil {
		t.Error("a device was read")
	}
	if p := open(t, project(t, ""), NewStore(t.TempDir())).Project(); p.Err != nil || p.Rules != nil {
		t.Errorf("%+v", p)
	}
}

func TestSavedRules(t *testing.T) {
	state := filepath.Join(t.TempDir(), "state")
	store := NewStore(state)
	one, other := project(t, ""), project(t, "")
	b := open(t, one, store, "allow read")
	must(t, b.Add(false, "allow  execute(go test *)"))
	must(t, b.Add(true, "deny execute(git push *)", "deny execute(git push *)"))
	if r := judge(b, "execute", `{"command":"go test"}`); r.Verdict != policy.Allow || r.Rule != "allow execute(go test *)" || r.Source != SavedForProject.String() {
		t.Errorf("%+v", r)
	}
	elsewhere := open(t, other, store)
	if r := judge(elsewhere, "execute", `{"command":"go test"}`); r.Verdict != policy.Ask || len(r.Proposals) != 2 {
		t.Errorf("elsewhere: %+v", r)
	}
	if r := judge(elsewhere, "execute", `{"command":"git push"}`); r.Verdict != policy.Deny || r.Source != SavedEverywhere.String() {
		t.Errorf("elsewhere: %+v", r)
	}
	info, err := os.Stat(store.path)
	must(t, err)
	if info.Mode().Perm() != 0o600 {
		t.Errorf("the file has mode %v", info.Mode())
	}
	entries, err := b.Entries()
	must(t, err)
	var got []string
	for _, e := range entries {
		got = append(got, fmt.Sprint(e.Scope, ": ", e.Rule))
	}
	if want := []string{"configured: allow read", "saved by parley, everywhere: deny execute(git push *)", "saved by parley, for this project: allow execute(go test *)"}; !slices.Equal(got, want) {
		t.Errorf("listed %q", got)
	}
	must(t, b.Remove(false, "allow execute(go test *)"))
	if err := b.Remove(false, "allow execute(go test *)"); err == nil {
		t.Error("a rule was removed twice")
	}
	if err := b.Add(false, "allow execute"); err == nil {
		t.Error("a rule that must not be was saved")
	}
	if r := judge(b, "execute", `{"command":"go test"}`); r.Verdict != policy.Ask {
		t.Errorf("after it was taken back: %+v", r)
	}
	left, err := os.ReadDir(state)
	must(t, err)
	for _, f := range left {
		if strings.HasSuffix(f.Name(), ".new") {
			t.Errorf("%s was left behind", f.Name())
		}
	}
}

// Several programs save at once, and nothing is lost.
func TestSavingAtOnce(t *testing.T) {
	store, dir := NewStore(t.TempDir()), project(t, "")
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			if err := open(t, dir, store).Add(false, fmt.Sprintf("allow read(%d)", i)); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if entries, err := open(t, dir, store).Entries(); err != nil || len(entries) != 20 {
		t.Errorf("%d rules, %v", len(entries), err)
	}
}

// If the saved rules cannot be read, a denial may be among them: nothing is decided.
func TestBrokenStore(t *testing.T) {
	store, dir := NewStore(t.TempDir()), project(t, "")
	for _, content := range []string{"{", `{"everywhere":["allow everything"]}`, strings.Repeat(" ", maxStore+1)} {
		must(t, os.WriteFile(store.path, []byte(content), 0o600))
		b, _ := Open(Options{Cwd: dir, Store: store, Configured: []policy.Rule{{Verdict: policy.Allow, Kind: policy.Read}}})
		if r := judge(b, "read", `{"path":"a"}`); r.Verdict != policy.Ask || !strings.Contains(r.Why, "rules") {
			t.Errorf("%.20q: %+v", content, r)
		}
		if err := b.Add(true, "allow read"); err == nil && content == "{" {
			t.Error("what could not be read was written over")
		}
	}
}

// TestPlaces looks at real files and links.
func TestPlaces(t *testing.T) {
	dir, outside := project(t, "", "src/a", "secret/b"), project(t, "", "x")
	for name, target := range map[string]string{"out": outside, "src/in": "../secret", "dangling": filepath.Join(outside, "no"), "loop": "loop"} {
		must(t, os.Symlink(target, filepath.Join(dir, name)))
	}
	link := filepath.Join(t.TempDir(), "link")
	must(t, os.Symlink(dir, link))
	more := project(t, "", "m")
	real := func(dir, name string) string {
		dir, err := filepath.EvalSymlinks(dir)
		must(t, err)
		return filepath.Join(dir, name)
	}
	sensitive, err := SensitiveFiles(config.Files{}, nil)
	must(t, err)
	for _, cwd := range []string{dir, link} {
		p := newPlaces(cwd, []string{more}, sensitive)
		for name, want := range map[string]policy.Path{
			"src/a":                         {Name: "src/a", Inside: true},
			"./src//a":                      {Name: "src/a", Inside: true},
			filepath.Join(cwd, "src/a"):     {Name: "src/a", Inside: true},
			filepath.Join(dir, "src/a"):     {Name: "src/a", Inside: true},
			"new/file":                      {Name: "new/file", Inside: true},
			"src/in/b":                      {Name: "secret/b", Written: "src/in/b", Inside: true},
			"src/in/new":                    {Name: "secret/new", Written: "src/in/new", Inside: true},
			"out/x":                         {Name: real(outside, "x"), Written: "out/x"},
			"out/new":                       {Name: real(outside, "new"), Written: "out/new"},
			"dangling":                      {Name: "dangling"},
			"dangling/x":                    {Name: "dangling/x"},
			"loop":                          {Name: "loop"},
			"..":                            {},
			"src/../src/a":                  {Name: "src/a", Inside: true},
			"src/in/../src/a":               {Name: "src/src/a"}, // walked, it is secret/../src/a
			"src/../../etc/passwd":          {},
			"~/x":                           {Name: "~/x"},
			"$HOME/x":                       {Name: "$HOME/x"},
			"file:///etc/passwd":            {Name: "file:///etc/passwd"},
			"":                              {},
			filepath.Join(more, "m"):        {Name: real(more, "m"), Inside: true},
			filepath.Join(outside, "x"):     {Name: real(outside, "x")},
			filepath.Join(cwd, "..", "no"):  {},
			filepath.Join(cwd, ".parley/x"): {Name: ".parley/x", Inside: true},
		} {
			got := p.resolve(name)
			if got.Inside != want.Inside || want.Name != "" && got.Name != want.Name || want.Written != "" && got.Written != want.Written {
				t.Errorf("%s: %+v, want %+v", name, got, want)
			}
		}
	}
}

// What an agent says of a call in its title decides nothing, and links are followed.
func TestJudge(t *testing.T) {
	dir := project(t, "", "a")
	must(t, os.Symlink("/etc", filepath.Join(dir, "etc")))
	b := open(t, dir, NewStore(t.TempDir()), "allow read", "allow edit(**)", "allow execute(ls *) mode=code", "deny execute(rm *)")
	for name, c := range map[string]struct {
		c    session.Case
		want policy.Verdict
	}{
		"a read":                      {session.Case{Call: &conversation.ToolCall{Kind: "read", RawInput: []byte(`{"path":"a"}`)}}, policy.Allow},
		"a title":                     {session.Case{Call: &conversation.ToolCall{Kind: "read", Title: "Read a"}}, policy.Ask},
		"through a link":              {session.Case{Call: &conversation.ToolCall{Kind: "read", RawInput: []byte(`{"path":"etc/passwd"}`)}}, policy.Ask},
		"a diff elsewhere":            {session.Case{Call: &conversation.ToolCall{Kind: "edit", RawInput: []byte(`{"path":"a"}`), Content: []acpclient.ToolCallContent{acpclient.DiffContent("/etc/hosts", nil, "x")}}}, policy.Ask},
		"a location elsewhere":        {session.Case{Call: &conversation.ToolCall{Kind: "edit", Locations: []acpclient.ToolCallLocation{{Path: "/etc/hosts"}}}}, policy.Ask},
		"the mode":                    {session.Case{Mode: "code", Call: &conversation.ToolCall{Kind: "execute", RawInput: []byte(`{"command":"ls"}`)}}, policy.Allow},
		"another mode":                {session.Case{Mode: "plan", Call: &conversation.ToolCall{Kind: "execute", RawInput: []byte(`{"command":"ls"}`)}}, policy.Ask},
		"a mode that is being set":    {session.Case{Mode: "code", Switching: true, Call: &conversation.ToolCall{Kind: "execute", RawInput: []byte(`{"command":"ls"}`)}}, policy.Ask},
		"a denial while it is":        {session.Case{Switching: true, Call: &conversation.ToolCall{Kind: "execute", RawInput: []byte(`{"command":"rm x"}`)}}, policy.Deny},
		"switching the mode":          {session.Case{Call: &conversation.ToolCall{Kind: "switch_mode", RawInput: []byte(`{"path":"a"}`)}}, policy.Ask},
		"what the title says of a rm": {session.Case{Mode: "code", Call: &conversation.ToolCall{Kind: "execute", Title: "ls", RawInput: []byte(`{"command":"rm x"}`)}}, policy.Deny},
	} {
		if got := b.Judge(context.Background(), c.c); got.Verdict != c.want || got.Verdict != policy.Ask && got.Rule == "" {
			t.Errorf("%s: %+v, want %s", name, got, c.want)
		}
	}
}

// What a rule allows an agent it allows no program that only has its name; what it denies, it denies
// whatever has one of the names.
func TestRulesOfAnAgent(t *testing.T) {
	dir := project(t, "", "a")
	known := config.Agent{ID: "claude", Source: config.SourceFound, InstallHint: "npm"}
	installed := config.Agent{ID: "claude-acp", Source: config.SourceInstalled, Origin: &config.Origin{}}
	own := config.Agent{ID: "claude-acp", Source: config.SourceConfigured, Command: "mine"}
	for _, c := range []struct {
		agent config.Agent
		rule  string
		want  policy.Verdict
	}{
		{known, "allow read agent=claude", policy.Allow},
		{known, "allow read agent=claude-acp", policy.Allow},
		{known, "allow read agent=codex", policy.Ask},
		{installed, "allow read agent=claude", policy.Allow},
		{own, "allow read agent=claude-acp", policy.Allow},
		{own, "allow read agent=claude", policy.Ask},
		{own, "deny read agent=claude", policy.Deny},
		{config.Agent{ID: "claude"}, "allow read agent=claude", policy.Ask},
		{config.Agent{ID: "claude-agent-acp"}, "allow read agent=claude", policy.Ask},
		{config.Agent{ID: "claude-agent-acp"}, "deny read agent=claude", policy.Deny},
		{config.Agent{ID: "claude-agent-acp"}, "allow read", policy.Allow},
		{config.Agent{ID: "Mine", Source: config.SourceConfigured}, "deny read agent=mine", policy.Deny},
		{known, "deny read agent=Claude-ACP", policy.Deny},
		{config.Agent{ID: policy.Any}, "allow read agent=*", policy.Ask},
		{config.Agent{ID: policy.Any}, "deny read agent=claude", policy.Deny},
	} {
		rule, err := policy.Parse(c.rule)
		must(t, err)
		b, err := Open(Options{Agent: c.agent, Cwd: dir, Store: NewStore(t.TempDir()), Configured: []policy.Rule{rule}})
		must(t, err)
		if got := judge(b, "read", `{"path":"a"}`).Verdict; got != c.want {
			t.Errorf("%s, %s, with %q: %s, want %s", c.agent.ID, c.agent.Source, c.rule, got, c.want)
		}
	}
}

// The files that the configuration names are sensitive for rules too, for what an agent
// reads itself and for the arguments of commands.
func TestFilesOfTheConfigurationNeedTheirNames(t *testing.T) {
	dir := project(t, "", "diary", "notes", ".env.test", "sub/x")
	must(t, os.Symlink("diary", filepath.Join(dir, "link")))
	var configured []policy.Rule
	for _, line := range []string{"allow read", "allow execute(cat *)", "allow execute(./x)"} {
		r, err := policy.Parse(line)
		must(t, err)
		configured = append(configured, r)
	}
	b, err := Open(Options{Cwd: dir, Store: NewStore(t.TempDir()), Configured: configured, Files: config.Files{AskRead: []string{"diary", "!.env.test"}}})
	must(t, err)
	for name, want := range map[string]policy.Verdict{"diary": policy.Ask, "link": policy.Ask, "notes": policy.Allow, ".env.test": policy.Allow, ".env": policy.Ask, "/etc/hosts": policy.Ask} {
		if r := judge(b, "read", fmt.Sprintf(`{"path":%q}`, name)); r.Verdict != want {
			t.Errorf("read %s: %+v", name, r)
		}
		if r := judge(b, "execute", fmt.Sprintf(`{"command":"cat %s"}`, name)); r.Verdict != want {
			t.Errorf("cat %s: %+v", name, r)
		}
	}
	for input, want := range map[string]policy.Verdict{
		`{"command":"cat ../notes","cwd":"sub"}`:                 policy.Allow,
		fmt.Sprintf(`{"command":"cat x","cwd":%q}`, dir+"/sub"):  policy.Allow,
		`{"command":"cat ../diary","cwd":"sub"}`:                 policy.Ask,
		`{"command":"cd sub && cat ../diary"}`:                   policy.Ask,
		fmt.Sprintf(`{"command":"./x","cwd":%q}`, dir):           policy.Allow,
		`{"command":"./x","cwd":"sub"}`:                          policy.Ask,
		`{"command":"cd sub && ./x"}`:                            policy.Ask,
		fmt.Sprintf(`{"command":"cd %s && ./x"}`, dir):           policy.Allow,
		`{"command":"./x","cwd":".","workdir":"sub"}`:            policy.Ask,
		`{"command":["bash","-lc","cd sub && cat x"],"cwd":"."}`: policy.Ask,
		`{"command":["bash","-lc","cat sub/x"],"workdir":"."}`:   policy.Allow,
	} {
		if r := judge(b, "execute", input); r.Verdict != want {
			t.Errorf("%s: %+v, want %s", input, r, want)
		}
	}
}

// In a folder without .git, git takes HEAD and config beside each other for a repository
// and runs what config names.
func TestGitNeedsARepositoryInTheSessionsDirectory(t *testing.T) {
	for file, want := range map[string]policy.Verdict{"HEAD": policy.Ask, ".git/HEAD": policy.Allow} {
		b := open(t, project(t, "", file, "config"), NewStore(t.TempDir()), "allow execute(git status *)")
		if r := judge(b, "execute", `{"command":"git status -s"}`); r.Verdict != want {
			t.Errorf("beside %s: %+v", file, r)
		}
	}
}

// A file in place of the rules' directory is named.
func TestRulesBehindAFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "parley")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := NewStore(file).read(); err == nil || !strings.HasSuffix(err.Error(), "but "+file+" is a file: move it away") {
		t.Errorf("%v", err)
	}
}

// In a worktree that parley made, what the user has decided about the working tree holds: its
// saved rules and whether it is trusted. The copy of its files, which an agent can write, does not
// count.
func TestRulesInAWorktree(t *testing.T) {
	const trusted, planted = "[rules]\nallow = [\"execute(make test)\"]\n", "[rules]\nallow = [\"execute\"]\n"
	dir, _ := apart.New(t, map[string]string{".parley/config.toml": trusted, ".parley/prompts/ship.md": "Ship it", "a": ""})
	tree, err := git.CreateWorktree(t.Context(), dir, git.WorktreeOptions{Name: "tree"})
	must(t, err)
	store := NewStore(t.TempDir())
	b := open(t, dir, store)
	must(t, b.Add(false, "deny read"))
	must(t, b.SetTrust(Trusted))
	must(t, os.WriteFile(filepath.Join(tree.Path, config.ProjectFile), []byte(planted), 0o644))
	must(t, os.MkdirAll(filepath.Join(tree.Path, "below"), 0o755))

	in := open(t, tree.Path, store)
	if v := judge(in, "read", `{"path":"a"}`).Verdict; v != policy.Deny {
		t.Errorf("a saved rule: %s", v)
	}
	if in.Trust() != Trusted || len(in.Project().Prompts) != 1 || in.Project().Dir != dir {
		t.Errorf("%q, %+v", in.Trust(), in.Project())
	}
	for command, want := range map[string]policy.Verdict{"make test": policy.Allow, "make install": policy.Ask} {
		if v := judge(in, "execute", `{"command":"`+command+`"}`).Verdict; v != want {
			t.Errorf("%s: %s, want %s", command, v, want)
		}
	}
	must(t, in.Add(false, "deny execute(git push *)"))
	must(t, in.Remove(false, "deny read"))
	if entries, err := open(t, dir, store).Entries(); err != nil || len(entries) != 2 || entries[0].String() != "deny execute(git push *)" {
		t.Errorf("saved in the worktree, the working tree has %+v (%v)", entries, err)
	}
	must(t, in.SetTrust(Never))
	if b := open(t, dir, store); b.Trust() != Never {
		t.Errorf("after never in the worktree: %q", b.Trust())
	}

	// A directory that only pretends to be such a worktree gets nothing of it.
	must(t, b.SetTrust(Trusted))
	must(t, b.Add(false, "allow execute(deploy)"))
	fake := project(t, trusted)
	must(t, os.MkdirAll(filepath.Join(fake, "admin"), 0o755))
	record, err := os.ReadFile(filepath.Join(dir, ".git", "worktrees", "tree", "parley.json"))
	must(t, err)
	for name, text := range map[string]string{
		".git": "gitdir: admin\n", "admin/parley.json": string(record), "admin/gitdir": filepath.Join(fake, ".git") + "\n", "admin/commondir": filepath.Join(dir, ".git") + "\n",
	} {
		must(t, os.WriteFile(filepath.Join(fake, name), []byte(text), 0o644))
	}
	if b := open(t, fake, store); b.Trust() != Undecided || b.Project().Dir == dir {
		t.Errorf("a directory that pretends: %q, %s", b.Trust(), b.Project().Dir)
	} else if v := judge(b, "execute", `{"command":"deploy"}`).Verdict; v != policy.Ask {
		t.Errorf("a directory that pretends: %s", v)
	}
}

// A rule that denies an absolute path denies it in the session's directory, too.
func TestARuleForAnAbsolutePath(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	for _, name := range []string{"secret.txt", "other.txt"} {
		must(t, os.WriteFile(filepath.Join(dir, name), []byte("x"), 0o600))
	}
	must(t, os.Symlink("secret.txt", filepath.Join(dir, "link")))
	r, err := Open(Options{Cwd: dir, Store: NewStore(t.TempDir()), Configured: []policy.Rule{
		{Verdict: policy.Allow, Kind: policy.Read},
		{Verdict: policy.Allow, Kind: policy.Execute, Pattern: "cat *"},
		{Verdict: policy.Deny, Kind: policy.Read, Pattern: filepath.ToSlash(dir) + "/secret.txt"},
	}})
	must(t, err)
	for input, want := range map[string]policy.Verdict{
		`{"path":"secret.txt"}`: policy.Deny, `{"path":"` + dir + `/secret.txt"}`: policy.Deny, `{"path":"link"}`: policy.Deny, `{"path":"other.txt"}`: policy.Allow,
	} {
		if v := judge(r, "read", input).Verdict; v != want {
			t.Errorf("%s: %s, want %s", input, v, want)
		}
	}
	for command, want := range map[string]policy.Verdict{"cat secret.txt": policy.Deny, "cat *.txt": policy.Ask, "cat other.txt": policy.Allow} {
		if v := judge(r, "execute", `{"command":"`+command+`"}`).Verdict; v != want {
			t.Errorf("%s: %s, want %s", command, v, want)
		}
	}
}

// What the configuration says of files of the working tree, by their paths, is so in its worktrees.
func TestFilesOfAWorktreeNeedTheSameQuestions(t *testing.T) {
	dir, _ := apart.New(t, map[string]string{"diary/a": "dear", "b": ""})
	tree, err := git.CreateWorktree(t.Context(), dir, git.WorktreeOptions{Name: "tree"})
	must(t, err)
	ask := policy.LiteralPattern(filepath.ToSlash(dir)) + "/diary"
	in, err := Open(Options{
		Agent: config.Agent{ID: "claude"}, Cwd: tree.Path, Store: NewStore(t.TempDir()), Files: config.Files{AskRead: []string{ask}},
		Configured: []policy.Rule{{Verdict: policy.Allow, Kind: policy.Read}},
	})
	must(t, err)
	for path, want := range map[string]policy.Verdict{"diary/a": policy.Ask, "b": policy.Allow} {
		if v := judge(in, "read", `{"path":"`+path+`"}`).Verdict; v != want {
			t.Errorf("%s: %s, want %s", path, v, want)
		}
	}
	hidden, elsewhere := filepath.Join(dir, "diary"), t.TempDir()
	if got, want := HiddenCopies([]string{hidden, elsewhere}, []string{tree.Path, elsewhere}), []string{hidden, elsewhere, filepath.Join(tree.Path, "diary")}; !slices.Equal(got, want) {
		t.Errorf("hidden are %q, want %q", got, want)
	}
	// From outside of it, the copy is hidden, too.
	if got, want := HiddenCopies([]string{hidden}, []string{dir}), []string{hidden, filepath.Join(tree.Path, "diary")}; !slices.Equal(got, want) {
		t.Errorf("hidden in the original are %q, want %q", got, want)
	}
}

// A worktree that was made for a folder of the working tree has the rules of that folder, whose
// paths are relative to it. Those that allow allow nothing else.
func TestRulesInAWorktreeOfAFolder(t *testing.T) {
	dir, _ := apart.New(t, map[string]string{"below/src/a": "", "src/a": ""})
	below := filepath.Join(dir, "below")
	tree, err := git.CreateWorktree(t.Context(), below, git.WorktreeOptions{Name: "tree"})
	must(t, err)
	store := NewStore(t.TempDir())
	b := open(t, below, store)
	must(t, b.Add(false, "deny read(src/a)", "allow edit(src/b)"))
	in := open(t, tree.Path, store)
	for _, tt := range []struct {
		kind  acpclient.ToolKind
		input string
		want  policy.Verdict
	}{
		{"read", `{"path":"below/src/a"}`, policy.Deny},
		{"read", `{"path":"below/b"}`, policy.Ask},
		{"execute", `{"command":"cat below/src/a"}`, policy.Deny},
		{"execute", `{"command":"cat below/b"}`, policy.Ask},
		{"edit", `{"path":"below/src/b"}`, policy.Ask},
	} {
		if v := judge(in, tt.kind, tt.input).Verdict; v != tt.want {
			t.Errorf("%s %s: %s, want %s", tt.kind, tt.input, v, tt.want)
		}
	}
}

// What an agent has done is judged without reading the saved rules again, but a change of them,
// also by another parley, counts at once.
func TestSavedRulesAreReadOnce(t *testing.T) {
	dir, state := project(t, ""), t.TempDir()
	b, other := open(t, dir, NewStore(state)), NewStore(state)
	var lines []string
	for i := range 500 {
		lines = append(lines, fmt.Sprintf("deny execute(tool%d *)", i))
	}
	must(t, b.Add(true, lines...))
	done := func(command string) session.Ruling {
		return b.Judge(t.Context(), session.Case{Call: &conversation.ToolCall{Kind: "execute", RawInput: []byte(`{"command":"` + command + `"}`)}, Unasked: true, Done: true})
	}
	if r := done("tool1 x"); r.Verdict != policy.Deny {
		t.Errorf("a saved rule: %+v", r)
	}
	if most := 500.0; testing.AllocsPerRun(10, func() { done("ls") }) > most {
		t.Errorf("a call takes %v allocations, want at most %v", testing.AllocsPerRun(10, func() { done("ls") }), most)
	}
	must(t, open(t, dir, other).Add(false, "deny execute(ls *)"))
	if r := done("ls"); r.Verdict != policy.Deny {
		t.Errorf("a rule that another parley has saved: %+v", r)
	}
	must(t, open(t, dir, other).Remove(false, "deny execute(ls *)"))
	if r := done("ls"); r.Verdict == policy.Deny {
		t.Errorf("a rule that another parley has removed: %+v", r)
	}
}

// One press may answer what no rule speaks of, but not what a rule asks about, nor files of parley's own
// or that run something, nor a change of the mode.
func TestWhatIsOrdinary(t *testing.T) {
	dir := project(t, "", "a", ".git/hooks/pre-commit")
	for _, c := range []struct {
		kind, input, rule string
		switching, want   bool
	}{
		{"read", `{"path":"a"}`, "", false, true},
		{"read", `{"path":"a"}`, "ask read(a)", false, false},
		{"read", `{"path":"a"}`, "allow edit", false, true},
		{"edit", `{"path":".git/hooks/pre-commit"}`, "", false, false},
		{"edit", `{"path":".parley/config.toml"}`, "", false, false},
		{"read", `{"path":"a"}`, "", true, false},
	} {
		var configured []policy.Rule
		if c.rule != "" {
			rule, err := policy.Parse(c.rule)
			must(t, err)
			configured = []policy.Rule{rule}
		}
		b, err := Open(Options{Cwd: dir, Store: NewStore(t.TempDir()), Configured: configured})
		must(t, err)
		call := &conversation.ToolCall{Kind: acpclient.ToolKind(c.kind), RawInput: []byte(c.input)}
		if got := b.Judge(t.Context(), session.Case{Call: call, Switching: c.switching}).Ordinary; got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}
