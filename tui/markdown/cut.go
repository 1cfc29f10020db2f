package markdown

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
)

// continuation says how a piece of a giant block continues the previous one. It is nil
// for a block of its own.
//
// The first blocks of such a piece, each the first child of the previous one, are its
// chain: they were open at the cut.
type continuation struct {
	prefix  []byte      // Markdown that opens the same quotes, lists and leaf again
	numbers []int       // the number of the first item, for each list of the chain
	items   int         // list items of the chain that already have their marks
	widths  *tableShape // the columns of the continued table
	within  bool        // the cut was within a line of code
	leaf    bool        // the leaf of the chain continues
	gap     bool        // a blank line preceded the cut
	plain   bool        // the text is drawn as it was sent
}

// glue begins a piece that continues a paragraph, so that its text is not parsed as the
// beginning of another block. It is a noncharacter, never drawn.
const glue = "\uFDD0"

// stub replaces what an item of the chain contained before the cut. It is removed again
// after parsing; without it, the item would be empty and could not contain what
// follows.
const stub = "<!--" + glue + "-->"

// withoutStubs removes the stubs from a parsed piece.
func (c *continuation) withoutStubs(root ast.Node, src []byte) ast.Node {
	if c.len() == 0 {
		return root
	}
	for n := root.FirstChild(); n != nil; n = n.FirstChild() {
		first := n.FirstChild()
		if first != nil && first.Kind() == ast.KindHTMLBlock && bytes.HasPrefix(first.Lines().Value(src), []byte(stub)) {
			n.RemoveChild(n, first)
		}
	}
	return root
}

func (c *continuation) len() int {
	if c == nil {
		return 0
	}
	return len(c.prefix)
}

// source returns what a parser needs to see for the text of a piece. It has no spare
// capacity, because goldmark appends a missing newline to the last line of code in
// place.
func (c *continuation) source(text string) []byte {
	src := make([]byte, 0, c.len()+len(text))
	if c != nil {
		src = append(src, c.prefix...)
	}
	return append(src, text...)
}

// number returns the number of the first item of list n, the depth-th of the chain.
func (c *continuation) number(n *ast.List, onChain bool, depth int) int {
	if c != nil && onChain && depth < len(c.numbers) {
		return c.numbers[depth]
	}
	return n.Start
}

// cut closes the open block, whose end is not in window, at a good position in the
// second half of the window.
func (d *Document) cut(window string) {
	src := d.cont.source(window)
	root := d.cont.withoutStubs(parseBlocks(src), src)
	if d.closeAll(root, src[d.cont.len():]) {
		return
	}
	c := cutter{src: src, skip: d.cont.len(), cont: d.cont, floor: d.cont.len() + len(window)/2}
	end := runeStart(d.text[:d.open+len(window)+1], d.open+len(window))
	c.end = end - d.open + c.skip
	var at int
	var next *continuation
	switch first := root.FirstChild(); {
	case first == nil:
		at = c.end
	case first.NextSibling() != nil && joined(first.NextSibling()):
		at, next = c.walk(first.NextSibling())
	default:
		at, next = c.walk(first)
	}
	d.close(d.open+at-c.skip, next)
}

// cutter looks for a position to cut, from the outermost block to the leaf.
type cutter struct {
	src        []byte
	skip       int // length of the prefix in src
	floor, end int // the cut is above floor and at most at end
	cont       *continuation

	head, line strings.Builder // reopen the containers; the prefix of a line in them
	numbers    []int
	items      int
}

