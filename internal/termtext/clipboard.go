package termtext

import (
	"strings"
	"unicode"
)

// Clipboard cleans text for the clipboard: like [Block], and without invisible
// characters that could smuggle in unseen text. It keeps joiners and emoji selectors,
// which shape what is drawn.
func Clipboard(s string) string {
	s = Block(s)
	if !strings.ContainsFunc(s, unseen) {
		return s
	}
	return strings.Map(func(r rune) rune {
		if unseen(r) {
			return -1
		}
		return r
	}, s)
}

// unseen reports whether r draws nothing and shapes nothing.
func unseen(r rune) bool {
	switch {
	case r < 0xad:
		return false
	case r == 0x200c, r == 0x200d, r == 0xfe0e, r == 0xfe0f: // joiners, text or emoji
		return false
	}
	return unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}
