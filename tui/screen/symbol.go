// This file knows every character beyond ASCII that parley draws of itself: what
// it means, and what stands for it on a terminal that cannot show it.
//
// Everything is laid out with the characters themselves. Only the painter exchanges
// them, cell by cell and each for one of the same width, so no view has to know what
// the terminal shows, and none can forget to ask. A test reads the sources: a
// character that is drawn and is not in the table fails it.

package screen

import (
	"strings"
	"unicode/utf8"
)

// Set is which characters a terminal shows.
type SymbolSet uint8

const (
	// Unicode is all of them.
	Unicode SymbolSet = iota
	// Letters is a terminal that decodes UTF-8 and has few glyphs, such as the console of
	// Linux: parley's own characters are ASCII, and the letters of texts are left alone.
	Letters
	// ASCII is a terminal of which nothing more than ASCII is known.
	ASCII
)

// Of is what a terminal shows that the environment describes. The first of LC_ALL,
// LC_CTYPE and LANG that is set decides, as it does in the C library. Where none is,
// the terminal is taken for one of today.
func SymbolSetOf(getenv func(string) string) SymbolSet {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if locale := strings.ToLower(getenv(name)); locale != "" {
			if !strings.Contains(locale, "utf-8") && !strings.Contains(locale, "utf8") {
				return ASCII
			}
			break
		}
	}
	if getenv("TERM") == "linux" {
		return Letters
	}
	return Unicode
}

// Unknown stands for each column of a character that the set does not have.
const UnknownSymbol = "?"

// Draw is what a set shows in place of a character, which may be a cluster of several
// code points, and whether that stands for something the set cannot show. The result
// has one column for each of the character's.
func (s SymbolSet) Draw(character string, columns int) (shown string, lost bool) {
	first, size := utf8.DecodeRuneInString(character)
	if s == Unicode || size == len(character) && first < utf8.RuneSelf {
		return character, false
	}
	if plain, ok := inASCII[first]; ok && columns == 1 {
		return plain, false
	}
	if s == Letters {
		return character, false
	}
	return strings.Repeat(UnknownSymbol, columns), true
}

// Text is a text with what the set shows in place of each character.
func (s SymbolSet) Text(text string) string {
	if s == Unicode {
		return text
	}
	return strings.Map(func(r rune) rune {
		shown, _ := s.Draw(string(r), 1)
		drawn, _ := utf8.DecodeRuneInString(shown)
		return drawn
	}, text)
}

var inASCII = func() map[rune]string {
	all := map[rune]string{}
	for _, group := range SymbolGroups {
		for _, g := range group.Glyphs {
			all[g.Rune] = string(g.ASCII)
		}
	}
	return all
}()
