package dialog

// vital is content that a person must see to know what they are asked. Its first and last
// line must be seen before the question takes an answer.
type vital struct{ content }

// firstChange is the line of a content on which the first change of a file begins; 0 if
// there is none, or something vital above it.
func firstChange(c content, p renderContext) int {
	line, _ := findChange(c, p)
	return max(0, line)
}

// findChange is firstChange for a part of a question, -1 if it has no change; on says
// that a change may still follow.
func findChange(c content, p renderContext) (line int, on bool) {
	switch c := c.(type) {
	case vital:
		return -1, false
	case *change:
		return c.head.height(p) + c.diff.firstChange(p), false
	case column:
		at := 0
		for _, part := range c {
			line, on := findChange(part, p)
			if line >= 0 {
				return at + line, false
			}
			if !on {
				return -1, false
			}
			at += part.height(p)
		}
	}
	return -1, true
}

// changeAt is the change of a file that a line of a content belongs to, if the line is
// below its head; nil if there is none.
func changeAt(c content, p renderContext, line int) *change {
	switch c := c.(type) {
	case *change:
		if line > 0 {
			return c
		}
	case column:
		for _, part := range c {
			n := part.height(p)
			if line < n {
				return changeAt(part, p, line)
			}
			line -= n
		}
	}
	return nil
}

// viewed tracks which parts of a question the person has seen: the vital lines, and the
// first line of every answer. It restarts when the panel is resized.
type viewed struct {
	width, height int

	head, begun, ended bool
	answers            []bool
	unseen             int // how many answers were not seen yet
}

// complete reports whether everything was seen.
func (s *viewed) complete() bool {
	return s.width > 0 && s.height > 0 && s.head && s.begun && s.ended && s.unseen == 0
}

// resize sets the panel's size. It reports whether everything must be seen again, because
// the panel has another width or has become lower.
func (s *viewed) resize(width, height int) bool {
	reset := s.width != width || s.height > height
	if reset {
		*s = viewed{width: width}
	}
	s.height = height
	return reset
}

// body notes that the body's lines from to to were drawn.
func (s *viewed) body(begin, end, from, to int) {
	s.begun = s.begun || end == 0 || from <= begin && begin < to
	s.ended = s.ended || from < to && end <= to || end == 0
}

// replies notes that the replies' lines from to to were drawn.
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
	if p.body == nil {
		s.body(0, 0, 0, 0)
	} else {
		from, asked := 0, p.body
		if p.scroll != nil {
			from = p.scroll.Top
		}
		if p.asked != nil {
			asked = p.asked
		}
		s.body(p.begin, asked.height(renderContext{width, p.th}), from, from+place.shown)
	}
	if a != nil && p.foot != nil {
		s.replies(a, place.footFrom, place.footTo)
	}
}
