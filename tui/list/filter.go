package list

import (
	"cmp"
	"slices"
	"strings"

	"github.com/sahilm/fuzzy"

	"parley/internal/termtext"
)

// Filter finds the rows of a list that typed words fit, best first.
type Filter struct {
	rows int
	text func(row int) (title, about string)
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

// Find returns the rows that words fit: first those whose title has their letters in that
// order, then those that have the words anywhere, or that fit whatever the words are.
// Letters scattered over more than a title say nothing.
func (f *Filter) Find(words string, fits func(row int) bool) []Hit {
	if f.titles == nil {
		f.titles, f.abouts = make([]string, f.rows), make([]string, f.rows)
		for i := range f.rows {
			title, about := f.text(i)
			f.titles[i] = bound(termtext.Line(Clip(title)), searched)
			f.abouts[i] = strings.ToLower(bound(f.titles[i]+" "+termtext.Line(Clip(about)), searched))
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
	f.last, f.found = words, make([]int, len(hits))
	for i, h := range hits {
		f.found[i] = h.Row
	}
	return hits
}

// titled are those of the rows whose title words fit, best first, and the others. A title
// that has the words themselves comes before one that has only their letters: "theme" is
// not in "copy the message".
func (f *Filter) titled(words string, each []string, in []int) (hits []Hit, rest []int) {
	matches := fuzzy.FindFromNoSort(strings.ReplaceAll(words, " ", ""), subset{f.titles, in})
	titled, scattered := make([]bool, len(in)), make([]int, len(in))
	for _, m := range matches {
		titled[m.Index] = true
		if !containsAll(strings.ToLower(m.Str), each) {
			scattered[m.Index] = 1
		}
	}
	slices.SortFunc(matches, func(a, b fuzzy.Match) int {
		return cmp.Or(cmp.Compare(scattered[a.Index], scattered[b.Index]), cmp.Compare(b.Score, a.Score), cmp.Compare(a.Index, b.Index))
	})
	for _, m := range matches {
		hits = append(hits, Hit{in[m.Index], m.MatchedIndexes})
	}
	for i, row := range in {
		if !titled[i] {
			rest = append(rest, row)
		}
	}
	return hits, rest
}

func containsAll(text string, words []string) bool {
	return !slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(text, word) })
}

// subset is some of the texts, as the fuzzy matcher wants them.
type subset struct {
	texts []string
	rows  []int
}

func (s subset) Len() int            { return len(s.rows) }
func (s subset) String(i int) string { return s.texts[s.rows[i]] }

// Clip bounds a text of which only a part is drawn.
func Clip(s string) string {
	const most = 4 << 10
	if len(s) > most {
		return bound(s, most) + "…"
	}
	return s
}

func bound(s string, most int) string {
	if len(s) > most {
		return strings.ToValidUTF8(s[:most], "")
	}
	return s
}
