package termtext

import (
	"testing"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

func TestNext(t *testing.T) {
	for _, c := range []struct {
		name, text      string
		n               int // bytes of the first piece; 0: all of the text
		safe, graphemes int
	}{
		{"a letter", "abc", 1, 1, 1},
		{"a letter with an accent behind it", "e\u0301x", 3, 1, 1},
		{"many marks on one letter", "o\u0302\u0301\u0323\u0330\u0331", 0, 1, 1},
		{"an ideograph", "世界", 3, 2, 2},
		{"a skin tone", "👍🏽", 0, 4, 2},
		{"a family", "👨‍👩‍👧‍👦", 0, 8, 2},
		{"a selector that makes a picture of a sign", "❤️", 0, 2, 2},
		{"a selector that makes a sign of a picture", "⌚︎", 0, 2, 2},
		{"a keycap", "1️⃣", 0, 2, 2},
		{"a flag", "🇩🇪🇫🇷", 8, 2, 2},
		{"half a flag", "🇩x", 4, 2, 2},
		{"a conjunct", "स्ते", 0, 2, 2},
		{"a conjunct of four", "क्क्क्क", 0, 4, 2},
		{"a vowel sign that takes room", "का", 0, 2, 2},
		{"a vowel behind a tone mark", "กำ", 0, 2, 2},
		{"a Hangul syllable in its parts", "\u1112\u1161\u11ab", 0, 4, 2},
		{"a Hangul syllable", "한국", 3, 2, 2},
		{"a half-width letter with a voicing mark", "ｶﾞ", 0, 2, 2},
		{"a number sign and its digit", "\u0600\u0661", 0, 2, 2},
		{"a number sign that hides a letter", "\u0600a", 0, 2, 2},
		{"a soft hyphen", "\u00ad", 0, 1, 1},
		{"a space of no width behind a letter", "a\u200bb", 4, 1, 1},
		{"a joiner alone", "\u200d", 0, 0, 0},
		{"a mark alone", "\u0301", 0, 0, 0},
		{"a tone alone", "🏽", 0, 2, 2},
		{"not UTF-8", "\xffab", 1, 1, 1},
		{"the replacement character", "\ufffdx", 3, 1, 1},
		{"a colour", "\x1b[38;5;1mred", 9, 0, 0},
		{"a link", "\x1b]8;;https://a.b\x1b\\x", 18, 0, 0},
		{"a newline", "\nx", 1, 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			want := c.n
			if want == 0 {
				want = len(c.text)
			}
			for m, width := range map[Method]int{Safe: c.safe, Graphemes: c.graphemes} {
				if n, w := m.Next(c.text); n != want || w != width {
					t.Errorf("method %d: Next(%+q) = %d bytes, %d cells, want %d, %d", m, c.text, n, w, want, width)
				}
			}
		})
	}
}

// A character that stacks marks without end is cut: it must not cost more than
// others.
func TestNextIsBounded(t *testing.T) {
	text := "👍"
	for len(text) < 10*maxCluster {
		text += "\u200d👍"
	}
	for rest := text; rest != ""; {
		n, _ := Safe.Next(rest)
		if n > maxCluster || !utf8.ValidString(rest[:n]) {
			t.Fatalf("a piece of %d bytes, %+q", n, rest[:n])
		}
		rest = rest[n:]
	}
}

// The short way for frequent characters must say what the tables of Unicode say,
// and leave to them whatever joins other characters.
func TestCommonCharacters(t *testing.T) {
	known := 0
	for r := rune(0); r <= utf8.MaxRune; r++ {
		w := common(r)
		if w == 0 {
			continue
		}
		known++
		s := string(r)
		for _, text := range []string{s + s, s + "a", "a" + s, s + "世", "世" + s, s + "ア", "가" + s, s + "가"} {
			cluster, _ := ansi.FirstGraphemeCluster(text, ansi.GraphemeWidth)
			if first, n := utf8.DecodeRuneInString(text); len(cluster) != n {
				t.Errorf("%U joins what stands beside it in %+q: %U", r, text, first)
			}
		}
		if g, wc := ansi.StringWidth(s), ansi.StringWidthWc(s); g != w || wc != w {
			t.Errorf("common(%U) = %d, want %d, and %d by wcwidth", r, w, g, wc)
		}
	}
	for r := rune(0xa0); r <= 0x1ffff; r++ {
		if r >= 0xd800 && r <= 0xdfff {
			continue
		}
		if _, w := Safe.Next(string(r)); RuneWidth(r) != w {
			t.Errorf("Rune(%U) = %d, want %d", r, RuneWidth(r), w)
		}
	}
	if known < 30_000 {
		t.Errorf("only %d characters are common", known)
	}
}
