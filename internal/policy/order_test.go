package policy_test

import (
	"testing"

	"pgregory.net/rapid"

	"parley/internal/policy"
)

// TestTheOrderOfRulesDecidesNothing: deny beats ask and ask beats allow, wherever they
// stand.
func TestTheOrderOfRulesDecidesNothing(t *testing.T) {
	pool := rules(t,
		"allow read", "ask read(src/**)", "deny read(src/secret/**)", "allow read(.env)", "deny read mode=plan",
		"allow edit(src/**)", "allow edit", "ask edit(src/a)", "deny edit(locked)", "allow edit(locked/x)", "deny edit agent=claude",
		"allow execute(go test *)", "allow execute(ls *)", "allow execute(rm x)", "ask execute(go test -v)", "ask execute", "deny execute(rm *)", "deny execute(go test ./secret)",
		"allow fetch(example.com)", "allow fetch(*.example.com)", "ask fetch(example.com)", "deny fetch(evil.example.com)",
		"allow mcp(docs__*)", "ask mcp(docs__write)", "deny mcp(docs__write)", "ask other", "deny other",
	)
	var calls []policy.Call
	for _, c := range []struct {
		kind  string
		whats []string
	}{
		{"read", []string{"src/a", "src/secret/b", ".env", "x"}},
		{"edit", []string{"src/a", "locked/x", "y"}},
		{"execute", []string{"go test", "go test -v", "ls; rm x", "rm x", "go test ./secret && ls", "ls", "sudo rm x"}},
		{"fetch", []string{"https://example.com", "https://evil.example.com", "https://a.example.com"}},
		{"mcp", []string{"docs__write", "docs__read", "mail__send"}},
		{"other", []string{""}},
	} {
		for _, what := range c.whats {
			call, err := policy.CallOf(c.kind, what)
			if err != nil {
				t.Fatal(err)
			}
			calls = append(calls, call)
		}
	}
	calls = append(calls,
		policy.Call{Kind: "read", Paths: []string{"src/a", "src/secret/b"}},
		policy.Call{Kind: "read", Name: "mcp__docs__write", RawInput: []byte(`{"path":"src/a","command":"rm x"}`)},
		policy.Call{Kind: "other", Name: "mcp__docs__read", RawInput: []byte(`{"deep":{"script":"rm x"}}`)},
	)
	rapid.Check(t, func(t *rapid.T) {
		set := rapid.SliceOf(rapid.SampledFrom(pool)).Draw(t, "rules")
		agent, mode := rapid.SampledFrom([]string{"claude", "codex"}).Draw(t, "agent"), rapid.SampledFrom([]string{"plan", "code"}).Draw(t, "mode")
		r := policy.Describe(rapid.SampledFrom(calls).Draw(t, "call"), agent, mode, resolve)
		got := policy.Compile(set).Decide(r)
		if again := policy.Compile(rapid.Permutation(set).Draw(t, "another order")).Decide(r); again.Verdict != got.Verdict {
			t.Errorf("%s by %v, in another order %s by %v", got.Verdict, got.Rule, again.Verdict, again.Rule)
		}
		strictest := policy.Verdict(0)
		for _, rule := range set {
			if d := policy.Compile([]policy.Rule{rule}).Decide(r); d.Rule != nil && d.Verdict == rule.Verdict {
				strictest = max(strictest, d.Verdict)
			}
		}
		if strictest > policy.Allow && got.Verdict != strictest {
			t.Errorf("%s by %v, although a rule alone says %s", got.Verdict, got.Rule, strictest)
		}
		if got.Verdict != policy.Ask && (got.Rule == nil || got.Rule.Verdict != got.Verdict) {
			t.Errorf("%s by %v", got.Verdict, got.Rule)
		}
	})
}
