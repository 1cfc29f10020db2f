package markdown

import (
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/yuin/goldmark/ast"

	"parley/tui/theme"
)

// callout is a quote that begins with a line such as "[!NOTE]", as on GitHub.
type callout struct {
	mark, title string
	style       func(*theme.Theme) lipgloss.Style
}

var callouts = map[string]callout{
	"[!NOTE]":      {"i", "Note", func(t *theme.Theme) lipgloss.Style { return t.Info }},
	"[!TIP]":       {"*", "Tip", func(t *theme.Theme) lipgloss.Style { return t.Success }},
	"[!IMPORTANT]": {"!", "Important", func(t *theme.Theme) lipgloss.Style { return t.Accent }},
	"[!WARNING]":   {"!", "Warning", func(t *theme.Theme) lipgloss.Style { return t.Warning }},
	"[!CAUTION]":   {"!", "Caution", func(t *theme.Theme) lipgloss.Style { return t.Error }},
}

// calloutOf removes that line from a quote and returns the callout; false for any other
// quote, which stays as it is.
func calloutOf(n *ast.Blockquote, src []byte) (callout, bool) {
	p, ok := n.FirstChild().(*ast.Paragraph)
	if !ok || p.Lines().Len() == 0 {
		return callout{}, false
	}
	first := p.Lines().At(0)
	c, ok := callouts[strings.ToUpper(strings.TrimSpace(string(first.Value(src))))]
	if !ok {
		return callout{}, false
	}
	for child := p.FirstChild(); child != nil; child = p.FirstChild() {
		text, plain := child.(*ast.Text)
		if !plain || text.Segment.Start >= first.Stop {
			break
		}
		p.RemoveChild(p, child)
	}
	if !p.HasChildren() {
		n.RemoveChild(n, p)
	}
	return c, true
}
