package policy_test

import (
	"strings"
	"testing"

	"parley/internal/policy"
)

// TestPropose: what is proposed is narrow first, and allows the request.
func TestPropose(t *testing.T) {
	in := func(names ...string) []policy.Path {
		var out []policy.Path
		for _, n := range names {
			out = append(out, resolve(n))
		}
		return out
	}
	run := func(command string) policy.Request {
		return policy.Request{Kind: policy.Execute, Command: command, Resolve: resolve}
	}
	for name, c := range map[string]struct {
		rules   []string
		request policy.Request
		want    string // proposals, apart by " | ", their rules by " + "
	}{
		"a command":                     {request: run("go test ./..."), want: "allow execute(go test ./...) | allow execute(go test *)"},
		"a command alone":               {request: run("ls"), want: "allow execute(ls) | allow execute(ls *)"},
		"words in quotes":               {request: run(`echo "a b" '$x'`), want: "allow execute(echo 'a b' '$x') | allow execute(echo *)"},
		"a parenthesis":                 {request: run(`echo ')'`), want: "allow execute(echo ')') | allow execute(echo *)"},
		"a script":                      {request: run("npm run lint"), want: "allow execute(npm run lint)"},
		"several":                       {request: run("go vet ./... && go test ./..."), want: "allow execute(go vet ./...) + allow execute(go test ./...) | allow execute(go vet *) + allow execute(go test *)"},
		"one that destroys":             {request: run("rm -rf build"), want: "allow execute(rm -rf build)"},
		"one that runs others":          {request: run("python x.py"), want: "allow execute(python x.py)"},
		"one with its version":          {request: run("/usr/bin/python3.12 x.py"), want: "allow execute(/usr/bin/python3.12 x.py)"},
		"another with its version":      {request: run("nodejs x.js"), want: "allow execute(nodejs x.js)"},
		"an option in front":            {request: run("git -C / status"), want: "allow execute(git -C / status)"},
		"a star":                        {request: run("echo '*'"), want: "allow execute(echo *)"},
		"what runs something else":      {request: run("go test $(x)"), want: ""},
		"a line break in a word":        {request: run("echo 'a\nb'"), want: "allow execute(echo *)"},
		"what is denied":                {rules: []string{"deny execute(go test *)"}, request: run("go test"), want: ""},
		"what another rule asks":        {rules: []string{"ask execute(go test)"}, request: run("go test"), want: ""},
		"what one part is denied of":    {rules: []string{"deny execute(rm *)"}, request: run("ls; rm x"), want: ""},
		"too many parts":                {request: run("a; b; c; d; e; f; g"), want: ""},
		"arguments":                     {request: policy.Request{Kind: policy.Execute, Args: []string{"go", "test"}, Resolve: resolve}, want: "allow execute(go test) | allow execute(go test *)"},
		"a read":                        {request: policy.Request{Kind: policy.Read, Paths: in("a/b.go")}, want: "allow read(a/b.go) | allow read(a/**) | allow read"},
		"a read of a file at the top":   {request: policy.Request{Kind: policy.Read, Paths: in("b.go")}, want: "allow read(b.go) | allow read"},
		"an edit":                       {request: policy.Request{Kind: policy.Edit, Paths: in("a/b.go")}, want: "allow edit(a/b.go) | allow edit(a/**)"},
		"odd names":                     {request: policy.Request{Kind: policy.Edit, Paths: in("[x]*.go")}, want: `allow edit(\[x\]\*.go)`},
		"a secret":                      {request: policy.Request{Kind: policy.Read, Paths: in(".env")}, want: "allow read(.env)"},
		"outside":                       {request: policy.Request{Kind: policy.Read, Paths: []policy.Path{{Name: "/etc/hosts"}}}, want: ""},
		"no file":                       {request: policy.Request{Kind: policy.Edit}, want: ""},
		"an address":                    {request: policy.Request{Kind: policy.Fetch, URL: "https://Docs.example.com:8080/x"}, want: "allow fetch(docs.example.com)"},
		"an address of another kind":    {request: policy.Request{Kind: policy.Fetch, URL: "file:///etc/passwd"}, want: ""},
		"an MCP tool":                   {request: policy.Request{Kind: policy.MCP, Tool: "docs__search"}, want: "allow mcp(docs__search) | allow mcp(docs__*)"},
		"another tool":                  {request: policy.Request{Kind: policy.Other}, want: ""},
		"what is unclear":               {request: policy.Request{Kind: policy.Read, Paths: in("a"), Unclear: "x"}, want: ""},
		"a character that is not seen":  {request: run("go test \u202e"), want: ""},
		"a file that hides a character": {request: policy.Request{Kind: policy.Read, Paths: in("a\u200b")}, want: "allow read"},
	} {
		t.Run(name, func(t *testing.T) {
			set := rules(t, c.rules...)
			var got []string
			found, _ := policy.Compile(set).Propose(c.request)
			for _, p := range found {
				var lines []string
				for _, r := range p {
					lines = append(lines, r.String())
				}
				got = append(got, strings.Join(lines, " + "))
				if d := policy.Compile(append(rules(t, c.rules...), rules(t, lines...)...)).Decide(c.request); d.Verdict != allow {
					t.Errorf("%s would not allow it: %s", lines, d.Why)
				}
			}
			if s := strings.Join(got, " | "); s != c.want {
				t.Errorf("got  %s\nwant %s", s, c.want)
			}
		})
	}
}

