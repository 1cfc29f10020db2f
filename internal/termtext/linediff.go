package termtext

import (
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff/lcs"
)

// Bounds of the comparison.
const (
	// MaxComparedLines is how many lines of both texts together are compared, not counting
	// those that they have in common at their start and end. If there are more,
	// all of them count as changed.
	MaxComparedLines = 500_000
	// maxDepth is how deep the search for anchors goes between other anchors.
	maxDepth = 16
	// exactEdits is how many changed lines package lcs finds the best answer
	// for. If there are more, it gives the changes at the beginning and at the
	// end, and one large change between them.
	exactEdits = 100
)

// LineEdit replaces lines of the old text by lines of the new one. Ends are
// exclusive.
type LineEdit struct {
	OldStart, OldEnd, NewStart, NewEnd int
}

// SplitLines splits a text into lines, including their ends.
func SplitLines(text string) []string {
	lines := strings.SplitAfter(text, "\n")
	if last := len(lines) - 1; lines[last] == "" {
		lines = lines[:last]
	}
	return lines
}

// CompareLines finds the lines to replace. It is exact for changes of common size, and
// bounded for every input: coarse reports that a better answer may exist that would have
// taken too long to find.
//
// It first cuts the texts into pieces at lines that occur once in each (patience
// diff), so that package lcs of go-udiff only gets small pieces: alone, it gives
// up after about 100 changes.
func CompareLines(before, after []string) (edits []LineEdit, coarse bool) {
	start := 0
	for start < min(len(before), len(after)) && before[start] == after[start] {
		start++
	}
	end := 0
	for end < min(len(before), len(after))-start && before[len(before)-1-end] == after[len(after)-1-end] {
		end++
	}
	before, after = before[start:len(before)-end], after[start:len(after)-end]
	if len(before) == 0 && len(after) == 0 {
		return nil, false
	}
	if len(before) == 0 || len(after) == 0 {
		return []LineEdit{{start, start + len(before), start, start + len(after)}}, false
	}
	if len(before)+len(after) > MaxComparedLines {
		return []LineEdit{{start, start + len(before), start, start + len(after)}}, true
	}
	ids := make(map[string]rune)
	c := comparer{old: NumberLines(before, ids), new: NumberLines(after, ids), start: start}
	c.seen = make([]occurrence, len(ids))
	c.compare(0, len(before), 0, len(after), 0)
	c.upTo(len(before), len(after))
	return c.edits, c.coarse
}

// NumberLines gives equal lines equal numbers.
func NumberLines(lines []string, ids map[string]rune) []rune {
	numbers := make([]rune, len(lines))
	for i, line := range lines {
		id, ok := ids[line]
		if !ok {
			id = rune(len(ids))
			ids[line] = id
		}
		numbers[i] = id
	}
	return numbers
}

type comparer struct {
	old, new []rune
	start    int // how many lines both texts have in common before old and new
	edits    []LineEdit
	coarse   bool
	// oldDone and newDone are up to where the texts have been matched or edited.
	oldDone, newDone int
	// seen counts lines, by their number, while a piece of the texts is looked
	// at. Otherwise all of it is zero.
	seen []occurrence
}

// occurrence counts a line in a piece of each text, and says where it is.
type occurrence struct {
	inOld, inNew uint32
	old, new     int
}

// match notes that n lines from old and new on are the same. Those between the
// last match and these become an edit.
func (c *comparer) match(old, new, n int) {
	if n > 0 {
		c.upTo(old, new)
		c.oldDone, c.newDone = old+n, new+n
	}
}

// upTo makes an edit of the lines between the last match and old and new.
func (c *comparer) upTo(old, new int) {
	if c.oldDone < old || c.newDone < new {
		c.edits = append(c.edits, LineEdit{c.start + c.oldDone, c.start + old, c.start + c.newDone, c.start + new})
		c.oldDone, c.newDone = old, new
	}
}

