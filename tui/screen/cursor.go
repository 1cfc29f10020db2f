package screen

import (
	"bytes"
	"fmt"
	"image/color"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// cursor is the text cursor: visibility and appearance. The canvas has its position.
type cursor struct {
	visible bool
	style   int // as in DECSCUSR; 0 is the user's own
	color   color.Color
}

// dress sets the cursor's appearance.
func (c *cursor) dress(out *bytes.Buffer, want *tea.Cursor) {
	if want == nil {
		return
	}
	style := 1 + 2*int(want.Shape) // shapes in pairs of blinking and steady
	if !want.Blink {
		style++
	}
	if style != c.style {
		out.WriteString(ansi.SetCursorStyle(style))
		c.style = style
	}
	if want.Color != c.color {
		if want.Color == nil {
			out.WriteString(ansi.ResetCursorColor)
		} else {
			r, g, b, _ := want.Color.RGBA()
			out.WriteString(ansi.SetCursorColor(fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)))
		}
		c.color = want.Color
	}
}

// reset restores the cursor's appearance and shows it.
func (c *cursor) reset(out *bytes.Buffer) {
	if c.style != 0 {
		out.WriteString(ansi.SetCursorStyle(0))
	}
	if c.color != nil {
		out.WriteString(ansi.ResetCursorColor)
	}
	out.WriteString(ansi.SetModeTextCursorEnable)
	*c = cursor{visible: true}
}
