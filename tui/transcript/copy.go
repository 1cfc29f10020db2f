// This file finds the part of a text that a piece of the lines drawn of it
// shows, so that what a person takes from the screen is the text itself: without
// the breaks of wrapping, margins, line numbers or table borders, and with the
// markup that is not drawn.
//
// Whoever draws need not tell where each character came from. What is drawn of a
// text is the text with little added and little left out, so the two are compared,
// character by character. If the comparison does not account for every letter and
// digit of a piece, the piece is given as it was drawn.

package transcript

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"parley/internal/termtext"
)

// Place is a place between two cells of drawn lines: Cell 0 is before the first
// cell of a line. Both count from 0.
type Place struct{ Line, Cell int }

func (p Place) before(q Place) bool {
	return p.Line < q.Line || p.Line == q.Line && p.Cell < q.Cell
}

// Passage is a text and the lines that were drawn of it.
type Passage struct {
	text   string
	lines  []string // without styles and margin
	margin int      // its width
	glyphs []glyph
}

// glyph is a character of the lines that is no blank.
type glyph struct {
	char  rune
	place Place // where its cells begin
	at    int   // where it stands in the text in bytes, -1 if nowhere
	// number says that it is of the number of a list item, which is drawn as it
	// counts and not as it was written.
	number bool
}

// itemNumber is how the line of a numbered list item begins.
var itemNumber = regexp.MustCompile(`^[^\pL\pN]*\pN+[.)] `)

// New compares a text with the lines drawn of it, which may be styled and have a
// margin of so many cells that is none of the text. The text has to be as it was
// drawn, without what is never drawn: see package termtext.
func NewPassage(text string, lines []string, margin int) *Passage {
	p := &Passage{text: text, lines: make([]string, len(lines)), margin: margin}
	for i, line := range lines {
		p.lines[i] = Cells(ansi.Strip(line), margin, -1)
		numbered := len(itemNumber.FindString(p.lines[i]))
		eachCluster(p.lines[i], func(at, cell int, cluster string) {
			for _, r := range cluster {
				if !blank(r) {
					p.glyphs = append(p.glyphs, glyph{char: r, place: Place{i, margin + cell}, at: -1, number: at < numbered})
				}
			}
		})
	}
	p.align()
	return p
}

// eachCluster gives the characters of a line as people see them, each with where
// it begins, in bytes and in cells.
func eachCluster(line string, give func(at, cell int, cluster string)) {
	for at, cell := 0, 0; at < len(line); {
		n, width := termtext.NextCluster(line[at:])
		give(at, cell, line[at:at+n])
		at, cell = at+n, cell+width
	}
}

func blank(r rune) bool { return unicode.IsSpace(r) }

// wordly reports the characters of words. All of them must be accounted for.
func wordly(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }

// Cut returns the part of the text that the lines show between two places. If from
// is nil, it begins with the text, whatever is drawn of its beginning; if to is
// nil, it ends with it.
//
// A line of the text whose first drawn character stands behind from is taken from
// its beginning on, with its indentation and markup. Markup that stands directly
// around a whole word comes with it.
func (p *Passage) Cut(from, to *Place) string {
	if from == nil && to == nil {
		return p.text
	}
	i, j := 0, len(p.glyphs)
	if from != nil {
		for i < j && p.glyphs[i].place.before(*from) {
			i++
		}
	}
	if to != nil {
		for j > i && !p.glyphs[j-1].place.before(*to) {
			j--
		}
	}
	if !p.accounted(i, j) {
		return p.drawn(from, to)
	}
	first, last := p.matched(i, j)
	if first < 0 {
		return p.drawn(from, to) // blanks, or nothing but decoration
	}
	start, end := 0, len(p.text)
	if from != nil {
		start = p.start(first, *from)
		if to == nil && p.previous(first) < 0 && from.before(p.glyphs[first].place) {
			start = 0 // all that is drawn from here on: what is not drawn belongs to it
		}
	}
	if to != nil {
		end = p.end(last)
		if from == nil && p.next(last) < 0 {
			end = len(p.text)
		}
		if start == 0 || p.text[start-1] == '\n' {
			end += p.restOfLine(last, end)
		}
	}
	return p.text[start:end]
}

// accounted reports whether every letter and digit among the glyphs stands in the
// text, but for the numbers that stand before lines.
func (p *Passage) accounted(i, j int) bool {
	for k := i; k < j; k++ {
		if g := &p.glyphs[k]; g.at < 0 && wordly(g.char) && !g.number {
			return false
		}
	}
	return true
}

// matched returns the first and the last of the glyphs that stand in the text, -1
// if there are none.
func (p *Passage) matched(i, j int) (first, last int) {
	first, last = -1, -1
	for k := i; k < j; k++ {
		if p.glyphs[k].at >= 0 {
			if first < 0 {
				first = k
			}
			last = k
		}
	}
	return first, last
}

