package vim

// wordForward is w and W. With an operator, the last word ends with its line; cw is
// ce.
func (e *Editor) wordForward(c command) (Pos, bool) {
	at, big := e.text.Cursor(), c.name == "W"
	if c.operator == "c" && e.text.class(at, false) != blank {
		p, ok := e.text.endOfWord(at, c.times(), big, true)
		return e.text.after(p), ok || p != at
	}
	p := at
	for count := c.times(); count > 0; count-- {
		stays := c.operator != "" && count == 1 // at the end of the line
		kind, onLast := e.text.class(p, big), p.Row == e.text.lastRow()
		q, moved := e.text.next(p)
		crossed := !moved || e.text.atEnd(q) || q.Row != p.Row
		if crossed && onLast {
			return q, q != at
		}
		p = q
		if crossed && stays {
			return p, true
		}
		for kind != blank && e.text.class(p, big) == kind {
			if q, moved = e.text.next(p); !moved {
				return p, true
			}
			p = q
			if stays && e.text.atEnd(p) {
				return p, true
			}
		}
		for e.text.class(p, big) == blank && !e.text.emptyLine(p.Row) {
			if q, moved = e.text.next(p); !moved {
				return p, true
			}
			p = q
		}
	}
	return p, true
}

// wordBack is b and B.
func (e *Editor) wordBack(c command) (Pos, bool) {
	p, big := e.text.Cursor(), c.name == "B"
	for range c.times() {
		q, moved := e.text.previous(p)
		if !moved {
			return p, false
		}
		p = q
		for e.text.class(p, big) == blank && !e.text.emptyLine(p.Row) {
			if q, moved = e.text.previous(p); !moved {
				return p, true
			}
			p = q
		}
		if e.text.emptyLine(p.Row) {
			continue
		}
		p = e.text.runStart(p, big)
	}
	return p, true
}

// runStart returns the start of the run of one class around p, on its line.
func (d document) runStart(p Pos, big bool) Pos {
	kind := d.class(p, big)
	for p.Col > 0 {
		q, _ := d.previous(p)
		if d.class(q, big) != kind {
			break
		}
		p = q
	}
	return p
}

// runEnd returns the end of the run of one class around p, on its line.
func (d document) runEnd(p Pos, big bool) Pos {
	kind := d.class(p, big)
	for !d.atEnd(p) && d.class(p, big) == kind {
		p, _ = d.next(p)
	}
	return p
}

// wordEnd is e and E.
func (e *Editor) wordEnd(c command) (Pos, bool) {
	at := e.text.Cursor()
	p, ok := e.text.endOfWord(at, c.times(), c.name == "E", false)
	return p, ok || p != at
}

// endOfWord returns the last character of the count-th word. With stay, as for cw, a
// word that ends at p counts.
func (d document) endOfWord(p Pos, count int, big, stay bool) (Pos, bool) {
	for ; count > 0; count-- {
		kind := d.class(p, big)
		q, moved := d.next(p)
		if !moved {
			return p, false
		}
		switch {
		case kind != blank && d.class(q, big) == kind:
			p = q
		case kind != blank && stay:
			stay = false
			continue
		default:
			for d.class(q, big) == blank {
				if q, moved = d.next(q); !moved {
					return q, false
				}
			}
			p = q
		}
		stay = false
		p, _ = d.previous(d.runEnd(p, big))
	}
	return p, true
}

// wordEndBack is ge and gE.
func (e *Editor) wordEndBack(c command) (Pos, bool) {
	p, big := e.text.Cursor(), c.name == "gE"
	for range c.times() {
		kind := e.text.class(p, big)
		q, moved := e.text.previous(p)
		if !moved {
			return p, false
		}
		p = q
		for kind != blank && e.text.class(p, big) == kind {
			if q, moved = e.text.previous(p); !moved {
				return p, true
			}
			p = q
		}
		for e.text.class(p, big) == blank && !e.text.emptyLine(p.Row) {
			if q, moved = e.text.previous(p); !moved {
				return p, true
			}
			p = q
		}
	}
	return p, true
}
