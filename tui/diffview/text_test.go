package diffview

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"parley/internal/termtext"
	"parley/internal/test"
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
	lines := New("file", &old, "return bar(a, b)\n").Layout(60, false).Lines(0, 2, dark)
	for i, want := range []string{newPen(dark.DiffRemovedWord).text("foo"), newPen(dark.DiffAddedWord).text("bar")} {
		if !strings.Contains(lines[i], want) {
			t.Errorf("%q does not hold %q", lines[i], want)
		}
	}
}

// Every character of the lines that changed stands on the screen.
func TestEveryCharacterReachesTheScreen(t *testing.T) {
	for _, on := range test.TerminalSettings() {
		t.Run(on.String(), func(t *testing.T) {
			test.UseWidthMethod(t, on.Method)
			rapid.Check(t, func(t *rapid.T) {
				old, changed := test.HardText(20).Draw(t, "old"), test.HardText(20).Draw(t, "new")
				if rapid.Bool().Draw(t, "tabs") {
					old, changed = strings.ReplaceAll(old, "  ", "\t"), strings.ReplaceAll(changed, "  ", "\t")
				}
				width := rapid.IntRange(10, 200).Draw(t, "width")
				l := New("file", &old, changed).Layout(width, true)
				screen := test.ShowOnTerminal(on.Kind, l.Lines(0, l.Len(), dark), width)
				for _, text := range []string{old, changed} {
					if lost := test.MissingText(screen, text); lost != "" && old != changed {
						t.Fatalf("the screen lacks %+q\n%s", lost, screen)
					}
				}
			})
		})
	}
}

// When it turns out how the terminal measures text, lines are laid out anew.
func TestLayoutFollowsTheMethod(t *testing.T) {
	test.UseWidthMethod(t, termtext.Safe)
	d := New("file", nil, strings.Repeat("👍🏽", 9)+"\tend")
	before := d.Layout(24, false)
	if n := before.Len(); n < 2 {
		t.Errorf("%d lines where a thumb takes four cells", n)
	}
	termtext.UseMethod(termtext.Graphemes)
	if l := d.Layout(24, false); l.Len() != before.Len()-1 {
		t.Errorf("%d lines, and %d where a thumb takes two cells", before.Len(), l.Len())
	}
	if lines := before.Lines(0, before.Len(), dark); len(lines) != before.Len() {
		t.Errorf("the layout of before draws %d lines of %d", len(lines), before.Len())
	}
}
