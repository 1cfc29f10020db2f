// Package markdown draws Markdown, both while it is being written and as a whole.
//
// A [Document] takes a growing text and returns terminal lines by block: a paragraph, a
// list, a fenced block. SetText only keeps the text. Parsing from the last boundary on
// finds where blocks end. Each block but the last is closed for good: its lines are
// drawn on first use, and then kept. So a client that draws only the visible blocks
// pays only for those, whatever the length of the message.
//
// No block is larger than some kilobytes. Giant code (a log in a fence) is cut into pieces that
// each continue the previous one; what any other giant block has beyond that is drawn as it was
// sent. So is a text of hundreds of kilobytes from there on: its boundaries are found before the
// next key is handled. The cuts depend only on the text, not on how it was chunked.
//
// The lines contain no control characters and no escape sequences except SGR and, for
// http, https and file URLs, OSC 8 links.
//
// The style is in Glamour's format: from the configuration, from GLAMOUR_STYLE, or parley's
// own, which theme.Marks extends. A test draws one document in every style of Glamour's with
// Glamour, too, and compares them; its comment lists the differences.
package markdown

import (
	"bytes"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"

	"parley/internal/termtext"
	"parley/tui/theme"
)

// keepLines bounds the lines that are kept of closed blocks, in bytes. It is more than a
// screen shows.
const keepLines = 512 << 10

// minWidth is the minimum width of lines; anything less is drawn as minWidth.
const minWidth = 10

// Document is a Markdown text that grows at its end. It is not safe for concurrent use.
type Document struct {
	text     string
	finished bool
	version  uint64

	blocks []block          // closed
	lines  map[int][]string // of closed blocks, by index
	kept   int              // bytes of lines
	open   int              // where in text the open block begins
	cont   *continuation    // of the open block
	seen   int              // how much of text was searched for boundaries

	theme   *theme.Theme
	width   int
	layout  termtext.Layout // of the kept lines
	drawn   []string        // the open block's lines, for drawnAt
	drawnAt uint64
	memo    memo // coloured chunks of the open block's code
}

// block is a closed block: a piece of the text.
type block struct {
	start, end int
	cont       *continuation
}

// New returns an empty document for the theme t.
func New(t *theme.Theme) *Document { return &Document{theme: t, lines: map[int][]string{}} }

// Draw draws a complete text in lines of at most width cells.
func Draw(text string, width int, t *theme.Theme) (lines []string) {
	d := New(t)
	d.SetText(text)
	d.Finish()
	for i := range d.Len() {
		lines = append(lines, d.Lines(i, width)...)
	}
	return lines
}

// SetText sets the text, which begins with the previous one. It parses, draws and copies
// nothing. After Finish it does nothing.
func (d *Document) SetText(text string) {
	if len(text) <= len(d.text) || d.finished {
		return
	}
	d.text = text
	d.version++
}

// Finish marks the text as complete and closes the last block.
func (d *Document) Finish() {
	if d.finished {
		return
	}
	d.finished = true
	d.version++
}

// Text returns the Markdown source so far.
func (d *Document) Text() string { return d.text }

// Len returns the number of blocks, including the open one.
func (d *Document) Len() int {
	d.sync()
	n := len(d.blocks)
	if d.hasOpen() {
		n++
	}
	return n
}

// Release frees the drawn lines of a document that is off the screen. They are drawn
// again on demand.
func (d *Document) Release() {
	clear(d.lines)
	d.kept = 0
	d.drawn, d.drawnAt, d.memo = nil, 0, nil
}

// Lines returns the lines of block i, at most width cells wide and not padded. The
// lines of each block but the first begin with a blank one, except those of a piece
// that continues a giant block. The result belongs to the document and must not be
// changed. An i out of range has no lines.
func (d *Document) Lines(i, width int) []string {
	d.sync()
	width = max(width, minWidth)
	if layout := termtext.NewLayout(width); layout != d.layout {
		d.width, d.layout = width, layout
		d.Release()
	}
	switch {
	case i < 0 || i > len(d.blocks) || i == len(d.blocks) && !d.hasOpen():
		return nil
	case i == len(d.blocks):
		if d.drawnAt != d.version {
			if d.memo == nil {
				d.memo = memo{}
			}
			d.drawn = d.draw(i, d.memo, nil)
			d.drawnAt = d.version
		}
		return d.drawn
	}
	lines, ok := d.lines[i]
	if !ok {
		lines = d.draw(i, nil, nil)
		size := 0
		for _, line := range lines {
			size += len(line)
		}
		if d.kept += size; d.kept > keepLines {
			clear(d.lines)
			d.kept = size
		}
		d.lines[i] = lines
	}
	return lines
}

// Rows says what the lines of block i show at a width.
func (d *Document) Rows(i, width int) (rows []termtext.Row) {
	if d.Lines(i, width) != nil {
		d.draw(i, nil, &rows)
	}
	return rows
}

// draw draws block i. Rows may be nil.
func (d *Document) draw(i int, live memo, rows *[]termtext.Row) []string {
	b := block{start: d.open, end: len(d.text), cont: d.cont}
	if i < len(d.blocks) {
		b = d.blocks[i]
	}
	cont := b.cont
	src := cont.source(d.text[b.start:b.end])
	if safe := termtext.Block(string(src)); safe != string(src) {
		src = []byte(safe)
	}
	p := sharedPalette(d.theme)
	p.mu.Lock()
	defer p.mu.Unlock()
	r := newRenderer(p, src, d.width, cont, live)
	r.copies = rows != nil
	r.inset(&p.document, p.text, func() {
		if !cont.plain() {
			r.children(parseAll(src), p.text, false)
			return
		}
		for line := range strings.Lines(string(src)) {
			r.flow([]span{{text: expandTabs(strings.TrimRight(line, " \t\n")), ink: p.text}})
		}
	})
	p.line = r.pen.b
	if len(r.lines) > 0 && i > 0 && cont == nil {
		r.lines = append([]string{""}, r.lines...)
		if r.copies {
			r.rows = append([]termtext.Row{{}}, r.rows...)
		}
	}
	if rows != nil {
		*rows = r.rows
	}
	return r.lines
}

func (d *Document) hasOpen() bool {
	return !d.finished && strings.TrimSpace(d.text[d.open:]) != ""
}

// close ends the open block at the offset end; what follows continues it as next says,
// or is a block of its own if next is nil.
func (d *Document) close(end int, next *continuation) {
	if end > d.open && (d.cont != nil || strings.TrimSpace(d.text[d.open:end]) != "") {
		d.blocks = append(d.blocks, block{start: d.open, end: end, cont: d.cont})
	}
	d.open, d.cont = end, next
	d.memo, d.drawn, d.drawnAt = nil, nil, 0
}

// BlockAt returns the index of the block at an offset of the text.
func (d *Document) BlockAt(at int) int {
	d.sync()
	return sort.Search(len(d.blocks), func(i int) bool { return d.blocks[i].end > at })
}

// maxParsed bounds how much of a text is parsed. The parser looks at each line once for
// each list that it is in.
const maxParsed = 256 << 10

// sync closes all blocks whose end is in the text.
//
// A block is closed when a complete line has begun the next one: only complete lines
// count, since the end of a line can still change its meaning ("```" may open a fence,
// "```a` b" does not). A block may have at most maxBlock bytes; then it is cut. Each
// step looks at one window of that size.
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
	if d.open >= maxParsed || d.cont.plain() {
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
	root := parseBlocks(src)
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
