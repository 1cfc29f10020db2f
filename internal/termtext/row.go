package termtext

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// Row says what a drawn line shows of a text, for copying. The zero value is a line that
// is copied as it is drawn.
type Row struct {
	// Lead is the width of what precedes the text, such as a bar or a line number. The
	// text ends before the cell End, or with the line if End is 0.
	Lead, End int
	// Soft means that the line continues the one above it, and Gap is what wrapping has
	// dropped between the two.
	Soft bool
	Gap  string
	// Text is the text of the line as it was sent, "" if that is drawn.
	Text string
}

// Right returns the row of a line that was moved to the right by cells.
func (r Row) Right(cells int) Row {
	r.Lead += cells
	if r.End > 0 {
		r.End += cells
	}
	return r
}

// Reindent returns a drawn line with the indentation that it was sent with.
func Reindent(drawn, sent string) string {
	return sent[:len(sent)-len(strings.TrimLeft(sent, " \t"))] + strings.TrimLeft(drawn, " ")
}

// Rows says what the lines show that [Wrap] has made of a text.
func Rows(text string, lines []string) []Row {
	rows := make([]Row, len(lines))
	rest := ansi.Strip(text)
	for i, line := range lines {
		shown := ansi.Strip(line)
		if next := strings.TrimLeft(rest, " "); i > 0 && strings.HasPrefix(next, "\n") {
			rest = next[1:]
		} else if i > 0 {
			rows[i].Soft = true
			rows[i].Gap, _, _ = strings.Cut(rest, shown)
		}
		rest = rest[len(rows[i].Gap)+len(shown):]
	}
	return rows
}
