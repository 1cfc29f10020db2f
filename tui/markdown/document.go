// Package markdown draws Markdown, both while it is being written and as a whole.
//
// A [Document] takes a growing text and returns terminal lines by block: a paragraph, a
// list, a fenced block. SetText only keeps the text. Parsing from the last boundary on
// finds where blocks end. Each block but the last is closed for good: its lines are
// drawn on first use, and then kept. So a client that draws only the visible blocks
// pays only for those, whatever the length of the message.
//
// No block is larger than a few kilobytes. A giant one (a log in a fence, a table of
// thousands of rows) is cut into pieces that each continue the previous one: its
// language, its numbering, its column widths. The cuts depend only on the text, not on
// how it was chunked.
//
// A text of hundreds of kilobytes is drawn as it was sent from there on: its boundaries
// are found before the next key is handled.
//
// The lines contain no control characters and no escape sequences except SGR and, for
// http, https and file URLs, OSC 8 links.
//
// [Whole] draws a complete document with Glamour. Both use the same style, in Glamour's
// format: from the configuration, from GLAMOUR_STYLE, or parley's own, which
// theme.Marks extends. A test draws one document in every style of Glamour's both ways
// and compares them; its comment lists the differences.
package markdown

import (
	"strings"

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
	whole    bool // made by Complete: one block, which Glamour draws
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
			d.drawn = d.draw(i, d.text[d.open:], d.cont, d.memo)
			d.drawnAt = d.version
		}
		return d.drawn
	}
	lines, ok := d.lines[i]
	if !ok {
		b := d.blocks[i]
		lines = d.draw(i, d.text[b.start:b.end], b.cont, nil)
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

func (d *Document) draw(i int, text string, cont *continuation, live memo) []string {
	if d.whole {
		return d.drawWhole()
	}
	src := cont.source(text)
	if safe := termtext.Block(string(src)); len(safe) != len(src) || safe != string(src) {
		src = []byte(safe)
	}
	p := sharedPalette(d.theme)
	p.mu.Lock()
	defer p.mu.Unlock()
	r := newRenderer(p, src, d.width, cont, live)
	if cont != nil && cont.plain {
		return r.plain()
	}
	lines := r.document()
	if len(lines) == 0 || i == 0 || cont != nil {
		return lines
	}
	return append([]string{""}, lines...)
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

// Source returns the text of block i, up to the beginning of the next one. The sources
// of all blocks together are the text.
func (d *Document) Source(i int) string {
	d.sync()
	start := func(i int) int {
		switch {
		case i <= 0:
			return 0
		case i < len(d.blocks):
			return d.blocks[i].start
		case i == len(d.blocks) && d.hasOpen():
			return d.open
		}
		return len(d.text)
	}
	if i < 0 {
		return ""
	}
	return d.text[start(i):start(i+1)]
}
