// This file finds the part of a text that some drawn lines show, so that copying gives
// the text itself: without wrapping, margins, line numbers and table borders, and with
// the markup that is not drawn.
//
// The drawing does not record where each character came from. Instead, the lines are
// compared with the text, character by character. If that does not account for every
// letter and digit of a piece, the piece is copied as drawn.

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

// caret is a position between two cells of drawn lines: cell 0 is before the first
// cell of a line. Both count from 0.
type caret struct{ line, cell int }

func (p caret) before(q caret) bool {
	return p.line < q.line || p.line == q.line && p.cell < q.cell
}

// alignment is a text and the lines drawn of it.
type alignment struct {
	text   string
	lines  []string // without styles and margin
	margin int      // its width
	glyphs []glyph
}

// glyph is a drawn character that is not blank.
type glyph struct {
	char   rune
	start  caret
	at     int  // its offset in the text, or -1
	number bool // belongs to a list item's number, which may be another in the text
}

// itemNumber matches the start of a numbered list item.
var itemNumber = regexp.MustCompile(`^[^\pL\pN]*\pN+[.)] `)

// newAlignment compares a sanitised text with the lines drawn of it, which may be
// styled and have a margin.
func newAlignment(text string, lines []string, margin int) *alignment {
	p := &alignment{text: text, lines: make([]string, len(lines)), margin: margin}
	for i, line := range lines {
		p.lines[i] = cellText(ansi.Strip(line), margin, -1)
		numbered := len(itemNumber.FindString(p.lines[i]))
		eachCluster(p.lines[i], func(at, cell int, cluster string) {
			for _, r := range cluster {
				if !blank(r) {
					p.glyphs = append(p.glyphs, glyph{char: r, start: caret{i, margin + cell}, at: -1, number: at < numbered})
				}
			}
		})
	}
	p.align()
	return p
}

// eachCluster gives the grapheme clusters of a line, each with its offset and cell.
func eachCluster(line string, give func(at, cell int, cluster string)) {
	for at, cell := 0, 0; at < len(line); {
		n, width := termtext.NextCluster(line[at:])
		give(at, cell, line[at:at+n])
		at, cell = at+n, cell+width
	}
}

func blank(r rune) bool { return unicode.IsSpace(r) }

// letterOrDigit reports letters and digits, which must all be accounted for.
func letterOrDigit(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }

// cut returns the part of the text that the lines show between two carets. A nil from
// is the start of the text and a nil to its end.
//
// A line whose first drawn character is after from is taken from its start, with its
// indent and markup. Markup directly around a whole word is taken with it.
func (p *alignment) cut(from, to *caret) string {
	if from == nil && to == nil {
		return p.text
	}
	i, j := 0, len(p.glyphs)
	if from != nil {
		for i < j && p.glyphs[i].start.before(*from) {
			i++
		}
	}
	if to != nil {
		for j > i && !p.glyphs[j-1].start.before(*to) {
			j--
		}
	}
	first, last := -1, -1 // the glyphs that are in the text
	for k := i; k < j; k++ {
		switch g := &p.glyphs[k]; {
		case g.at < 0 && letterOrDigit(g.char) && !g.number:
			return p.drawn(from, to) // a letter or digit is not accounted for
		case g.at >= 0 && first < 0:
			first, last = k, k
		case g.at >= 0:
			last = k
		}
	}
	if first < 0 {
		return p.drawn(from, to) // only blanks and decoration
	}
	start, end := 0, len(p.text)
	if from != nil {
		start = p.start(first, *from)
		if to == nil && p.previous(first) < 0 && from.before(p.glyphs[first].start) {
			start = 0 // everything drawn is included, so include what is not drawn
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

// previous returns the glyph before another that is in the text, -1 without one; next
// returns the one after it.
func (p *alignment) previous(k int) int {
	for k--; k >= 0 && p.glyphs[k].at < 0; k-- {
	}
	return k
}

func (p *alignment) next(k int) int {
	for k++; k < len(p.glyphs); k++ {
		if p.glyphs[k].at >= 0 {
			return k
		}
	}
	return -1
}

// endOf returns where a glyph ends in the text.
func (p *alignment) endOf(k int) int { return p.glyphs[k].at + utf8.RuneLen(p.glyphs[k].char) }

// start returns where a piece whose first glyph is the given one begins in the text.
func (p *alignment) start(first int, from caret) int {
	at, low := p.glyphs[first].at, 0
	if k := p.previous(first); k >= 0 {
		low = p.endOf(k)
	}
	hidden := p.text[low:at] // blanks, and what is not drawn
	line := strings.LastIndexByte(hidden, '\n') + 1
	if begin := p.glyphs[first].start; from.before(begin) && (line > 0 || low == 0) {
		lead := hidden[line:]
		if strings.TrimSpace(lead) == "" && from.line >= begin.line && from.cell > p.margin {
			lead = lead[len(lead)-min(begin.cell-from.cell, len(lead)):] // a part of the indent
		}
		return at - len(lead)
	}
	markup := len(hidden) - (strings.LastIndexFunc(hidden, blank) + 1)
	if markup > 0 && markup < len(hidden) || low == 0 || !letterOrDigit(p.glyphs[p.previous(first)].char) {
		return at - markup
	}
	return at
}

// end returns where a piece whose last glyph is the given one ends in the text.
func (p *alignment) end(last int) int {
	at, high := p.endOf(last), len(p.text)
	next := p.next(last)
	if next >= 0 {
		high = p.glyphs[next].at
	}
	hidden := p.text[at:high]
	markup := len(hidden)
	if i := strings.IndexFunc(hidden, blank); i >= 0 {
		markup = i
	} else if next >= 0 && letterOrDigit(p.glyphs[next].char) {
		return at
	}
	return at + markup
}

// restOfLine returns how much of a line of the text follows a glyph, if nothing of it
// is drawn: copying a whole line includes it.
func (p *alignment) restOfLine(last, end int) int {
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

// drawn returns the drawn text between two carets. It joins lines where the text is
// known to have no newline.
func (p *alignment) drawn(from, to *caret) string {
	first, last := caret{}, caret{line: len(p.lines)}
	if from != nil {
		first = *from
	}
	if to != nil {
		last = *to
	}
	var b strings.Builder
	for i := first.line; i < len(p.lines) && i <= last.line; i++ {
		left, right := 0, -1
		if i == first.line {
			left = first.cell
		}
		if i == last.line {
			right = max(0, last.cell-p.margin)
		}
		if i > first.line {
			b.WriteString(p.join(i))
		}
		b.WriteString(strings.TrimRightFunc(cellText(p.lines[i], left, right), blank))
	}
	return b.String()
}

// join returns the separator of a line and the one above it in the text.
func (p *alignment) join(line int) string {
	below := slices.IndexFunc(p.glyphs, func(g glyph) bool { return g.start.line == line })
	if below <= 0 {
		return "\n"
	}
	lower, upper := p.glyphs[below], p.glyphs[below-1]
	if lower.at < 0 || upper.at < 0 || upper.start.line != line-1 {
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

// cellText returns the characters of a line without styles that begin in the cells
// from left (inclusive) to right (exclusive; -1 is the end of the line).
func cellText(line string, left, right int) string {
	part := cellSpan(line, left, right)
	return line[part.From:part.To]
}

// cellSpan returns where in a line the characters of cellText are.
func cellSpan(line string, left, right int) termtext.Span {
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

const (
	// glyphCost is the cost of leaving out a glyph that occurs in the text. Leaving out
	// a character of the text costs 1: much of it is not drawn, such as a link's address.
	glyphCost = 200
	// maxCost bounds how much the text and its lines may differ, and with it the time
	// that comparing them takes.
	maxCost = 2000
)

// align finds the character of the text that each glyph shows. The text after the last
// glyph costs nothing: lines may show only the beginning of a text.
//
// This is the algorithm of Myers ("An O(ND) difference algorithm"), with another cost
// for glyphs. It leaves out the glyphs that do not occur in the text at all, such as
// the decoration of lists and quotes.
func (p *alignment) align() {
	a := aligner{text: make([]character, 0, utf8.RuneCountInString(p.text)), glyphs: make([]character, 0, len(p.glyphs))}
	occurs := make(map[rune]bool, 128)
	for i, r := range p.text {
		if !blank(r) {
			a.text = append(a.text, character{r, i})
			occurs[r] = true
		}
	}
	for i, g := range p.glyphs {
		if occurs[g.char] {
			a.glyphs = append(a.glyphs, character{g.char, i})
		}
	}
	a.search(func(glyph, character int) {
		p.glyphs[a.glyphs[glyph].at].at = a.text[character].at
	})
}

// character is a character of the text with its offset in bytes, or a glyph with its
// index.
type character struct {
	char rune
	at   int
}

// aligner compares glyphs with a text.
type aligner struct {
	glyphs, text []character
	// furthest has for each cost and each diagonal, from -cost, how many glyphs the furthest
	// path has passed. A path's diagonal is the number of glyphs that it has passed less
	// the number of characters.
	furthest [][]int32
}

// nowhere marks a diagonal that no path reaches.
const nowhere = -1

// passed returns how many glyphs the furthest path has passed at a cost on a diagonal.
func (a *aligner) passed(cost, diagonal int) int {
	if cost < 0 || diagonal < -cost || diagonal+cost >= len(a.furthest[cost]) {
		return nowhere
	}
	return int(a.furthest[cost][diagonal+cost])
}

// enter returns how many glyphs a path has passed when it enters a diagonal at a cost;
// skips says that it leaves out a glyph and not a character.
func (a *aligner) enter(cost, diagonal int) (x int, skips bool) {
	x = a.passed(cost-1, diagonal+1)
	if over := a.passed(cost-glyphCost, diagonal-1); over != nowhere && over+1 > x {
		return over + 1, true
	}
	return x, false
}

// search finds the cheapest path through all glyphs and gives its pairs, from the last
// to the first. It gives none if that costs too much.
func (a *aligner) search(pair func(glyph, character int)) {
	n, m := len(a.glyphs), len(a.text)
	for cost := 0; cost <= maxCost; cost++ {
		a.furthest = append(a.furthest, make([]int32, cost+cost/glyphCost+1))
		for diagonal := -cost; diagonal <= cost/glyphCost; diagonal++ {
			x := 0
			if cost > 0 || diagonal != 0 {
				x, _ = a.enter(cost, diagonal)
			}
			if y := x - diagonal; x == nowhere || x > n || y > m {
				a.furthest[cost][diagonal+cost] = nowhere
				continue
			}
			for x < n && x-diagonal < m && a.glyphs[x].char == a.text[x-diagonal].char {
				x++
			}
			a.furthest[cost][diagonal+cost] = int32(x)
			if x == n {
				a.walkBack(cost, diagonal, pair)
				return
			}
		}
	}
}

// walkBack gives the pairs of the path that ends at a cost on a diagonal.
func (a *aligner) walkBack(cost, diagonal int, pair func(glyph, character int)) {
	for x := a.passed(cost, diagonal); ; {
		entered, skips := 0, false
		if cost > 0 {
			entered, skips = a.enter(cost, diagonal)
		}
		for x > entered {
			x--
			pair(x, x-diagonal)
		}
		switch {
		case cost == 0:
			return
		case skips:
			cost, diagonal = cost-glyphCost, diagonal-1
		default:
			cost, diagonal = cost-1, diagonal+1
		}
		x = a.passed(cost, diagonal)
	}
}
