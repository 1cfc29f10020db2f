package vim

import (
	"regexp"
	"strings"
)

// tag matches a tag of HTML or XML that does not close itself.
var tag = regexp.MustCompile(`<(/?)([A-Za-z][^\s>/]*)(?:[^<>]*[^<>/])?>`)

// openTag is a tag that is still open.
type openTag struct {
	from, to int
	name     string
}

// tagged returns the text between the count-th pair of tags around p; with around,
// the tags too.
func (d document) tagged(p Pos, count int, around bool) (textRange, bool) {
	all := d.slice(Pos{}, d.end(d.lastRow()))
	at := len(d.slice(Pos{}, p))
	var open []openTag
	for _, m := range tag.FindAllStringSubmatchIndex(all, -1) {
		name := all[m[4]:m[5]]
		if m[2] == m[3] {
			open = append(open, openTag{m[0], m[1], name})
			continue
		}
		last := len(open) - 1
		for last >= 0 && open[last].name != name {
			last--
		}
		if last < 0 {
			continue
		}
		from := open[last]
		open = open[:last]
		if from.from > at || m[1] <= at {
			continue
		}
		if count--; count > 0 {
			continue
		}
		first, last := from.to, m[0]
		if around {
			first, last = from.from, m[1]
		}
		return textRange{from: posAt(all, first), to: posAt(all, last), empty: first == last}, true
	}
	return textRange{}, false
}

// posAt returns the position of an offset in the whole text.
func posAt(text string, offset int) Pos {
	before := text[:offset]
	return Pos{strings.Count(before, "\n"), offset - 1 - strings.LastIndexByte(before, '\n')}
}
