package markdown

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"charm.land/glamour/v2/ansi"
	ansitext "github.com/charmbracelet/x/ansi"
	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"
	noderender "github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"parley/internal/termtext"
	"parley/tui/theme"
)

// Bounds for Glamour. It writes every cell of a line once for each quote and list that
// contains the line, with ever longer escape sequences between the cells; outside of
// them, a cell takes about a microsecond.
const (
	maxWhole = 32 << 10 // bytes of text
	maxCells = 200_000
	// maxWidth is wider than any screen. Glamour fills the width with tables and
	// rules, and lines that are not wrapped have room for more.
	maxWidth = 500
)

// Complete returns a document of a complete text. Glamour draws it, as one block.
// That takes some milliseconds for each KB, at most a fifth of a second. A text that
// is too long for Glamour has the blocks and the look of any other document.
func Complete(text string, t *theme.Theme) *Document {
	d := New(t)
	d.SetText(text)
	d.Finish()
	if len(text) <= maxWhole && strings.TrimSpace(text) != "" {
		d.whole = true
		d.blocks, d.open = []block{{end: len(text)}}, len(text)
	}
	return d
}

// drawWhole draws the only block of a complete document.
func (d *Document) drawWhole(rows *[]termtext.Row) (lines []string) {
	if d.width <= maxWidth {
		if out, err := renderWhole(expandTabs(termtext.Block(d.text)), d.width, d.theme); err == nil {
			lines = restyle(out, d.width)
			if rows != nil {
				*rows = make([]termtext.Row, len(lines))
			}
			return lines
		}
	}
	blocks := New(d.theme)
	blocks.SetText(d.text)
	blocks.Finish()
	for i := range blocks.Len() {
		lines = append(lines, blocks.Lines(i, d.width)...)
		if rows != nil {
			*rows = append(*rows, blocks.Rows(i, d.width)...)
		}
	}
	return lines
}

// Whole draws a complete text as [Complete] does, in lines that are at most width cells
// wide and not padded, without blank lines around them. Keep the lines while text, width and theme stay the same.
//
// The lines contain no escape sequence but SGR. Link targets are part of the text.
func Whole(text string, width int, t *theme.Theme) []string {
	d := Complete(text, t)
	var lines []string
	for i := range d.Len() {
		for _, line := range d.Lines(i, width) {
			lines = append(lines, links.ReplaceAllString(line, ""))
		}
	}
	blank := func(line string) bool { return strings.TrimSpace(ansitext.Strip(line)) == "" }
	for len(lines) > 0 && blank(lines[0]) {
		lines = lines[1:]
	}
	for len(lines) > 0 && blank(lines[len(lines)-1]) {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// links matches the sequences of links in the lines of a [Document]. No other part of
// its lines contains their end.
var links = regexp.MustCompile("\x1b]8;[^\x07]*\x07")

// renderWhole renders text with Glamour's renderer, on the parser of this package,
// whose work is bounded for any text.
func renderWhole(markdown string, width int, t *theme.Theme) (out string, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("glamour: %v", r)
		}
	}()
	src := []byte(markdown)
	root := wholeParser().Parse(text.NewReader(src))
	if cellsWritten(root, width) > maxCells {
		return "", errTooLong
	}
	src = prepare(root, src)
	md := noderender.NewRenderer(noderender.WithNodeRenderers(util.Prioritized(ansi.NewRenderer(ansi.Options{
		// Glamour lets punctuation after styled text stand one cell outside.
		WordWrap: max(1, width-1), Styles: wholeStyle(&t.Markdown, root, width), ChromaFormatter: "terminal16m",
		BaseURL: ":", // not a valid URL: with one, Glamour makes relative links absolute
	}), 1000)))
	codeStyles.mu.RLock()
	defer codeStyles.mu.RUnlock()
	var b bytes.Buffer
	if err := md.Render(&b, src, root); err != nil {
		return "", fmt.Errorf("glamour: %w", err)
	}
	return b.String(), nil
}

var errTooLong = errors.New("the document is too long for Glamour")

// cellsWritten estimates the work of a parsed text for Glamour, in cells.
func cellsWritten(root ast.Node, width int) int {
	cells, depth := 0, 1
	_ = ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch {
		case n.Type() == ast.TypeInline:
			return ast.WalkSkipChildren, nil
		case n.Kind() == ast.KindList || n.Kind() == ast.KindBlockquote:
			if !entering {
				depth--
				return ast.WalkContinue, nil
			}
			depth++
		case !entering:
			return ast.WalkContinue, nil
		}
		lines := 1 // the blank one
		if text := n.Lines(); text != nil {
			lines += text.Len()
			for i := range text.Len() {
				line := text.At(i)
				cells += line.Len() * depth * depth
			}
		}
		cells += lines * width * depth * depth
		return ast.WalkContinue, nil
	})
	return cells
}

// wholeStyle returns a style as Glamour needs it.
func wholeStyle(m *theme.Markdown, root ast.Node, width int) ansi.StyleConfig {
	s := m.StyleConfig
	hangItems(&s, root, width)
	s.CodeBlock.Theme, s.CodeBlock.Chroma = codeStyle(&s.CodeBlock), nil
	if s.HorizontalRule.Format == "" {
		s.HorizontalRule.Format = "\n" + strings.Repeat("─", width) + "\n"
	}
	lines := separatorsOf(&s.Table)
	s.Table.ColumnSeparator, s.Table.RowSeparator, s.Table.CenterSeparator = &lines.column, &lines.row, &lines.cross
	return s
}

// markEnd follows the mark of a list item. Texts have no control characters.
const markEnd = "\x1e"

// hangItems indents lists by their widest mark and ends each mark with [markEnd], so that
// the restyler can move marks out to the left: Glamour begins all lines of an item in the
// same column.
func hangItems(s *ansi.StyleConfig, root ast.Node, width int) {
	hang := 0
	_ = ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n := n.(type) {
		case *ast.List:
			mark := termtext.Width(s.Item.BlockPrefix)
			if n.IsOrdered() {
				mark = len(strconv.Itoa(n.Start+n.ChildCount()-1)) + termtext.Width(s.Enumeration.BlockPrefix)
			}
			hang = max(hang, mark)
		case *east.TaskCheckBox:
			hang = max(hang, termtext.Width(s.Task.Ticked), termtext.Width(s.Task.Unticked))
		}
		return ast.WalkContinue, nil
	})
	if hang == 0 || hang > width/4 {
		return
	}
	indent := uint(hang)
	if s.List.Indent != nil {
		indent += *s.List.Indent
	}
	s.List.Indent = &indent
	s.Item.BlockPrefix += markEnd
	s.Enumeration.BlockPrefix += markEnd
	s.Task.Ticked += markEnd
	s.Task.Unticked += markEnd
}
