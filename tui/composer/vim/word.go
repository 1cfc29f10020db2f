package vim

// wordForward is where w and W go. For an operator, the last of count words does
// not lead beyond the end of its line. It reports false if there is nothing to go to.
func (e *Editor) wordForward(p Pos, count int, big, operator bool) (Pos, bool) {
	for ; count > 0; count-- {
		stays := operator && count == 1 // at the end of the line
		kind, onLast := e.class(p, big), p.Row == e.lastRow()
		q, moved := e.next(p)
		crossed := !moved || e.atEnd(q) || q.Row != p.Row
		if crossed && onLast {
			return q, false
		}
		p = q
		if crossed && stays {
			return p, true
		}
		for kind != blank && e.class(p, big) == kind {
			if q, moved = e.next(p); !moved {
				return p, true
			}
			p = q
			if stays && e.atEnd(p) {
				return p, true
			}
		}
		for e.class(p, big) == blank && !e.emptyLine(p.Row) {
			if q, moved = e.next(p); !moved {
				return p, true
			}
			p = q
		}
	}
	return p, true
}

// wordBack is where b and B go.
func (e *Editor) wordBack(p Pos, count int, big bool) (Pos, bool) {
	for ; count > 0; count-- {
		q, moved := e.previous(p)
		if !moved {
			return p, false
		}
		p = q
		for e.class(p, big) == blank && !e.emptyLine(p.Row) {
			if q, moved = e.previous(p); !moved {
				return p, true
			}
			p = q
		}
		if e.emptyLine(p.Row) {
			continue
		}
		p = e.runStart(p, big)
	}
	return p, true
}

// runStart is where the characters of one class that p is among begin on its line.
func (e *Editor) runStart(p Pos, big bool) Pos {
	kind := e.class(p, big)
	for p.Col > 0 {
		q, _ := e.previous(p)
		if e.class(q, big) != kind {
			break
		}
		p = q
	}
	return p
}

// runEnd is the place behind the characters of one class that p is among.
func (e *Editor) runEnd(p Pos, big bool) Pos {
	kind := e.class(p, big)
	for !e.atEnd(p) && e.class(p, big) == kind {
		p, _ = e.next(p)
	}
	return p
}

// wordEnd is where e and E go: the last character of a word. With stay, as cw has
// it, the first one may be where p is.
func (e *Editor) wordEnd(p Pos, count int, big, stay bool) (Pos, bool) {
	for ; count > 0; count-- {
		kind := e.class(p, big)
		q, moved := e.next(p)
		if !moved {
			return p, false
		}
		switch {
		case kind != blank && e.class(q, big) == kind:
			p = q
		case kind != blank && stay:
			stay = false
			continue
		default:
			for e.class(q, big) == blank {
				if q, moved = e.next(q); !moved {
					return q, false
				}
			}
			p = q
		}
		stay = false
		p, _ = e.previous(e.runEnd(p, big))
	}
	return p, true
}

// wordEndBack is where ge and gE go.
func (e *Editor) wordEndBack(p Pos, count int, big bool) (Pos, bool) {
	for ; count > 0; count-- {
		kind := e.class(p, big)
		q, moved := e.previous(p)
		if !moved {
			return p, false
		}
		p = q
		for kind != blank && e.class(p, big) == kind {
			if q, moved = e.previous(p); !moved {
				return p, true
			}
			p = q
		}
		for e.class(p, big) == blank && !e.emptyLine(p.Row) {
			if q, moved = e.previous(p); !moved {
				return p, true
			}
			p = q
		}
	}
	return p, true
}
