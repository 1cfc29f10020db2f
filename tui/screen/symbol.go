package screen

import (
	"strings"
	"unicode/utf8"
)

// SymbolSet is the set of characters that a terminal shows. It knows every character
// beyond ASCII that parley draws itself, and its replacement on a terminal that cannot
// show it.
//
// Everything is laid out with the characters themselves. Only the painter replaces
// them, cell by cell and by one of the same width, so that views need not know what the
// terminal shows. A test checks that every character drawn in the sources is in the
// table.
type SymbolSet uint8

const (
	// Unicode is all of them.
	Unicode SymbolSet = iota
	// Letters is for a terminal that decodes UTF-8 but has few symbols, such as the
	// Linux console: parley's own characters become ASCII, and letters in texts stay.
	Letters
	// ASCII is for a terminal of which nothing else is known.
	ASCII
)

// SymbolSetOf returns what the terminal described by the environment shows. As in the C
// library, the first of LC_ALL, LC_CTYPE and LANG that is set decides. If none is, the
// terminal is assumed to be modern.
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

// unknownSymbol replaces each column of a character that the set does not have.
const unknownSymbol = "?"

// Draw returns what a set shows in place of a character, which may be a cluster of
// several code points; lost reports whether the set cannot show it. The result has one
// column for each of the character's.
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
	return strings.Repeat(unknownSymbol, columns), true
}

// Text replaces each character of a text by what the set shows.
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

// Symbol is a character that parley draws, and its ASCII replacement.
type Symbol struct {
	Rune    rune
	ASCII   byte
	Meaning string
}

// SymbolGroup is a group of characters that appear side by side.
type SymbolGroup struct {
	Name string
	// Apart means that users distinguish these characters: no two of them have the same
	// replacement.
	Apart  bool
	Glyphs []Symbol
}

// SymbolGroups is the table. It uses characters that terminal fonts commonly have, and
// none from the blocks of technical or rare mathematical symbols.
var SymbolGroups = []SymbolGroup{
	{"states", true, []Symbol{
		{'✓', '+', "done"},
		{'✗', 'x', "failed"},
		{'◐', '~', "under way"},
		{'○', 'o', "not begun, not chosen"},
		{'●', '*', "what holds now, chosen"},
		{'⊘', '-', "cancelled"},
		{'†', '!', "the agent exited"},
		{'»', '>', "waits to be sent"},
	}},
	{"kinds of tool calls, and marks in the margin", true, []Symbol{
		{'◇', 'r', "read"},
		{'✎', 'e', "edit"},
		{'×', 'd', "delete"},
		{'→', '>', "move, leads to"},
		{'◎', 's', "search"},
		{'✻', '*', "think"},
		{'↓', 'v', "fetch, further down"},
		{'↔', '=', "switch the mode"},
		{'•', '-', "a thing among others"},
		{'≡', '#', "plan"},
		{'▼', 'V', "the conversation was made shorter"},
		{'▣', '@', "image"},
	}},
	{"arrows", false, []Symbol{
		{'↑', '^', "further up"},
		{'↕', '|', "up and down"},
		{'←', '<', "further left"},
		{'‹', '<', "more before"},
		{'›', '>', "more behind"},
	}},
	{"marks", false, []Symbol{
		{'❯', '>', "where the user is"},
		{'▸', '>', "folded"},
		{'▾', 'v', "unfolded"},
		{'♣', 'Y', "a worktree that was made for sessions"},
		{'▌', '|', "the selected lines"},
		{'□', 'o', "not ticked"},
		{'■', '*', "ticked"},
		{'◦', 'o', "an item of a list, one deeper"},
		{'▪', '+', "an item of a list, two deeper"},
		{'⟨', '<', "begins a description of a character"},
		{'⟩', '>', "ends a description of a character"},
	}},
	{"signs in texts", false, []Symbol{
		{'…', '~', "something was cut off, or is under way"},
		{'·', '.', "between things in a line"},
		{'−', '-', "lines taken away"},
		{'–', '-', "from, to"},
		{'—', '-', "a pause"},
		{'¦', '|', "a line of code continues"},
		{'“', '"', "quotes"},
		{'”', '"', "quotes"},
		{'‘', '\'', "quotes"},
		{'’', '\'', "quotes"},
		{'§', '$', "a section"},
		{'€', 'E', "euros"},
		{'£', 'L', "pounds"},
		{'\u00a0', ' ', "a blank at which no line breaks"},
		{'�', '?', "a character that was none"},
	}},
	{"lines", false, []Symbol{
		{'─', '-', "a line"},
		{'━', '=', "a bar that is full"},
		{'╌', '-', "a line that is interrupted"},
		{'│', '|', "a line"},
		{'┃', '|', "a line of a dialog, or of what the user wrote"},
		{'┼', '+', "crossing lines"},
		{'├', '+', "a line that branches"},
		{'┤', '+', "a line that branches"},
		{'┬', '+', "a line that branches"},
		{'┴', '+', "a line that branches"},
		{'╭', '+', "a corner"},
		{'╮', '+', "a corner"},
		{'╰', '+', "a corner"},
		{'╯', '+', "a corner"},
		{'┌', '+', "a corner"},
		{'┐', '+', "a corner"},
		{'└', '+', "a corner"},
		{'┘', '+', "a corner"},
	}},
	{"pictures", false, []Symbol{
		{'▀', '"', "the upper half of a cell"},
		{'▄', '_', "the lower half of a cell"},
		{'█', '#', "a whole cell"},
	}},
	// Animations: Bubbles' spinner, and the strokes that replace it.
	{"spinner", false, []Symbol{
		{'⠋', '|', ""},
		{'⠙', '/', ""},
		{'⠹', '-', ""},
		{'⠸', '\\', ""},
		{'⠼', '|', ""},
		{'⠴', '/', ""},
		{'⠦', '-', ""},
		{'⠧', '\\', ""},
		{'⠇', '|', ""},
		{'⠏', '/', ""},
	}},
}
