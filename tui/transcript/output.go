package transcript

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"parley/internal/termtext"
	"parley/terminal/screen"
)

// partBytes bounds how much of a text is read to draw the few lines of a collapsed
// call.
const partBytes = 16 << 10

// outputBody is the output of a program or the text of a file, drawn by a terminal
// emulator.
type outputBody struct {
	text string
	ends bool // the collapsed body shows the end, where a command reports its result
	// prose breaks lines between words: it is what an agent says about a failure.
	prose bool

	all    *screen.Screen
	layout termtext.Layout
}

// emulate draws a part of the text, whose lines end in bare line feeds.
func (b *outputBody) emulate(text string, width int) *screen.Screen {
	if b.prose {
		text = strings.Join(termtext.Wrap(termtext.ExpandTabs(text, 8), width), "\n")
	}
	rows := strings.Count(text, "\n") + len(text)/max(width, 1) + 1
	s := screen.New(width, screenRows, rows)
	s.SetImpliedCR(true)
	_, _ = s.Write([]byte(text))
	return s
}

func (b *outputBody) draw(width int) *screen.Screen {
	if layout := termtext.NewLayout(width); b.all == nil || b.layout != layout {
		b.all, b.layout = b.emulate(b.text, width), layout
	}
	return b.all
}

func (b *outputBody) len(width int, _ *environment) int { return b.draw(width).Len() }

func (b *outputBody) slice(from, to, width int, _ *environment) []string {
	s := b.draw(width)
	var out []string
	for i := from; i < min(to, s.Len()); i++ {
		out = append(out, s.Line(i))
	}
	return out
}

func (b *outputBody) peek(width int, env *environment) ([]string, int) {
	if !b.ends {
		part := firstLines(b.text, textPeek+2)
		lines := b.emulate(part, width).Lines()
		if part == b.text {
			return head(lines, textPeek)
		}
		shown := min(textPeek, len(lines))
		return lines[:shown], max(2, len(lines)-shown+strings.Count(b.text[len(part):], "\n"))
	}
	part := lastLines(b.text, terminalPeek+2)
	s := b.emulate(part, width)
	hidden := s.Len() + strings.Count(b.text[:len(b.text)-len(part)], "\n") - terminalPeek
	if hidden <= 1 && part == b.text {
		return s.Lines(), 0
	}
	above := env.theme.Faint.Render(fmt.Sprintf("… %d lines above", max(2, hidden)))
	return append([]string{above}, s.Tail(terminalPeek)...), 0
}

// firstLines cuts a text after its first n lines, or earlier if those are long.
func firstLines(text string, n int) string {
	end := 0
	for range n {
		i := strings.IndexByte(text[end:], '\n')
		if i < 0 {
			end = len(text)
			break
		}
		end += i + 1
	}
	return text[:min(end, partBytes)]
}

// lastLines cuts a text before its last n lines, or later if those are long.
func lastLines(text string, n int) string {
	trimmed := strings.TrimRight(text, "\n")
	start := len(trimmed)
	for range n {
		i := strings.LastIndexByte(trimmed[:start], '\n')
		if i < 0 {
			start = 0
			break
		}
		start = i
	}
	if start > 0 {
		start++ // behind the line feed
	}
	start = max(start, len(text)-partBytes)
	for start < len(text) && !utf8.RuneStart(text[start]) {
		start++
	}
	return text[start:]
}
