package markdown

import (
	"bytes"
	"cmp"
	"strings"

	"github.com/yuin/goldmark/ast"
)

// Bounds of a block in bytes. They bound what is redrawn while it grows; code costs more, because
// it is coloured.
const (
	maxBlock = 16 << 10
	maxCode  = 2 << 10
	maxPlain = 4 << 10
)

// continuation says how a piece of a giant block continues the previous one. It is nil for a block
// of its own.
type continuation struct {
	fence  string // the line that opens the same code again; "" if the text is drawn as it was sent
	within bool   // the cut was within a line of code
}

func (c *continuation) plain() bool { return c != nil && c.fence == "" }

func (c *continuation) len() int {
	if c == nil {
		return 0
	}
	return len(c.fence)
}

// source returns what a parser needs to see for the text of a piece. It has no spare
// capacity, because goldmark appends a missing newline to the last line of code in
// place.
func (c *continuation) source(text string) []byte {
	src := make([]byte, 0, c.len()+len(text))
	if c != nil {
		src = append(src, c.fence...)
	}
	return append(src, text...)
}

// cut closes the open block, whose end is not in window: code is continued by the next piece, and
// the rest of any other block is plain text.
func (d *Document) cut(window string) {
	src := d.cont.source(window)
	root := parseBlocks(src)
	if d.closeAll(root, src[d.cont.len():]) {
		return
	}
	code, is := root.FirstChild().(*ast.FencedCodeBlock)
	begun := 0 // where its first line begins, as far as that is in the window
	if is {
		begun = min(max(lineEnd(src, max(code.Pos(), 0))-d.cont.len(), 0), len(window)-1)
	}
	end := begun + pieceEnd(d.text[d.open+begun:], len(window)-begun)
	next := &continuation{}
	if is {
		if next = nil; !closed(d.cont.source(window[:end])) {
			next = &continuation{fence: fenceOpening(code, src) + "\n", within: window[end-1] != '\n'}
		}
	}
	d.close(d.open+end, next)
}

// advancePlain closes a piece of plain text, or returns false. It ends at a blank line, or beyond
// maxParsed never.
func (d *Document) advancePlain() bool {
	d.cont = &continuation{}
	rest := d.text[d.open:]
	window := rest[:min(len(rest), maxPlain)]
	blank := strings.Index(window, "\n\n")
	if strings.HasPrefix(rest, "\n") {
		blank = -1 // the piece before ended with a newline
		if d.open < maxParsed {
			d.cont = nil
			return true
		}
	}
	switch {
	case blank >= 0 && d.open < maxParsed:
		d.close(d.open+blank+1, nil)
	case len(window) == len(rest) && !d.finished:
		return false
	default:
		d.close(d.open+pieceEnd(rest, maxPlain), d.cont)
	}
	return true
}

// pieceEnd returns the end of the first piece of a text, of at most limit bytes: of whole lines, or
// else words, or else characters.
func pieceEnd(text string, limit int) int {
	if len(text) <= limit {
		return len(text)
	}
	window := text[:limit]
	return cmp.Or(strings.LastIndexByte(window, '\n')+1, strings.LastIndexByte(window, ' ')+1, runeStart(text, limit))
}

// fenceOpening returns the line that opened the fence, with its info string shortened
// to the language.
func fenceOpening(n *ast.FencedCodeBlock, src []byte) string {
	line := src[max(n.Pos(), 0):lineEnd(src, max(n.Pos(), 0))]
	fence := line[:len(line)-len(bytes.TrimLeft(line, string(line[:1])))]
	lang := n.Language(src)
	return string(fence) + string(lang[:min(len(lang), 64)])
}

// closed reports whether the code that src begins with ends there: more text is not part of it.
func closed(src []byte) bool {
	return parseBlocks(append(src, "\n\nx"...)).FirstChild().NextSibling() != nil
}
