package diffview

import (
	"strings"
	"testing"
)

// marked puts brackets around the spans.
func marked(text string, spans []span) string {
	var b strings.Builder
	at := 0
	for _, s := range spans {
		b.WriteString(text[at:s.start] + "[" + text[s.start:s.end] + "]")
		at = s.end
	}
	return b.String() + text[at:]
}

func TestCompareWords(t *testing.T) {
	for _, c := range []struct{ name, old, new, wantOld, wantNew string }{
		{"a word", "return foo(a, b)", "return bar(a, b)", "return [foo](a, b)", "return [bar](a, b)"},
		{"words, not letters", "count := 1", "counter := 1", "[count] := 1", "[counter] := 1"},
		{"only added", "f(a)", "f(a, b)", "f(a)", "f(a[, b])"},
		{"spaces between changed words are part of it", "if a b { return nil, nil }", "if c d { return nil, nil }", "if [a b] { return nil, nil }", "if [c d] { return nil, nil }"},
		{"indentation", "  return nil", "      return nil", "[  ]return nil", "[      ]return nil"},
		{"nothing in common", "alpha beta", "gamma delta", "alpha beta", "gamma delta"},
		{"little in common", "a := something(long)", "return other, a", "a := something(long)", "return other, a"},
		{"a carriage return", "the same␍", "the same", "the same[␍]", "the same"},
		{"a person with a computer stays whole", "see 👩‍💻 there", "see 👩 there", "see [👩‍💻] there", "see [👩] there"},
		{"an accent stays on its letter", "un e\u0301te", "un ete", "un [e\u0301te]", "un [ete]"},
		{"empty", "", "a", "", "a"},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := compareWords(c.old, c.new)
			if got := marked(c.old, e[oldSide]); got != c.wantOld {
				t.Errorf("old = %s, want %s", got, c.wantOld)
			}
			if got := marked(c.new, e[newSide]); got != c.wantNew {
				t.Errorf("new = %s, want %s", got, c.wantNew)
			}
		})
	}
}

func TestEmphasisIsDrawn(t *testing.T) {
	old := "return foo(a, b)\n"
	lines := New("file", &old, "return bar(a, b)\n").Layout(60, Unified).Lines(0, 2, dark)
	for i, want := range []string{newPen(dark.DiffRemovedWord).text("foo"), newPen(dark.DiffAddedWord).text("bar")} {
		if !strings.Contains(lines[i], want) {
			t.Errorf("%q does not hold %q", lines[i], want)
		}
	}
}
