package markdown

import (
	"strings"
	"unicode/utf8"

	uv "github.com/charmbracelet/ultraviolet"
	sgr "github.com/charmbracelet/x/ansi"

	"parley/internal/termtext"
)

// restyle turns Glamour's output into lines. It keeps only text and colours, so that
// the lines contain nothing else. It wraps what is wider than width, and drops trailing
// spaces, and blank lines at both ends.
func restyle(out string, width int) []string {
	r := restyler{width: width}
	parser := sgr.NewParser()
	for out != "" {
		n, used := termtext.NextCluster(out)
		piece := out[:n]
		out = out[n:]
		switch {
		case used > 0 || piece[0] >= utf8.RuneSelf:
			r.write(piece, used)
		case piece == "\n":
			r.endLine()
		case piece[0] == '\x1b':
			sgr.DecodeSequence(piece, sgr.NormalState, parser)
			if sgr.Cmd(parser.Command()).Final() == 'm' && strings.HasPrefix(piece, "\x1b[") {
				uv.ReadStyle(parser.Params(), &r.style)
			}
		}
	}
	r.endLine()
	first, last := 0, len(r.lines)
	for first < last && r.lines[first] == "" {
		first++
	}
	for last > first && r.lines[last-1] == "" {
		last--
	}
	return r.lines[first:last]
}

// run is text in one style.
type run struct {
	style uv.Style
	text  string
}

type restyler struct {
	width int
	style uv.Style
	line  []run
	used  int // cells of line
	lines []string
}

// write writes a character with its width in cells; one that is wider than a line is
// cut.
func (r *restyler) write(character string, used int) {
	for used > r.width {
		n, w := termtext.Fit(character, r.width-r.used, r.width)
		if n == len(character) {
			break
		}
		r.write(character[:n], w)
		r.endLine()
		character = character[n:]
		used = termtext.Width(character)
	}
	if r.used+used > r.width && r.used > 0 {
		r.endLine()
	}
	r.used += used
	style := r.style
	style.Attrs &^= uv.AttrConceal
	if k := len(r.line); k > 0 && r.line[k-1].style.Equal(&style) {
		r.line[k-1].text += character
		return
	}
	r.line = append(r.line, run{style, character})
}

func (r *restyler) endLine() {
	for k := len(r.line); k > 0; k-- {
		last := &r.line[k-1]
		if s := last.style; s.Bg != nil || s.Underline != 0 || s.Attrs&(uv.AttrReverse|uv.AttrStrikethrough) != 0 {
			break
		}
		if last.text = strings.TrimRight(last.text, " "); last.text != "" {
			break
		}
		r.line = r.line[:k-1]
	}
	var b strings.Builder
	for _, run := range r.line {
		text := termtext.Block(run.text)
		if run.style.IsZero() {
			b.WriteString(text)
			continue
		}
		b.WriteString(run.style.String() + text + sgrReset)
	}
	r.lines = append(r.lines, b.String())
	r.line, r.used = r.line[:0], 0
}
