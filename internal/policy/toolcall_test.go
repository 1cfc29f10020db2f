package policy_test

import (
	"path"
	"strings"
	"testing"

	"parley/internal/policy"
)

var sensitive = func() *policy.SensitiveFiles {
	table, err := policy.NewSensitiveFiles(nil, nil, []string{"/work/own"}, "/home/ann")
	if err != nil {
		panic(err)
	}
	return table
}()

// resolve takes /work for the only root, and all files for existing.
func resolve(name string) policy.Path {
	plain := name != "" && !strings.HasPrefix(name, "~") && !strings.HasPrefix(name, "$")
	if !path.IsAbs(name) {
		name = path.Join("/work", name)
	}
	name = path.Clean(name)
	p := policy.Path{Name: name, Exists: true, Own: sensitive.Own(name), Secret: sensitive.Match(policy.Reading, name), Runs: sensitive.Match(policy.Writing, name)}
	if rel, ok := strings.CutPrefix(name+"/", "/work/"); ok && plain {
		p.Name, p.Inside = path.Clean(rel), true
	}
	return p
}

// TestDescribe judges tool calls as agents in the field send them.
func TestDescribe(t *testing.T) {
	set := rules(t, "allow read", "allow search", "allow edit", "allow execute(go test *)", "allow fetch(example.com)", "allow mcp(docs__search)", "deny execute(rm *)")
	for name, c := range map[string]struct {
		kind    string
		tool    string
		input   string
		at      []string
		diffs   []string
		want    policy.Verdict
		because string
	}{
		"a read":                              {kind: "read", input: `{"file_path":"/work/a.go","limit":10}`, want: allow},
		"a read by location":                  {kind: "read", at: []string{"/work/a.go"}, want: allow},
		"a read outside":                      {kind: "read", input: `{"path":"/etc/passwd"}`, want: ask, because: "outside"},
		"a read that climbs out":              {kind: "read", input: `{"path":"../x"}`, want: ask, because: "outside"},
		"a location inside, an input outside": {kind: "read", input: `{"path":"/etc/passwd"}`, at: []string{"/work/a.go"}, want: ask},
		"a read without a file":               {kind: "read", want: ask, because: "no file"},
		"a read that is a command":            {kind: "read", input: `{"command":"rm -rf ~"}`, at: []string{"/work/a"}, want: deny},
		"a search that is a command":          {kind: "search", input: `{"cmd":"make"}`, at: []string{"/work/a"}, want: ask},
		"a read with something unknown":       {kind: "read", input: `{"path":"a","then":"x"}`, want: ask, because: `"then"`},
		"a search":                            {kind: "search", input: `{"pattern":"x","path":"src"}`, want: allow},
		"a search that leads away":            {kind: "search", input: `{"pattern":"/etc/**","path":"src"}`, want: ask, because: "outside"},
		"a search that climbs":                {kind: "search", input: `{"pattern":"x","path":"src","glob":"../*"}`, want: ask, because: "outside"},
		"an edit":                             {kind: "edit", input: `{"file_path":"a.go","old_string":"x","new_string":"y"}`, diffs: []string{"a.go"}, want: allow},
		"an edit with its diff":               {kind: "edit", input: `{"filepath":"/work/a.go","diff":"Index: /work/a.go\n=====\n--- /work/a.go\n+++ /work/a.go\n@@ -1,2 +1,2 @@\n-x\n+y\n z\n\\ No newline at end of file\n"}`, diffs: []string{"/work/a.go"}, want: allow},
		"an edit with a diff of other files":  {kind: "edit", input: `{"filepath":"/work/a.go","diff":"--- /work/a.go\n+++ /work/a.go\n@@ -1 +1 @@\n-x\n+y\n--- /etc/hosts\n+++ /etc/hosts\n@@ -1 +1 @@\n-x\n+y\n"}`, want: ask, because: "outside"},
		"a changed line that looks like one":  {kind: "edit", input: `{"filepath":"a.go","diff":"--- a.go\n+++ a.go\n@@ -1 +1 @@\n--- /etc/hosts\n+++ /etc/hosts\n"}`, want: allow},
		"a diff that does more":               {kind: "edit", input: `{"filepath":"a.go","diff":"--- a.go\n+++ a.go\nrename to /etc/hosts\n"}`, want: ask, because: "rename to"},
		"a diff that hides a file":            {kind: "edit", input: `{"filepath":"a.go","diff":"--- a.go\n+++ a.go\n@@ -1,9 +1,9 @@\n--- /etc/hosts\n+++ /etc/hosts\n"}`, want: ask, because: "middle"},
		"a diff that is none":                 {kind: "edit", input: `{"filepath":"a.go","diff":"what I mean"}`, want: ask, because: "what I mean"},
		"a diff of something else":            {kind: "read", input: `{"filepath":"a.go","diff":"--- a.go\n"}`, want: ask, because: "diff"},
		"an edit as kilo describes it":        {kind: "edit", input: `{"filediff":{"file":"a.go","patch":"--- a.go\n+++ a.go\n@@ -1 +1 @@\n-x\n+y\n","additions":1,"deletions":1}}`, want: allow},
		"one of another file":                 {kind: "edit", input: `{"filepath":"a.go","filediff":{"file":"/etc/hosts","before":"x","after":"y"}}`, want: ask, because: "outside"},
		"one with a patch of another file":    {kind: "edit", input: `{"filediff":{"file":"a.go","patch":"--- /etc/hosts\n+++ /etc/hosts\n"}}`, want: ask, because: "outside"},
		"one that does more":                  {kind: "edit", input: `{"filediff":{"file":"a.go","then":"make"}}`, want: ask, because: `"then"`},
		"an edit as copilot describes it":     {kind: "edit", input: `{"fileName":"/work/a.go","intention":"Fix it","diff":"--- /work/a.go\n+++ /work/a.go\n@@ -1 +1 @@\n-x\n+y\n"}`, want: allow},
		"an edit of another file":             {kind: "edit", input: `{"file_path":"a.go"}`, diffs: []string{"/etc/hosts"}, want: ask},
		"a command":                           {kind: "execute", input: `{"command":"go test ./...","description":"x","timeout":5}`, want: allow},
		"a command as arguments":              {kind: "execute", input: `{"command":["bash","-lc","go test"],"workdir":"/work/sub"}`, want: allow},
		"a command elsewhere":                 {kind: "execute", input: `{"command":"go test","cwd":"/tmp"}`, want: ask, because: "/tmp"},
		"a command and something else":        {kind: "execute", input: `{"command":"go test","stdin":"x"}`, want: ask, because: `"stdin"`},
		"a command with variables":            {kind: "execute", input: `{"command":"go test","env":{"PATH":"."}}`, want: ask, because: "variables"},
		"arguments with variables":            {kind: "execute", input: `{"command":["go","test"],"environment":[{"name":"PATH","value":"."}]}`, want: ask, because: "variables"},
		"variables that may be denied":        {kind: "execute", input: `{"command":"go test","env":["PAGER=rm x"]}`, want: ask, because: "variables"},
		"no variables":                        {kind: "execute", input: `{"command":"go test","env":{}}`, want: allow},
		"variables of an odd form":            {kind: "execute", input: `{"command":"go test","env":{"A":1}}`, want: ask, because: "unknown format"},
		"two commands":                        {kind: "execute", input: `{"command":"go test","cmd":"make"}`, want: ask, because: "two different"},
		"two commands, the second denied":     {kind: "execute", input: `{"command":"go test","script":"rm x"}`, want: deny},
		"a command twice":                     {kind: "execute", input: `{"command":"go test","command":"go test"}`, want: ask, because: "twice"},
		"a command twice, once denied":        {kind: "execute", input: `{"command":"go test","command":"rm x"}`, want: deny},
		"a path twice":                        {kind: "read", input: `{"path":"a.go","path":"b.go"}`, want: ask, because: "twice"},
		"a key in capitals":                   {kind: "execute", input: `{"command":"go test","Command":"make"}`, want: ask},
		"a command of copilot":                {kind: "execute", input: `{"command":"go test ./... && go test -v","commands":["go test ./... && go test -v"]}`, want: allow},
		"a command of copilot in parts":       {kind: "execute", input: `{"command":"go test ./... && go test -v","commands":["go test -v","go"]}`, want: allow},
		"other commands beside it":            {kind: "execute", input: `{"command":"go test","commands":["make"]}`, want: ask, because: "another command"},
		"denied commands beside it":           {kind: "execute", input: `{"command":"go test","commands":["rm x"]}`, want: deny},
		"unclear commands beside it":          {kind: "execute", input: `{"command":"go test","commands":["$X"]}`, want: ask, because: "another command"},
		"commands of an odd form":             {kind: "execute", input: `{"command":"go test","commands":[{"a":1}]}`, want: ask, because: "unknown form"},
		"commands without a command":          {kind: "execute", input: `{"commands":["go test"]}`, want: ask, because: `"commands"`},
		"a command of droid":                  {kind: "execute", input: `{"command":"go test","summary":"x","riskLevel":"low","riskLevelReason":"y"}`, want: allow},
		"a question":                          {kind: "other", input: `{"questions":[{"question":"rm?"}]}`, want: ask, because: "question"},
		"a question that is a command":        {kind: "execute", input: `{"questions":[],"command":"rm x"}`, want: ask, because: "question"},
		"a mode that is a command":            {kind: "switch_mode", input: `{"command":"rm x"}`, want: ask, because: "mode"},
		"a secret":                            {kind: "read", input: `{"path":"sub/.env.local"}`, want: ask, because: "sensitive"},
		"a secret in capitals":                {kind: "read", input: `{"path":".ENV"}`, want: ask, because: "sensitive"},
		"a hook of git":                       {kind: "edit", input: `{"path":".git/hooks/pre-commit"}`, want: ask, because: "sensitive"},
		"a file of git that is read":          {kind: "read", input: `{"path":".git/HEAD"}`, want: allow},
		"two commands, one denied":            {kind: "execute", input: `{"command":"rm x","script":"go test"}`, want: deny},
		"the same twice":                      {kind: "execute", input: `{"command":"go test","cmd":"go test"}`, want: allow},
		"a command of an odd form":            {kind: "execute", input: `{"command":{"a":1}}`, want: ask, because: "unknown form"},
		"no command":                          {kind: "execute", input: `{}`, want: ask, because: "which command"},
		"an input that is a list":             {kind: "execute", input: `["go","test"]`, want: ask, because: "unknown form"},
		"a command at a place elsewhere":      {kind: "execute", input: `{"command":"go test"}`, at: []string{"/etc/hosts"}, want: ask, because: "outside"},
		"a command with a change":             {kind: "execute", input: `{"command":"go test"}`, diffs: []string{"a.go"}, want: ask, because: "changes"},
		"a read with a change":                {kind: "read", input: `{"path":"a.go"}`, diffs: []string{"a.go"}, want: ask, because: "changes"},
		"a patch that names files itself":     {kind: "edit", input: `{"patch":"*** Update File: /etc/hosts"}`, at: []string{"a.go"}, want: ask, because: `"patch"`},
		"several edits":                       {kind: "edit", input: `{"file_path":"a.go","edits":[{"old_string":"x","new_string":"y"}]}`, want: allow},
		"several edits, one elsewhere":        {kind: "edit", input: `{"file_path":"a.go","edits":[{"old_string":"x"},{"file_path":"/etc/hosts"}]}`, want: ask, because: `"edits"`},
		"something deep down":                 {kind: "edit", input: `{"file_path":"a.go","edits":[[{"old_string":{"command":"rm"}}]]}`, want: deny},
		"too deep to be looked at":            {kind: "edit", input: `{"file_path":"a.go","edits":` + strings.Repeat("[", 5000) + strings.Repeat("]", 5000) + `}`, want: ask, because: `"edits"`},
		"an address at a place elsewhere":     {kind: "fetch", input: `{"url":"https://example.com/x"}`, at: []string{"/etc/hosts"}, want: ask, because: "outside"},
		"an address":                          {kind: "fetch", input: `{"url":"https://example.com/x","prompt":"y"}`, want: allow},
		"another address":                     {kind: "fetch", input: `{"url":"https://evil.example"}`, want: ask},
		"two addresses":                       {kind: "fetch", input: `{"url":"https://example.com","uri":"https://evil.example"}`, want: ask, because: "several"},
		"no address":                          {kind: "fetch", input: `{}`, want: ask, because: "which address"},
		"an MCP tool":                         {kind: "other", tool: "mcp__docs__search", input: `{"anything":1}`, want: allow},
		"an MCP tool that says it reads":      {kind: "read", tool: "mcp__mail__send", at: []string{"/work/a"}, want: ask},
		"another tool":                        {kind: "other", input: `{"path":"a"}`, want: ask},
		"a mode":                              {kind: "switch_mode", want: ask, because: "mode"},
		"thinking":                            {kind: "think", want: ask},
		"a kind that nobody knows":            {kind: "dance", at: []string{"/work/a"}, want: ask},
		"a null command":                      {kind: "read", input: `{"path":"a","command":null}`, want: ask},
	} {
		t.Run(name, func(t *testing.T) {
			call := policy.Call{Kind: c.kind, Name: c.tool, RawInput: []byte(c.input), Paths: c.at, Changes: c.diffs}
			got := policy.Compile(set).Decide(policy.Describe(call, "agent", "mode", resolve))
			if got.Verdict != c.want || !strings.Contains(got.Why, c.because) {
				t.Errorf("%s by %v, because %q; want %s, because %q", got.Verdict, got.Rule, got.Why, c.want, c.because)
			}
		})
	}
}

