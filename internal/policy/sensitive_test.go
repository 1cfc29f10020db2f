package policy

import (
	"os"
	"slices"
	"strings"
	"testing"
)

func table(t testing.TB, reading, writing, own []string) *SensitiveFiles {
	t.Helper()
	tab, err := NewSensitiveFiles(reading, writing, own, "/home/ann")
	if err != nil {
		t.Fatal(err)
	}
	return tab
}

func TestDefaults(t *testing.T) {
	tab := table(t, nil, nil, []string{"/home/ann/.config/parley", "/home/ann/.local/state/parley"})
	for _, c := range []struct {
		path         string
		secret, runs bool
	}{
		{"/home/ann/.ssh/id_rsa", true, false},
		{"/home/ann/.ssh/config", true, false},
		{"/home/ann/.ssh", true, false},
		{"/home/ann/.SSH/known_hosts", true, false},
		{"/home/ann/.\u017f\u017fh/config", true, false}, // long s: the same file on a Mac
		{"/home/ann/.s\u200csh/config", true, false},
		{"/w/.env", true, false},
		{"/w/.ENV.local", true, false},
		{"/w/.env. ", true, false},
		{"/w/.env.example", false, false},
		{"/w/.env.example.local", true, false},
		{"/w/environment", false, false},
		{"/w/src/.env/deep/file", true, false},
		{"/w/keys/server.PEM", true, false},
		{"/w/id_ed25519", true, false},
		{"/w/id_ed25519.pub", false, false},
		{"/w/id_map.go", false, false},
		{"/w/monkey.go", false, false},
		{"/home/ann/.kube/config", true, false},
		{"/home/ann/.docker/config.json", true, false},
		{"/w/docker/config.json", false, false},
		{"/w/.git/config", true, true},
		{"/w/.git/modules/lib/config", true, true},
		{"/w/.git/HEAD", false, true},
		{"/w/.hg/hgrc", true, true},
		{"/w/.hg/store/undo", false, true},
		{"/w/.yarnrc", false, true},
		{"/w/.yarn/releases/yarn.cjs", false, true},
		{"/w/.yarn/cache/x.zip", false, false},
		{"/w/.git/hooks/pre-commit", false, true},
		{"/w/.GIT/hooks/pre-commit", false, true},
		{"/w/.g\u200dit/hooks/pre-commit", false, true},
		{"/w/.git./hooks/pre-commit", false, true},
		{"/w/.git", false, true},
		{"/w/.github/workflows/ci.yml", false, true},
		{"/w/.github/CODEOWNERS", false, false},
		{"/w/.gitlab-ci.yml", false, true},
		{"/w/.gitignore", false, false},
		{"/home/ann/.bashrc", false, true},
		{"/home/ann/.config/fish/config.fish", false, true},
		{"/w/.vscode/tasks.json", false, true},
		{"/w/.envrc", true, false},
		{"/w/main.go", false, false},
		{"/w/README.md", false, false},
		{"/", false, false},
	} {
		if got := tab.Match(Reading, c.path) != ""; got != c.secret {
			t.Errorf("%q is asked before it is read: %v", c.path, got)
		}
		if got := tab.Match(Writing, c.path) != ""; got != c.runs {
			t.Errorf("%q is asked before it is written: %v", c.path, got)
		}
	}
	for path, own := range map[string]bool{
		"/home/ann/.config/parley/config.toml": true, "/home/ann/.local/state/parley": true, "/home/ann/.CONFIG/Parley/x": true,
		"/home/ann/.config/parley2/x": false, "/home/ann/.config": false,
	} {
		if tab.Own(path) != own {
			t.Errorf("%q belongs to parley: %v", path, !own)
		}
	}
}

