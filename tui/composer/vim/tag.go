package vim

import (
	"regexp"
	"strings"
)

// tag is one tag of HTML or XML. Those that close themselves are none.
var tag = regexp.MustCompile(`<(/?)([A-Za-z][^\s>/]*)(?:[^<>]*[^<>/])?>`)

// openTag is a tag that is not closed yet: its offsets and name.
type openTag struct {
	from, to int
	name     string
}

// tagged is what is between two tags of one name around p, or with the tags.
func (e *Editor) tagged(p Pos, count int, around bool) (span, bool) {
	all := e.slice(Pos{}, e.end(e.lastRow()))
	at := len(e.slice(Pos{}, p))
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
		if around {
			return e.between(all, from.from, m[1]), true
		}
		return e.between(all, from.to, m[0]), true
	}
	return span{}, false
}

// between is a span by the offsets of its ends in the whole text.
func (e *Editor) between(all string, from, to int) span {
	return span{from: place(all, from), to: place(all, to), empty: from == to}
}

func place(all string, at int) Pos {
	return Pos{strings.Count(all[:at], "\n"), at - 1 - strings.LastIndexByte(all[:at], '\n')}
}
