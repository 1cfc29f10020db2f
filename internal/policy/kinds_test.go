package policy

import (
	"os"
	"strings"
	"testing"
)

// about are examples of what rules are about, in the form of patterns.
var about = map[*subject]string{files: "src/a.go", commands: "go test ./...", hosts: "https://example.com/x", mcpTools: "docs__search"}

// TestKinds: rules of every kind allow, ask and deny a call of the kind and no other one.
func TestKinds(t *testing.T) {
	for _, row := range kindRows {
		t.Run(string(row.kind), func(t *testing.T) { testKind(t, row) })
	}
}

// TestAKindIsOneRow: a kind that is only added to the rows is there in every respect.
func TestAKindIsOneRow(t *testing.T) {
	was := kindRows
	t.Cleanup(func() { kindRows = was })
	think := &subject{permits: permittedWhole, call: func(k Kind, _ string) Call { return Call{Kind: "think"} }}
	kindRows = append(was[:len(was):len(was)], kindRow{kind: "think", tool: "think", subject: think})
	for _, row := range kindRows {
		testKind(t, row)
	}
}

func testKind(t *testing.T, row kindRow) {
	t.Helper()
	request := func(k Kind, s *subject) Request {
		if s.pattern != "" && about[s] == "" {
			t.Fatalf("the test has no example for the rules of %s", k)
		}
		call, err := CallOf(string(k), about[s])
		if err != nil {
			t.Fatal(err)
		}
		return Describe(call, "agent", "mode", func(name string) Path { return Path{Name: name, Inside: true} })
	}
	parse := func(line string) Rule {
		rule, err := Parse(line)
		if err != nil {
			t.Fatal(err)
		}
		return rule
	}
	kind, s := string(row.kind), row.subject
	r := request(row.kind, s)
	if r.Kind != row.kind {
		t.Errorf("a call of the kind %s is taken for %s", kind, r.Kind)
	}
	allowing := []Rule{}
	switch {
	case s.permits == nil:
		if _, err := Parse("allow " + kind); err == nil {
			t.Errorf("%s is allowed, and nothing permits it", kind)
		}
	case s.proposes == nil:
		allowing = append(allowing, parse("allow "+kind))
	default:
		proposed, _ := Compile(nil).Propose(r)
		if len(proposed) == 0 {
			t.Fatalf("nothing is proposed for %s", kind)
		}
		allowing = proposed[0]
		if _, err := Parse("allow " + kind); (err == nil) != (s.narrow == "") {
			t.Errorf("allow %s: %v", kind, err)
		}
	}
	for _, rule := range allowing {
		if again := parse(rule.String()); again != rule {
			t.Errorf("%s is read as %s", rule, again)
		}
	}
	if d := Compile(allowing).Decide(r); s.permits != nil && (d.Verdict != Allow || d.Rule == nil) {
		t.Errorf("%v does not allow its call: %+v", allowing, d)
	}
	stricter := map[Verdict][]string{Ask: {"ask " + kind}, Deny: {"deny " + kind}}
	for _, rule := range allowing {
		if rule.Pattern != "" {
			for v := range stricter {
				stricter[v] = append(stricter[v], v.String()+" "+kind+"("+rule.Pattern+")")
			}
		}
	}
	for want, lines := range stricter {
		for _, line := range lines {
			rule := parse(line)
			for _, set := range [][]Rule{{rule}, append([]Rule{rule}, allowing...), append(allowing[:len(allowing):len(allowing)], rule)} {
				if d := Compile(set).Decide(r); d.Verdict != want || d.Rule == nil || d.Rule.String() != line {
					t.Errorf("%v: %s by %v, want %s", set, d.Verdict, d.Rule, want)
				}
			}
			for _, other := range kindRows { // but a search reads files
				if d := Compile([]Rule{rule}).Decide(request(other.kind, other.subject)); other.kind != row.kind && !(row.kind == Read && other.kind == Search && rule.Pattern != "") && (d.Verdict != Ask || d.Rule != nil) {
					t.Errorf("%s is about %s: %+v", line, other.kind, d)
				}
			}
		}
	}
	for _, other := range kindRows {
		if d := Compile(allowing).Decide(request(other.kind, other.subject)); other.kind != row.kind && d.Verdict == Allow {
			t.Errorf("%v allows %s", allowing, other.kind)
		}
	}
}

// The guide has a line for the kinds of each subject.
func TestGuideListsTheKinds(t *testing.T) {
	guide, err := os.ReadFile("../../docs/guide.md")
	if err != nil {
		t.Fatal(err)
	}
	listed := map[*subject]bool{}
	for _, row := range kindRows {
		if listed[row.subject] {
			continue
		}
		listed[row.subject] = true
		var kinds []string
		for _, other := range kindRows {
			if other.subject == row.subject {
				kinds = append(kinds, string(other.kind))
			}
		}
		what := row.subject.pattern
		if row.subject.permits == nil {
			what = "nothing; only ask and deny"
		}
		if line := "| " + strings.Join(kinds, ", ") + " | " + what + " |"; !strings.Contains(string(guide), line) {
			t.Errorf("the guide has no line %s", line)
		}
	}
}
