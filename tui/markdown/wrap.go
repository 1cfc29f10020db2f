package markdown

import (
	"parley/internal/termtext"
)

// span is a run of text of one style. Its text is safe to draw.
type span struct {
	text string
	ink  *ink
	link string // target of an OSC 8 link, or empty
	code bool   // keep all spaces
}

func (s span) sameLook(t span) bool { return s.ink == t.ink && s.link == t.link && s.code == t.code }

// atom is a piece of a span without a line break, unless it is wider than a whole line.
type atom struct {
	span
	width int
	kind  atomKind
	glued bool // no line break before it
}

type atomKind uint8

const (
	wordAtom atomKind = iota
	spaceAtom
	breakAtom // an explicit line break
)

// row is the atoms of one line, and its width in cells.
type row struct {
	atoms []atom
	width int
}

// atomise splits spans where a line may break: at white space, and on both sides of a
// wide character. It keeps all spaces in code, and collapses them in prose. It appends
// to the given atoms.
func atomise(atoms []atom, spans []span) []atom {
	glued := false // the next atom continues a word
	for i := 0; i < len(spans); i++ {
		s := spans[i]
		for i+1 < len(spans) && spans[i+1].sameLook(s) && s.text != "\n" && spans[i+1].text != "\n" {
			i++
			s.text += spans[i].text
		}
		if s.text == "\n" {
			atoms = append(atoms, atom{kind: breakAtom})
			glued = false
			continue
		}
		for rest := s.text; rest != ""; {
			if n := termtext.Blanks(rest); n > 0 {
				s.text = rest[:1]
				if s.code {
					s.text = rest[:n]
				}
				if k := len(atoms); s.code || k == 0 || atoms[k-1].kind != spaceAtom {
					atoms = append(atoms, atom{span: s, width: len(s.text), kind: spaceAtom})
				}
				rest, glued = rest[n:], false
				continue
			}
			n, width, wide := termtext.CurrentMethod().Word(rest)
			s.text = rest[:n]
			atoms = append(atoms, atom{span: s, width: width, glued: glued && (!wide || termtext.ClosingPunctuation(s.text))})
			glued = !wide || termtext.ClosingPunctuation(rest[n:])
			rest = rest[n:]
		}
	}
	return atoms
}

// wrap fills lines of the given width with atoms. It drops spaces at a line's ends and
// cuts a word wider than a line between characters. The atoms of all rows are stored in
// all, as far as its capacity allows.
func wrap(all, atoms []atom, width int) []row {
	var rows []row
	start, used := 0, 0 // of the current row: its first atom, its cells
	add := func(a atom) {
		all = append(all, a)
		used += a.width
	}
	end := func() {
		k := len(all)
		for ; k > start && all[k-1].kind == spaceAtom; k-- {
			used -= all[k-1].width
		}
		rows = append(rows, row{all[start:k:k], used})
		start, used = len(all), 0
	}
	for i := 0; i < len(atoms); {
		switch atoms[i].kind {
		case breakAtom:
			end()
			i++
			continue
		case spaceAtom:
			if len(all) > start {
				add(atoms[i])
			}
			i++
			continue
		}
		n, w := i, 0
		for n < len(atoms) && (n == i || atoms[n].kind == wordAtom && atoms[n].glued) {
			w += atoms[n].width
			n++
		}
		if used+w > width && len(all) > start {
			end()
		}
		for ; i < n; i++ {
			a := atoms[i]
			// A long word that just fills the line gives its last character to the next one,
			// if punctuation would begin that.
			spare := i+1 < n && a.width > 2 && termtext.ClosingPunctuation(atoms[i+1].text)
			for used+a.width > width || spare && used+a.width == width && a.width > 2 {
				head, tail := splitAtom(a, min(width-used, a.width-1), width)
				if head.width > 2 && termtext.ClosingPunctuation(tail.text) {
					head, tail = splitAtom(a, head.width-1, width)
				}
				if head.text != "" {
					add(head)
				}
				end()
				a = tail
			}
			if a.text != "" {
				add(a)
			}
		}
	}
	if len(all) > start {
		end()
	}
	return rows
}

// splitAtom cuts a so that head fits into the room left on a line of a width. Head is
// empty only if the line is not.
func splitAtom(a atom, room, width int) (head, tail atom) {
	n, w := termtext.Fit(a.text, room, width)
	head, tail = a, a
	head.text, head.width = a.text[:n], w
	tail.text, tail.width = a.text[n:], a.width-w
	if a.width != len(a.text) { // the parts of a character may take more than the whole
		tail.width = termtext.Width(tail.text)
	}
	return head, tail
}

func (p *pen) row(r row) {
	for _, a := range r.atoms {
		p.write(a.text, a.ink, a.link)
	}
}
