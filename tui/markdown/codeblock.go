package markdown

import (
	"strings"

	"github.com/yuin/goldmark/ast"
)

// CodeBlock is a block of code in a text.
type CodeBlock struct {
	// Code is without the fence, and ends without a newline.
	Code string
	// At is where in the text its first line begins, in bytes.
	At int
}

// CodeBlocks are the blocks of code in a Markdown text, in order, those without a
// line left out. They are of the text, not of how it is drawn.
func CodeBlocks(text string) []CodeBlock {
	src := []byte(text)
	var out []CodeBlock
	_ = ast.Walk(parseBlocks(src), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n.(type) {
		case *ast.FencedCodeBlock, *ast.CodeBlock:
		default:
			return ast.WalkContinue, nil
		}
		if lines := n.Lines(); entering && lines.Len() > 0 {
			code := strings.TrimRight(string(lines.Value(src)), "\n")
			out = append(out, CodeBlock{Code: code, At: lines.At(0).Start})
		}
		return ast.WalkSkipChildren, nil
	})
	return out
}
