package list

import (
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"parley/internal/termtext"
)

// Query is what a user looks for in texts. It is found in any case, unless it has a
// capital letter itself.
type Query struct {
	text string // in lower case if fold
	fold bool
}

// NewQuery makes a query of what was typed.
func NewQuery(text string) Query {
	text = strings.Join(strings.Fields(text), " ")
	return Query{text: text, fold: strings.ToLower(text) == text}
}

// String is what is looked for.
func (q Query) String() string { return q.text }

// Empty reports whether nothing is looked for.
func (q Query) Empty() bool { return q.text == "" }

// Next returns where the first match at or after from begins and ends, and whether there
// is one. What is searched is valid UTF-8, or its odd bytes match nothing.
func (q Query) Next(s string, from int) (start, end int, ok bool) {
	if q.text == "" {
		return 0, 0, false
	}
	if !q.fold {
		i := strings.Index(s[from:], q.text)
		return from + i, from + i + len(q.text), i >= 0
	}
	first, _ := utf8.DecodeRuneInString(q.text)
	for from < len(s) {
		i := indexFold(s[from:], first)
		if i < 0 {
			return 0, 0, false
		}
		from += i
		if n := q.prefix(s[from:]); n > 0 {
			return from, from + n, true
		}
		_, size := utf8.DecodeRuneInString(s[from:])
		from += size
	}
	return 0, 0, false
}

// indexFold returns where a letter is, in either case, -1 if it is nowhere.
func indexFold(s string, lower rune) int {
	if lower >= utf8.RuneSelf {
		return strings.IndexFunc(s, func(r rune) bool { return unicode.ToLower(r) == lower })
	}
	a := strings.IndexByte(s, byte(lower))
	upper := unicode.ToUpper(lower)
	if upper == lower {
		return a
	}
	if a >= 0 {
		s = s[:a] // a capital matters only before it
	}
	if b := strings.IndexByte(s, byte(upper)); b >= 0 {
		return b
	}
	return a
}

// prefix is how long the match at the beginning of s is, 0 if there is none.
func (q Query) prefix(s string) int {
	at := 0
	for _, want := range q.text {
		r, size := utf8.DecodeRuneInString(s[at:])
		if size == 0 || unicode.ToLower(r) != want {
			return 0
		}
		at += size
	}
	return at
}

// Count is how many matches there are, none overlapping another.
func (q Query) Count(s string) int {
	n := 0
	for at := 0; ; n++ {
		_, end, ok := q.Next(s, at)
		if !ok {
			return n
		}
		at = end
	}
}

// Mark is a part of a drawn line that belongs to a match.
type Mark struct {
	Line int
	termtext.Span
	// First is set for the first part of a match: one that is wrapped has several.
	First bool
}

// Marks finds the matches in drawn lines. A match may go on in the next line, where it was
// wrapped.
func (q Query) Marks(lines []string) []Mark {
	var all strings.Builder
	starts := make([]int, len(lines)) // of the lines in all
	leads := make([]int, len(lines))  // what is left out of each line's start
	for i, line := range lines {
		plain := ansi.Strip(line)
		text := strings.TrimLeft(plain, " │▌")
		leads[i] = len(plain) - len(text)
		if i > 0 {
			all.WriteByte(' ')
		}
		starts[i] = all.Len()
		all.WriteString(strings.TrimRight(text, " "))
	}
	var out []Mark
	text := all.String()
	for at := 0; ; {
		start, end, ok := q.Next(text, at)
		if !ok {
			return out
		}
		at = end
		i := sort.SearchInts(starts, start+1) - 1
		for first := true; i < len(lines) && starts[i] < end; i, first = i+1, false {
			lineEnd := len(text)
			if i+1 < len(lines) {
				lineEnd = starts[i+1] - 1
			}
			from, to := max(start, starts[i])-starts[i]+leads[i], min(end, lineEnd)-starts[i]+leads[i]
			if from < to {
				out = append(out, Mark{i, termtext.Span{From: from, To: to}, first})
			}
		}
	}
}

// Highlight draws marks in lines, which it does not change. look is the look of a mark.
func Highlight(lines []string, marks []Mark, look func(mark int, text string) string) []string {
	out := append([]string(nil), lines...)
	for i := 0; i < len(marks); {
		line, from := marks[i].Line, i
		var parts []termtext.Span
		for ; i < len(marks) && marks[i].Line == line; i++ {
			parts = append(parts, marks[i].Span)
		}
		out[line] = termtext.Restyle(out[line], parts, func(n int, text string) string { return look(from+n, text) })
	}
	return out
}
