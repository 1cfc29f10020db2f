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
	// Color is nil for what has the colour of plain code.
	Color color.Color
}

// CodeColors colours some lines of the file at path, in the colours that a theme
// has for code: an element for each line, whose pieces are the line's text. The
// code must be fit to be drawn. It returns nil for code in a language that is not
// known, or where the theme has no colours.
//
// Code can be made so that it takes long. It is given up after about as long as most,
// and tame is false then: what else there is of such a file is better left plain. It
// may be called from any goroutine.
func CodeColors(code, path string, th *theme.Theme, most time.Duration) (lines [][]CodeSpan, tame bool) {
	name := filepath.Base(path)
	p := sharedPalette(th)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.syntax.style == nil || languages.find(name) == nil {
		return nil, true
	}
	most = timeFor(most)
	begun := time.Now()
	plain := p.syntax.ink(chroma.Text).fg
	for _, spans := range p.highlightWithin(most, code, name) {
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
	return lines, time.Since(begun) < most
}
