package termtext

import (
	"cmp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// narrowASCII reports whether byte i of s is a printable character of its own.
func narrowASCII(s string, i int) bool {
	return s[i] >= ' ' && s[i] < 0x7f && (i+1 == len(s) || s[i+1] < utf8.RuneSelf)
}

// Width returns how many cells s takes on one line. Escape sequences and control
// characters, including newlines and tabs, take none.
func (m Method) Width(s string) int {
	width := 0
	for i := 0; i < len(s); {
		if narrowASCII(s, i) {
			i, width = i+1, width+1
			continue
		}
		n, w := m.Next(s[i:])
		i, width = i+n, width+w
	}
	return width
}

// Fit returns the longest prefix of s, in bytes and cells, that fits into the room left
// on a line of the given width. It ends between two characters. It is empty only if s
// is, or if the line is not empty (room < width); then the text belongs on a new line.
// A character wider than a whole line is cut between its code points, and a single code
// point always counts as fitting.
func (m Method) Fit(s string, room, width int) (n, used int) {
	for n < len(s) {
		if narrowASCII(s, n) {
			if used >= room && (used > 0 || room < width) {
				break
			}
			n, used = n+1, used+1
			continue
		}
		k, w := m.Next(s[n:])
		if used+w > room {
			if used == 0 && room >= width {
				k, w = m.part(s[n:n+k], width)
				return n + k, w
			}
			break
		}
		n, used = n+k, used+w
	}
	return n, used
}

// part returns the longest prefix of a character that fits the width and separates no
// mark from its base, or the shortest if none fits.
func (m Method) part(character string, width int) (n, used int) {
	for i, r := range character {
		if i == 0 || RuneWidth(r) == 0 {
			continue
		}
		w := m.Width(character[:i])
		if n > 0 && w > width {
			return n, used
		}
		n, used = i, w
		if w > width {
			return n, used
		}
	}
	if w := m.Width(character); n == 0 || w <= width {
		return len(character), w
	}
	return n, used
}

// FitEnd returns the longest suffix of s that fits the width: where it begins, and the
// cells it takes. It begins between two characters.
func (m Method) FitEnd(s string, width int) (from, used int) {
	used = m.Width(s)
	for from < len(s) && used > width {
		n, w := m.Next(s[from:])
		from, used = from+n, used-w
	}
	return from, used
}

// Truncate cuts a line, styled or not, to at most width cells. If it cuts anything, the
// line ends with tail, in the style of the text before it, and width includes tail.
// Truncate switches off styles and links that are on at the cut.
func (m Method) Truncate(s string, width int, tail string) string {
	if width <= 0 {
		return ""
	}
	if len(s) <= width && printableASCII(s) {
		return s
	}
	room := width - m.Width(tail)
	cut, used := 0, 0 // what fits before the tail
	for i := 0; i < len(s); {
		n, w := 1, 1
		if !narrowASCII(s, i) {
			n, w = m.Next(s[i:])
		}
		if used += w; used > width {
			if room < 0 {
				return ""
			}
			var p pen
			p.follow(s[:cut])
			return s[:cut] + tail + p.off()
		}
		i += n
		if used <= room {
			cut = i
		}
	}
	return s
}

// TruncateStart cuts a plain line at its start to at most width cells, with lead in
// place of what was cut.
func (m Method) TruncateStart(s string, width int, lead string) string {
	if width <= 0 {
		return ""
	}
	if m.Width(s) <= width {
		return s
	}
	room := width - m.Width(lead)
	if room < 0 {
		return ""
	}
	from, _ := m.FitEnd(s, room)
	return lead + s[from:]
}

// ExpandTabs replaces tabs by spaces, up to the next column that is a multiple of stop.
// Columns count from the start of each line.
func (m Method) ExpandTabs(s string, stop int) string { return m.FillTabs(s, stop, ' ', ' ') }

// FillTabs is ExpandTabs with other characters: the first of each tab, and the rest.
func (m Method) FillTabs(s string, stop int, first, rest byte) string {
	if strings.IndexByte(s, '\t') < 0 {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + 3*stop)
	for column := 0; ; {
		text, behind, tab := strings.Cut(s, "\t")
		b.WriteString(text)
		if !tab {
			return b.String()
		}
		if i := strings.LastIndexByte(text, '\n'); i >= 0 {
			column, text = 0, text[i+1:]
		}
		b.WriteByte(first)
		for column += m.Width(text) + 1; column%stop != 0; column++ {
			b.WriteByte(rest)
		}
		s = behind
	}
}

// JoinSides puts one text at the left and one at the right of a line, and cuts the left
// one first.
func JoinSides(left, right string, width int) string {
	rw := Width(right)
	if rw >= width {
		return Truncate(right, width, "")
	}
	left = Truncate(left, max(0, width-rw-1), "…")
	gap := width - Width(left) - rw
	if strings.TrimSpace(ansi.Strip(right)) == "" {
		return left
	}
	return left + strings.Repeat(" ", gap) + right
}

// Count returns a number of things in words: "1 line", "2 lines".
func Count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return strconv.Itoa(n) + " " + thing + "s"
}

// Capital returns a text with a capital letter at the beginning.
func Capital(text string) string {
	_, n := utf8.DecodeRuneInString(text)
	return strings.ToUpper(text[:n]) + text[n:]
}

// Table aligns rows of safe cells, the first of which are the headings. A column that has only its
// heading is left out.
func Table(rows [][]string) []string {
	lines := make([]string, len(rows))
	for col := range rows[0] {
		width, used := 0, false
		for i, row := range rows {
			width, used = max(width, Width(row[col])), used || i > 0 && row[col] != ""
		}
		for i, row := range rows {
			if used {
				text := cmp.Or(row[col], "-")
				lines[i] += text + strings.Repeat(" ", width-Width(text)+2)
			}
		}
	}
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return lines
}