func (c *cutter) walk(n ast.Node) (int, *continuation) {
	onChain := true // n is always a first child, so that c.cont applies to it
	for {
		switch n.Kind() {
		case ast.KindBlockquote:
			c.line.WriteString("> ")
		case ast.KindList:
			c.numbers = append(c.numbers, c.cont.number(n.(*ast.List), onChain, len(c.numbers)))
		case ast.KindListItem:
			c.openItem(n.(*ast.ListItem))
		default:
			return c.leaf(n)
		}
		last := n.LastChild()
		if last == nil {
			return c.end, nil
		}
		if n.Kind() == ast.KindList {
			for earlier := last.PreviousSibling(); earlier != nil; earlier = earlier.PreviousSibling() {
				c.numbers[len(c.numbers)-1]++
			}
		}
		if at := lineStart(c.src, startOf(last)); last != n.FirstChild() && at >= c.floor {
			return at, c.continuation(c.head.String(), at)
		}
		onChain = onChain && last == n.FirstChild()
		n = last
	}
}

func (c *cutter) continuation(prefix string, at int) *continuation {
	return &continuation{
		prefix: []byte(prefix), numbers: c.numbers, items: c.items,
		gap: len(bytes.TrimLeft(c.src[lineStart(c.src, at-1):at], " \t>\r\n")) == 0,
	}
}

// openItem writes a line that begins an item with roughly the same indentation.
func (c *cutter) openItem(n *ast.ListItem) {
	list := n.Parent().(*ast.List)
	marker := string(list.Marker)
	if list.IsOrdered() {
		marker = strings.Repeat("1", min(max(n.Offset-2, 1), 9)) + marker
	} else {
		marker = strings.Repeat(" ", min(max(n.Offset-2, 0), 3)) + marker
	}
	c.head.WriteString(c.line.String() + marker + " " + stub + "\n")
	c.line.WriteString(strings.Repeat(" ", len(marker)+1))
	c.items++
}

func (c *cutter) leaf(n ast.Node) (int, *continuation) {
	head, line := c.head.String(), c.line.String()
	tail := bytes.TrimRight(c.src[:c.end], " \t\r\n>")
	if len(tail) < c.floor && n.Kind() != ast.KindFencedCodeBlock || fenceClosed(n, c.src) {
		return c.ended(head, line) // only blank lines since the block's last line
	}
	switch n.Kind() {
	case extast.KindTable:
		return c.table(n.(*extast.Table), head, line)
	case ast.KindFencedCodeBlock:
		at, within := c.codeLine(n)
		prefix := head + line + fenceOpening(n.(*ast.FencedCodeBlock), c.src) + "\n"
		if within {
			prefix += line
		}
		next := c.continuation(prefix, at)
		next.leaf, next.within, next.gap = true, within, false
		return at, next
	case ast.KindCodeBlock:
		at, within := c.codeLine(n)
		if within {
			head += line + "    "
		}
		next := c.continuation(head, at)
		next.leaf, next.within, next.gap = true, within, false
		return at, next
	case ast.KindHTMLBlock:
		at, _ := c.codeLine(n)
		next := c.continuation(head+line+htmlOpening[n.(*ast.HTMLBlock).HTMLBlockType]+"\n", at)
		next.leaf, next.gap = true, false
		return at, next
	}
	at := c.wordBreak()
	mark := ""
	if h, ok := n.(*ast.Heading); ok && at < c.end && c.src[at-1] != '\n' {
		mark = strings.Repeat("#", h.Level) + " "
	}
	prefix := head + line + mark + glue + " "
	if c.src[at-1] == '\n' {
		prefix += "\n"
	}
	next := c.continuation(prefix, at)
	next.leaf, next.gap = true, false
	return at, next
}

// ended cuts at the end, where the leaf is complete: only its containers continue.
func (c *cutter) ended(head, line string) (int, *continuation) {
	if line == "" {
		return c.end, nil
	}
	if c.src[c.end-1] != '\n' {
		head += line
	}
	return c.end, c.continuation(head, c.end)
}

