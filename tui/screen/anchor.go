package screen

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// Terminals disagree about the width of some characters: joined emoji, flags, skin
// tones, variation selectors, conjuncts of Indic scripts, and emoji that are newer than
// the terminal. The text after such a character must be in the right column wherever
// the cursor ends up. So its columns are erased first, and the cursor is then moved
// behind them by column number. Both sequences are part of the cell's content, so that
// the renderer never writes it without them.

// anchored returns the content of a cell for a disputed character at a position.
func anchored(character string, column, columns, row int) string {
	if !disputed(character) {
		return character
	}
	content := ansi.EraseCharacter(columns) + character + ansi.CursorHorizontalAbsolute(column+columns+1)
	// No terminal takes more than two columns per code point.
	if column+2*utf8.RuneCountInString(character) > row {
		// It might wrap and overwrite the next row.
		content = ansi.ResetModeAutoWrap + content + ansi.SetModeAutoWrap
	}
	return content
}

// unanchored returns the character alone.
func unanchored(content string) string {
	if strings.IndexByte(content, ansi.ESC) < 0 {
		return content
	}
	return ansi.Strip(content)
}

// disputed reports whether terminals disagree about the width of a character.
func disputed(character string) bool {
	first, n := utf8.DecodeRuneInString(character)
	if n == len(character) {
		return first >= firstEmoji || first >= utf8.RuneSelf && unicode.Is(unicode.Cf, first)
	}
	for _, r := range character[n:] {
		if !unicode.In(r, unicode.Mn, unicode.Me) || r >= 0xfe00 && r <= 0xfe0f { // variation selectors
			return true
		}
	}
	return first >= firstEmoji || unicode.Is(unicode.Cf, first)
}

// firstEmoji is where the blocks of pictographs begin. Every version of Unicode adds
// some.
const firstEmoji = 0x1f000
