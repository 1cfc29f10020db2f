package screen_test

import (
	"testing"

	"parley/tui/screen"
)

// TestTableIsSound: what stands for a character can be seen, and what a user tells
// apart by its character stays apart.
func TestTableIsSound(t *testing.T) {
	t.Parallel()
	meant := map[rune]byte{}
	for _, group := range screen.SymbolGroups {
		taken := map[byte]string{}
		for _, g := range group.Glyphs {
			if was, twice := meant[g.Rune]; twice && was != g.ASCII {
				t.Errorf("%q is in the table twice", g.Rune)
			}
			meant[g.Rune] = g.ASCII
			if g.ASCII < ' ' || g.ASCII > '~' {
				t.Errorf("%q stands for %q and cannot be seen", g.ASCII, g.Rune)
			}
			if other, same := taken[g.ASCII]; group.Apart && same {
				t.Errorf("%s: %q and %q are both %q", group.Name, other, g.Meaning, g.ASCII)
			}
			taken[g.ASCII] = g.Meaning
			if !common(g.Rune) {
				t.Errorf("%q (%U) is missing in many fonts", g.Rune, g.Rune)
			}
		}
	}
}

// common reports characters that the fonts of terminals have: Latin and punctuation,
// arrows of one stroke, lines and blocks, simple shapes, Zapf's dingbats, and Braille,
// which terminals draw themselves.
func common(r rune) bool {
	for _, block := range [][2]rune{
		{0xa0, 0x17f},
		{0x2010, 0x203a},
		{0x20ac, 0x20ac},
		{0x2190, 0x2195},
		{0x2212, 0x2212},
		{0x2261, 0x2261},
		{0x2298, 0x2298},
		{0x2500, 0x259f},
		{0x25a0, 0x25ff},
		{0x2663, 0x2663},
		{0x2701, 0x27bf},
		{0x27e8, 0x27e9},
		{0x2800, 0x28ff},
		{0xfffd, 0xfffd},
	} {
		if r >= block[0] && r <= block[1] {
			return true
		}
	}
	return false
}

func TestWhatTheTerminalShows(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		env  map[string]string
		want screen.SymbolSet
	}{
		{map[string]string{}, screen.Unicode},
		{map[string]string{"LANG": "de_DE.UTF-8"}, screen.Unicode},
		{map[string]string{"LANG": "C.utf8"}, screen.Unicode},
		{map[string]string{"LANG": "C"}, screen.ASCII},
		{map[string]string{"LANG": "en_US.ISO-8859-1"}, screen.ASCII},
		{map[string]string{"LANG": "de_DE.UTF-8", "LC_ALL": "POSIX"}, screen.ASCII},
		{map[string]string{"LANG": "C", "LC_CTYPE": "C.UTF-8"}, screen.Unicode},
		{map[string]string{"LANG": "de_DE.UTF-8", "TERM": "linux"}, screen.Letters},
		{map[string]string{"LANG": "C", "TERM": "linux"}, screen.ASCII},
	} {
		if got := screen.SymbolSetOf(func(name string) string { return tt.env[name] }); got != tt.want {
			t.Errorf("%v: %v, want %v", tt.env, got, tt.want)
		}
	}
}

func TestDraw(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		set       screen.SymbolSet
		character string
		columns   int
		want      string
		lost      bool
	}{
		{screen.Unicode, "✓", 1, "✓", false},
		{screen.ASCII, "a", 1, "a", false},
		{screen.ASCII, "✓", 1, "+", false},
		{screen.ASCII, "é", 1, "?", true},
		{screen.ASCII, "e\u0301", 1, "?", true},
		{screen.ASCII, "界", 2, "??", true},
		{screen.Letters, "✓", 1, "+", false},
		{screen.Letters, "é", 1, "é", false},
		{screen.Letters, "界", 2, "界", false},
	} {
		if got, lost := tt.set.Draw(tt.character, tt.columns); got != tt.want || lost != tt.lost {
			t.Errorf("set %d: %q is drawn as %q, lost %v; want %q, %v", tt.set, tt.character, got, lost, tt.want, tt.lost)
		}
	}
	if got := screen.ASCII.Text("(1 waiting) – müde"); got != "(1 waiting) - m?de" {
		t.Errorf("a text is %q", got)
	}
}
