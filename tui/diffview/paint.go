package diffview

import (
	"image/color"
	"strconv"
	"strings"
	"time"

	"charm.land/lipgloss/v2"

	"parley/tui/markdown"
	"parley/tui/theme"
)

// pen writes text in a style. It takes the style's sequences once, because Style.Render
// costs more than everything else that a line needs.
type pen struct{ on, off string }

func newPen(s lipgloss.Style) pen {
	on, off, _ := strings.Cut(s.Render("x"), "x")
	return pen{on, off}
}

func (p pen) text(text string) string { return p.on + text + p.off }

func (p pen) write(b *strings.Builder, text string) {
	if text != "" {
		b.WriteString(p.on)
		b.WriteString(text)
		b.WriteString(p.off)
	}
}

// look is how lines of one kind are drawn.
type look struct {
	sign               string
	text, word, number pen  // number is for the sign too
	fill               bool // the background extends to the end of the line
	// style is that of text, and pens are those for text in other colours. They are nil
	// where the text's colour itself marks the line as changed.
	style lipgloss.Style
	pens  map[color.Color]*pen
}

// withPens allows code colours in lines of this look.
func (k look) withPens(style lipgloss.Style) look {
	if !k.fill || style.GetBackground() != (lipgloss.NoColor{}) {
		k.style, k.pens = style, map[color.Color]*pen{}
	}
	return k
}

// ink holds a theme's pens.
type ink struct {
	context, removed, added look
	hunk, warning, rule     pen
}

func newInk(th *theme.Theme) ink {
	return ink{
		context: look{
			sign: " ", text: newPen(th.DiffContext), word: newPen(th.DiffContext), number: newPen(th.DiffNumber),
		}.withPens(th.DiffContext),
		removed: look{
			sign: "-", text: newPen(th.DiffRemoved), word: newPen(th.DiffRemovedWord),
			number: newPen(th.DiffRemovedNumber), fill: true,
		}.withPens(th.DiffRemoved),
		added: look{
			sign: "+", text: newPen(th.DiffAdded), word: newPen(th.DiffAddedWord),
			number: newPen(th.DiffAddedNumber), fill: true,
		}.withPens(th.DiffAdded),
		hunk:    newPen(th.DiffHunk),
		warning: newPen(th.Warning),
		rule:    newPen(th.Rule),
	}
}

// draw returns the row's lines from (inclusive) to (exclusive). diff.mu must be held.
func (l *Layout) draw(r row, from, to int, k *ink) []string {
	d := l.diff
	switch r.kind {
	case gapRow:
		text := "… " + theme.Grouped(int(r.old)) + " unchanged lines"
		return []string{k.hunk.text(l.method.Truncate(text, l.width, ""))}
	case noteRow:
		return l.drawNote(r.old, k)[from:to]
	case changedRow:
		return l.drawSplit(
			d.drawLine(oldSide, r.old, r.new, from, to, l.left, &k.removed, r.old, none),
			d.drawLine(newSide, r.new, r.old, from, to, l.right, &k.added, none, r.new), k)
	case removedRow:
		return d.drawLine(oldSide, r.old, r.new, from, to, l.unified, &k.removed, r.old, none)
	case addedRow:
		return d.drawLine(newSide, r.new, r.old, from, to, l.unified, &k.added, none, r.new)
	}
	if l.split {
		return l.drawSplit(
			d.drawLine(oldSide, r.old, none, from, to, l.left, &k.context, r.old, none),
			d.drawLine(newSide, r.new, none, from, to, l.right, &k.context, none, r.new), k)
	}
	return d.drawLine(newSide, r.new, none, from, to, l.unified, &k.context, r.old, r.new)
}

// drawNote draws the words of a note, wrapped.
func (l *Layout) drawNote(which int32, k *ink) []string {
	p := k.hunk
	if which == coarseNote {
		p = k.warning
	}
	text, from := l.diff.note(which), 0
	var lines []string
	for _, end := range l.diff.wrap(text, l.width) {
		lines = append(lines, p.text(text[from:end]))
		from = end
	}
	return lines
}