func TestLinesOfTheUser(t *testing.T) {
	tab := table(t, []string{"!.env", "secret notes/**", "~/diary", "/etc"}, []string{"!.git", ".git/hooks", "Makefile"}, nil)
	for path, want := range map[string]string{
		"/w/.env":                "",
		"/w/.env.local":          ".env.*",
		"/w/secret notes/a/b":    "secret notes/**",
		"/home/ann/diary/monday": "~/diary",
		"/w/diary":               "",
		"/etc/passwd":            "/etc",
		"/w/etc/passwd":          "",
	} {
		if got := tab.Match(Reading, path); got != want {
			t.Errorf("%s is matched by %q, want %q", path, got, want)
		}
	}
	for path, want := range map[string]string{"/w/.git/index": "", "/w/.git/hooks/x": ".git/hooks", "/w/sub/makefile": "Makefile"} {
		if got := tab.Match(Writing, path); got != want {
			t.Errorf("%s is matched by %q, want %q", path, got, want)
		}
	}
	for _, line := range []string{"", "!", "/", " .env", "a/../b", "./a", "../a", "[a", "a//b"} {
		if _, err := NewSensitiveFiles([]string{line}, nil, nil, "/home/ann"); err == nil || !strings.Contains(err.Error(), `"`) {
			t.Errorf("took the line %q: %v", line, err)
		}
	}
}

// A home directory may have characters that mean something in a glob.
func TestHomeIsLiteral(t *testing.T) {
	tab, err := NewSensitiveFiles([]string{"~/x"}, nil, nil, "/home/{a,b}*")
	if err != nil {
		t.Fatal(err)
	}
	if tab.Match(Reading, "/home/{a,b}*/x") == "" || tab.Match(Reading, "/home/a/x") != "" {
		t.Error("the home directory was taken for a pattern")
	}
}

// The guide lists all of the table, as it is.
func TestGuideListsTheTable(t *testing.T) {
	guide, err := os.ReadFile("../../docs/guide.md")
	if err != nil {
		t.Fatal(err)
	}
	_, list, _ := strings.Cut(string(guide), "### The whole list")
	blocks := strings.Split(list, "```")
	if len(blocks) < 5 {
		t.Fatal("the guide has no list")
	}
	if !strings.Contains(blocks[2], "as of "+RunningAsOf) {
		t.Errorf("the guide does not say that the list is of %s", RunningAsOf)
	}
	for i, want := range [][]string{Secrets, Running} {
		if got := strings.Fields(strings.TrimPrefix(blocks[1+2*i], "text")); !slices.Equal(got, want) {
			t.Errorf("the guide lists\n%q, want\n%q", got, want)
		}
	}
}

// What programs run by themselves is asked about before it is written, and what a project
// consists of is not.
func TestFilesThatRun(t *testing.T) {
	tab := table(t, nil, nil, nil)
	for _, name := range []string{
		".lefthook.yml", "lefthook-local.json", ".config/lefthook.toml", ".overcommit.yml", ".codex/hooks.json", ".codex/config.toml", ".roo/mcp.json", ".windsurf/mcp_config.json", ".windsurf/hooks.json", ".pnp.cjs", ".pnp.loader.mjs",
		".Rprofile", ".irbrc", ".lvimrc", "mise.toml", ".mise.toml", ".mise.local.toml", "mise.dev.toml", ".config/mise/config.toml", ".mise/config.toml", ".tool-versions", ".husky/pre-commit", ".huskyrc.json", ".pre-commit-config.yaml",
		".cursor/mcp.json", ".cursor/hooks.json", ".cursor/environment.json", ".claude/settings.local.json", ".claude/commands/x.md", ".claude/agents/a.md", ".gemini/settings.json", ".gemini/extensions/x/y", ".kiro/settings/mcp.json", ".kiro/hooks/x.kiro.hook",
		".vscode/tasks.json", ".idea/workspace.xml", ".run/x.run.xml", ".zed/tasks.json", ".helix/languages.toml", ".devcontainer/x", "compose.override.yml", ".exrc", ".nvim.lua", ".dir-locals.el", ".lazy.lua", ".luarc.json", "x.sublime-project",
		"conftest.py", "sitecustomize.py", "usercustomize.py", "lib/x.pth", ".bazelrc", "ci.bazelrc", "tools/bazel", "gradlew", "gradle/wrapper/gradle-wrapper.properties", "init.gradle", ".mvn/jvm.config", ".cargo/config.toml", "rust-toolchain.toml", "bunfig.toml",
		".pnpmfile.cjs", ".yarn/releases/yarn.cjs", ".psqlrc", ".gdbinit", ".bundle/config", ".github/hooks/x.json", ".gitlab/ci/x.yml", ".git-hooks/x", ".kilocode/mcp.json", ".factory/droids/x.md", "Directory.Build.props", "ansible.cfg", ".config/go/env", ".config/starship.toml",
	} {
		if tab.Match(Writing, "/w/p/"+name) == "" {
			t.Errorf("%s is written without a question", name)
		}
	}
	for _, name := range []string{"main.go", "Makefile", "package.json", "Dockerfile", "justfile", ".gitignore", ".gitattributes", "README.md", "mise/src/x.rs", "lefthook/main.go", "src/hooks/use.ts", "settings.json", "config.toml", ".editorconfig", ".cursor/rules/x.md", ".roo/rules/x.md", ".github/CODEOWNERS", "bin/x", "gradle/libs.versions.toml", "AGENTS.md"} {
		if found := tab.Match(Writing, "/w/p/"+name); found != "" {
			t.Errorf("%s is asked about because of %s", name, found)
		}
	}
	for _, row := range RunningFiles {
		if row.By == "" || len(row.Patterns) == 0 {
			t.Errorf("a row says too little: %+v", row)
		}
	}
}

