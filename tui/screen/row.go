package screen

import (
	"unicode/utf8"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"

	"parley/internal/termtext"
)

// fillRow sets the cells of a row from a line of styled text. It blanks columns beyond
// the line and cuts off what is wider than the row. Links get the id; linked reports
// whether there are any. Characters that the set does not have are replaced.
func fillRow(row uv.Line, line, id string, method termtext.Method, set SymbolSet) (linked bool) {
	var style uv.Style
	var link uv.Link
	x, last := 0, -1
	for len(line) > 0 && x < len(row) {
		if c := line[0]; c >= ' ' && c < ansi.DEL && (len(line) == 1 || line[1] < utf8.RuneSelf) {
			row[x] = uv.Cell{Content: line[:1], Width: 1, Style: style, Link: link}
			last = x
			x++
			line = line[1:]
			continue
		}
		n, width := method.Next(line)
		piece := line[:n]
		line = line[n:]
		switch {
		case width > len(row)-x:
			line = "" // half a character cannot be drawn
		case width > 0 && set != Unicode && exchange(row[x:x+width], uv.Cell{Content: piece, Style: style, Link: link}, set):
			last = x + width - 1
			x += width
		case width > 0:
			row[x] = uv.Cell{Content: anchored(piece, x, width, len(row)), Width: width, Style: style, Link: link}
			last = x
			for i := 1; i < width; i++ {
				row[x+i] = uv.Cell{} // the other columns of a wide character
			}
			x += width
		case piece[0] == ansi.ESC:
			follow(piece, &style, &link)
			if link.URL != "" {
				link.Params, linked = id, true
			}
		case last >= 0 && piece[0] >= utf8.RuneSelf && set != ASCII: // a mark, separated from its letter by a style
			prev := &row[last]
			prev.Content = anchored(unanchored(prev.Content)+piece, last, prev.Width, len(row))
		}
	}
	for ; x < len(row); x++ {
		row[x] = uv.EmptyCell
	}
	return linked
}

// exchange sets the cells of a character to its replacement in a set; it returns false
// if the set has the character itself. A character that cannot be shown is reversed, to
// distinguish it from a question mark in the text.
func exchange(to uv.Line, cell uv.Cell, set SymbolSet) bool {
	shown, lost := set.Draw(cell.Content, len(to))
	if shown == cell.Content {
		return false
	}
	if lost {
		cell.Style.Attrs ^= uv.AttrReverse
	}
	for i := range to {
		to[i] = cell
		to[i].Content, to[i].Width = shown[i:i+1], 1
	}
	return true
}

// follow applies an escape sequence to the style and link of the text after it. It
// ignores other sequences.
func follow(seq string, style *uv.Style, link *uv.Link) {
	p := ansi.GetParser()
	defer ansi.PutParser(p)
	ansi.DecodeSequence(seq, ansi.NormalState, p)
	switch {
	case ansi.HasCsiPrefix(seq) && ansi.Cmd(p.Command()) == 'm':
		uv.ReadStyle(p.Params(), style)
	case ansi.HasOscPrefix(seq) && p.Command() == 8:
		*link = uv.Link{}
		uv.ReadLink(p.Data(), link)
	}
}