// drawSplit joins the lines of the two columns.
func (l *Layout) drawSplit(left, right []string, k *ink) []string {
	lines := make([]string, len(left))
	for i := range lines {
		pad := strings.Repeat(" ", l.left.width-l.method.Width(left[i]))
		lines[i] = left[i] + pad + k.rule.text("│") + right[i]
	}
	return lines
}

// drawLine draws the screen lines from (inclusive) to (exclusive) of a line of a text
// into a column. Screen lines after the last one of the text are blank, for the other
// column; all are blank if line is none. The first screen line has the numbers, unless
// they are none.
func (d *Diff) drawLine(s side, line, pair int32, from, to int, c column, k *look, oldNumber, newNumber int32) []string {
	lines := make([]string, to-from)
	if line == none {
		return lines
	}
	text := d.text(s, line, pair)
	spans := d.emphasise(s, line, pair)
	var colours []colourSpan
	if k.pens != nil {
		colours = d.colours(s, line)
	}
	ends := d.wrap(text, c.text())
	for i := range lines {
		var b strings.Builder
		sign := k.sign
		if from+i > 0 {
			sign, oldNumber, newNumber = " ", none, none
		}
		drawNumber(&b, k, c.oldDigits, oldNumber, d.first)
		drawNumber(&b, k, c.newDigits, newNumber, d.first)
		if c.sign > 0 {
			k.number.write(&b, sign+" ")
		}
		piece := span{len(text), len(text)}
		if n := from + i; n < len(ends) {
			piece.end = ends[n]
			piece.start = 0
			if n > 0 {
				piece.start = ends[n-1]
			}
		}
		d.drawPiece(&b, text, piece, spans, colours, c.text(), k)
		lines[i] = b.String()
	}
	return lines
}

// drawNumber draws a line number in its column and a space. number counts from 0, and
// first is drawn for 0.
func drawNumber(b *strings.Builder, k *look, digits int, number int32, first int) {
	if digits == 0 {
		return
	}
	shown := ""
	if number != none {
		shown = strconv.Itoa(int(number) + first)
	}
	k.number.write(b, strings.Repeat(" ", digits-len(shown))+shown+" ")
}

// drawPiece draws a piece of a text, its emphasised spans, and the background up to the
// width. d.mu must be held.
func (d *Diff) drawPiece(b *strings.Builder, text string, piece span, spans []span, colours []colourSpan, width int, k *look) {
	shown := d.width(text[piece.start:piece.end])
	if shown > width { // a single code point that is wider than the column
		k.text.write(b, strings.Repeat("·", width))
		return
	}
	at := piece.start
	for _, s := range spans {
		s = span{max(s.start, piece.start), min(s.end, piece.end)}
		if s.start >= s.end {
			continue
		}
		k.writeCode(b, text, at, s.start, colours)
		k.word.write(b, changed(text[s.start:s.end]))
		at = s.end
	}
	k.writeCode(b, text, at, piece.end, colours)
	if k.fill {
		k.text.write(b, strings.Repeat(" ", width-shown))
	}
}

// Code is coloured by chunks of lines, when one of their lines is first drawn. The
// meaning of a line may depend on those around it, such as where a comment begins and
// ends, so some lines above and below the chunk are lexed as well.
const (
	chunkLines = 32
	chunkLead  = 16
	chunkTail  = 8
	// maxChunkBytes bounds the coloured part of a chunk. Lexers manage about a quarter
	// of a megabyte a second.
	maxChunkBytes = 8 << 10
	// maxChunks bounds the chunks that stay coloured.
	maxChunks = 64
)

// maxLexing bounds the time for a chunk. Tests raise it, because their result must not
// depend on the load of the machine.
var maxLexing = 200 * time.Millisecond

// chunkKey identifies a chunk of one of the texts.
type chunkKey struct {
	side  side
	chunk int32
}

// colourSpan is a piece of a line in one colour, nil for that of plain text. It begins
// where the previous one ends, in bytes of the printable text.
type colourSpan struct {
	end   int
	color color.Color
}

