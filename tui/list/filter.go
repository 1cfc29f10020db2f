package list

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"github.com/sahilm/fuzzy"

	"parley/internal/termtext"
)

// Filter finds the rows of a list that typed words fit, best first.
type Filter struct {
	rows int
	text func(row int) (title, about string)
	// Name, if set, is what a row is called elsewhere: a row whose whole name is typed
	// comes first.
	Name func(row int) string
	// titles and abouts are what is searched, the latter in lower case with the
	// title before them. They are made by the first search.
	titles, abouts []string

	// last are the words of the last search, and found the rows that they fit: longer
	// words are tried only on these.
	last  string
	found []int
}

// Hit is a row that words fit.
type Hit struct {
	Row int
	// Letters are the positions of the bytes of the title that the words match.
	Letters []int
}

// NewFilter makes a filter for a number of rows. text is the title of a row and what else
// there is to say about it; both may come from outside.
func NewFilter(rows int, text func(row int) (title, about string)) *Filter {
	return &Filter{rows: rows, text: text}
}

// searched bounds how much of a row is searched, in bytes.
const searched = 200

// Find returns the rows that words fit: first those whose title has the words, then those
// whose title they abbreviate, then those that have the words anywhere, or that fit
// whatever the words are.
func (f *Filter) Find(words string, fits func(row int) bool) []Hit {
	if f.titles == nil {
		f.titles, f.abouts = make([]string, f.rows), make([]string, f.rows)
		for i := range f.rows {
			title, about := f.text(i)
			f.titles[i] = termtext.Head(termtext.Line(Clip(title)), searched, "")
			f.abouts[i] = strings.ToLower(termtext.Head(f.titles[i]+" "+termtext.Line(Clip(about)), 2*searched, ""))
		}
	}
	var in []int
	if f.last != "" && strings.HasPrefix(words, f.last) {
		in = f.found
	} else {
		in = make([]int, f.rows)
		for i := range in {
			in[i] = i
		}
	}
	each := strings.Fields(strings.ToLower(words))
	hits, rest := f.titled(words, each, in)
	for _, row := range rest {
		if containsAll(f.abouts[row], each) || fits != nil && fits(row) {
			hits = append(hits, Hit{Row: row})
		}
	}
	if f.Name != nil {
		typed := strings.Join(each, " ")
		named := func(h Hit) bool { return typed != "" && strings.EqualFold(f.Name(h.Row), typed) }
		first := slices.DeleteFunc(slices.Clone(hits), func(h Hit) bool { return !named(h) })
		hits = append(first, slices.DeleteFunc(hits, named)...)
	}
	f.last, f.found = words, make([]int, len(hits))
	for i, h := range hits {
		f.found[i] = h.Row
	}
	return hits
}

// titled returns those of the rows whose title has the words or is abbreviated by them,
// best first, and the other rows.
func (f *Filter) titled(words string, each []string, in []int) (hits []Hit, rest []int) {
	pattern := strings.ReplaceAll(words, " ", "")
	matches := fuzzy.FindFromNoSort(pattern, Subset{f.titles, in})
	scattered := make([]int, len(in))
	matches = slices.DeleteFunc(matches, func(m fuzzy.Match) bool {
		if containsAll(strings.ToLower(m.Str), each) {
			return false
		}
		scattered[m.Index] = 1
		return !abbreviates(strings.ToLower(pattern), strings.ToLower(m.Str))
	})
	titled := make([]bool, len(in))
	slices.SortFunc(matches, func(a, b fuzzy.Match) int {
		return cmp.Or(cmp.Compare(scattered[a.Index], scattered[b.Index]), cmp.Compare(b.Score, a.Score), cmp.Compare(a.Index, b.Index))
	})
	for _, m := range matches {
		titled[m.Index] = true
		hits = append(hits, Hit{in[m.Index], m.MatchedIndexes})
	}
	for i, row := range in {
		if !titled[i] {
			rest = append(rest, row)
		}
	}
	return hits, rest
}

// abbreviates reports whether letters are an abbreviation of a title: the beginnings of
// consecutive words, as "nt" is of "next tab", or letters close together in one word that
// begin it, as "cmt" is of "commit". Both are in lower case.
func abbreviates(letters, title string) bool {
	other := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }
	words, letters := strings.FieldsFunc(title, other), strings.Join(strings.FieldsFunc(letters, other), "")
	within := func(word string) bool { return within(letters, word) }
	return letters != "" && (beginnings(letters, words) || slices.ContainsFunc(words, within))
}

// beginnings reports whether letters consist of the beginnings of consecutive words.
func beginnings(letters string, words []string) bool {
	reached := make([]bool, len(letters)+1) // by beginnings of the words up to the last one
	for _, word := range words {
		reached[0] = true
		next := make([]bool, len(reached))
		for from := range letters {
			if reached[from] {
				for n := commonPrefix(letters[from:], word); n > 0; n-- {
					next[from+n] = true
				}
			}
		}
		if reached = next; reached[len(letters)] {
			return true
		}
	}
	return false
}

// commonPrefix returns the length of what a and b begin with, in bytes.
func commonPrefix(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// within reports whether a word has the letters in order, close together, the first at its
// beginning.
func within(letters, word string) bool {
	if word[0] != letters[0] {
		return false
	}
	at := 0
	for i := range len(letters) {
		next := strings.IndexByte(word[at:], letters[i])
		if next < 0 {
			return false
		}
		at += next + 1
	}
	return at <= 2*len(letters)+1
}

func containsAll(text string, words []string) bool {
	return !slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(text, word) })
}

// Subset is some of the texts, as the fuzzy matcher wants them.
type Subset struct {
	Texts []string
	Rows  []int
}

// Len implements [fuzzy.Source].
func (s Subset) Len() int { return len(s.Rows) }

// String implements [fuzzy.Source].
func (s Subset) String(i int) string { return s.Texts[s.Rows[i]] }

// Clip bounds a text of which only a part is drawn.
func Clip(s string) string {
	const most = 4 << 10
	return termtext.Head(s, most, "…")
}
