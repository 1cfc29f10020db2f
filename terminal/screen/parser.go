package screen

import (
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/ansi/parser"
)

const ground = parser.GroundState

// newParser makes a parser of escape sequences that keeps no strings (titles,
// clipboards, images): nobody here wants them, and their length is the
// program's choice.
func newParser() *ansi.Parser {
	p := new(ansi.Parser)
	p.SetParamsSize(parser.MaxParamsSize)
	p.SetDataSize(1) // zero would mean without bound
	return p
}

// advance feeds one byte of an escape sequence. Bytes above ASCII are left out:
// the output is UTF-8, where the eight-bit controls of old do not exist, and a
// 0x9C inside a title is a piece of a letter and not the title's end.
func advance(p *ansi.Parser, b byte) {
	if b < 0x80 {
		p.Advance(b)
	}
}
