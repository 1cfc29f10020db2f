package dialog

import "slices"

// vital is content without which a person cannot know what they are asked: its
// beginning and its end must have been seen before the question takes an answer.
type vital struct{ content }

// vitalLines are the first and the last line of each vital part of a content that
// begins on line at.
func vitalLines(c content, p paper, at int) []int {
	var lines []int
	switch c := c.(type) {
	case column:
		for _, part := range c {
			lines = append(lines, vitalLines(part, p, at)...)
			at += part.height(p)
		}
	case vital:
		if n := c.height(p); n > 0 {
			lines = append(lines, at, at+n-1)
		}
	}
	return lines
}

// viewed keeps track of what a person has had before their eyes of a question, at
// once or one after the other: the vital lines of what is asked, and the first line
// of every answer. It begins anew whenever the panel gets another size.
type viewed struct {
	width, height int

	lines   []int // the vital lines of the body
	seen    []bool
	head    bool
	answers []bool
	unseen  int // how many answers were not seen yet
}

// complete reports whether there is nothing left to see.
func (s *viewed) complete() bool {
	return s.width > 0 && s.height > 0 && s.head && s.unseen == 0 && !slices.Contains(s.seen, false)
}

// resize says how large the panel is drawn.
func (s *viewed) resize(width, height int) {
	if s.width != width || s.height != height {
		*s = viewed{width: width, height: height}
	}
}

// body notes that the lines from to to of the body were drawn, of which the vital
// ones are given.
func (s *viewed) body(vital []int, from, to int) {
	if s.seen == nil || !slices.Equal(s.lines, vital) {
		s.lines, s.seen = vital, make([]bool, len(vital))
	}
	for i, line := range vital {
		s.seen[i] = s.seen[i] || line >= from && line < to
	}
}

// replies notes that the lines from to to of the replies were drawn.
func (s *viewed) replies(a *replies, from, to int) {
	if len(s.answers) != len(a.list) {
		s.answers, s.unseen = make([]bool, len(a.list)), len(a.list)
	}
	starts := a.laid.starts
	for i := max(0, a.at(from)); i < len(a.list) && starts[i] < to; i++ {
		if starts[i] >= from && !s.answers[i] {
			s.answers[i] = true
			s.unseen--
		}
	}
}

// note notes what a panel shows.
func (s *viewed) note(p *panel, a *replies, place placement, width int) {
	if s.width <= 0 || s.height <= 0 {
		return
	}
	s.head = s.head || place.head == len(p.head)
	if p.body != nil {
		from := 0
		if p.scroll != nil {
			from = p.scroll.Top
		}
		s.body(vitalLines(p.body, paper{width, p.th}, 0), from, from+place.shown)
	}
	if a != nil && p.foot != nil {
		s.replies(a, place.footFrom, place.footTo)
	}
}
