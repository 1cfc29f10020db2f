package screen

import (
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
)

// style is the style of one cell; the zero value is plain.
type style = uv.Style

// seen are the attributes that are kept. Blinking distracts, and concealing would hide output
// from the user who has to judge it.
const seen = uv.AttrBold | uv.AttrFaint | uv.AttrItalic | uv.AttrReverse | uv.AttrStrikethrough

// visible reports whether a blank in a style is visible.
func visible(s *style) bool {
	return s.Bg != nil || s.Underline != 0 || s.Attrs&(uv.AttrReverse|uv.AttrStrikethrough) != 0
}

// applySGR applies an SGR sequence to a style.
func applySGR(s *style, params ansi.Params) {
	uv.ReadStyle(params, s)
	s.Attrs &= seen
}

// appendSGR appends the sequences that change the style from one to another. They set the
// style completely, so that a line can be cut anywhere.
func appendSGR(dst []byte, from, to style) []byte {
	if from == to {
		return dst
	}
	if from != (style{}) {
		dst = append(dst, ansi.ResetStyle...)
	}
	if to != (style{}) {
		dst = append(dst, to.String()...)
	}
	return dst
}
