package diffview

import (
	"image/color"
	"strings"
	"time"

	"parley/tui/markdown"
	"parley/tui/theme"
)

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

// stretch is a piece of a line in one colour, nil for that of plain text. It begins
// where the previous one ends, in bytes of the printable text.
type stretch struct {
	end   int
	color color.Color
}

// syntax holds the colours of the code in the two texts, as far as it was drawn.
type syntax struct {
	of     *theme.Theme
	chunks map[chunkKey][][]stretch
	// off means that the file cannot be coloured: it has no lexer, or a slow one.
	off bool
}

// colours returns the stretches of a line. d.mu must be held.
func (d *Diff) colours(s side, line int32) []stretch {
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
			d.syntax.chunks = make(map[chunkKey][][]stretch)
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
func (d *Diff) colourChunk(key chunkKey) [][]stretch {
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
	out := make([][]stretch, 0, chunkLines)
	for i := int(start - first); i < min(len(lines), int(start-first)+chunkLines); i++ {
		out = append(out, d.stretches(lines[i]))
	}
	return out
}

// stretches returns those of a line, nil if all of it has one colour. None ends within
// a grapheme cluster, which would be drawn as two characters. d.mu must be held.
func (d *Diff) stretches(line []markdown.CodeSpan) []stretch {
	var out []stretch
	var text strings.Builder
	coloured := false
	for _, s := range line {
		text.WriteString(s.Text)
		coloured = coloured || s.Color != nil
		out = append(out, stretch{text.Len(), s.Color})
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
// stretch is plain.
func (k *look) writeCode(b *strings.Builder, text string, from, to int, colours []stretch) {
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
