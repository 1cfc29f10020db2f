// Package safetext makes text from outside (the agent, files, programs) fit to
// be drawn: no control sequence, no control character and no invisible
// character that reorders text reaches the terminal.
package safetext

import (
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// Block cleans text of several lines. Newlines and tabs stay; CRLF becomes a
// newline; what is not UTF-8 becomes U+FFFD. Clean text is returned as it is,
// without an allocation.
func Block(s string) string {
	if clean(s, true) {
		return s
	}
	return scrub(s, true)
}

// Line cleans text that is shown on one line: as Block, and newlines and tabs
// become spaces.
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
		if unsafeRune(r) || r == utf8.RuneError && n == 1 {
			return false
		}
		i += n
	}
	return true
}

func scrub(s string, block bool) string {
	s = ansi.Strip(strings.ToValidUTF8(s, "\uFFFD"))
	s = strings.ReplaceAll(s, "\r\n", "\n")
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t' || r == '\r':
			if block && r != '\r' {
				return r
			}
			if block {
				return '\n'
			}
			return ' '
		case r < ' ' || unsafeRune(r):
			return -1
		}
		return r
	}, s)
}

// unsafeRune reports C1 controls, DEL, and the characters that reorder or hide
// text (bidirectional controls, see CVE-2021-42574).
func unsafeRune(r rune) bool {
	switch {
	case r >= 0x7f && r < 0xa0:
		return true
	case r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069, r == 0x200e, r == 0x200f, r == 0x061c:
		return true
	case r == 0x2028 || r == 0x2029 || r == 0xfeff:
		return true
	}
	return false
}