// table cuts between rows. The next piece has the header again, only for the parser,
// and keeps the columns of this piece.
func (c *cutter) table(n *extast.Table, head, line string) (int, *continuation) {
	at := c.end
	for row := n.LastChild(); row != nil && row != n.FirstChild(); row = row.PreviousSibling() {
		if start := lineStart(c.src, row.Pos()); start < c.end && start >= c.floor {
			at = start
			break
		}
	}
	header := n.FirstChild().Pos()
	var delims strings.Builder
	for _, a := range n.Alignments {
		delims.WriteString(map[extast.Alignment]string{
			extast.AlignLeft: "|:--", extast.AlignRight: "|--:", extast.AlignCenter: "|:-:",
		}[a])
		if a == extast.AlignNone {
			delims.WriteString("|---")
		}
	}
	text := strings.TrimRight(string(c.src[header:lineEnd(c.src, header)]), "\r\n")
	next := c.continuation(fmt.Sprintf("%s%s%s\n%s%s|\n", head, line, text, line, delims.String()), at)
	next.leaf, next.gap = true, false
	if c.cont != nil && c.cont.widths != nil {
		next.widths = c.cont.widths
	} else {
		next.widths = &tableShape{src: bytes.Clone(c.src[:at])}
	}
	return at, next
}

// codeLine returns the beginning of the last line of code in reach, preferably after a
// blank line; within means that the lines are too long for that.
func (c *cutter) codeLine(n ast.Node) (at int, within bool) {
	lines := n.Lines()
	best := -1
	for i := lines.Len() - 1; i > 0; i-- {
		start := lineStart(c.src, lines.At(i).Start)
		if start < c.floor {
			break
		}
		if start > c.end {
			continue
		}
		if best < 0 {
			best = start
		}
		if before := lines.At(i - 1); len(bytes.TrimSpace(before.Value(c.src))) == 0 {
			return start, false
		}
	}
	if best < 0 {
		return c.end, c.src[c.end-1] != '\n'
	}
	return best, false
}

// wordBreak returns a position after white space before a letter, or else before
// anything, or else the end.
func (c *cutter) wordBreak() int {
	fallback := -1
	for i := c.end - 1; i > c.floor; i-- {
		switch c.src[i-1] {
		case ' ', '\t', '\n':
			if b := c.src[i] | 0x20; 'a' <= b && b <= 'z' || c.src[i] >= 0x80 || c.src[i-1] == '\n' {
				return i
			}
			if fallback < 0 {
				fallback = i
			}
		}
	}
	if fallback < 0 {
		return c.end
	}
	return fallback
}

// htmlOpening opens an HTML block of the same kind again (CommonMark 4.6).
var htmlOpening = map[ast.HTMLBlockType]string{
	ast.HTMLBlockType1: "<pre>", ast.HTMLBlockType2: "<!--", ast.HTMLBlockType3: "<?", ast.HTMLBlockType4: "<!A",
	ast.HTMLBlockType5: "<![CDATA[", ast.HTMLBlockType6: "<div>", ast.HTMLBlockType7: "<div>",
}

// fenceOpening returns the line that opened the fence, with its info string shortened
// to the language.
func fenceOpening(n *ast.FencedCodeBlock, src []byte) string {
	line := src[max(n.Pos(), 0):lineEnd(src, max(n.Pos(), 0))]
	fence := line[:len(line)-len(bytes.TrimLeft(line, string(line[:1])))]
	lang := n.Language(src)
	return string(fence) + string(lang[:min(len(lang), 64)])
}

// fenceClosed reports whether n is fenced code whose closing fence is in src.
func fenceClosed(n ast.Node, src []byte) bool {
	if n.Kind() != ast.KindFencedCodeBlock {
		return false
	}
	at := lineEnd(src, max(n.Pos(), 0))
	if k := n.Lines().Len(); k > 0 {
		at = min(n.Lines().At(k-1).Stop, len(src))
	}
	fence := strings.TrimRight(fenceOpening(n.(*ast.FencedCodeBlock), src), "\n")
	fence = fence[:len(fence)-len(strings.TrimLeft(fence, fence[:1]))]
	rest := bytes.TrimLeft(src[at:lineEnd(src, at)], " \t>")
	return bytes.HasPrefix(rest, []byte(fence))
}