// TestSensitiveFilesNeedTheirNames: a rule for all files of a kind leaves the table of
// sensitive files alone.
func TestSensitiveFilesNeedTheirNames(t *testing.T) {
	decide := func(kind, name string, lines ...string) policy.Verdict {
		return policy.Compile(rules(t, lines...)).Decide(policy.Describe(policy.Call{Kind: kind, Paths: []string{name}}, "", "", resolve)).Verdict
	}
	for kind, names := range map[string][]string{
		"edit": {
			".claude/settings.json", ".mcp.json", ".codex/config.toml", ".gemini/settings.json", ".githooks/pre-commit", ".devcontainer/devcontainer.json", ".circleci/config.yml", "conftest.py",
			"tests/conftest.py", ".git/config", ".vscode/tasks.json", ".env", ".Claude/Settings.json",
		},
		"read": {".pgpass", ".htpasswd", "release.jks", "key.ppk", ".vault-token", ".config/gh/hosts.yml", ".env", ".aws/credentials", "credentials.json"},
	} {
		for _, name := range names {
			if v := decide(kind, name, "allow "+kind, "allow "+kind+"(**)"); v != ask {
				t.Errorf("%s %s: %s", kind, name, v)
			}
			if v := decide(kind, name, "allow "+kind+"("+name+")"); v != allow {
				t.Errorf("%s %s by its name: %s", kind, name, v)
			}
		}
	}
	if v := decide("read", ".claude/settings.json", "allow read"); v != allow {
		t.Errorf("settings of an agent are read: %s", v)
	}
	if v := decide("read", ".env.example", "allow read"); v != allow {
		t.Errorf("an example of .env is read: %s", v)
	}
	if v := decide("edit", "own/rules.json", "allow edit", "allow edit(own/rules.json)"); v != ask {
		t.Errorf("parley's own file: %s", v)
	}
}

