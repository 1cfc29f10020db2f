package transcript

import (
	"strings"

	"parley/acpclient"
	"parley/internal/termtext"
	"parley/tui/markdown"
	"parley/tui/toolview"
)

// How much of a body is shown while its tool call is collapsed, in lines.
const (
	textPeek     = 6
	diffPeek     = 14
	terminalPeek = 10
)

// rawMost is how much of a raw input or output is shown, in bytes.
const rawMost = 64 << 10

// body draws one content of a tool call.
type body interface {
	// len is the number of lines at a width, slice draws some of them.
	len(width int, env *environment) int
	slice(from, to, width int, env *environment) []string
	// peek draws the body collapsed, and says how many lines it leaves out.
	peek(width int, env *environment) (lines []string, more int)
}

// between returns the lines from (inclusive) to (exclusive), as far as they are
// there.
func between(lines []string, from, to int) []string {
	return lines[min(from, len(lines)):min(to, len(lines))]
}

// textBody is Markdown that a tool produced.
type textBody struct {
	doc    *markdown.Document
	all    []string
	layout termtext.Layout
}

func (b *textBody) draw(width int) []string {
	if layout := termtext.NewLayout(width); b.layout != layout {
		b.all, b.layout = nil, layout
		for i := range b.doc.Len() {
			b.all = append(b.all, b.doc.Lines(i, width)...)
		}
		b.doc.Release()
	}
	return b.all
}

func (b *textBody) len(width int, _ *environment) int { return len(b.draw(width)) }

func (b *textBody) slice(from, to, width int, _ *environment) []string {
	return between(b.draw(width), from, to)
}

// peek draws no more of a long text than is shown.
func (b *textBody) peek(width int, _ *environment) ([]string, int) {
	var lines []string
	for i := 0; i < b.doc.Len(); i++ {
		lines = append(lines, b.doc.Lines(i, width)...)
		if len(lines) > textPeek+1 {
			// To count the other lines they would have to be drawn: the lines of
			// the source are near enough.
			rest := strings.Count(b.doc.Text(), "\n") + 1 - textPeek
			return lines[:textPeek], max(rest, len(lines)-textPeek)
		}
	}
	return head(lines, textPeek)
}

// blockBody is one line about content that is not text, and below it the picture, if
// it is one.
type blockBody struct {
	words   toolview.Block
	content *acpclient.ContentBlock
}

func (b *blockBody) draw(width int, env *environment) []string {
	return append([]string{fit(b.words.Styled(env.theme), width)}, env.pictures.lines(b.content, width)...)
}

func (b *blockBody) len(width int, env *environment) int { return len(b.draw(width, env)) }

func (b *blockBody) slice(from, to, width int, env *environment) []string {
	return between(b.draw(width, env), from, to)
}

func (b *blockBody) peek(width int, env *environment) ([]string, int) {
	return b.draw(width, env), 0
}

// rawBody is JSON, set out for reading below a label.
type rawBody struct {
	label  string
	data   []byte
	all    []string
	layout termtext.Layout
}

// of returns the body of some data: the same as before if the data is the same,
// so that it is set out once; nil if there is no data.
func (b *rawBody) of(label string, data []byte) *rawBody {
	switch {
	case len(data) == 0:
		return nil
	case b != nil && sameArray(b.data, data):
		return b
	}
	return &rawBody{label: label, data: data}
}

func (b *rawBody) draw(width int, env *environment) []string {
	if layout := termtext.NewLayout(width); b.layout != layout {
		b.layout = layout
		b.all = append([]string{env.theme.Faint.Render(b.label)}, wrap(toolview.JSON(b.data, rawMost), width, env.theme.Muted)...)
	}
	return b.all
}

func (b *rawBody) len(width int, env *environment) int { return len(b.draw(width, env)) }

func (b *rawBody) slice(from, to, width int, env *environment) []string {
	return between(b.draw(width, env), from, to)
}

func (b *rawBody) peek(width int, env *environment) ([]string, int) {
	return head(b.draw(width, env), 1)
}
