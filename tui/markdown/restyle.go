package markdown

import (
	"regexp"
	"strings"
	"unicode/utf8"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"

	"parley/internal/termtext"
)

// restyle turns Glamour's output into lines of at most width cells. It keeps only text and
// colours, so that the lines contain nothing else, and drops trailing spaces, and blank lines
// at both ends.
func restyle(out string, width int) []string {
	lines := termtext.Wrap(hang(out), width)
	for i, line := range lines {
		lines[i] = restyled(line)
	}
	for len(lines) > 0 && lines[0] == "" {
		lines = lines[1:]
	}
	for len(lines) > 0 && lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// run is text in one style.
type run struct {
	style uv.Style
	text  string
}

// restyled returns a line with its text and colours alone.
func restyled(line string) string {
	var runs []run
	var style uv.Style
	for line != "" {
		n, used := termtext.NextCluster(line)
		piece := line[:n]
		line = line[n:]
		if used == 0 && piece[0] < utf8.RuneSelf {
			if strings.HasPrefix(piece, "\x1b[") && strings.HasSuffix(piece, "m") {
				follow(piece, &style)
			}
			continue
		}
		if k := len(runs); k == 0 || !runs[k-1].style.Equal(&style) {
			runs = append(runs, run{style: style})
		}
		runs[len(runs)-1].text += piece
	}
	for k := len(runs) - 1; k >= 0; k-- {
		last := &runs[k]
		if s := last.style; s.Bg != nil || s.Underline != 0 || s.Attrs&(uv.AttrReverse|uv.AttrStrikethrough) != 0 {
			break
		}
		if last.text = strings.TrimRight(last.text, " "); last.text != "" {
			break
		}
		runs = runs[:k]
	}
	var b strings.Builder
	for _, r := range runs {
		if text := termtext.Block(r.text); r.style.IsZero() {
			b.WriteString(text)
		} else {
			b.WriteString(r.style.String() + text + sgrReset)
		}
	}
	return b.String()
}

// follow applies an SGR sequence to a style. Nothing is concealed.
func follow(seq string, style *uv.Style) {
	p := ansi.GetParser()
	defer ansi.PutParser(p)
	ansi.DecodeSequence(seq, ansi.NormalState, p)
	uv.ReadStyle(p.Params(), style)
	style.Attrs &^= uv.AttrConceal
}

// itemMark is the mark of a list item at the end of a text, and the spaces before it.
var itemMark = regexp.MustCompile(`( *)((?:\[ \]|[^ ]+) *)$`)

// hang moves the mark of each list item, which [markEnd] follows, to the left by its own width,
// as far as there are spaces, so that the text begins where the mark did.
func hang(out string) string {
	var b strings.Builder
	for line := range strings.Lines(out) {
		before, after, marked := strings.Cut(line, markEnd)
		if at := itemMark.FindStringSubmatch(ansi.Strip(before)); marked && at != nil {
			before = strings.Replace(before, " ", "", min(termtext.Width(at[2]), len(at[1])))
		}
		b.WriteString(before + after)
	}
	return b.String()
}
