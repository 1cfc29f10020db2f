package markdown

import (
	"regexp"
	"strings"
	"unicode/utf8"

	uv "github.com/charmbracelet/ultraviolet"
	sgr "github.com/charmbracelet/x/ansi"

	"parley/internal/termtext"
)

// restyle turns Glamour's output into lines, and says in rows, unless it is nil, what they
// show. It keeps only text and colours, so that the lines contain nothing else. It wraps what
// is wider than width, and drops trailing spaces, and blank lines at both ends.
func restyle(out string, width int, rows *[]termtext.Row) []string {
	r, out := restyler{width: width}, hang(out)
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
		case piece == flowStart, piece == flowEnd:
			r.flows = piece == flowStart
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
	if rows != nil {
		*rows = r.rows[first:last]
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
	rows  []termtext.Row
	flows bool         // within text that is wrapped
	row   termtext.Row // of line
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

// itemMark is the mark of a list item at the end of a text, and the spaces before it.
var itemMark = regexp.MustCompile(`( *)((?:\[ \]|[^ ]+) *)$`)

// hang moves the mark of each list item, which [markEnd] follows, to the left by its own width,
// as far as there are spaces, so that the text begins where the mark did.
func hang(out string) string {
	var b strings.Builder
	for line := range strings.Lines(out) {
		before, after, marked := strings.Cut(line, markEnd)
		if at := itemMark.FindStringSubmatch(sgr.Strip(before)); marked && at != nil {
			before = strings.Replace(before, " ", "", min(termtext.Width(at[2]), len(at[1])))
		}
		b.WriteString(before + after)
	}
	return b.String()
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
	line := b.String()
	text := sgr.Strip(line)
	if r.row.Soft {
		r.row.Lead = termtext.Width(text) - termtext.Width(strings.TrimLeft(text, " │"))
	}
	r.lines, r.rows = append(r.lines, line), append(r.rows, r.row)
	if r.row = (termtext.Row{Soft: r.flows}); !strings.HasSuffix(text, "-") {
		r.row.Gap = " "
	}
	r.line, r.used = r.line[:0], 0
}