// However the names before and behind a secret are spelled, it is one.
func FuzzMatch(f *testing.F) {
	tab := table(f, nil, nil, nil)
	for _, s := range []string{"w", "a/b", "..", "\xff", "Ж", "a\u0301", ".env.example"} {
		f.Add(s, s)
	}
	f.Fuzz(func(t *testing.T, before, behind string) {
		if tab.Match(Reading, "/"+before+"/.ssh/"+behind) == "" {
			t.Errorf("a file in .ssh is not asked about: %q %q", before, behind)
		}
		if tab.Match(Writing, "/"+before+"/.GIT/"+behind) == "" {
			t.Errorf("a file in .git is not asked about: %q %q", before, behind)
		}
	})
}

// TestEntry: a look at a folder's entries finds what a look at their paths finds.
func TestEntry(t *testing.T) {
	tab := table(t, []string{"diary", "!keep.pem"}, nil, []string{"/home/ann/.config/parley"})
	general := table(t, []string{"deep/**/x"}, nil, nil)
	if !general.Entry("/w/deep/a", "x") || general.Entry("/w/deep/a", "y") {
		t.Error("a general pattern does not count for entries")
	}
	for _, dir := range []string{"/w", "/w/sub", "/w/.docker", "/w/.git", "/home/ann/.config"} {
		for _, name := range []string{".env", ".ENV", ".env. ", ".env.example", "a.pem", "keep.pem", "config.json", "config", "diary", "x", "main.go", ".ssh", ".s\u200csh", "id_rsa", "parley", "credentials.yml", "settings.xml"} {
			want := tab.Match(Reading, dir+"/"+name) != "" || tab.Own(dir+"/"+name)
			if got := tab.Entry(dir, name); got != want {
				t.Errorf("%s in %s: %v, want %v", name, dir, got, want)
			}
		}
	}
	if !tab.Entry("/home/ann/.config", "parley") {
		t.Error("parley's own folder is not found")
	}
}

// TestVeryDeepPaths: a path that is too deep for general patterns needs a question, and no
// exception spares it.
func TestVeryDeepPaths(t *testing.T) {
	deep := strings.Repeat("/a", maxGlobbed) + "/b"
	if tab := table(t, []string{"x/**/y"}, nil, nil); tab.Match(Reading, deep) == "" {
		t.Error("a very deep path is not asked about")
	}
	if tab := table(t, []string{"b", "!a/**/b"}, nil, nil); tab.Match(Reading, deep) == "" {
		t.Error("an exception spares a very deep path")
	}
}
