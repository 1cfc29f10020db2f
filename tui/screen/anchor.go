package screen

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// Terminals do not agree on how many columns some characters take: emoji that
// are joined, flags, skin tones, variation selectors, conjuncts of Indic scripts,
// and emoji that are newer than the terminal. Wherever such a character leaves
// the cursor, what follows must stand where it belongs. So the columns that the
// character was given are erased first, and the cursor is put behind them
// afterwards by the number of the column. Both are part of the cell's content:
// it is never written without them, in whatever way the renderer comes to it.

// anchored is the content of a cell for a character that was given some columns
// of a row.
func anchored(character string, column, columns, row int) string {
	if !disputed(character) {
		return character
	}
	content := ansi.EraseCharacter(columns) + character + ansi.CursorHorizontalAbsolute(column+columns+1)
	if column+widest(character) > row {
		// It might go on in the next row, over what stands there.
		content = ansi.ResetModeAutoWrap + content + ansi.SetModeAutoWrap
	}
	return content
}

// unanchored is the character alone.
func unanchored(content string) string {
	if strings.IndexByte(content, ansi.ESC) < 0 {
		return content
	}
	return ansi.Strip(content)
}

// disputed reports a character that terminals do not agree on.
func disputed(character string) bool {
	first, n := utf8.DecodeRuneInString(character)
	if n == len(character) {
		return first >= firstEmoji || first >= utf8.RuneSelf && unicode.Is(unicode.Cf, first)
	}
	for _, r := range character[n:] {
		if !unicode.In(r, unicode.Mn, unicode.Me) || variationSelector(r) {
			return true
		}
	}
	return first >= firstEmoji || unicode.Is(unicode.Cf, first)
}

// firstEmoji is where the blocks of pictographs begin. New ones come with every
// version of Unicode.
const firstEmoji = 0x1f000

func variationSelector(r rune) bool { return r >= 0xfe00 && r <= 0xfe0f }

// widest is more columns than any terminal takes for a character: two for each
// code point.
func widest(character string) int { return 2 * utf8.RuneCountInString(character) }
