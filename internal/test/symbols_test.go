package test

import (
	"go/token"
	"slices"
	"testing"
	"unicode"
	"unicode/utf8"

	"parley/tui/screen"
)

// elsewhere are characters in the sources that are not drawn as they stand there, and
// why.
var elsewhere = map[rune]string{
	'\u2400': "control pictures: only in texts from outside, which show as unknown",
	'\u2421': "a control picture",
	'«':      "in AppleScript, for the clipboard of macOS",
	'»':      "likewise",
	'ß':      "a letter that has no capital of one character, for the keys of vim",
}

// Each character beyond ASCII that the screen draws is in the table of symbols, or could not be
// seen without Unicode.
func TestEveryGlyphIsInTheTable(t *testing.T) {
	known := func(r rune) bool {
		return slices.ContainsFunc(screen.SymbolGroups, func(g screen.SymbolGroup) bool {
			return slices.ContainsFunc(g.Glyphs, func(g screen.Symbol) bool { return g.Rune == r })
		})
	}
	found := 0
	for _, s := range sources(t) {
		if !s.below("tui") {
			continue
		}
		s.literals(t, func(at token.Position, text string) {
			for _, r := range text {
				switch {
				case r < utf8.RuneSelf || !unicode.IsGraphic(r) || unicode.IsMark(r):
				case known(r), elsewhere[r] != "":
					found++
				default:
					t.Errorf("%s draws %q (%U), which is not in the table of symbols", at, r, r)
				}
			}
		})
	}
	if found < 100 {
		t.Errorf("%d characters found", found)
	}
}