// TestWrittenPaths: a path that leads elsewhere is judged by where it leads, and a
// rule that denies counts for how it was written too.
func TestWrittenPaths(t *testing.T) {
	set := rules(t, "allow edit(src/**)", "deny edit(locked/**)")
	for _, c := range []struct {
		path policy.Path
		want policy.Verdict
	}{
		{policy.Path{Name: "src/a", Inside: true}, allow},
		{policy.Path{Name: "other/a", Written: "src/link/a", Inside: true}, ask},
		{policy.Path{Name: "locked/a", Written: "src/link/a", Inside: true}, deny},
		{policy.Path{Name: "src/a", Written: "locked/link/a", Inside: true}, deny},
		{policy.Path{Name: "LOCKED/a", Inside: true}, deny},
	} {
		if got := policy.Compile(set).Decide(policy.Request{Kind: policy.Edit, Paths: []policy.Path{c.path}}); got.Verdict != c.want {
			t.Errorf("%+v: %s, want %s", c.path, got.Verdict, c.want)
		}
	}
}

// An edit whose input has its diff, as opencode sends it, can be described by a rule.
func TestARuleForAnEditWithItsDiff(t *testing.T) {
	input := `{"filepath":"/work/src/a.go","diff":"Index: /work/src/a.go\n===\n--- /work/src/a.go\n+++ /work/src/a.go\n@@ -0,0 +1,1 @@\n+hello\n"}`
	r := policy.Describe(policy.Call{Kind: "edit", RawInput: []byte(input), Changes: []string{"/work/src/a.go"}}, "", "", resolve)
	if got, _ := policy.Compile(nil).Propose(r); len(got) == 0 || got[0][0].String() != "allow edit(src/a.go)" {
		t.Errorf("it proposes %v for %+v", got, r)
	}
}

// TestWhyNone: a request for which no rule can be proposed says why.
func TestWhyNone(t *testing.T) {
	for name, c := range map[string]struct {
		call policy.Call
		want string
	}{
		"an unknown key":              {policy.Call{Kind: "execute", RawInput: []byte(`{"command":"ls","magic":1}`)}, `"magic"`},
		"an expansion":                {policy.Call{Kind: "execute", RawInput: []byte(`{"command":"ls $X"}`)}, "known when it runs"},
		"no command":                  {policy.Call{Kind: "execute", Title: "ls"}, "which command"},
		"a program of another folder": {policy.Call{Kind: "execute", RawInput: []byte(`{"command":"cd sub && ./x"}`)}, "./x"},
		"a file outside":              {policy.Call{Kind: "read", Paths: []string{"/etc/passwd"}}, "outside"},
		"parley's own":                {policy.Call{Kind: "edit", Paths: []string{"own/x"}}, "belongs to parley"},
		"an unknown tool":             {policy.Call{Kind: "other"}, "unclear"},
		"a thought":                   {policy.Call{Kind: "think"}, "unclear"},
		"another mode":                {policy.Call{Kind: "switch_mode"}, ""},
		"a question":                  {policy.Call{Kind: "other", RawInput: []byte(`{"questions":[]}`)}, ""},
	} {
		r := policy.Describe(c.call, "", "", resolve)
		found, got := policy.Compile(nil).Propose(r)
		if len(found) > 0 {
			t.Errorf("%s: a rule is proposed", name)
		}
		if !strings.Contains(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// TestOrdinary: only what names, for certain, nothing outside and nothing sensitive is ordinary.
func TestOrdinary(t *testing.T) {
	paths := func(kind policy.Kind, names ...string) policy.Request {
		r := policy.Request{Kind: kind, Resolve: resolve}
		for _, n := range names {
			r.Paths = append(r.Paths, resolve(n))
		}
		return r
	}
	run := func(command string) policy.Request {
		return policy.Request{Kind: policy.Execute, Command: command, Resolve: resolve}
	}
	unclear, others, titled := paths(policy.Read, "a.go"), run("ls"), paths(policy.Read, "a.go")
	unclear.Unclear, titled.Named = "x", []policy.Path{resolve(".env")}
	others.Others = []policy.Request{{Command: "rm x"}}
	for name, c := range map[string]struct {
		request policy.Request
		want    bool
	}{
		"a read":             {paths(policy.Read, "a.go"), true},
		"an edit":            {paths(policy.Edit, "a/b.go"), true},
		"a known command":    {run("go test ./... && ls a"), true},
		"a secret":           {paths(policy.Read, ".env"), false},
		"one of two":         {paths(policy.Read, "a.go", ".env"), false},
		"what runs programs": {paths(policy.Edit, ".git/hooks/pre-commit"), false},
		"outside":            {policy.Request{Kind: policy.Edit, Paths: []policy.Path{{Name: "/etc/hosts"}}}, false},
		"a command outside":  {run("cat /etc/passwd"), false},
		"a command's secret": {run("cat .env"), false},
		"an unknown program": {run("npm run lint"), false},
		"one that destroys":  {run("rm a.go"), false},
		"an expansion":       {run("cat $X"), false},
		"what is unclear":    {unclear, false},
		"another command":    {others, false},
		"a secret's title":   {titled, false},
		"no file":            {paths(policy.Edit), false},
		"a folder":           {policy.Request{Kind: policy.Read, Paths: []policy.Path{{Name: "keys", Inside: true, Exists: true, Folder: true}}}, false},
		"a deletion":         {paths(policy.Delete, "a.go"), false},
		"a move":             {paths(policy.Move, "a.go", "b.go"), false},
		"a search":           {paths(policy.Search, "a.go"), false},
		"a host":             {policy.Request{Kind: policy.Fetch, URL: "https://example.com"}, false},
		"a tool":             {policy.Request{Kind: policy.MCP, Tool: "docs__search"}, false},
		"a mode":             {policy.Request{Kind: "switch_mode"}, false},
	} {
		if got := c.request.Ordinary(); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}
