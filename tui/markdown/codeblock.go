package markdown

import (
	"strings"

	"github.com/yuin/goldmark/ast"
)

// CodeBlock is a code block in a text.
type CodeBlock struct {
	// Code is the content without the fence and the last newline.
	Code string
	// At is the offset of its first line in the text, in bytes.
	At int
}

// CodeBlocks returns the code blocks of a Markdown text, in order and without empty
// ones. They are independent of drawing.
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
