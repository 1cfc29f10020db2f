package composer

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"parley/internal/prompt"
)

// left and right return the positions beside p, across line ends.
func (b *buffer) left(p pos) pos {
	if p.col > 0 {
		return pos{p.row, b.chips.previous(b.lines[p.row].text, p.col)}
	}
	if p.row > 0 {
		return pos{p.row - 1, len(b.lines[p.row-1].text)}
	}
	return p
}

func (b *buffer) right(p pos) pos {
	if s := b.lines[p.row].text; p.col < len(s) {
		n, _ := b.chips.next(s, p.col)
		return pos{p.row, p.col + n}
	}
	if p.row+1 < len(b.lines) {
		return pos{p.row + 1, 0}
	}
	return p
}

// inWord reports whether the unit at an offset of a line belongs to a word of letters
// and digits. A chip is a word.
func inWord(s string, i int) bool {
	if i >= len(s) {
		return false
	}
	r, _ := utf8.DecodeRuneInString(s[i:])
	return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) || prompt.IsChip(r)
}

// wordLeft and wordRight are readline's word motions.
func (b *buffer) wordLeft(p pos) pos {
	return b.back(p, func(s string, i int) bool { return inWord(s, i) })
}

func (b *buffer) wordRight(p pos) pos {
	for seen := false; ; {
		q := b.right(p)
		in := q != p && q.row == p.row && inWord(b.lines[p.row].text, p.col)
		if q == p || seen && !in {
			return p
		}
		seen = seen || in
		p = q
	}
}

// spaceLeft returns the beginning of the word before p, where only spaces end words.
func (b *buffer) spaceLeft(p pos) pos {
	return b.back(p, func(s string, i int) bool { return i < len(s) && !isSpace(s[i:i+1]) })
}

func (b *buffer) back(p pos, in func(s string, i int) bool) pos {
	for seen := false; ; {
		q := b.left(p)
		hit := q != p && in(b.lines[q.row].text, q.col)
		if q == p || seen && !hit {
			return p
		}
		seen = seen || hit
		p = q
	}
}

func (b *buffer) lineStart() pos { return pos{b.cur.row, 0} }
func (b *buffer) lineEnd() pos   { return pos{b.cur.row, len(b.lines[b.cur.row].text)} }

// move moves the cursor.
func (b *buffer) move(p pos) { b.cur, b.goal = p, -1 }

// cut deletes and returns the text between the cursor and p.
func (b *buffer) cut(p pos) string {
	from, to := b.cur, p
	if to.before(from) {
		from, to = to, from
	}
	text := b.slice(from, to)
	b.replace(from, to, "")
	return text
}

// swap exchanges the units around the cursor, as readline's transpose-chars.
func (b *buffer) swap() {
	mid := b.cur
	if mid == b.lineEnd() {
		mid = b.left(mid)
	}
	if mid.col == 0 || mid.row != b.cur.row {
		return
	}
	from, to := b.left(mid), b.right(mid)
	b.replace(from, to, b.slice(mid, to)+b.slice(from, mid))
}

// recase changes the case of the word after the cursor, or of the selection.
func (b *buffer) recase(change func(string) string) {
	from, to, selected := b.selection()
	if !selected {
		to = b.wordRight(from)
	}
	b.replace(from, to, change(b.slice(from, to)))
}

func capitalize(s string) string {
	at := strings.IndexFunc(s, unicode.IsLetter)
	if at < 0 {
		return s
	}
	_, n := utf8.DecodeRuneInString(s[at:])
	return s[:at] + strings.ToUpper(s[at:at+n]) + strings.ToLower(s[at+n:])
}
