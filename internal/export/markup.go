package export

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// The screen and exports read parts of Markdown in another way than goldmark: agents write about
// code, and what they write stays.

// NewEmphasisParser returns a parser of emphasis that leaves names and formulas as they are,
// such as __init__.py and a**2.
func NewEmphasisParser() parser.InlineParser { return outsideWords{parser.NewEmphasisParser()} }

// NewStrikethroughParser returns a parser that strikes through what is between two tildes
// each. A single one is part of a range or a path: 16~24h, ~/b.
func NewStrikethroughParser() parser.InlineParser {
	return doubleTildes{extension.NewStrikethroughParser()}
}

// NewSymbolParser returns a parser that leaves a character of Markdown as it is where an
// enclosing mark makes it a symbol, such as the key *⃣. It comes before all other parsers.
func NewSymbolParser() parser.InlineParser { return symbols{} }

type symbols struct{}

// Trigger implements [parser.InlineParser].
func (symbols) Trigger() []byte { return []byte("*_~`[") }

// Parse implements [parser.InlineParser]. The symbol takes the whole run of its character with
// it, of which other parsers would take it for the end.
func (symbols) Parse(_ ast.Node, block text.Reader, _ parser.Context) ast.Node {
	line, segment := block.PeekLine()
	end := len(line) - len(bytes.TrimLeft(line, string(line[0])))
	mark, size := utf8.DecodeRune(line[end:])
	if unicode.Is(unicode.Variation_Selector, mark) {
		end += size
		mark, size = utf8.DecodeRune(line[end:])
	}
	if !unicode.Is(unicode.Me, mark) {
		return nil
	}
	end += size
	block.Advance(end)
	return ast.NewTextSegment(segment.WithStop(segment.Start + end))
}

type outsideWords struct{ parser.InlineParser }

func (o outsideWords) Parse(parent ast.Node, block text.Reader, pc parser.Context) ast.Node {
	_, segment := block.PeekLine()
	n := o.InlineParser.Parse(parent, block, pc)
	d, ok := n.(*parser.Delimiter)
	if !ok {
		return n
	}
	src, from := block.Source(), segment.Start
	to := from + d.OriginalLength
	at := func(i int) byte {
		if i < 0 || i >= len(src) {
			return ' '
		}
		return src[i]
	}
	if d.Char == '*' {
		d.CanOpen = d.CanOpen && !(inWord(at(from-1)) && inWord(at(to)))
		return d
	}
	d.CanOpen = d.CanOpen && !(joins(at(from-1)) && inWord(at(from-2)))
	d.CanClose = d.CanClose && !(at(to) == '(' || joins(at(to)) && inWord(at(to+1)))
	return d
}

// inWord reports whether a byte is of a word of a language with spaces between words.
func inWord(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_'
}

// joins reports whether a character joins the parts of a name: of a file, a module, a member.
func joins(c byte) bool { return strings.IndexByte(`./\:-`, c) >= 0 }

type doubleTildes struct{ parser.InlineParser }

func (s doubleTildes) Parse(parent ast.Node, block text.Reader, pc parser.Context) ast.Node {
	if line, _ := block.PeekLine(); !bytes.HasPrefix(line, []byte("~~")) {
		return nil
	}
	return s.InlineParser.Parse(parent, block, pc)
}
