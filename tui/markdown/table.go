package markdown

import (
	"slices"
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

// cells converts a table to atoms by row and column; the first row is the header.
func (r *renderer) cells(n ast.Node, base *ink) [][][]atom {
	var rows [][][]atom
	base = r.p.over(r.p.table.ink, base)
	for row := n.FirstChild(); row != nil; row = row.NextSibling() {
		k := base
		if row.Kind() == extast.KindTableHeader && r.p.own != nil {
			k = r.p.over(r.p.own.tableHeader, base)
		}
		var cells [][]atom
		for c := row.FirstChild(); c != nil; c = c.NextSibling() {
			cells = append(cells, atomise(nil, r.inline(c, k)))
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

func measure(rows [][][]atom) []column {
	cols := make([]column, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row[:min(len(row), len(cols))] {
			full, word := 0, 0
			for _, a := range cell {
				if a.kind == breakAtom {
					full = 0
				}
				if a.kind != wordAtom || !a.glued {
					word = 0
				}
				full, word = full+a.width, word+a.width
				cols[i] = column{max(cols[i].full, full), max(cols[i].word, word)}
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
	r.emit(termtext.Row{})
}

func (r *renderer) tableRow(cells [][]atom, widths []int, align []extast.Alignment) {
	wrapped := make([][]row, len(widths))
	height := 1
	for i := range wrapped {
		if i < len(cells) {
			wrapped[i] = wrap(make([]atom, 0, len(cells[i])), cells[i], widths[i])
			height = max(height, len(wrapped[i]))
		}
	}
	for y := range height {
		for i, w := range widths {
			if i > 0 {
				r.pen.write(" "+r.p.separators.column, r.p.border, "")
			}
			var line row
			if y < len(wrapped[i]) {
				line = wrapped[i][y]
			}
			left := 0
			switch align[i] {
			case extast.AlignRight:
				left = w - line.width
			case extast.AlignCenter:
				left = (w - line.width) / 2
			}
			right := w - line.width - left
			if i > 0 {
				left++
			}
			if len(line.atoms) > 0 || i < len(widths)-1 {
				r.pen.write(strings.Repeat(" ", max(left, 0)), r.p.text, "")
			}
			r.pen.row(line)
			if i < len(widths)-1 {
				r.pen.write(strings.Repeat(" ", max(right, 0)), r.p.text, "")
			}
		}
		r.emit(termtext.Row{})
	}
}

// records draws a table that is too wide for columns: each row as lines of "header:
// value".
func (r *renderer) records(rows [][][]atom) {
	names := rows[0]
	if len(rows) == 1 {
		for _, name := range names {
			r.flowAtoms(name)
		}
	}
	for i, row := range rows[1:] {
		if i > 0 {
			r.pen.write(strings.Repeat(r.p.separators.row, min(r.room, 8)), r.p.border, "")
			r.emit(termtext.Row{})
		}
		for c, cell := range row {
			if len(cell) == 0 {
				continue
			}
			line := cell
			if c < len(names) && len(names[c]) > 0 {
				line = slices.Concat(names[c], []atom{
					{span: span{text: ":", ink: r.p.border}, width: 1, glued: true},
					{span: span{text: " ", ink: r.p.border}, width: 1, kind: spaceAtom},
				}, cell)
			}
			r.flowAtoms(line)
		}
	}
}

func (r *renderer) flowAtoms(atoms []atom) {
	for _, row := range wrap(make([]atom, 0, len(atoms)), atoms, r.room) {
		r.pen.row(row)
		r.emit(row.shows())
	}
}
