package markdown

import (
	"bytes"
	"html"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/alecthomas/chroma/v2"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"parley/internal/export"
	"parley/internal/termtext"
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

// wholeParser parses a complete document, in which link reference definitions can be
// looked up.
var wholeParser = sync.OnceValue(func() parser.Parser {
	return newParser(append(inlines(), parser.WithParagraphTransformers(
		util.Prioritized(parser.LinkReferenceParagraphTransformer, 100),
	))...)
})

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

// prepare makes a parsed text fit for Glamour: the result contains no control character,
// and only code that is fast to colour is coloured. It changes the text in place, and
// returns it with additions.
func prepare(root ast.Node, src []byte) []byte {
	p := preparer{src: src, until: time.Now().Add(maxLexing)}
	var code []ast.Node // replaced after the walk
	_ = ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Text:
			p.quiet(n.Segment)
			if end := n.Segment.Stop; n.SoftLineBreak() && end < len(p.src) { // Glamour would keep it in list items
				p.src[end] = ' '
				n.Segment = n.Segment.WithStop(end + 1)
				n.SetSoftLineBreak(false)
			}
		case *ast.RawHTML:
			p.quiet(n.Segments.Sliced(0, n.Segments.Len())...)
		case *ast.HTMLBlock:
			p.quiet(append(n.Lines().Sliced(0, n.Lines().Len()), n.ClosureLine)...)
		case *ast.Paragraph:
			p.separate(n)
		case *ast.FencedCodeBlock, *ast.CodeBlock:
			code = append(code, n)
		}
		return ast.WalkContinue, nil
	})
	for _, n := range code {
		p.code(n)
	}
	return p.src
}

type preparer struct {
	src   []byte
	until time.Time // deadline for colouring
}

// reference is a numeric character reference, which Glamour draws as the character.
var reference = regexp.MustCompile(`(?i)&#(x[0-9a-f]+|[0-9]+);?`)

// quiet blanks the references to characters that must not be drawn: a text must not set
// colours, with which it could hide.
func (p *preparer) quiet(segments ...text.Segment) {
	for _, s := range segments {
		if s.Start < 0 || s.Stop > len(p.src) || s.Start >= s.Stop {
			continue
		}
		part := p.src[s.Start:s.Stop]
		for _, at := range reference.FindAllIndex(part, -1) {
			written := part[at[0]:at[1]]
			if char := html.UnescapeString(string(written)); termtext.Line(char) != char {
				copy(written, bytes.Repeat([]byte{' '}, len(written)))
			}
		}
	}
}

// separate puts a blank line before a paragraph that follows another in a list item:
// Glamour would join their words.
func (p *preparer) separate(n *ast.Paragraph) {
	before := n.PreviousSibling()
	if n.Parent().Kind() != ast.KindListItem || before == nil || before.Kind() != ast.KindParagraph {
		return
	}
	n.InsertBefore(n, n.FirstChild(), p.addition("\n\n"))
}

// addition adds text at the end of the source and returns a node for it.
func (p *preparer) addition(added string) *ast.Text {
	start := len(p.src)
	p.src = append(p.src, added...)
	return ast.NewTextSegment(text.NewSegment(start, len(p.src)))
}

// code sets the language of a code block to chroma's name for it. Code in an unknown
// language, or that takes too long to colour, becomes plain text: Glamour would guess a
// language, and wait for the lexer however long it takes.
func (p *preparer) code(n ast.Node) {
	name := "plaintext" // chroma's lexer for text
	if fence, ok := n.(*ast.FencedCodeBlock); ok {
		code := string(n.Lines().Value(p.src))
		if known := languageOf(string(fence.Language(p.src)), code, p.until); known != "" {
			name = known
		}
	}
	named := ast.NewFencedCodeBlock(p.addition(name))
	named.SetLines(n.Lines())
	n.Parent().ReplaceChild(n.Parent(), n, named)
}

// languageOf returns a one-word name for the language of code, "" if it is unknown or
// the code cannot be coloured before the deadline.
func languageOf(name, code string, until time.Time) (known string) {
	lexer := languages.find(name)
	if lexer == nil || len(code) > maxHighlight {
		return ""
	}
	defer func() {
		if recover() != nil { // chroma panics on a faulty lexer definition
			known = ""
		}
	}()
	it, err := lexer.Tokenise(nil, code)
	if err != nil {
		return ""
	}
	for t := it(); t != chroma.EOF; t = it() {
		if !time.Now().Before(until) {
			return ""
		}
	}
	for _, alias := range lexer.Config().Aliases {
		if !strings.ContainsAny(alias, " \t") {
			return alias
		}
	}
	return ""
}
