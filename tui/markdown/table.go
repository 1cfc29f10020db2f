package markdown

import (
	"strings"

	"charm.land/glamour/v2/ansi"
	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"

	"parley/internal/termtext"
)

const (
	cellGap   = 3 // the separator between two spaces
	minColumn = 3 // cells; narrower tables are drawn as records
)

// column is the width that a column needs, in cells: for all of it, and for its longest
// word.
type column struct{ full, word int }

// cells returns the texts of a table by row and column; the first row is the header.
func (r *renderer) cells(n ast.Node, base *ink) [][]string {
	var rows [][]string
	base = r.p.over(r.p.table.ink, base)
	for row := n.FirstChild(); row != nil; row = row.NextSibling() {
		k := base
		if row.Kind() == extast.KindTableHeader && r.p.own != nil {
			k = r.p.over(r.p.own.tableHeader, base)
		}
		var cells []string
		for c := row.FirstChild(); c != nil; c = c.NextSibling() {
			cells = append(cells, r.pen.text(r.inline(c, k)))
		}
		rows = append(rows, cells)
	}
	return rows
}

// separators are the lines in a table, each one cell wide.
type separators struct{ column, row, cross string }

// separatorsOf returns those of a style if it has all of them, or else plain lines, as
// in Glamour.
func separatorsOf(s *ansi.StyleTable) separators {
	lines := separators{"│", "─", "┼"}
	if s.ColumnSeparator == nil || s.RowSeparator == nil || s.CenterSeparator == nil {
		return lines
	}
	own := separators{oneLine(*s.ColumnSeparator), oneLine(*s.RowSeparator), oneLine(*s.CenterSeparator)}
	if termtext.Width(own.column) != 1 || termtext.Width(own.row) != 1 || termtext.Width(own.cross) != 1 {
		return lines
	}
	return own
}

func measure(rows [][]string) []column {
	cols := make([]column, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row[:min(len(row), len(cols))] {
			for line := range strings.SplitSeq(cell, "\n") {
				cols[i].full = max(cols[i].full, termtext.Width(line))
				for line = strings.TrimLeft(line, " "); line != ""; line = strings.TrimLeft(line, " ") {
					n, width, _ := termtext.CurrentMethod().Word(line)
					cols[i].word, line = max(cols[i].word, width), line[n:]
				}
			}
		}
	}
	return cols
}

func (r *renderer) table(n *extast.Table, base *ink) {
	rows := r.cells(n, base)
	if len(rows) == 0 || len(rows[0]) == 0 {
		return
	}
	cols := measure(rows)
	widths, squeezed := shareWidth(cols, r.room-cellGap*(len(cols)-1))
	if widths == nil {
		r.records(rows)
		return
	}
	for i, row := range rows {
		switch {
		case i == 1:
			r.tableRule(widths)
		case i > 0 && squeezed:
			r.emit(termtext.Row{}) // between rows of several lines
		}
		r.tableRow(row, widths, n.Alignments)
	}
}

// shareWidth fits the columns into room: narrow ones keep their width, the others get
// an equal share, and at least their longest word unless that takes two thirds of the
// room. It returns nil if there is too little room for that.
func shareWidth(cols []column, room int) (widths []int, squeezed bool) {
	widths = make([]int, len(cols))
	fill := func(share int) bool {
		sum := 0
		squeezed = false
		for i, c := range cols {
			least := max(share, min(c.word, 2*room/3))
			widths[i] = max(1, min(c.full, least))
			squeezed = squeezed || widths[i] < c.full
			sum += widths[i]
		}
		return sum <= room
	}
	for share := room; share >= minColumn; share-- {
		if fill(share) {
			return widths, squeezed
		}
	}
	return nil, true
}

func (r *renderer) tableRule(widths []int) {
	line := r.p.separators
	var b strings.Builder
	for i, w := range widths {
		if i > 0 {
			b.WriteString(line.row + line.cross + line.row)
		}
		b.WriteString(strings.Repeat(line.row, w))
	}
	r.pen.write(b.String(), r.p.border, "")
	r.emit(r.ornament())
}

func (r *renderer) tableRow(cells []string, widths []int, align []extast.Alignment) {
	wrapped := make([][]string, len(widths))
	height := 1
	for i := range wrapped {
		if i < len(cells) {
			wrapped[i] = wrap(cells[i], widths[i])
			height = max(height, len(wrapped[i]))
		}
	}
	for y := range height {
		for i, w := range widths {
			if i > 0 {
				r.pen.write(" "+r.p.separators.column, r.p.border, "")
			}
			line := ""
			if y < len(wrapped[i]) {
				line = wrapped[i][y]
			}
			left, right := 0, w-termtext.Width(line)
			switch align[i] {
			case extast.AlignRight:
				left, right = right, 0
			case extast.AlignCenter:
				left, right = right/2, right-right/2
			}
			if i > 0 {
				left++
			}
			if last := i == len(widths)-1; line != "" || !last {
				r.pen.write(strings.Repeat(" ", max(left, 0)), r.p.text, "")
				r.pen.styled(line)
				if !last {
					r.pen.write(strings.Repeat(" ", max(right, 0)), r.p.text, "")
				}
			}
		}
		r.emit(termtext.Row{})
	}
}

// records draws a table that is too wide for columns: each row as lines of "header:
// value".
func (r *renderer) records(rows [][]string) {
	names := rows[0]
	if len(rows) == 1 {
		for _, name := range names {
			r.wrapped(name)
		}
	}
	for i, row := range rows[1:] {
		if i > 0 {
			r.pen.write(strings.Repeat(r.p.separators.row, min(r.room, 8)), r.p.border, "")
			r.emit(r.ornament())
		}
		for c, cell := range row {
			if c < len(names) && names[c] != "" && cell != "" {
				r.pen.write(": ", r.p.border, "")
				cell = names[c] + r.pen.line() + cell
			}
			r.wrapped(cell)
		}
	}
}
