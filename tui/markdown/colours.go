package markdown

import (
	"image/color"
	"path/filepath"
	"time"

	"github.com/alecthomas/chroma/v2"

	"parley/tui/theme"
)

// CodeSpan is a piece of a line of code in one colour.
type CodeSpan struct {
	Text string
	// Color is nil for the colour of plain code.
	Color color.Color
}

// CodeColors colours lines of the file at path in a theme's colours for code: an
// element per line, whose spans are the line's text. The code must already be
// sanitised. It returns nil for an unknown language, or a theme without colours.
//
// Some code takes very long to colour. CodeColors gives up after roughly most and then
// returns tame = false: leave the rest of such a file plain. It is safe for concurrent
// use.
func CodeColors(code, path string, th *theme.Theme, most time.Duration) (lines [][]CodeSpan, tame bool) {
	name := filepath.Base(path)
	p := sharedPalette(th)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.syntax.style == nil || languages.find(name) == nil {
		return nil, true
	}
	plain := p.syntax.ink(chroma.Text).fg
	coloured, tame := p.highlightWithin(most, code, name)
	for _, spans := range coloured {
		var line []CodeSpan
		for _, s := range spans {
			c := CodeSpan{Text: s.text}
			if s.ink != p.plainCode && s.ink.fg != plain {
				c.Color = s.ink.fg
			}
			line = append(line, c)
		}
		lines = append(lines, line)
	}
	return lines, tame
}
