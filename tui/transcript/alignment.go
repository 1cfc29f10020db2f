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

// glyph is a character of the lines that is no blank.
type glyph struct {
	char  rune
	start caret // of its cells
	at    int   // where it stands in the text in bytes, -1 if nowhere
	// number says that it is of the number of a list item, which is drawn as it
	// counts and not as it was written.
	number bool
}

// itemNumber is how the line of a numbered list item begins.
var itemNumber = regexp.MustCompile(`^[^\pL\pN]*\pN+[.)] `)

// newAlignment compares a text with the lines drawn of it, which may be styled and have
// a margin of so many cells. The text is sanitised, as for drawing.
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

// cut returns the part of the text that the lines show between two carets. If from is
// nil, it begins with the text, whatever is drawn of its beginning; if to is nil, it
// ends with it.
//
// A line of the text whose first drawn character stands behind from is taken from
// its beginning on, with its indentation and markup. Markup that stands directly
// around a whole word comes with it.
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
		if to == nil && p.previous(first) < 0 && from.before(p.glyphs[first].start) {
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
func (p *alignment) accounted(i, j int) bool {
	for k := i; k < j; k++ {
		if g := &p.glyphs[k]; g.at < 0 && wordly(g.char) && !g.number {
			return false
		}
	}
	return true
}

// matched returns the first and the last of the glyphs that stand in the text, -1
// if there are none.
func (p *alignment) matched(i, j int) (first, last int) {
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

// endOf is where a glyph ends in the text.
func (p *alignment) endOf(k int) int { return p.glyphs[k].at + utf8.RuneLen(p.glyphs[k].char) }

// start is where a piece begins in the text whose first glyph is the given one.
func (p *alignment) start(first int, from caret) int {
	at, low := p.glyphs[first].at, 0
	if k := p.previous(first); k >= 0 {
		low = p.endOf(k)
	}
	hidden := p.text[low:at] // what is not drawn, and blanks
	line := strings.LastIndexByte(hidden, '\n') + 1
	if from.before(p.glyphs[first].start) && (line > 0 || low == 0) {
		lead := hidden[line:]
		if strings.TrimSpace(lead) == "" {
			lead = lead[len(lead)-p.indent(first, from, lead):]
		}
		return at - len(lead)
	}
	markup := len(hidden) - (strings.LastIndexFunc(hidden, blank) + 1)
	if markup > 0 && markup < len(hidden) || low == 0 || !wordly(p.glyphs[p.previous(first)].char) {
		return at - markup
	}
	return at
}

// indent is how much of the indentation before a glyph a piece has that begins at
// from, in bytes.
func (p *alignment) indent(first int, from caret, lead string) int {
	g := p.glyphs[first]
	if from.line < g.start.line || from.cell <= p.margin {
		return len(lead)
	}
	n := g.start.cell - from.cell
	return min(n, len(lead))
}

// end is where a piece ends in the text whose last glyph is the given one.
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
	} else if next >= 0 && wordly(p.glyphs[next].char) {
		return at
	}
	return at + markup
}

// restOfLine is how much of a line of the text follows a glyph, if
// nothing of it is drawn. Whole lines are taken with it.
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

// drawn is what the lines show between two carets, as they show it. Where the
// text is known to go on without a newline, lines that were wrapped are joined.
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

// join is what stands between a line and the one above it in the text.
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

// cellSpan is where the characters that cellText returns stand in a line.
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
	// glyphCost is what it costs to leave out a glyph that the text may have, next
	// to a character of the text, which costs 1: much of that is not drawn, the
	// address of a link for instance.
	glyphCost = 200
	// maxCost bounds how much the text and its lines may differ: comparing them
	// takes at most so many steps for each glyph.
	maxCost = 2000
)

// align finds for each glyph the character of the text that it stands for, so
// that as little as possible of either is left over. What of the text comes behind
// the last glyph costs nothing: lines may show the beginning of a text.
//
// This is the algorithm of Myers ("An O(ND) difference algorithm"), with another
// price for glyphs. Glyphs that the text does not have at all, which is how lists
// and quotes are decorated, are left out before.
func (p *alignment) align() {
	text := characters(p.text)
	a := aligner{text: text, glyphs: p.known(text)}
	a.search(func(glyph, character int) {
		p.glyphs[a.glyphs[glyph].number].at = text[character].at
	})
}

// character is one of the text that is no blank.
type character struct {
	char rune
	at   int // in bytes
}

func characters(text string) []character {
	out := make([]character, 0, utf8.RuneCountInString(text))
	for i, r := range text {
		if !blank(r) {
			out = append(out, character{r, i})
		}
	}
	return out
}

// knownGlyph is a glyph that may stand in the text.
type knownGlyph struct {
	char   rune
	number int // among all glyphs
}

func (p *alignment) known(text []character) []knownGlyph {
	there := make(map[rune]bool, 128)
	for _, c := range text {
		there[c.char] = true
	}
	out := make([]knownGlyph, 0, len(p.glyphs))
	for i, g := range p.glyphs {
		if there[g.char] {
			out = append(out, knownGlyph{g.char, i})
		}
	}
	return out
}

// aligner compares glyphs with a text.
type aligner struct {
	glyphs []knownGlyph
	text   []character
	// far says for each cost, and for each diagonal that it can reach, how many
	// glyphs are behind at most. A diagonal is the number of glyphs that are
	// behind, less that of characters: from -cost on.
	far [][]int32
}

// nowhere is where no way has come.
const nowhere = -1

// reach is how many glyphs are behind at a cost on a diagonal.
func (a *aligner) reach(cost, diagonal int) int {
	if cost < 0 || diagonal < -cost || diagonal+cost >= len(a.far[cost]) {
		return nowhere
	}
	return int(a.far[cost][diagonal+cost])
}

// enter is how many glyphs are behind when a way comes onto a diagonal at a cost;
// skips says that it leaves out a glyph and not a character of the text.
func (a *aligner) enter(cost, diagonal int) (x int, skips bool) {
	x = a.reach(cost-1, diagonal+1)
	if over := a.reach(cost-glyphCost, diagonal-1); over != nowhere && over+1 > x {
		return over + 1, true
	}
	return x, false
}

// search finds the cheapest way through all glyphs and gives each pair on it, from
// the last to the first. It gives none if that costs too much.
func (a *aligner) search(pair func(glyph, character int)) {
	n, m := len(a.glyphs), len(a.text)
	for cost := 0; cost <= maxCost; cost++ {
		a.far = append(a.far, make([]int32, cost+cost/glyphCost+1))
		for diagonal := -cost; diagonal <= cost/glyphCost; diagonal++ {
			x := 0
			if cost > 0 || diagonal != 0 {
				x, _ = a.enter(cost, diagonal)
			}
			if y := x - diagonal; x == nowhere || x > n || y > m {
				a.far[cost][diagonal+cost] = nowhere
				continue
			}
			for x < n && x-diagonal < m && a.glyphs[x].char == a.text[x-diagonal].char {
				x++
			}
			a.far[cost][diagonal+cost] = int32(x)
			if x == n {
				a.walkBack(cost, diagonal, pair)
				return
			}
		}
	}
}

// walkBack gives the pairs of the way that ends at a cost on a diagonal.
func (a *aligner) walkBack(cost, diagonal int, pair func(glyph, character int)) {
	for x := a.reach(cost, diagonal); ; {
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
		x = a.reach(cost, diagonal)
	}
}