// previous is the glyph before another that stands in the text, -1 if there is
// none; next is the one behind it.
func (p *Passage) previous(k int) int {
	for k--; k >= 0 && p.glyphs[k].at < 0; k-- {
	}
	return k
}

func (p *Passage) next(k int) int {
	for k++; k < len(p.glyphs); k++ {
		if p.glyphs[k].at >= 0 {
			return k
		}
	}
	return -1
}

// endOf is where a glyph ends in the text.
func (p *Passage) endOf(k int) int { return p.glyphs[k].at + utf8.RuneLen(p.glyphs[k].char) }

// start is where a piece begins in the text whose first glyph is the given one.
func (p *Passage) start(first int, from Place) int {
	at, low := p.glyphs[first].at, 0
	if k := p.previous(first); k >= 0 {
		low = p.endOf(k)
	}
	hidden := p.text[low:at] // what is not drawn, and blanks
	line := strings.LastIndexByte(hidden, '\n') + 1
	if from.before(p.glyphs[first].place) && (line > 0 || low == 0) {
		lead := hidden[line:]
		if strings.TrimSpace(lead) == "" {
			lead = lead[len(lead)-p.indent(first, from, lead):]
		}
		return at - len(lead)
	}
	run := len(hidden) - (strings.LastIndexFunc(hidden, blank) + 1)
	if run > 0 && run < len(hidden) || low == 0 || !wordly(p.glyphs[p.previous(first)].char) {
		return at - run
	}
	return at
}

// indent is how much of the indentation before a glyph a piece has that begins at
// a place, in bytes.
func (p *Passage) indent(first int, from Place, lead string) int {
	g := p.glyphs[first]
	if from.Line < g.place.Line || from.Cell <= p.margin {
		return len(lead)
	}
	n := g.place.Cell - from.Cell
	return min(n, len(lead))
}

// end is where a piece ends in the text whose last glyph is the given one.
func (p *Passage) end(last int) int {
	at, high := p.endOf(last), len(p.text)
	next := p.next(last)
	if next >= 0 {
		high = p.glyphs[next].at
	}
	hidden := p.text[at:high]
	run := len(hidden)
	if i := strings.IndexFunc(hidden, blank); i >= 0 {
		run = i
	} else if next >= 0 && wordly(p.glyphs[next].char) {
		return at
	}
	return at + run
}

// restOfLine is how much of a line of the text follows a place behind a glyph, if
// nothing of it is drawn. Whole lines are taken with it.
func (p *Passage) restOfLine(last, end int) int {
	high := len(p.text)
	next := p.next(last)
	if next >= 0 {
		high = p.glyphs[next].at
	}
	if end > high {
		return 0
	}
	rest, _, ends := strings.Cut(p.text[end:high], "\n")
	if !ends && next >= 0 {
		return 0
	}
	return len(strings.TrimRightFunc(rest, blank))
}

// drawn is what the lines show between two places, as they show it. Where the
// text is known to go on without a newline, lines that were wrapped are joined.
func (p *Passage) drawn(from, to *Place) string {
	first, last := Place{}, Place{Line: len(p.lines)}
	if from != nil {
		first = *from
	}
	if to != nil {
		last = *to
	}
	var b strings.Builder
	for i := first.Line; i < len(p.lines) && i <= last.Line; i++ {
		left, right := 0, -1
		if i == first.Line {
			left = first.Cell
		}
		if i == last.Line {
			right = max(0, last.Cell-p.margin)
		}
		if i > first.Line {
			b.WriteString(p.join(i))
		}
		b.WriteString(strings.TrimRightFunc(Cells(p.lines[i], left, right), blank))
	}
	return b.String()
}

// join is what stands between a line and the one above it in the text.
func (p *Passage) join(line int) string {
	below := slices.IndexFunc(p.glyphs, func(g glyph) bool { return g.place.Line == line })
	if below <= 0 {
		return "\n"
	}
	lower, upper := p.glyphs[below], p.glyphs[below-1]
	if lower.at < 0 || upper.at < 0 || upper.place.Line != line-1 {
		return "\n"
	}
	between := p.text[p.endOf(below-1):lower.at]
	switch {
	case strings.Contains(between, "\n"):
		return "\n"
	case strings.ContainsFunc(between, blank):
		return " "
	}
	return ""
}

// Cells returns the characters of a line without styles that begin in the cells
// from left (inclusive) to right (exclusive; -1 is the end of the line).
func Cells(line string, left, right int) string {
	part := Part(line, left, right)
	return line[part.From:part.To]
}

// Part is where in a line the characters stand that [Cells] returns.
func Part(line string, left, right int) termtext.Span {
	from, to := len(line), len(line)
	eachCluster(line, func(at, cell int, _ string) {
		if cell >= left {
			from = min(from, at)
		}
		if right >= 0 && cell >= right {
			to = min(to, at)
		}
	})
	return termtext.Span{From: min(from, to), To: to}
}