// TestACommandIsACommand: the name of a tool decides nothing while its input has a
// command.
func TestACommandIsACommand(t *testing.T) {
	set := rules(t, "allow mcp(docs__*)", "allow mcp(acp__*)", "deny mcp(acp__danger)", "allow execute(go test *)", "deny execute(rm *)", "allow read")
	for _, c := range []struct {
		tool, input string
		want        policy.Verdict
	}{
		{"mcp__docs__search", `{"query":"x"}`, allow},
		{"mcp__docs__search", `{"query":"x","command":null}`, allow},
		{"mcp__docs__search", `{"query":"the command"}`, allow},
		{"mcp__docs__search", `{"command":"make"}`, ask},
		{"mcp__docs__search", `{"command":"rm -rf /"}`, deny},
		{"mcp__docs__search", `{"command":["rm","-rf","/"]}`, deny},
		{"mcp__docs__search", `{"cmd":"rm x"}`, deny},
		{"mcp__docs__search", `{"Command":"rm x"}`, deny},
		{"mcp__docs__search", `{"Command":"make"}`, ask},
		{"mcp__docs__search", `{"shellCommand":"make"}`, ask},
		{"mcp__docs__search", `{"args":[{"command":"rm x"}]}`, deny},
		{"mcp__docs__search", `{"args":{"a":[1,{"command":"make"}]}}`, ask},
		{"mcp__docs__search", `{"command":{"program":"make"}}`, ask},
		{"mcp__docs__search", `{"query":"x","query":{"script":["make"],"script":"rm x"}}`, deny},
		{"mcp__acp__Bash", `{"command":"go test ./...","description":"x"}`, allow},
		{"mcp__acp__Bash", `{"command":"go test -exec ./x"}`, ask},
		{"mcp__acp__Bash", `{"command":"go test","cwd":"/tmp"}`, ask},
		{"mcp__acp__danger", `{"command":"go test"}`, deny},
		{"", `{"path":"a","then":{"command":"rm x"}}`, deny},
		{"", `{"path":"a","content":"x"}`, allow},
		{"mcp__docs__search", strings.Repeat(`{"a":[`, 300) + strings.Repeat("]}", 300), allow}, // nothing in it is a command
	} {
		r := policy.Describe(policy.Call{Kind: "read", Name: c.tool, RawInput: []byte(c.input)}, "", "", resolve)
		if got := policy.Compile(set).Decide(r); got.Verdict != c.want {
			t.Errorf("%s %.60s: %s (%s), want %s", c.tool, c.input, got.Verdict, got.Why, c.want)
		}
	}
}

