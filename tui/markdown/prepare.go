package markdown

import (
	"html"
	"regexp"
	"strings"
	"time"

	"github.com/alecthomas/chroma/v2"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"

	"parley/internal/termtext"
)

// prepare makes a parsed text fit for Glamour: the result contains no control
// character, and only code that is fast to colour is coloured. It changes the text in
// place, and returns it with additions.
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
			p.join(n)
		case *ast.RawHTML:
			p.quietAll(n.Segments)
		case *ast.HTMLBlock:
			p.quietAll(n.Lines())
			p.quiet(n.ClosureLine)
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

func (p *preparer) quietAll(segments *text.Segments) {
	for i := range segments.Len() {
		p.quiet(segments.At(i))
	}
}

// reference is a numeric character reference, which Glamour draws as the character.
var reference = regexp.MustCompile(`(?i)&#(x[0-9a-f]+|[0-9]+);?`)

// quiet blanks the references to characters that must not be drawn.
func (p *preparer) quiet(s text.Segment) {
	if s.Start < 0 || s.Stop > len(p.src) || s.Start >= s.Stop {
		return
	}
	part := p.src[s.Start:s.Stop]
	for _, at := range reference.FindAllIndex(part, -1) {
		written := part[at[0]:at[1]]
		if char := html.UnescapeString(string(written)); termtext.Line(char) != char {
			for i := range written {
				written[i] = ' '
			}
		}
	}
}

// join replaces a soft line break by a space: Glamour would keep it in list items.
func (p *preparer) join(n *ast.Text) {
	if end := n.Segment.Stop; n.SoftLineBreak() && end < len(p.src) {
		p.src[end] = ' '
		n.Segment = n.Segment.WithStop(end + 1)
		n.SetSoftLineBreak(false)
	}
}

// noLanguage is the name of chroma's lexer for text.
const noLanguage = "plaintext"

// code sets the language of a code block to chroma's name for it. Code in an unknown
// language, or that takes too long to colour, becomes plain text: Glamour would guess a
// language, and wait for the lexer however long it takes.
func (p *preparer) code(n ast.Node) {
	name := noLanguage
	if fence, ok := n.(*ast.FencedCodeBlock); ok {
		code := string(n.Lines().Value(p.src))
		if known := languageOf(string(fence.Language(p.src)), code, p.until); known != "" {
			name = known
		}
	}
	start := len(p.src)
	p.src = append(p.src, name...)
	named := ast.NewFencedCodeBlock(ast.NewTextSegment(text.NewSegment(start, len(p.src))))
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
