package dialog

import (
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"

	"parley/internal/termtext"
)

// nameLines is the maximum number of lines for each of name and more of a reply that is
// not marked, so that a long name does not push the other replies out of view.
const nameLines = 2

// replyLayout holds the position of each reply. It is rebuilt only after a change, and
// only the visible replies are drawn, because there may be very many.
type replyLayout struct {
	on            termtext.Layout
	width         int
	marked, count int

	keys    int   // the width of the column of keys
	heights []int // of each reply while it is not marked
	starts  []int // the first line of each, and at the end the number of lines
}

// layout updates the layout.
func (a *replies) layout(width int) *replyLayout {
	l := &a.laid
	on := termtext.NewLayout(width)
	if l.starts != nil && l.on == on && l.count == len(a.list) {
		if l.marked != a.marked {
			l.marked = a.marked
			a.stack()
		}
		return l
	}
	*l = replyLayout{on: on, width: width, marked: a.marked, count: len(a.list)}
	for _, c := range a.list {
		l.keys = max(l.keys, termtext.Width(c.key()))
	}
	l.heights = make([]int, len(a.list))
	for i := range a.list {
		name, more := a.text(i, false)
		l.heights[i] = len(name) + len(more)
	}
	a.stack()
	return l
}

// stack computes the line at which each reply begins.
func (a *replies) stack() {
	l, line := &a.laid, 0
	l.starts = make([]int, len(a.list)+1)
	for i, n := range l.heights {
		l.starts[i] = line
		if i == l.marked {
			name, more := a.text(i, true)
			n = len(name) + len(more)
		}
		line += n
	}
	l.starts[len(a.list)] = line
}

// indent returns the width in front of the name of a reply.
func (a *replies) indent(c reply) int {
	n := len("❯ 1  ") - len("❯") + 1
	if a.laid.keys > 0 {
		n += a.laid.keys + 2
	}
	if c.icon != "" {
		n += termtext.Width(c.icon) + 1
	}
	return n
}

// text returns the lines of a reply, its name and more, shortened unless the reply is
// marked. more follows the name on one line if there is room.
func (a *replies) text(i int, whole bool) (name, more []string) {
	c := a.list[i]
	room := max(leastName, a.laid.width-a.indent(c))
	most := 0
	if !whole {
		most = nameLines
	}
	name = someLines(c.name, room, most)
	if c.more == "" {
		return name, nil
	}
	more = someLines(c.more, room, most)
	if last := name[len(name)-1]; len(more) == 1 && termtext.Width(last)+termtext.Width(more[0])+2 <= room {
		return name, nil
	}
	return name, more
}

// someLines wraps safe text into at most most lines, or all lines if most is 0. The last
// line shows whether text is missing.
func someLines(s string, width, most int) []string {
	if most == 0 {
		return exact(s, width)
	}
	cutOff := false
	if enough := 32 * width * most; len(s) > enough { // whatever the characters are
		for !utf8.RuneStart(s[enough]) {
			enough--
		}
		s, cutOff = s[:enough], true
	}
	lines := exact(s, width)
	if len(lines) > most {
		lines, cutOff = lines[:most], true
	}
	if last := len(lines) - 1; cutOff {
		lines[last] = cut(lines[last]+strings.Repeat(" ", width), max(1, width-1)) + "…"
		lines[last] = strings.TrimRight(strings.TrimSuffix(lines[last], "……"), " …") + "…"
	}
	return lines
}

// replyList is content that draws replies.
type replyList struct {
	*replies
	inert bool
}

func (a replyList) height(p renderContext) int {
	l := a.layout(p.width)
	return l.starts[len(a.list)]
}

func (a replyList) lines(p renderContext, from, to int) []string {
	l := a.layout(p.width)
	var out []string
	first := a.at(from)
	for i := first; i < len(a.list) && l.starts[i] < to; i++ {
		out = append(out, a.draw(i, p)...)
	}
	out = out[from-l.starts[first]:]
	return out[:min(len(out), to-from)]
}

// draw draws a reply.
func (a replyList) draw(i int, p renderContext) []string {
	c, th := a.list[i], p.th
	l := looks(th, c.tone, i == a.marked, a.inert || c.off)
	if c.warns && !a.inert && !c.off {
		l.more = th.Warning
	}
	number, pointer := " ", " "
	if i < 9 {
		number = strconv.Itoa(i + 1)
	}
	if i == a.marked {
		pointer = "❯"
	}
	lead := l.pointer.Render(pointer) + " " + l.number.Render(number) + "  "
	if a.laid.keys > 0 {
		lead += l.key.Render(pad(c.key(), a.laid.keys)) + "  "
	}
	if c.icon != "" {
		lead += l.icon.Render(c.icon) + " "
	}
	lead = cut(lead, max(0, p.width-leastName))
	name, more := a.text(i, i == a.marked)
	lines := append(styled(name, l.name), styled(more, l.more)...)
	if c.more != "" && more == nil {
		lines[len(lines)-1] += "  " + l.more.Render(c.more)
	}
	for j := range lines {
		if j == 1 {
			lead = strings.Repeat(" ", termtext.Width(lead))
		}
		lines[j] = lead + lines[j]
	}
	return lines
}

// markedAt returns the line on which the marked reply begins, 0 if none is marked.
func (a *replies) markedAt(width int) int {
	if a.marked < 0 {
		return 0
	}
	return a.layout(width).starts[a.marked]
}

// drawn reports whether the last view drew these replies; they may have changed since.
func (a *replies) drawn() bool { return a.laid.starts != nil && a.laid.count == len(a.list) }

// at returns the position of the reply on a line of the last layout.
func (a *replies) at(line int) int {
	return sort.Search(len(a.list), func(i int) bool { return a.laid.starts[i] > line }) - 1
}