// TestTitlesAllowNothing: a title is a command only for rules that deny or ask, and only
// where the input has none.
func TestTitlesAllowNothing(t *testing.T) {
	set := rules(t, "allow execute(go test *)", "deny execute(rm *)", "ask execute(make *)")
	for _, c := range []struct {
		kind, title, input string
		want               policy.Verdict
	}{
		{"execute", "rm -rf x", ``, deny},
		{"execute", " $ rm x", `{}`, deny},
		{"execute", "`rm x`", ``, deny},
		{"execute", "Run `cd a && rm x` here", ``, deny},
		{"execute", "rm x", `{"description":"y"}`, deny},
		{"execute", "make x", ``, ask},
		{"execute", "go test", ``, ask},
		{"execute", "rm x", `{"command":"go test"}`, deny},
		{"execute", "`rm x`", `{"command":"go test"}`, deny},
		{"execute", "Run: rm x", `{"command":"go test"}`, deny},
		{"execute", "Look for `rm` in it", `{"command":"go test"}`, allow},
		{"execute", "Tests", `{"command":"go test"}`, allow},
		{"execute", "Run: rm x", ``, deny},
		{"execute", "Bash command: `rm x`", ``, deny},
		{"execute", "Running rm x", ``, deny},
		{"execute", "x", `"rm x"`, deny},
		{"execute", "x", `["rm","x"]`, deny},
		{"execute", "x", `"{\"command\":\"rm x\"}"`, deny},
		{"execute", "x", `"go test"`, ask},
		{"other", "x", `"rm x"`, deny},
		{"execute", "remove x", ``, ask},
		{"execute", "", ``, ask},
		{"other", "rm x", ``, ask},
		{"edit", "rm x", ``, ask},
	} {
		r := policy.Describe(policy.Call{Kind: c.kind, Title: c.title, RawInput: []byte(c.input)}, "", "", resolve)
		if got := policy.Compile(set).Decide(r); got.Verdict != c.want {
			t.Errorf("%s %q %s: %s (%s), want %s", c.kind, c.title, c.input, got.Verdict, got.Why, c.want)
		}
	}
}

