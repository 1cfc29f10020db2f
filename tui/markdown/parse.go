package markdown

import (
	"bytes"
	"sync"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"parley/internal/export"
)

// maxDepth bounds the nesting of quotes and lists; deeper ones are shown as text. It
// bounds the work for a line such as ">>>>>>…", which a parser repeats on every line
// that follows.
const maxDepth = 16

// parseBlocks finds the blocks of src without parsing inline content.
func parseBlocks(src []byte) ast.Node { return blockParser().Parse(text.NewReader(src)) }

// parseAll parses src for drawing.
func parseAll(src []byte) ast.Node { return fullParser().Parse(text.NewReader(src)) }

var blockParser = sync.OnceValue(func() parser.Parser { return newParser() })

var fullParser = sync.OnceValue(func() parser.Parser { return newParser(inlines()...) })

// inlines returns the parsers for inline content.
func inlines() []parser.Option {
	return []parser.Option{
		parser.WithInlineParsers(
			util.Prioritized(export.NewSymbolParser(), 0),
			util.Prioritized(parser.NewCodeSpanParser(), 100),
			util.Prioritized(fewLinks{parser.NewLinkParser()}, 200),
			util.Prioritized(parser.NewAutoLinkParser(), 300),
			util.Prioritized(parser.NewRawHTMLParser(), 400),
			util.Prioritized(export.NewEmphasisParser(), 500),
			util.Prioritized(extension.NewTaskCheckBoxParser(), 0),
			util.Prioritized(export.NewStrikethroughParser(), 500),
			util.Prioritized(extension.NewLinkifyParser(), 999),
		),
		parser.WithASTTransformers(util.Prioritized(extension.NewTableASTTransformer(), 0)),
	}
}

// newParser parses the blocks of GFM, except link reference definitions: one that
// arrives later would change blocks that are already closed. They are drawn as text, so
// that no URL is lost.
func newParser(opts ...parser.Option) parser.Parser {
	return parser.NewParser(append([]parser.Option{
		parser.WithBlockParsers(
			util.Prioritized(parser.NewSetextHeadingParser(), 100),
			util.Prioritized(parser.NewThematicBreakParser(), 200),
			util.Prioritized(shallow{parser.NewListParser()}, 300),
			util.Prioritized(parser.NewListItemParser(), 400),
			util.Prioritized(parser.NewCodeBlockParser(), 500),
			util.Prioritized(parser.NewATXHeadingParser(), 600),
			util.Prioritized(parser.NewFencedCodeBlockParser(), 700),
			util.Prioritized(shallow{parser.NewBlockquoteParser()}, 800),
			util.Prioritized(parser.NewHTMLBlockParser(), 900),
			util.Prioritized(parser.NewParagraphParser(), 1000),
		),
		parser.WithParagraphTransformers(util.Prioritized(fullTables{extension.NewTableParagraphTransformer()}, 200)),
	}, opts...)...)
}

// shallow is a container's parser that opens nothing below maxDepth.
type shallow struct{ parser.BlockParser }

func (s shallow) Open(parent ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	depth := 0
	for n := parent; n != nil; n = n.Parent() {
		if n.Kind() != ast.KindListItem {
			depth++
		}
	}
	if depth > maxDepth {
		return nil, parser.NoChildren
	}
	return s.BlockParser.Open(parent, reader, pc)
}

// maxEmpty bounds the cells of a table beyond its size in bytes. Rows with too few
// cells are filled up with empty ones, so that a wide header above very many short rows
// would become a table much larger than its text.
const maxEmpty = 4096

// fullTables does not parse lines that lack nearly all of their cells as a table: they
// are shown as text.
type fullTables struct{ parser.ParagraphTransformer }

// Transform implements parser.ParagraphTransformer.
func (f fullTables) Transform(node *ast.Paragraph, reader text.Reader, pc parser.Context) {
	lines, columns, size := node.Lines(), 0, 0
	for i := range lines.Len() {
		at := lines.At(i)
		line := at.Value(reader.Source())
		size += len(line)
		if len(bytes.Trim(line, "-:| \t\r\n")) == 0 {
			columns = max(columns, bytes.Count(line, []byte("|")))
		}
	}
	if columns*lines.Len() <= size+maxEmpty {
		f.ParagraphTransformer.Transform(node, reader, pc)
	}
}

// maxBrackets bounds the brackets of one piece that may be links, because the work for
// unclosed ones is quadratic.
const maxBrackets = 800

// fewLinks is a link parser that treats all brackets beyond maxBrackets as text.
type fewLinks struct{ parser.InlineParser }

var bracketsKey = parser.NewContextKey()

func (f fewLinks) Parse(parent ast.Node, block text.Reader, pc parser.Context) ast.Node {
	count, _ := pc.Get(bracketsKey).(int)
	if count >= maxBrackets {
		return nil
	}
	pc.Set(bracketsKey, count+1)
	return f.InlineParser.Parse(parent, block, pc)
}

// CloseBlock passes on the end of a block, which the link parser needs.
func (f fewLinks) CloseBlock(parent ast.Node, block text.Reader, pc parser.Context) {
	f.InlineParser.(parser.CloseBlocker).CloseBlock(parent, block, pc)
}
