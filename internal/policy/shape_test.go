package policy

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/bmatcuk/doublestar/v4"
)

// TestShapesMeet: two patterns that match the same name meet, and two that match none of many
// names do not.
func TestShapesMeet(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	pick := func(from []string, most int) string {
		var b strings.Builder
		for range 1 + random.IntN(most) {
			b.WriteString(from[random.IntN(len(from))])
		}
		return b.String()
	}
	clean := func(name string) bool {
		return !strings.Contains(name, "//") && !strings.HasPrefix(name, "/") && !strings.HasSuffix(name, "/")
	}
	var names []string
	for len(names) < 2000 {
		if name := pick([]string{"a", "b", ".", "/", "ab", "a.b"}, 6); clean(name) && !slices.Contains(strings.Split(name, "/"), "..") {
			names = append(names, name)
		}
	}
	shapes := func(pattern string) (all []shape) {
		for _, p := range alternatives(pattern) {
			all = append(all, globShape(p))
		}
		return all
	}
	met, apart := 0, 0
	for range 4000 {
		p, q := pick([]string{"a", "b", "*", "?", "/", "**/", "/**", "{a,b/a}", "[ab]", `\*`, "."}, 5), pick([]string{"a", "b", "*", "?", "/", "**/"}, 5)
		if !clean(p) || !clean(q) || !doublestar.ValidatePattern(p) {
			continue
		}
		both := slices.IndexFunc(names, func(name string) bool {
			x, _ := doublestar.Match(p, name)
			y, _ := doublestar.Match(q, name)
			return x && y
		})
		meet := slices.ContainsFunc(shapes(p), func(s shape) bool {
			return slices.ContainsFunc(shapes(q), func(other shape) bool { return s.meets(other) && other.meets(s) })
		})
		switch {
		case both >= 0 && !meet:
			t.Fatalf("%q and %q match %q, and do not meet", p, q, names[both])
		case both >= 0:
			met++
		case !meet:
			apart++
		}
	}
	if met < 200 || apart < 200 {
		t.Errorf("%d pairs met, and %d did not", met, apart)
	}
}

// TestNamesThatMayBeOne: the shapes of a word with marks.
func TestNamesThatMayBeOne(t *testing.T) {
	q := Request{Resolve: func(name string) Path {
		switch name {
		case "/":
			return Path{Name: "/", Folder: true, Above: true}
		case "/work/", "./", ".", "a/../":
			return Path{Name: ".", Folder: true}
		}
		return Path{Name: strings.TrimPrefix(strings.TrimSuffix(name, "/"), "/work/")}
	}}
	for word, c := range map[string]struct{ meets, apart string }{
		"*":            {"secret a", "a/b .env"},
		"s*":           {"secret s", "a sec/a"},
		"?ecret":       {"secret", "ecret .ecret"},
		".*":           {".env", "env"},
		"*.go":         {"a.go", ".go a.gob"},
		"a/*":          {"a/b", "a b a/b/c a/.b"},
		"./s*":         {"secret", "a/secret"},
		"a/../s*":      {"secret", "a/secret"},
		"*/../s":       {"secret s a/b", ""},
		"/work/s*":     {"secret", "a"},
		"/*/secret":    {"secret /x/secret", "a"},
		"/*/x/secret":  {"secret x/secret", "a/secret"},
		"$":            {"secret a/b", ""},
		"$/secret":     {"secret a/secret /a/secret", "secrets a"},
		"sec$ret":      {"secret a/ret", "secre"},
		"$/*.go":       {"a.go a/b.go", "a.c"},
		"$/../../a":    {"secret", ""},
		"src/$-x.go":   {"a/b-x.go", "a.go"},
		"plain":        {"plain", "plains"},
		"*/*":          {"a/b", "a a/b/c"},
		"*secret*":     {"secret mysecret secrets", ".secret"},
		"SEC*":         {"secret", "a"},
		"/work/*/*.go": {"a/b.go", "a.go"},
	} {
		shapes := q.shapes("", strings.NewReplacer("*", unknownName, "?", unknownName, "$", unknownText).Replace(word))
		meets := func(name string) bool {
			return slices.ContainsFunc(shapes, func(s shape) bool { return s.meets(literalShape(name)) })
		}
		for _, name := range strings.Fields(c.meets) {
			if !meets(name) {
				t.Errorf("%s is not %s", word, name)
			}
		}
		for _, name := range strings.Fields(c.apart) {
			if meets(name) && !(word == "?ecret" && name == "ecret") { // "?" is taken for "*"
				t.Errorf("%s is %s", word, name)
			}
		}
	}
}

// TestUnescapedC: $'...' as bash reads it.
func TestUnescapedC(t *testing.T) {
	for text, want := range map[string]string{
		`rm`: "rm", `\x72m`: "rm", `\162m`: "rm", `\u0072m`: "rm", `\U00000072m`: "rm", `\x{72}m`: "rm", `\a\b\e\E\f\n\r\t\v\\\'\"\?`: "\a\b\x1b\x1b\f\n\r\t\v\\'\"?", `\cA`: "\x01", `\q`: `\q`, `a\`: `a\`, `\x`: `\x`, `\xg`: `\xg`,
		`\x7`: "\x07", `\x726d`: "r6d", `\1620`: "r0", `\0162`: "\x0e2", `a\0b`: "a$", `a\x00b`: "a$", `a\u0000b`: "a$", `\u00e9`: "é", `\xc3\xa9`: "é", `\400b`: "$", ``: "",
	} {
		if got := unescapedC(text, "$"); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}
