package markdown

import (
	"image/color"
	"path/filepath"
	"strings"
	"time"

	"github.com/alecthomas/chroma/v2"
	"github.com/yuin/goldmark/ast"

	"parley/internal/termtext"
	"parley/tui/theme"
)

// goesOnMark precedes the continuation rows of a line of code.
const goesOnMark = "¦ "

// gutter returns what precedes the first row of a line of code, and the others.
func (r *renderer) gutter() (first, rest span) {
	if own := r.p.own; own != nil {
		if own.noCodeBar {
			return span{ink: own.code}, span{text: goesOnMark, ink: own.code}
		}
		return span{text: "│ ", ink: own.code}, span{text: goesOnMark, ink: own.code}
	}
	blank := strings.Repeat(" ", min(r.p.codeBlock.left, max(0, r.room-minText)))
	first, rest = span{text: blank, ink: r.p.text}, span{text: blank, ink: r.p.text}
	if len(blank) >= 2 {
		rest.text = blank[2:] + goesOnMark
	}
	return first, rest
}

// memo caches the colours of the code in the open block, by language and text.
type memo map[string][][]span

// code draws a code block. While it is open, it is coloured by chunks that end at blank
// lines: only the last chunk, of at most maxChunk bytes, is lexed again as it grows. A
// closed block is lexed as a whole.
func (r *renderer) code(n ast.Node, language string, onChain bool) {
	text := expandTabs(strings.TrimSuffix(string(n.Lines().Value(r.src)), "\n"))
	var lines [][]span
	switch language = strings.ToLower(language); {
	case r.p.own != nil && (language == "diff" || language == "patch" || language == "udiff"):
		lines = r.p.diff(text)
	case r.live == nil:
		lines = r.p.highlight(text, language)
	case fenceClosed(n, r.src):
		lines = r.live.highlight(r.p, text, language)
	default:
		for text != "" || lines == nil {
			chunk := nextChunk(text)
			text = text[len(chunk):]
			lines = append(lines, r.live.highlight(r.p, strings.TrimSuffix(chunk, "\n"), language)...)
		}
	}
	goesOn := onChain && r.cont != nil && r.cont.leaf
	if goesOn && n.Lines().Len() == 0 {
		return
	}
	for i, line := range lines {
		r.codeLine(line, i == 0 && goesOn && r.cont.within)
	}
}

func (m memo) highlight(p *palette, code, language string) [][]span {
	key := language + "\n" + code
	lines, ok := m[key]
	if !ok {
		if len(m) > 64 {
			clear(m) // mostly the growing stages of chunks
		}
		lines = p.highlight(code, language)
		m[key] = lines
	}
	return lines
}

const maxChunk = 1024

// nextChunk returns the beginning of code up to a blank line, or the lines that fit
// maxChunk, including the newline.
func nextChunk(code string) string {
	end := 0
	for end < len(code) {
		n := strings.IndexByte(code[end:], '\n') + 1
		if n == 0 {
			n = len(code) - end
		}
		if end > 0 && end+n > maxChunk {
			break
		}
		blank := strings.TrimSpace(code[end:end+n]) == ""
		end += n
		if blank && end > maxChunk/4 {
			break
		}
	}
	return code[:end]
}

// codeLine draws a line of code; goesOn means that it began in an earlier piece.
func (r *renderer) codeLine(line []span, goesOn bool) {
	bar, rest := r.gutter()
	if goesOn {
		bar = rest
	}
	room := r.besides(bar)
	for k := len(line) - 1; k >= 0; k-- { // the trailing spaces
		line[k].text = strings.TrimRight(line[k].text, " ")
		if line[k].text != "" {
			break
		}
	}
	left := room
	var row []span
	for _, s := range line {
		for s.text != "" {
			n, w := termtext.Fit(s.text, left, room)
			if n > 0 {
				part := s
				part.text, s.text = s.text[:n], s.text[n:]
				row = append(row, part)
				left -= w
			}
			if s.text != "" {
				r.codeRow(bar, row)
				bar, row, room = rest, row[:0], r.besides(rest)
				left = room
			}
		}
	}
	r.codeRow(bar, row)
}

// besides returns the room for code beside a bar.
func (r *renderer) besides(bar span) int { return max(r.room-widthOf([]span{bar}), 2) }

func (r *renderer) codeRow(bar span, row []span) {
	if len(row) == 0 {
		bar.text = strings.TrimRight(bar.text, " ")
	}
	r.pen.write(bar.text, bar.ink, "")
	for _, s := range row {
		r.pen.write(s.text, s.ink, "")
	}
	r.emit()
}

// diff colours the lines of a diff by their meaning.
func (p *palette) diff(text string) [][]span {
	var lines [][]span
	for line := range strings.SplitSeq(text, "\n") {
		k := p.text
		switch {
		case strings.HasPrefix(line, "+++ "), strings.HasPrefix(line, "--- "),
			strings.HasPrefix(line, "diff "), strings.HasPrefix(line, "index "):
			k = p.path
		case strings.HasPrefix(line, "@@"):
			k = p.hunk
		case strings.HasPrefix(line, "+"):
			k = p.added
		case strings.HasPrefix(line, "-"):
			k = p.removed
		}
		if line == "" {
			lines = append(lines, nil)
		} else {
			lines = append(lines, []span{{text: line, ink: k}})
		}
	}
	return lines
}

const tabWidth = 4

func expandTabs(s string) string { return termtext.ExpandTabs(s, tabWidth) }

// CodeBlock is a code block in a text.
type CodeBlock struct {
	// Code is the content without the fence and the last newline.
	Code string
	// At is the offset of its first line in the text, in bytes.
	At int
}

// CodeBlocks returns the code blocks of a Markdown text, in order and without empty
// ones. They are independent of drawing.
func CodeBlocks(text string) []CodeBlock {
	src := []byte(text)
	var out []CodeBlock
	_ = ast.Walk(parseBlocks(src), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n.(type) {
		case *ast.FencedCodeBlock, *ast.CodeBlock:
		default:
			return ast.WalkContinue, nil
		}
		if lines := n.Lines(); entering && lines.Len() > 0 {
			code := strings.TrimRight(string(lines.Value(src)), "\n")
			out = append(out, CodeBlock{Code: code, At: lines.At(0).Start})
		}
		return ast.WalkSkipChildren, nil
	})
	return out
}

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