// syntax holds the colours of the code in the two texts, as far as it was drawn.
type syntax struct {
	of     *theme.Theme
	chunks map[chunkKey][][]colourSpan
	// off means that the file cannot be coloured: it has no lexer, or a slow one.
	off bool
}

// colours returns the spans of a line. d.mu must be held.
func (d *Diff) colours(s side, line int32) []colourSpan {
	if d.syntax.of != d.inkOf {
		d.syntax = syntax{of: d.inkOf}
	}
	if d.syntax.off {
		return nil
	}
	key := chunkKey{s, line / chunkLines}
	chunk, ok := d.syntax.chunks[key]
	if !ok {
		if d.syntax.chunks == nil || len(d.syntax.chunks) >= maxChunks {
			d.syntax.chunks = make(map[chunkKey][][]colourSpan)
		}
		chunk = d.colourChunk(key)
		d.syntax.chunks[key] = chunk
	}
	if at := int(line % chunkLines); at < len(chunk) {
		return chunk[at]
	}
	return nil
}

// colourChunk colours a chunk. d.mu must be held.
func (d *Diff) colourChunk(key chunkKey) [][]colourSpan {
	all := int32(len(d.old))
	if key.side == newSide {
		all = int32(len(d.new))
	}
	start := key.chunk * chunkLines
	first := start
	for lead := 0; first > max(0, start-chunkLead); first-- {
		// A long lead would leave no room for the drawn lines.
		if lead += len(d.raw(key.side, first-1)); lead > maxChunkBytes/4 {
			break
		}
	}
	var code strings.Builder
	for i := first; i < min(start+chunkLines+chunkTail, all); i++ {
		// A line too long to be drawn whole is clipped somewhere, so its colours would
		// be useless. It is lexed as an empty one.
		if raw := d.raw(key.side, i); len(raw) <= maxChunkBytes/8 {
			text := spaced(d.text(key.side, i, none))
			if code.Len()+len(text) > maxChunkBytes {
				break
			}
			code.WriteString(text)
		}
		code.WriteByte('\n')
	}
	lines, tame := markdown.CodeColors(code.String(), d.path, d.inkOf, maxLexing)
	if lines == nil || !tame {
		d.syntax.off = true
	}
	out := make([][]colourSpan, 0, chunkLines)
	for i := int(start - first); i < min(len(lines), int(start-first)+chunkLines); i++ {
		out = append(out, d.spans(lines[i]))
	}
	return out
}

// spans returns those of a line, nil if all of it has one colour. None ends within
// a grapheme cluster, which would be drawn as two characters. d.mu must be held.
func (d *Diff) spans(line []markdown.CodeSpan) []colourSpan {
	var out []colourSpan
	var text strings.Builder
	coloured := false
	for _, s := range line {
		text.WriteString(s.Text)
		coloured = coloured || s.Color != nil
		out = append(out, colourSpan{text.Len(), s.Color})
	}
	if !coloured {
		return nil
	}
	if whole := text.String(); !isASCII(whole) {
		at := 0
		for i := range out {
			for at < out[i].end {
				n, _ := d.method.Next(whole[at:])
				at += n
			}
			out[i].end = at
		}
	}
	return out
}

// writeCode draws a part of a text in the colours of its code. Text after the last
// colourSpan is plain.
func (k *look) writeCode(b *strings.Builder, text string, from, to int, colours []colourSpan) {
	for _, s := range colours {
		if s.end <= from {
			continue
		}
		if from >= to {
			return
		}
		end := min(s.end, to)
		k.pen(s.color).write(b, spaced(text[from:end]))
		from = end
	}
	if from < to {
		k.text.write(b, spaced(text[from:to]))
	}
}

// pen returns the pen for code of a colour in lines of this look.
func (k *look) pen(c color.Color) *pen {
	if c == nil || k.pens == nil {
		return &k.text
	}
	p, ok := k.pens[c]
	if !ok {
		made := newPen(k.style.Foreground(theme.Readable(c, k.style)))
		p, k.pens[c] = &made, &made
	}
	return p
}
