package termtext

import (
	"strings"
	"unicode"
)

// Clipboard cleans text that leaves the program for a clipboard: as [Block], and
// without the characters that draw nothing and could carry along what nobody has
// seen. Joiners and the selectors of emoji stay, because they shape what is drawn.
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

// unseen reports characters that draw nothing and shape nothing.
func unseen(r rune) bool {
	switch {
	case r < 0xad:
		return false
	case r == 0x200c, r == 0x200d, r == 0xfe0e, r == 0xfe0f: // joiners, text or emoji
		return false
	}
	return unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}
