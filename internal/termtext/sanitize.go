package termtext

import (
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// Block cleans text of several lines: it removes control sequences, control characters,
// and invisible characters that hide or reorder text. Newlines and tabs stay; CRLF
// becomes a newline; what is not UTF-8 becomes U+FFFD. Clean text is returned without
// an allocation.
func Block(s string) string {
	if clean(s, true) {
		return s
	}
	return scrub(s, true)
}

// Line cleans text for one line: like Block, with newlines and tabs replaced by spaces.
func Line(s string) string {
	if clean(s, false) {
		return s
	}
	return strings.TrimSpace(scrub(s, false))
}

func clean(s string, block bool) bool {
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			if (c < ' ' && (!block || c != '\n' && c != '\t')) || c == 0x7f {
				return false
			}
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n == 1 {
			return false
		}
		prev := rune(-1)
		if r >= 0x200c {
			prev, _ = utf8.DecodeLastRuneInString(s[:i])
		}
		i += n
		if hidden(prev, r, s[i:]) {
			return false
		}
	}
	return true
}

func scrub(s string, block bool) string {
	s = ansi.Strip(strings.ToValidUTF8(s, "\uFFFD"))
	s = strings.ReplaceAll(s, "\r\n", "\n")
	var b strings.Builder
	b.Grow(len(s))
	prev := rune(-1) // the last character that was kept
	for i, r := range s {
		switch {
		case r == '\n' || r == '\t' || r == '\r':
			if !block {
				r = ' '
			} else if r == '\r' {
				r = '\n'
			}
		case r < ' ' || hidden(prev, r, s[i+utf8.RuneLen(r):]):
			continue
		}
		b.WriteRune(r)
		prev = r
	}
	return b.String()
}
