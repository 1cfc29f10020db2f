package markdown

import (
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"

	"parley/internal/safetext"
)

const (
	cellGap   = 3 // " │ "
	minColumn = 3 // cells; where the columns get narrower, rows are drawn as records
)

// tableShape remembers the columns of a giant table's first piece, so that all
// pieces have the same.
type tableShape struct {
	src    []byte
	widths []int // cells that the columns would take in full
}

func (t *tableShape) columns(p *palette) []int {
	if t.widths == nil {
		src := []byte(safetext.Block(string(t.src)))
		n := parseAll(src)
		for n != nil && n.Kind() != extast.KindTable {
			n = n.LastChild()
		}
		if n != nil {
			r := newRenderer(p, src, MinWidth, nil, nil)
			t.widths = naturalWidths(r.cells(n, p.text))
		}
		t.src = nil
	}
	return t.widths
}

// cells turns a table into atoms by row and column; the first row is the header.
func (r *renderer) cells(n ast.Node, base *ink) [][][]atom {
	var rows [][][]atom
	for row := n.FirstChild(); row != nil; row = row.NextSibling() {
		k := base
		if row.Kind() == extast.KindTableHeader {
			k = r.p.over(r.p.tableHeader, base)
		}
		var cells [][]atom
		for c := row.FirstChild(); c != nil; c = c.NextSibling() {
			cells = append(cells, atomise(nil, r.inline(c, k)))
		}
		rows = append(rows, cells)
	}
	return rows
}

func naturalWidths(rows [][][]atom) []int {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row[:min(len(row), len(widths))] {
			w := 0
			for _, a := range cell {
				if a.kind == breakAtom {
					w = 0
					continue
				}
				w += a.width
				widths[i] = max(widths[i], w)
			}
		}
	}
	return widths
}

func (r *renderer) table(n *extast.Table, base *ink, onChain bool) {
	rows := r.cells(n, base)
	if len(rows) == 0 || len(rows[0]) == 0 {
		return
	}
	natural := naturalWidths(rows)
	header := true
	if onChain && r.cont != nil && r.cont.leaf {
		header = false
		if r.cont.widths != nil {
			if w := r.cont.widths.columns(r.p); len(w) == len(natural) {
				for i := range natural {
					natural[i] = max(w[i], min(natural[i], 2)) // at least one wide character
				}
			}
		}
	}
	widths, squeezed := shareWidth(natural, r.room-cellGap*(len(natural)-1))
	if widths == nil {
		r.records(rows, header)
		return
	}
	for i, row := range rows {
		if i == 0 && !header {
			continue
		}
		if i == 1 && header || i > 0 && squeezed {
			r.tableRule(widths)
		}
		r.tableRow(row, widths, n.Alignments)
	}
}

// shareWidth fits the columns into room: narrow ones stay as they are, the others
// get an equal share. It gives nil if that is too narrow to read.
func shareWidth(natural []int, room int) (widths []int, squeezed bool) {
	widths = make([]int, len(natural))
	order := make([]int, len(natural))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return natural[a] - natural[b] })
	for k, i := range order {
		share := room / (len(order) - k)
		widths[i] = max(1, min(natural[i], share))
		if widths[i] < natural[i] {
			squeezed = true
			if share < minColumn {
				return nil, true
			}
		}
		room -= widths[i]
	}
	if room < 0 {
		return nil, true
	}
	return widths, squeezed
}

func (r *renderer) tableRule(widths []int) {
	var b strings.Builder
	for i, w := range widths {
		if i > 0 {
			b.WriteString("─┼─")
		}
		b.WriteString(strings.Repeat("─", w))
	}
	r.pen.write(b.String(), r.p.border, "")
	r.emit()
}

func (r *renderer) tableRow(cells [][]atom, widths []int, align []extast.Alignment) {
	wrapped := make([][]row, len(widths))
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
				r.pen.write(" │", r.p.border, "")
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
		r.emit()
	}
}

// records draws a table that is too wide for columns: each row as lines of
// "header: value".
func (r *renderer) records(rows [][][]atom, header bool) {
	names := rows[0]
	if len(rows) == 1 && header {
		for _, name := range names {
			r.flowAtoms(name)
		}
	}
	for i, row := range rows[1:] {
		if i > 0 || !header {
			r.pen.write(strings.Repeat("─", min(r.room, 8)), r.p.border, "")
			r.emit()
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
	for _, row := range wrap(atoms, r.room) {
		r.pen.row(row)
		r.emit()
	}
}
