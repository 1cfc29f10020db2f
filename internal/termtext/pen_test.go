package termtext

import "testing"

func TestRestyle(t *testing.T) {
	mark := func(i int, text string) string { return "<" + string(rune('0'+i)) + text + ">" }
	for _, c := range []struct {
		name, line string
		parts      []Span
		want       string
	}{
		{"plain", "one two", []Span{{4, 7}}, "one <0two>"},
		{"several", "one two", []Span{{0, 1}, {4, 5}}, "<0o>ne <1t>wo"},
		{"side by side", "abc", []Span{{0, 1}, {1, 2}}, "<0a><1b>c"},
		{"inside of a style", "\x1b[1mabc\x1b[m", []Span{{1, 2}}, "\x1b[1ma\x1b[m<0b>\x1b[1mc\x1b[m"},
		{"over the end of a style", "\x1b[1mab\x1b[mcd", []Span{{1, 3}}, "\x1b[1ma\x1b[m<0bc>d"},
		{"over the beginning of one", "ab\x1b[1mcd\x1b[m", []Span{{1, 3}}, "a<0bc>\x1b[1md\x1b[m"},
		{"all of a link", "\x1b]8;;http://x\x07ab\x1b]8;;\x07", []Span{{0, 2}}, "\x1b]8;;http://x\x07\x1b]8;;\x07<0ab>\x1b]8;;http://x\x07\x1b]8;;\x07"},
		{"none", "\x1b[1mab\x1b[m", nil, "\x1b[1mab\x1b[m"},
		{"up to the end of the line and beyond", "ab", []Span{{1, 9}}, "a<0b>"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := Restyle(c.line, c.parts, mark); got != c.want {
				t.Errorf("Restyle = %q, want %q", got, c.want)
			}
		})
	}
}

func TestGround(t *testing.T) {
	for line, want := range map[string]string{
		"":                             "<   \x1b[m",
		"plain":                        "<plain\x1b[m",
		"a\x1b[1mb\x1b[m":              "<a\x1b[1mb\x1b[m< \x1b[m",
		"\x1b[1ma\x1b[mb":              "<\x1b[1ma\x1b[m<b \x1b[m",
		"\x1b[1ma\x1b[m\x1b[4mb\x1b[m": "<\x1b[1ma\x1b[m<\x1b[4mb\x1b[m< \x1b[m",
	} {
		if got := Ground(line, 3, "<"); got != want {
			t.Errorf("Ground(%q) = %q, want %q", line, got, want)
		}
	}
}
