package policy

import (
	"strings"
	"testing"
)

// BenchmarkMatch judges an ordinary path, and the deepest that there is.
func BenchmarkMatch(b *testing.B) {
	tab := table(b, []string{"a/**/b"}, nil, nil)
	for name, path := range map[string]string{"ordinary": "/home/ann/src/project/internal/session/session.go", "deepest": strings.Repeat("/a", 2047)} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				tab.Match(Reading, path)
				tab.Match(Writing, path)
			}
		})
	}
}

// BenchmarkRestrict judges an ordinary command, and one made to be slow.
func BenchmarkRestrict(b *testing.B) {
	rule, err := Parse("deny execute(rm *)")
	if err != nil {
		b.Fatal(err)
	}
	set := Compile([]Rule{rule})
	for name, command := range map[string]string{"ordinary": "cd src && go test ./... 2>&1 | tail -20", "nested": strings.Repeat("eval ", maxCommand/5)} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				set.Restrict(Request{Kind: Execute, Command: command})
			}
		})
	}
}
