package markdown

import (
	"bytes"
	"cmp"
	"strings"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
)

// Bounds of one block in bytes. Larger ones are cut. They bound what is redrawn while a
// block grows; code costs more, because it is coloured.
const (
	maxBlock = 4096
	maxCode  = 2048
)

// maxParsed bounds how much of a text is parsed. The parser looks at each line once for
// each list that it is in.
const maxParsed = 256 << 10

// sync closes all blocks whose end is in the text.
//
// A block is closed when a complete line has begun the next one: only complete lines
// count, since the end of a line can still change its meaning ("```" may open a fence,
// "```a` b" does not). A block may have at most maxBlock bytes; then it is cut. Each
// step looks at one window of that size and advances by at least half of it, so that
// the work is linear in the text.
func (d *Document) sync() {
	for d.open < len(d.text) && (d.seen < len(d.text) || d.finished) {
		if !d.advance() {
			break
		}
	}
	d.seen = len(d.text)
}

// advance closes at least one block, or returns false.
func (d *Document) advance() bool {
	if d.open >= maxParsed {
		return d.advancePlain()
	}
	d.skipBlank()
	rest := d.text[d.open:]
	window := rest[:min(len(rest), maxBlock)]
	lines := window
	if !d.finished || len(window) < len(rest) {
		lines = window[:strings.LastIndexByte(window, '\n')+1]
		fresh := d.text[max(d.seen, d.open):]
		if len(rest) <= maxCode && strings.IndexByte(fresh, '\n') < 0 && d.seen > d.open {
			return false // no complete line has arrived since the last look
		}
	}
	src := d.cont.source(lines)
	root := d.cont.withoutStubs(parseBlocks(src), src)
	if d.closeAll(root, src[d.cont.len():]) {
		return true
	}
	if limit := limitOf(root.FirstChild()); len(rest) > limit {
		d.cut(window[:min(len(window), limit)])
		return true
	}
	if d.finished && len(rest) == len(lines) {
		d.close(len(d.text), nil)
		return true
	}
	return false
}

// advancePlain closes a piece beyond maxParsed, of whole lines or else words, or returns
// false.
func (d *Document) advancePlain() bool {
	d.cont = &continuation{plain: true}
	rest := d.text[d.open:]
	end := len(rest)
	if end > maxBlock {
		window := rest[:maxBlock]
		end = cmp.Or(strings.LastIndexByte(window, '\n')+1, strings.LastIndexByte(window, ' ')+1, runeStart(rest, maxBlock))
	} else if !d.finished {
		return false
	}
	d.close(d.open+end, d.cont)
	return true
}

// skipBlank moves the beginning of a new block past blank lines, except those that
// continue a block: in code they are part of it.
func (d *Document) skipBlank() {
	if d.cont != nil {
		return
	}
	for d.open < len(d.text) {
		end := strings.IndexByte(d.text[d.open:], '\n')
		if end < 0 || strings.TrimSpace(d.text[d.open:d.open+end]) != "" {
			return
		}
		d.open += end + 1
	}
}

// closeAll closes the top-level blocks of root in lines, except the last one and those
// beyond its limit, and reports whether it closed any.
func (d *Document) closeAll(root ast.Node, lines []byte) bool {
	base, skip, start := d.open, d.cont.len(), 0
	for n := root.FirstChild(); n != nil && n.NextSibling() != nil; n = n.NextSibling() {
		if joined(n.NextSibling()) {
			continue
		}
		end := lineStart(lines, startOf(n.NextSibling())-skip)
		if end == 0 && start == 0 && skip > 0 {
			d.cont = nil // what was open at the cut ended there
			return true
		}
		if end <= start || lineEnd(lines, end)-start > limitOf(n) {
			break
		}
		d.close(base+end, nil)
		start = end
	}
	return start > 0
}

// joined reports whether n is a table whose header is not the first line of its
// paragraph. What follows the table may still change how the lines before it parse, so
// the two stay in one block.
func joined(n ast.Node) bool { return n.Kind() == extast.KindTable && n.Pos() < startOf(n) }

// startOf returns where the first line of a block begins in the source.
func startOf(n ast.Node) int {
	switch n.Kind() {
	case extast.KindTable:
		return startOf(n.FirstChild()) // a table has the position of the paragraph that it was
	case ast.KindHeading, ast.KindTextBlock:
		if n.Lines().Len() > 0 {
			return n.Lines().At(0).Start
		}
	}
	return n.Pos()
}

func limitOf(n ast.Node) int {
	if n != nil && n.Kind() == ast.KindFencedCodeBlock {
		return maxCode
	}
	return maxBlock
}

// lineStart returns the offset of the beginning of the line with pos.
func lineStart(src []byte, pos int) int {
	return bytes.LastIndexByte(src[:min(max(pos, 0), len(src))], '\n') + 1
}

// lineEnd returns the offset after the line that begins at pos.
func lineEnd(src []byte, pos int) int {
	if i := bytes.IndexByte(src[pos:], '\n'); i >= 0 {
		return pos + i + 1
	}
	return len(src)
}

// runeStart returns the nearest beginning of a character at or before pos.
func runeStart(src string, pos int) int {
	for i := 0; i < utf8.UTFMax && pos-i > 0; i++ {
		if pos-i == len(src) || utf8.RuneStart(src[pos-i]) {
			return pos - i
		}
	}
	return pos
}