// TestFilesOfTitles: a rule that denies or asks is about the files of a title where the call
// names none; no rule allows them.
func TestFilesOfTitles(t *testing.T) {
	set := rules(t, "allow read", "allow edit", "deny read(secret)", "ask edit(vendor)")
	for _, c := range []struct {
		kind, title, input string
		want               policy.Verdict
	}{
		{"read", "Read secret/a", ``, deny},
		{"read", "secret/a", ``, deny},
		{"read", "Read `secret/a` (lines 1-5)", ``, deny},
		{"read", "Look", `"secret/a"`, deny},
		{"read", "Read /work/secret/a", `{}`, deny},
		{"edit", "Edit vendor/a b", ``, ask},
		{"read", "Read main.go", ``, ask},
		{"read", "Read secret/a", `{"path":"main.go"}`, allow},
		{"edit", "Edit secret/a", ``, ask},
	} {
		r := policy.Describe(policy.Call{Kind: c.kind, Title: c.title, RawInput: []byte(c.input)}, "", "", resolve)
		if got := policy.Compile(set).Decide(r); got.Verdict != c.want {
			t.Errorf("%s %q %s: %s by %v (%s), want %s", c.kind, c.title, c.input, got.Verdict, got.Rule, got.Why, c.want)
		}
	}
}
