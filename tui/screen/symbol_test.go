package screen_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"parley/tui/screen"
)

// TestEveryGlyphIsInTheTable reads what the sources of the screen draw: each character
// beyond ASCII in them is in the table, or could not be seen without Unicode.
func TestEveryGlyphIsInTheTable(t *testing.T) {
	t.Parallel()
	found := 0
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			lit, ok := n.(*ast.BasicLit)
			if !ok || lit.Kind != token.STRING && lit.Kind != token.CHAR {
				return true
			}
			for _, r := range text(t, lit) {
				switch {
				case r < utf8.RuneSelf || !unicode.IsGraphic(r) || unicode.IsMark(r):
				case known(r), elsewhere[r] != "":
					found++
				default:
					t.Errorf("%s draws %q (%U), which is not in the table of glyphs", set.Position(lit.Pos()), r, r)
				}
			}
			return true
		})
		return nil
	})
	if err != nil || found < 100 {
		t.Errorf("%d characters found, %v", found, err)
	}
}

// known reports whether a character is one of the table.
func known(r rune) bool {
	return slices.ContainsFunc(screen.SymbolGroups, func(g screen.SymbolGroup) bool {
		return slices.ContainsFunc(g.Glyphs, func(g screen.Symbol) bool { return g.Rune == r })
	})
}

// elsewhere are characters in the sources that are not drawn as they stand there, and
// why.
var elsewhere = map[rune]string{
	'\u2400': "control pictures: only in texts from outside, which show as unknown",
	'\u2421': "a control picture",
	'«':      "in AppleScript, for the clipboard of macOS",
	'»':      "likewise",
	'ß':      "a letter that has no capital of one character, for the keys of vim",
}

func text(t *testing.T, lit *ast.BasicLit) string {
	t.Helper()
	s := ""
	var err error
	if lit.Kind == token.CHAR {
		var r rune
		r, _, _, err = strconv.UnquoteChar(lit.Value[1:len(lit.Value)-1], '\'')
		s = string(r)
	} else {
		s, err = strconv.Unquote(lit.Value)
	}
	if err != nil {
		t.Fatalf("%s: %v", lit.Value, err)
	}
	return s
}

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
