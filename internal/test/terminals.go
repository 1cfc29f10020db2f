package test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"parley/internal/termtext"
)

// TerminalKind is how a terminal counts columns.
type TerminalKind uint8

const (
	// Wcwidth sums up code points, as wcwidth(3) has them: xterm, tmux, VTE.
	Wcwidth TerminalKind = iota
	// GraphemeClusters draws each grapheme cluster in the columns of its base: Ghostty,
	// Contour.
	GraphemeClusters
	// Capped draws a grapheme cluster in the columns of all its code points, but
	// in two at most: foot, WezTerm.
	Capped
)

func (k TerminalKind) String() string { return [...]string{"wcwidth", "clusters", "capped"}[k] }

// TerminalSetting is a width method and a terminal for which it must be right.
type TerminalSetting struct {
	Method termtext.Method
	Kind   TerminalKind
}

func (s TerminalSetting) String() string {
	return map[termtext.Method]string{termtext.Safe: "safe", termtext.Graphemes: "graphemes"}[s.Method] + " on " + s.Kind.String()
}

// TerminalSettings are all pairs of a width method and a terminal that can occur.
func TerminalSettings() []TerminalSetting {
	return []TerminalSetting{
		{termtext.Safe, Wcwidth},
		{termtext.Safe, GraphemeClusters},
		{termtext.Safe, Capped},
		{termtext.Graphemes, GraphemeClusters},
		{termtext.Graphemes, Capped},
	}
}

// cell is a column of the screen. The columns behind the first of a wide
// character are continued.
type cell struct {
	text      string
	continued bool
}

// ShowOnTerminal draws each line on its own row of a terminal and returns the text on the
// screen. A margin of one column precedes the cols columns, as everywhere in the program:
// marks without a base go there. As in a terminal that does not wrap, text that is too long
// overwrites the last column, and overwriting one half of a wide character removes the
// other.
func ShowOnTerminal(kind TerminalKind, lines []string, cols int) string {
	var out strings.Builder
	for _, line := range lines {
		r := row{kind: kind, cells: make([]cell, 1+cols)}
		r.write(" " + line)
		for _, c := range r.cells {
			switch {
			case c.text != "":
				out.WriteString(c.text)
			case !c.continued:
				out.WriteByte(' ')
			}
		}
		out.WriteByte('\n')
	}
	return out.String()
}

type row struct {
	kind  TerminalKind
	cells []cell
	x     int
	last  int // where the last character was put
}

func (r *row) write(s string) {
	for s != "" {
		if c := s[0]; c < ' ' || c == 0x7f {
			_, _, n, _ := ansi.DecodeSequence(s, ansi.NormalState, nil)
			s = s[max(n, 1):]
			continue
		}
		n, width := r.next(s)
		r.put(s[:n], width)
		s = s[n:]
	}
}

// next returns what the terminal takes as the first character of s.
func (r *row) next(s string) (n, width int) {
	if c, n := utf8.DecodeRuneInString(s); r.kind == Wcwidth || c == utf8.RuneError && n == 1 {
		return n, ansi.StringWidthWc(string(c))
	}
	cluster, width := ansi.FirstGraphemeCluster(s, ansi.GraphemeWidth)
	if r.kind == Capped {
		width = max(width, min(2, ansi.StringWidthWc(cluster)))
	}
	return len(cluster), width
}

func (r *row) put(text string, width int) {
	text = strings.ToValidUTF8(text, "\ufffd")
	if width == 0 {
		r.cells[r.last].text += text
		return
	}
	width = min(width, len(r.cells))
	x := min(r.x, len(r.cells)-width)
	for i := x; i < x+width; i++ {
		r.erase(i)
	}
	r.cells[x] = cell{text: text}
	for i := x + 1; i < x+width; i++ {
		r.cells[i] = cell{continued: true}
	}
	r.last, r.x = x, x+width
}

// erase removes the character that covers a column.
func (r *row) erase(x int) {
	for x > 0 && r.cells[x].continued {
		x--
	}
	r.cells[x] = cell{}
	for x++; x < len(r.cells) && r.cells[x].continued; x++ {
		r.cells[x] = cell{}
	}
}

// visibleText returns the text without invisible characters: blanks, control and format
// characters, selectors, fillers.
func visibleText(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r), unicode.Is(unicode.Z, r), unicode.Is(unicode.Cc, r),
			unicode.Is(unicode.Cf, r) && !unicode.Is(unicode.Prepended_Concatenation_Mark, r),
			unicode.Is(unicode.Variation_Selector, r), unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r):
			return -1
		}
		return r
	}, s)
}

// MissingText looks for the visible characters of a text on a screen, in order, with
// anything between them. It returns the rest of the text from the first missing one, or ""
// if the screen shows all.
func MissingText(screen, text string) string {
	want := visibleText(strings.ToValidUTF8(text, "\ufffd"))
	for _, r := range visibleText(screen) {
		if next, n := utf8.DecodeRuneInString(want); n > 0 && r == next {
			want = want[n:]
		}
	}
	return want
}

// UseWidthMethod uses a width method for the duration of the test, which must not be
// parallel.
func UseWidthMethod(t testing.TB, m termtext.Method) {
	before := termtext.CurrentMethod()
	termtext.UseMethod(m)
	t.Cleanup(func() { termtext.UseMethod(before) })
}