// compare matches the lines of old[o:oEnd] and new[n:nEnd].
func (c *comparer) compare(o, oEnd, n, nEnd, depth int) {
	common := 0
	for o+common < oEnd && n+common < nEnd && c.old[o+common] == c.new[n+common] {
		common++
	}
	c.match(o, n, common)
	o, n = o+common, n+common
	tail := 0
	for o < oEnd && n < nEnd && c.old[oEnd-1] == c.new[nEnd-1] {
		oEnd, nEnd, tail = oEnd-1, nEnd-1, tail+1
	}
	if o < oEnd && n < nEnd {
		anchors := c.anchors(o, oEnd, n, nEnd, depth)
		if len(anchors) == 0 {
			c.search(o, oEnd, n, nEnd)
		} else {
			for _, a := range anchors {
				c.compare(o, a.old, n, a.new, depth+1)
				c.match(a.old, a.new, 1)
				o, n = a.old+1, a.new+1
			}
			c.compare(o, oEnd, n, nEnd, depth+1)
		}
	}
	c.match(oEnd, nEnd, tail)
}

// count fills seen for a piece of each text.
func (c *comparer) count(o, oEnd, n, nEnd int) {
	for i := o; i < oEnd; i++ {
		s := &c.seen[c.old[i]]
		s.inOld, s.old = s.inOld+1, i
	}
	for i := n; i < nEnd; i++ {
		s := &c.seen[c.new[i]]
		s.inNew, s.new = s.inNew+1, i
	}
}

// forget makes seen zero again, after count.
func (c *comparer) forget(o, oEnd, n, nEnd int) {
	for _, id := range c.old[o:oEnd] {
		c.seen[id] = occurrence{}
	}
	for _, id := range c.new[n:nEnd] {
		c.seen[id] = occurrence{}
	}
}

// anchors returns the longest rising sequence of lines that occur once in each
// piece.
func (c *comparer) anchors(o, oEnd, n, nEnd, depth int) []occurrence {
	if depth >= maxDepth {
		return nil
	}
	c.count(o, oEnd, n, nEnd)
	var unique []occurrence // in the order of the old text
	for _, id := range c.old[o:oEnd] {
		if s := c.seen[id]; s.inOld == 1 && s.inNew == 1 {
			unique = append(unique, s)
		}
	}
	c.forget(o, oEnd, n, nEnd)
	return longestRising(unique)
}

// longestRising keeps the longest sequence of occurrences in which the place in
// the new text rises as well, by patience sorting, in O(n log n).
func longestRising(all []occurrence) []occurrence {
	var tops []int // index of the last card of each pile
	previous := make([]int, len(all))
	for i, a := range all {
		pile, _ := slices.BinarySearchFunc(tops, a.new, func(top, new int) int { return all[top].new - new })
		previous[i] = -1
		if pile > 0 {
			previous[i] = tops[pile-1]
		}
		if pile == len(tops) {
			tops = append(tops, i)
		} else {
			tops[pile] = i
		}
	}
	rising := make([]occurrence, len(tops))
	if len(tops) == 0 {
		return rising
	}
	for i, at := len(tops)-1, tops[len(tops)-1]; i >= 0; i, at = i-1, previous[at] {
		rising[i] = all[at]
	}
	return rising
}

// search matches a piece without anchors by package lcs. Lines that the other
// piece does not have are left out: they cannot match, and would count against
// exactEdits.
func (c *comparer) search(o, oEnd, n, nEnd int) {
	c.count(o, oEnd, n, nEnd)
	var oldIDs, newIDs []rune
	var oldAt, newAt []int
	for i := o; i < oEnd; i++ {
		if c.seen[c.old[i]].inNew > 0 {
			oldIDs, oldAt = append(oldIDs, c.old[i]), append(oldAt, i)
		}
	}
	for i := n; i < nEnd; i++ {
		if c.seen[c.new[i]].inOld > 0 {
			newIDs, newAt = append(newIDs, c.new[i]), append(newAt, i)
		}
	}
	c.forget(o, oEnd, n, nEnd)
	if len(oldIDs) == 0 {
		return
	}
	oldAt, newAt = append(oldAt, oEnd), append(newAt, nEnd)
	changed, from := 0, lcs.Diff{}
	diffs := append(lcs.DiffRunes(oldIDs, newIDs), lcs.Diff{
		Start: len(oldIDs), End: len(oldIDs), ReplStart: len(newIDs), ReplEnd: len(newIDs),
	})
	for _, d := range diffs {
		for i, j := from.End, from.ReplEnd; i < d.Start; i, j = i+1, j+1 {
			c.match(oldAt[i], newAt[j], 1)
		}
		changed += d.End - d.Start + d.ReplEnd - d.ReplStart
		from = d
	}
	c.coarse = c.coarse || changed > exactEdits
}
