package markdown

import (
	"bytes"
	"slices"
	"strings"

	"charm.land/glamour/v2/ansi"
	"github.com/yuin/goldmark/ast"
	noderender "github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"

	"parley/internal/termtext"
	"parley/tui/theme"
)

// Whole draws a complete text with Glamour, in lines of at most width cells without blank ones
// around them. The text is parley's own, such as the guide: what agents write is drawn by a
// [Document], whose work is bounded, and whose lines contain nothing that controls the terminal.
func Whole(text string, width int, t *theme.Theme) []string {
	src := []byte(text)
	root := parseAll(src)
	_ = ast.Walk(root, func(n ast.Node, _ bool) (ast.WalkStatus, error) {
		if n, ok := n.(*ast.Text); ok && n.SoftLineBreak() { // Glamour would keep it in list items
			src[n.Segment.Stop] = ' '
			n.Segment = n.Segment.WithStop(n.Segment.Stop + 1)
			n.SetSoftLineBreak(false)
		}
		return ast.WalkContinue, nil
	})
	style := t.Markdown.StyleConfig
	style.CodeBlock.Theme, style.CodeBlock.Chroma = codeStyle(&style.CodeBlock), nil
	rules := separatorsOf(&style.Table)
	style.Table.ColumnSeparator, style.Table.RowSeparator, style.Table.CenterSeparator = &rules.column, &rules.row, &rules.cross
	// Glamour lets punctuation after styled text stand one cell outside.
	glamour := ansi.NewRenderer(ansi.Options{WordWrap: max(1, width-1), Styles: style, ChromaFormatter: "terminal16m"})
	var out bytes.Buffer
	codeStyles.mu.RLock()
	defer codeStyles.mu.RUnlock()
	_ = noderender.NewRenderer(noderender.WithNodeRenderers(util.Prioritized(glamour, 1000))).Render(&out, src, root) // into memory
	lines := termtext.Wrap(out.String(), width)
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " ")
	}
	filled := func(line string) bool { return line != "" }
	from := max(0, slices.IndexFunc(lines, filled))
	for len(lines) > from && !filled(lines[len(lines)-1]) {
		lines = lines[:len(lines)-1]
	}
	return lines[from:]
}
