package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"parley/internal/policy"
)

// pages are the documents that say something about files, targets and packages.
var pages = []string{"README.md", "CONTRIBUTING.md", "SECURITY.md", "docs/guide.md", "docs/looks.md", "docs/architecture.md"}

func page(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

var (
	links   = regexp.MustCompile(`(?:\]\(|src="|srcset=")([^)"#:]+)(?:#[^)"]*)?[)"]`)
	targets = regexp.MustCompile("(?m)(?:`|^)make ([a-z-]+)")
)

// What the documents link to, pictures included, is there.
func TestLinkedFilesAreThere(t *testing.T) {
	found := 0
	for _, name := range pages {
		for _, link := range links.FindAllStringSubmatch(page(t, name), -1) {
			found++
			if _, err := os.Stat(filepath.Join("..", filepath.Dir(name), link[1])); err != nil {
				t.Errorf("%s links to %s, which is not there", name, link[1])
			}
		}
	}
	if found < 10 {
		t.Errorf("only %d links were found", found)
	}
}

// Every picture is shown somewhere.
func TestPicturesAreShown(t *testing.T) {
	var shown []string
	for _, name := range pages {
		for _, link := range links.FindAllStringSubmatch(page(t, name), -1) {
			shown = append(shown, filepath.Base(link[1]))
		}
	}
	pictures, err := filepath.Glob("pictures/*.svg")
	looks, _ := filepath.Glob("pictures/looks/*.svg")
	if err != nil || len(pictures) < 10 || len(looks) < 10 {
		t.Errorf("pictures: %q, %q, %v", pictures, looks, err)
	}
	pictures = append(pictures, looks...)
	for _, picture := range pictures {
		if !slices.Contains(shown, filepath.Base(picture)) {
			t.Errorf("no page shows %s", picture)
		}
	}
}

// What a reader is told to make can be made.
func TestTargetsAreThere(t *testing.T) {
	makefile := page(t, "Makefile")
	found := 0
	for _, name := range pages {
		for _, target := range targets.FindAllStringSubmatch(page(t, name), -1) {
			found++
			if !regexp.MustCompile(`(?m)^` + target[1] + `:`).MatchString(makefile) {
				t.Errorf("%s says make %s, which there is not", name, target[1])
			}
		}
	}
	if found < 5 {
		t.Errorf("only %d targets were found", found)
	}
}

// Every folder with a package stands in the table of packages, itself or as one below
// another.
func TestPackagesAreDescribed(t *testing.T) {
	table := page(t, "docs/architecture.md")
	err := filepath.WalkDir("..", func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && path != ".." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || d.Name() == "dist" || d.Name() == "bin") {
			return filepath.SkipDir
		}
		sources, _ := filepath.Glob(filepath.Join(path, "*.go"))
		name, err := filepath.Rel("..", path)
		if err != nil || name == "." || len(sources) == 0 {
			return err
		}
		for dir := filepath.ToSlash(name); dir != "."; dir = filepath.ToSlash(filepath.Dir(dir)) {
			if strings.Contains(table, "`"+dir+"/`") || strings.Contains(table, "`"+dir+"`") {
				return nil
			}
		}
		t.Errorf("docs/architecture.md does not say what %s is for", name)
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// What the guide promises of rules holds for these commands, files and hosts.
func TestRulesHoldWhatTheGuideSays(t *testing.T) {
	guide := strings.Join(strings.Fields(strings.ReplaceAll(page(t, "docs/guide.md"), "\n> ", "\n")), " ")
	table, err := policy.NewSensitiveFiles(nil, nil, nil, "")
	if err != nil {
		t.Fatal(err)
	}
	resolve := func(name string) policy.Path {
		if !filepath.IsAbs(name) {
			name = filepath.Join("/work", name)
		}
		rel, err := filepath.Rel("/work", name)
		return policy.Path{Name: rel, Inside: err == nil && filepath.IsLocal(rel), Exists: true, Secret: table.Match(policy.Reading, name), Runs: table.Match(policy.Writing, name)}
	}
	for promise, asked := range map[string][]struct{ rule, kind, input string }{
		"options that are known to be harmless": {
			{"execute(sed *)", "execute", `{"command":"sed '1e touch x'"}`}, {"execute(go test *)", "execute", `{"command":"go test -exec ./x"}`}, {"execute(make test *)", "execute", `{"command":"make test SHELL=./x"}`},
		},
		"It asks about all other programs": {
			{"execute(tar *)", "execute", `{"command":"tar cIf ./x y"}`}, {"execute(curl *)", "execute", `{"command":"curl -D x y"}`}, {"execute(gcc *)", "execute", `{"command":"gcc x.c"}`},
		},
		"exactly these words, whatever they do, in the session's directory": {
			{"execute(./x)", "execute", `{"command":"./x","cwd":"sub"}`}, {"execute(./x)", "execute", `{"command":"./x y"}`},
		},
		"a pipe into a program that it does not know":                                               {{"execute(cat *)", "execute", `{"command":"cat x | sh"}`}},
		"Paths count from where `cd`, or the directory that the agent names, leads":                 {{"execute(cat *)", "execute", `{"command":"cat ../../x","cwd":"sub"}`}},
		"allows git only in the session's directory":                                                {{"execute(git status *)", "execute", `{"command":"git status","cwd":"sub"}`}},
		"No rule for files and no rule with a star allows a path outside the session's directories": {{"read", "read", `{"path":"/etc/passwd"}`}, {"execute(cat *)", "execute", `{"command":"cat /etc/shadow"}`}},
		"Only a rule that names it allows a file of the whole list":                                 {{"edit", "edit", `{"path":".claude/settings.json"}`}, {"read", "read", `{"path":".pgpass"}`}, {"execute(cat *)", "execute", `{"command":"cat .env"}`}},
		"parley asks about hosts that are not in ASCII":                                             {{"fetch(*.docs.com)", "fetch", `{"url":"http://evil.com／.docs.com/"}`}},
		"A tool whose input has a command is a command, whatever its name":                          {{"mcp(docs__*)", "other", `{"command":"make"}`}},
	} {
		if !strings.Contains(guide, promise) {
			t.Errorf("the guide does not say %q", promise)
		}
		for _, a := range asked {
			rule, err := policy.ParseFor(policy.Allow, a.rule)
			if err != nil {
				t.Fatal(err)
			}
			call := policy.Call{Kind: a.kind, RawInput: []byte(a.input)}
			if rule.Kind == policy.MCP {
				call.Name = "mcp__docs__search"
			}
			if d := policy.Compile([]policy.Rule{rule}).Decide(policy.Describe(call, "", "", resolve)); d.Verdict != policy.Ask {
				t.Errorf("%s: %s %s: %s", promise, a.rule, a.input, d.Verdict)
			}
		}
	}
}

// What the guide promises of the sandbox, and what it says that the sandbox does not
// prevent, is tried by these tests.
func TestTheSandboxIsTriedForWhatTheGuideSays(t *testing.T) {
	guide := strings.Join(strings.Fields(page(t, "docs/guide.md")), " ")
	for promise, tried := range map[string]struct{ file, name string }{
		"writes only in the session's directories":                                       {"internal/sandbox/sandbox_linux_test.go", "TestWritesInsideOnly"},
		"and, always, parley's own configuration, state and sockets of running sessions": {"internal/app/sandbox_linux_test.go", "TestHidesWhatIsParleysOwn"},
		"connects to no Unix socket that was there before it":                            {"internal/sandbox/sandbox_linux_test.go", "TestHidesSockets"},
		"unless `sandbox_write` names the socket itself":                                 {"internal/sandbox/sandbox_linux_test.go", "TestHidesSockets"},
		"sockets that it creates work":                                                   {"internal/sandbox/sandbox_linux_test.go", "TestLeavesItsOwnSockets"},
		"It keeps the agent from abstract sockets since Linux 6.12":                      {"internal/sandbox/sandbox_linux_test.go", "TestHidesAbstractSockets"},
		"if `bwrap` is setuid":                                                           {"internal/sandbox/sandbox_linux_test.go", "TestTakesABubblewrapWithRightsOfItsOwn"},
		"has no capabilities, also as root, no devices but harmless ones":                {"internal/sandbox/sandbox_linux_test.go", "TestDevicesAreHarmless"},
		"has no network, with `sandbox_network = false`":                                 {"internal/sandbox/sandbox_linux_test.go", "TestTakesTheNetworkAway"},
		"An agent below `/tmp` is hidden by the sandbox, and parley says so":             {"internal/app/sandbox_linux_test.go", "TestSaysThatTheSandboxHidesTheAgent"},
		"the agent can commit but cannot change which programs git runs":                 {"internal/app/sandbox_linux_test.go", "TestGitRunsNothingOfTheAgent"},
		"The agent writes `objects`, `refs`, `logs`, `index` and the few files":          {"internal/app/sandbox_linux_test.go", "TestCommitsInTheSandbox"},
		"Links and special files that the agent leaves in `.git`":                        {"internal/app/sandbox_linux_test.go", "TestGitWritesNowhereElse"},
		"`.git` cannot be moved or replaced":                                             {"internal/sandbox/sandbox_linux_test.go", "TestHidesAndKeeps"},
		"Without a `.git`, the agent cannot create one":                                  {"internal/app/sandbox_linux_test.go", "TestNoRepositoryAppears"},
		"A `.git` that is a symbolic link is an error":                                   {"internal/app/sandbox_linux_test.go", "TestRefusesALinkedRepository"},
		"Until parley restores the permissions at the end of the session":                {"internal/app/sandbox_linux_test.go", "TestPermissionsComeBack"},
		"lets the agent `chmod` all your files":                                          {"internal/sandbox/sandbox_linux_test.go", "TestLandlockLeavesPermissions"},
		"Landlock hides only parley's own files, does not guard `.git`":                  {"internal/app/sandbox_linux_test.go", "TestSaysWhatLandlockCannotDo"},
	} {
		if !strings.Contains(guide, promise) {
			t.Errorf("the guide does not say %q", promise)
		}
		if !strings.Contains(page(t, tried.file), "func "+tried.name+"(") {
			t.Errorf("%s has no %s, which tries %q", tried.file, tried.name, promise)
		}
	}
}
