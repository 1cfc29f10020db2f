package dialog

import (
	"cmp"
	"slices"
	"strings"

	"github.com/sahilm/fuzzy"

	"parley/internal/termtext"
)

// rows are the items of a list as they stand below each other: all of them
// under the headings of their groups, or those that a filter leaves, best first.
type rows struct {
	items []Item
	// titles and details are what is searched, the details in small letters; made when
	// it is first needed.
	titles, details []string
	shown           []row

	// last is the last filter and found what it fits: a filter that begins with it is
	// only tried on those.
	last  string
	found []int
}

// row is an item, or, with item -1, the heading of a group.
type row struct {
	item    int
	heading string
	// hits are the positions of the bytes in the item's title that the filter
	// found.
	hits []int
}

func newRows(items []Item) rows {
	r := rows{items: items}
	r.all()
	return r
}

// all shows every item. A group has one heading wherever its items follow each
// other.
func (r *rows) all() {
	r.shown = make([]row, 0, len(r.items))
	group := ""
	for i := range r.items {
		if g := r.items[i].Group; g != group {
			group = g
			if g != "" {
				r.shown = append(r.shown, row{item: -1, heading: termtext.Line(g)})
			}
		}
		r.shown = append(r.shown, row{item: i})
	}
}

// maxHay bounds how much of an item is searched, in bytes.
const maxHay = 200

// filter shows the items that a filter fits: first those whose title has its letters, in
// that order, then those that have its words, wherever. Letters that are scattered over
// all that is told of an item say nothing.
func (r *rows) filter(text string) {
	pattern := strings.ReplaceAll(text, " ", "")
	if pattern == "" {
		r.last, r.found = "", nil
		r.all()
		return
	}
	if r.titles == nil {
		r.titles, r.details = make([]string, len(r.items)), make([]string, len(r.items))
		for i, it := range r.items {
			r.titles[i] = bounded(termtext.Line(clip(it.Title)))
			r.details[i] = strings.ToLower(bounded(r.titles[i] + " " + termtext.Line(clip(it.Group)) + " " + termtext.Line(clip(it.Detail))))
		}
	}
	var in []int
	if r.last != "" && strings.HasPrefix(text, r.last) {
		in = r.found // a longer filter fits no more than the shorter one did
	} else {
		in = make([]int, len(r.items))
		for i := range in {
			in[i] = i
		}
	}
	r.last, r.found, r.shown = text, nil, nil
	words := strings.Fields(strings.ToLower(text))
	for _, i := range r.match(pattern, words, in) {
		if r.items[i].Found || containsAll(r.details[i], words) {
			r.show(row{item: i})
		}
	}
}

func containsAll(text string, words []string) bool {
	return !slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(text, word) })
}

// match shows those of the items whose title a pattern fits, best first, and returns
// the others. A title that has the words themselves is better than one that has only their
// letters: "theme" is not in "copy the message".
func (r *rows) match(pattern string, words []string, in []int) (rest []int) {
	matches := fuzzy.FindFromNoSort(pattern, candidates{r.titles, in})
	fits, scattered := make([]bool, len(in)), make([]int, len(in))
	for _, m := range matches {
		if !containsAll(strings.ToLower(m.Str), words) {
			scattered[m.Index] = 1
		}
	}
	slices.SortFunc(matches, func(a, b fuzzy.Match) int {
		return cmp.Or(cmp.Compare(scattered[a.Index], scattered[b.Index]), cmp.Compare(b.Score, a.Score), cmp.Compare(a.Index, b.Index))
	})
	for _, m := range matches {
		fits[m.Index] = true
		r.show(row{item: in[m.Index], hits: m.MatchedIndexes})
	}
	for i, item := range in {
		if !fits[i] {
			rest = append(rest, item)
		}
	}
	return rest
}

// show adds an item that a filter fits.
func (r *rows) show(hit row) {
	r.shown = append(r.shown, hit)
	r.found = append(r.found, hit.item)
}

func bounded(s string) string {
	if len(s) > maxHay {
		s = strings.ToValidUTF8(s[:maxHay], "")
	}
	return s
}

// candidates are the texts that are searched.
type candidates struct {
	texts []string
	in    []int
}

func (c candidates) Len() int            { return len(c.in) }
func (c candidates) String(i int) string { return c.texts[c.in[i]] }

// next is the nearest row from one (exclusive) in a direction that can be
// marked, -1 if there is none.
func (r *rows) next(from, dir int) int {
	for i := from + dir; i >= 0 && i < len(r.shown); i += dir {
		if at := r.shown[i].item; at >= 0 && !r.items[at].Disabled {
			return i
		}
	}
	return -1
}
