package test

import "testing"

func TestShow(t *testing.T) {
	for _, c := range []struct {
		name string
		kind TerminalKind
		line string
		cols int
		want string
	}{
		{"what fits", Wcwidth, "ab", 4, "ab  \n"},
		{"colours are no text", Wcwidth, "\x1b[31ma\x1b[mb", 3, "ab \n"},
		{"marks stand over their letters", Wcwidth, "ae\u0301b", 3, "ae\u0301b\n"},
		{"what is too long overwrites the last column", Wcwidth, "abcdef", 4, "abcf\n"},
		{"half a wide character is none", Wcwidth, "ab世c", 4, "ab c\n"},
		{"each code point has its columns", Wcwidth, "👍🏽b", 5, "👍🏽b\n"},
		{"and takes them from what follows", Wcwidth, "👍🏽b", 4, "👍 b\n"},
		{"a cluster has those of its base", GraphemeClusters, "👍🏽b", 4, "👍🏽b \n"},
		{"a vowel sign takes none", GraphemeClusters, "काb", 4, "काb  \n"},
		{"or one", Capped, "काb", 4, "काb \n"},
		{"but there are no more than two", Capped, "👍🏽b", 4, "👍🏽b \n"},
		{"not UTF-8", GraphemeClusters, "a\xffb", 3, "a\ufffdb\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := ShowOnTerminal(c.kind, []string{c.line}, c.cols); got != " "+c.want {
				t.Errorf("Show = %q, want %q", got, c.want)
			}
		})
	}
}

func TestMissing(t *testing.T) {
	for _, c := range []struct{ screen, text, want string }{
		{"│ ab │\n│ cd │\n", "a b\tcd", ""},
		{"│ ab │\n│ d │\n", "abcd", "cd"},
		{"abc", "a\u200bb\ufe0fc", ""},
		{"ab", "a\u0301b", "\u0301b"},
	} {
		if got := MissingText(c.screen, c.text); got != c.want {
			t.Errorf("Missing(%q, %q) = %q, want %q", c.screen, c.text, got, c.want)
		}
	}
}
