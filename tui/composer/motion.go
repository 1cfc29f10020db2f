package composer

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"parley/internal/prompt"
	"parley/tui/composer/vim"
)

// left and right return the positions beside p, across line ends.
func (b *buffer) left(p vim.Pos) vim.Pos {
	if p.Col > 0 {
		return pos(p.Row, b.chips.previous(b.lines[p.Row].text, p.Col))
	}
	if p.Row > 0 {
		return pos(p.Row-1, len(b.lines[p.Row-1].text))
	}
	return p
}

func (b *buffer) right(p vim.Pos) vim.Pos {
	if s := b.lines[p.Row].text; p.Col < len(s) {
		n, _ := b.chips.next(s, p.Col)
		return pos(p.Row, p.Col+n)
	}
	if p.Row+1 < len(b.lines) {
		return pos(p.Row+1, 0)
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
func (b *buffer) wordLeft(p vim.Pos) vim.Pos {
	return b.back(p, func(s string, i int) bool { return inWord(s, i) })
}

func (b *buffer) wordRight(p vim.Pos) vim.Pos {
	for seen := false; ; {
		q := b.right(p)
		in := q != p && q.Row == p.Row && inWord(b.lines[p.Row].text, p.Col)
		if q == p || seen && !in {
			return p
		}
		seen = seen || in
		p = q
	}
}

// spaceLeft returns the beginning of the word before p, where only spaces end words.
func (b *buffer) spaceLeft(p vim.Pos) vim.Pos {
	return b.back(p, func(s string, i int) bool { return i < len(s) && !isSpace(s[i:i+1]) })
}

func (b *buffer) back(p vim.Pos, in func(s string, i int) bool) vim.Pos {
	for seen := false; ; {
		q := b.left(p)
		hit := q != p && in(b.lines[q.Row].text, q.Col)
		if q == p || seen && !hit {
			return p
		}
		seen = seen || hit
		p = q
	}
}

func (b *buffer) lineStart() vim.Pos { return pos(b.cur.Row, 0) }
func (b *buffer) lineEnd() vim.Pos   { return pos(b.cur.Row, len(b.lines[b.cur.Row].text)) }

// Move moves the cursor.
func (b *buffer) Move(p vim.Pos) { b.cur, b.goal = b.snapped(p), -1 }

// cut deletes and returns the text between the cursor and p.
func (b *buffer) cut(p vim.Pos) string {
	from, to := b.cur, p
	if to.Before(from) {
		from, to = to, from
	}
	text := b.slice(from, to)
	b.Replace(from, to, "")
	return text
}

// swap exchanges the units around the cursor, as readline's transpose-chars.
func (b *buffer) swap() {
	mid := b.cur
	if mid == b.lineEnd() {
		mid = b.left(mid)
	}
	if mid.Col == 0 || mid.Row != b.cur.Row {
		return
	}
	from, to := b.left(mid), b.right(mid)
	b.Replace(from, to, b.slice(mid, to)+b.slice(from, mid))
}

// recase changes the case of the word after the cursor, or of the selection.
func (b *buffer) recase(change func(string) string) {
	from, to, selected := b.selection()
	if !selected {
		to = b.wordRight(from)
	}
	b.Replace(from, to, change(b.slice(from, to)))
}

func capitalize(s string) string {
	at := strings.IndexFunc(s, unicode.IsLetter)
	if at < 0 {
		return s
	}
	_, n := utf8.DecodeRuneInString(s[at:])
	return s[:at] + strings.ToUpper(s[at:at+n]) + strings.ToLower(s[at+n:])
}
