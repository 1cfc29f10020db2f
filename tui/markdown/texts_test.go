package markdown

import (
	"fmt"
	"strings"
)

// realistic is n bytes of what coding agents write.
func realistic(n int) string {
	var b strings.Builder
	for i := 0; b.Len() < n; i++ {
		fmt.Fprintf(&b, "## %d. How step %d is **done**\n\nThe `worker_%d` keeps a reference, so a *late* reply still reaches it; see [the note](https://example.com/%d) and "+
			"`internal/step/file_%d.go:%d` for what happens — 日本語 too — when it is closed before that.\n\n", i, i, i, i, i, i)
		switch i % 4 {
		case 0:
			fmt.Fprintf(&b, "```go\n// Step%d does it.\nfunc Step%d(ctx context.Context, in []int) (int, error) {\n\tleft := 0\n\tfor i, x := range in {\n\t\tif x == %d {\n\t\t\treturn left, fmt.Errorf(\"step %%d\", i)\n\t\t}\n\t\tleft++ // keep\n\t}\n\treturn left, nil\n}\n```\n\n", i, i, i)
		case 1:
			fmt.Fprintf(&b, "- first, look at %d\n- then:\n  - check `len()`, which is **not** `cap`\n  - drop what is older than %d ms\n- finally\n\n1. run `go test`\n2. read\n\n", i, i)
		case 2:
			b.WriteString("| step | what | cost (ms) |\n|:-----|------|----------:|\n")
			for r := range 4 {
				fmt.Fprintf(&b, "| %d | `buf[%d]` | %d.%d |\n", r, i, i, r)
			}
			b.WriteString("\n")
		case 3:
			fmt.Fprintf(&b, "> A worker that never ends is a leak 🔥.\n\n```diff\n@@ -%d,3 +%d,4 @@\n func f() {\n-\treturn nil\n+\treturn g()\n }\n```\n\n", i, i)
		}
	}
	return b.String()[:n]
}

// shapes are texts that grow in one way only, most of them without an end to
// their first block.
var shapes = []struct {
	name string
	text func(n int) string
}{
	{"realistic", realistic},
	{"fence", func(n int) string { return "```go\n" + repeat("\tx := f(1, \"two\") // three\n", n) }},
	{"fence one line", func(n int) string { return "```json\n" + repeat(`{"key":[1,2,3],"other":"value"},`, n) }},
	{"paragraph", func(n int) string { return repeat("some words that go on ", n) }},
	{"one word", func(n int) string { return repeat("abcdefgh", n) }},
	{"list", func(n int) string { return repeat("- an item with `code`\n", n) }},
	{"ordered nested list", func(n int) string { return repeat("1. an item\n   - below\n\n     text\n", n) }},
	{"table", func(n int) string { return "| a | b | c |\n|---|--:|---|\n" + repeat("| one | 2 | `three` |\n", n) }},
	{"quotes", func(n int) string { return repeat("> ", n) }},
	{"quote lines", func(n int) string { return repeat(strings.Repeat(">", 60)+" x\n", n) }},
	{"deep lists", func(n int) string { return repeat(strings.Repeat("- ", 100)+"x\n\n\n", n) }},
	{"stars", func(n int) string { return repeat("*a **b ", n) }},
	{"brackets", func(n int) string { return repeat("[", n) }},
	{"links", func(n int) string { return repeat("[a](", n) }},
	{"backticks", func(n int) string { return repeat("`a ``b ```c ", n) }},
	{"html", func(n int) string { return "<!--\n" + repeat("<b>not closed\n", n) }},
	{"newlines", func(n int) string { return repeat("\n", n) }},
}

func repeat(s string, n int) string { return strings.Repeat(s, n/len(s)+1)[:n] }
