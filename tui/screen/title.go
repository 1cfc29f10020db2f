package screen

import (
	"bytes"
	"strings"
	"unicode"

	"github.com/charmbracelet/x/ansi"
)

const (
	// longestTitle bounds a title, in characters.
	longestTitle = 120

	saveTitle    = "\x1b[22;2t" // on the terminal's own stack
	restoreTitle = "\x1b[23;2t"
)

// title is the title of the window.
type title struct{ text, shown string }

func (t *title) set(out *bytes.Buffer, text string) {
	if text == t.text {
		return
	}
	t.text = text
	n := 0
	text = strings.Map(func(r rune) rune {
		if n++; n > longestTitle || unicode.IsControl(r) || r == unicode.ReplacementChar {
			return -1 // it would end the escape sequence
		}
		return r
	}, text)
	if text != t.shown {
		out.WriteString(ansi.SetWindowTitle(text))
		t.shown = text
	}
}

// reset restores the window's previous title. Terminals that cannot save one show none.
func (t *title) reset(out *bytes.Buffer) {
	t.set(out, "")
	out.WriteString(restoreTitle)
}
