package termtext

import (
	"slices"
	"testing"
)

func TestWrap(t *testing.T) {
	for _, c := range []struct {
		name, text string
		width      int
		want       []string
	}{
		{"between words", "the quick brown fox", 10, []string{"the quick", "brown fox"}},
		{"a hyphen stays with its word", "run foo-bar", 8, []string{"run", "foo-bar"}},
		{"dashes stay together", "npm -- --watch", 7, []string{"npm --", "--watch"}},
		{"no dash is lost where a line is full", "npm -- --watch", 5, []string{"npm", "--", "--wat", "ch"}},
		{"a word that is wider than a line", "an abcdefghijkl", 5, []string{"an", "abcde", "fghij", "kl"}},
		{"the blanks at a break fall away", "ab   cd", 4, []string{"ab", "cd"}},
		{"blanks inside of a line stay", "a  b", 4, []string{"a  b"}},
		{"a line is indented", "  ab cd", 4, []string{"  ab", "cd"}},
		{"a word that does not fit behind the indent", "  abcd", 4, []string{"  ab", "cd"}},
		{"an indent wider than a line", "      ab", 4, []string{"ab"}},
		{"blanks at the end", "ab      ", 4, []string{"ab"}},
		{"a few blanks at the end", "ab ", 4, []string{"ab "}},
		{"newlines", "a\n\nb", 4, []string{"a", "", "b"}},
		{"nothing", "", 4, []string{""}},
		{"ideographs", "これは日本語です。", 10, []string{"これは日本", "語です。"}},
		{"no line begins with a full stop", "これは日本。", 10, []string{"これは日", "本。"}},
		{"a no-break space", "ab\u00a0cd ef", 6, []string{"ab\u00a0cd", "ef"}},
		{"a letter with vowel signs is not a break", "ab नमस्ते", 5, []string{"ab", "नमस्ते"}},
		{"a character wider than a line", "👨‍👩‍👧‍👦", 4, []string{"👨‍👩‍", "👧‍👦"}},
		{"a mark on a blank is no blank", "abc \u0301 cd", 3, []string{"abc", " \u0301", "cd"}},
		{
			"a style goes on", "\x1b[1mab cd\x1b[m ef", 4,
			[]string{"\x1b[1mab\x1b[m", "\x1b[1mcd\x1b[m", "ef"},
		},
		{
			"a link goes on", "\x1b]8;;http://x\x07ab cd\x1b]8;;\x07", 3,
			[]string{"\x1b]8;;http://x\x07ab\x1b]8;;\x07", "\x1b]8;;http://x\x07cd\x1b]8;;\x07"},
		},
		{
			"a style that changes at a break", "\x1b[1mab\x1b[m \x1b[31mcd\x1b[m", 3,
			[]string{"\x1b[1mab\x1b[m", "\x1b[31mcd\x1b[m"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := Safe.Wrap(c.text, c.width); !slices.Equal(got, c.want) {
				t.Errorf("Wrap = %q\nwant   %q", got, c.want)
			}
		})
	}
}

func TestBreak(t *testing.T) {
	for _, c := range []struct {
		name, text string
		width      int
		want       []string
	}{
		{"every blank stays", "ab  cd ", 3, []string{"ab ", " cd", " "}},
		{"newlines", "abcd\n\ne\n", 3, []string{"abc", "d", "", "e", ""}},
		{"nothing", "", 3, []string{""}},
		{"wide characters", "世界a", 3, []string{"世", "界a"}},
		{"skin tones", "👍🏽👍🏽", 5, []string{"👍🏽", "👍🏽"}},
		{"a style goes on", "\x1b[1mabcd\x1b[m", 3, []string{"\x1b[1mabc\x1b[m", "\x1b[1md\x1b[m"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := Safe.Break(c.text, c.width); !slices.Equal(got, c.want) {
				t.Errorf("Break = %q\nwant    %q", got, c.want)
			}
		})
	}
}
