package screen

import (
	"bytes"
	"fmt"
	"image/color"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// cursor is the text cursor: whether it is shown, and its looks. Where it stands
// is the canvas's.
type cursor struct {
	visible bool
	style   int // as DECSCUSR counts; 0 is the person's own
	color   color.Color
}

// dress gives the cursor its looks.
func (c *cursor) dress(out *bytes.Buffer, want *tea.Cursor) {
	if want == nil {
		return
	}
	if style := cursorStyle(want); style != c.style {
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

// reset gives the cursor back the looks that it had, and shows it.
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

// cursorStyle counts the shapes in pairs: blinking, then steady.
func cursorStyle(c *tea.Cursor) int {
	style := 1 + 2*int(c.Shape)
	if !c.Blink {
		style++
	}
	return style
}
