package transcript

import "unicode/utf8"

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
func (p *Passage) align() {
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

func (p *Passage) known(text []character) []knownGlyph {
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
