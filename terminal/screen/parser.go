package screen

import (
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/ansi/parser"
)

const ground = parser.GroundState

// newParser returns a parser of escape sequences that keeps no strings (titles,
// clipboards, images): they are unused, and a program can make them arbitrarily long.
func newParser() *ansi.Parser {
	p := new(ansi.Parser)
	p.SetParamsSize(parser.MaxParamsSize)
	p.SetDataSize(1) // zero would mean unbounded
	return p
}

// advance feeds one byte of an escape sequence. It skips bytes above ASCII: in UTF-8
// they are parts of characters, and the parser would take some of them for control
// characters, such as 0x9C for the end of a title.
func advance(p *ansi.Parser, b byte) {
	if b < 0x80 {
		p.Advance(b)
	}
}
