package composer

import (
	"cmp"
	"slices"
	"strings"

	"github.com/sahilm/fuzzy"
)

// offered bounds the matches that are offered.
const offered = 50

// fileIndex is the paths of a project, prepared for matching. It is immutable.
type fileIndex struct {
	paths []string // directories end in a slash
	lower []string
	base  []int    // where the last name begins
	has   []uint64 // see letters
}

// newFileIndex returns an index of sorted files, and of their directories, each before
// its contents.
func newFileIndex(files []string) *fileIndex {
	x := &fileIndex{}
	dirs := map[string]bool{}
	var addDir func(string)
	addDir = func(dir string) {
		if dir == "" || dirs[dir] {
			return
		}
		dirs[dir] = true
		addDir(parent(dir))
		x.add(dir)
	}
	for _, p := range files {
		addDir(parent(p))
		x.add(p)
	}
	return x
}

// parent returns the directory of a path, with its slash; "" is the root.
func parent(p string) string {
	return p[:strings.LastIndexByte(strings.TrimSuffix(p, "/"), '/')+1]
}

func (x *fileIndex) add(p string) {
	lower := strings.ToLower(p)
	if len(lower) != len(p) {
		lower = p // so that offsets fit both
	}
	x.paths = append(x.paths, p)
	x.lower = append(x.lower, lower)
	x.base = append(x.base, len(parent(p)))
	x.has = append(x.has, letters(lower))
}

// letters returns the set of bytes in s, as bits: a path that lacks one of the query's
// cannot match.
func letters(s string) (set uint64) {
	for i := range len(s) {
		set |= 1 << (s[i] & 63)
	}
	return set
}

// How well a path matches, best first. Within a rank the shorter path is better (without
// a query, the one less deep); among scattered letters, the fuzzy score decides.
const (
	rankNamePrefix = iota
	rankPathPrefix
	rankName
	rankPath
	rankScattered
)

// scored bounds the paths with scattered letters that are scored, because scoring is
// expensive.
const scored = 2000

// match returns the paths that match a query best, best first, and how many match it at
// all; exact means that there are no more. It ignores case. It runs for every key, so
// most paths cost only a look at their bits.
func (x *fileIndex) match(query string) (list []string, found int, exact bool) {
	query = strings.ToLower(strings.TrimPrefix(query, "./"))
	want := letters(query)
	best := ranking{limit: offered}
	var scattered []int
	for i, p := range x.lower {
		if x.has[i]&want != want {
			continue
		}
		rank := rankOf(p, x.base[i], query)
		if rank < rankScattered {
			score := len(p)
			if query == "" {
				score = strings.Count(strings.TrimSuffix(p, "/"), "/")
			}
			best.add(fit{rank, score, i})
			found++
		} else if len(scattered) < scored && subsequence(p, query) {
			scattered = append(scattered, i)
		}
	}
	if len(best.list) < offered {
		for _, m := range fuzzy.FindFromNoSort(query, subset{x.paths, scattered}) {
			best.add(fit{rankScattered, -m.Score, scattered[m.Index]})
		}
	}
	list = make([]string, len(best.list))
	for i, f := range best.list {
		list[i] = x.paths[f.path]
	}
	return list, found + len(scattered), len(scattered) < scored
}

// hitsIn returns where the letters of a query are in a matching path, in bytes.
func hitsIn(path, query string) []int {
	lower := strings.ToLower(path)
	query = strings.ToLower(strings.TrimPrefix(query, "./"))
	if query == "" || len(lower) != len(path) {
		return nil
	}
	base := len(parent(path))
	at := strings.Index(lower[base:], query) + base
	if at < base || strings.HasPrefix(lower, query) && at > base {
		at = strings.Index(lower, query)
	}
	if at >= 0 {
		hits := make([]int, len(query))
		for i := range hits {
			hits[i] = at + i
		}
		return hits
	}
	for _, m := range fuzzy.FindNoSort(query, []string{path}) {
		return m.MatchedIndexes
	}
	return nil
}

func rankOf(p string, base int, query string) int {
	inName := strings.Index(p[base:], query)
	switch {
	case inName == 0:
		return rankNamePrefix
	case strings.HasPrefix(p, query):
		return rankPathPrefix
	case inName > 0:
		return rankName
	case strings.Contains(p, query):
		return rankPath
	}
	return rankScattered
}

// subsequence reports whether the bytes of query are in p in order.
func subsequence(p, query string) bool {
	for i := range len(query) {
		at := strings.IndexByte(p, query[i])
		if at < 0 {
			return false
		}
		p = p[at+1:]
	}
	return true
}

// subset is some of the paths, in the form of the fuzzy matcher.
type subset struct {
	paths []string
	of    []int
}

func (s subset) Len() int            { return len(s.of) }
func (s subset) String(i int) string { return s.paths[s.of[i]] }

// fit is how well one path matches: lower is better, in the order of the fields.
type fit struct{ rank, score, path int }

func (f fit) compare(g fit) int {
	return cmp.Or(f.rank-g.rank, f.score-g.score, f.path-g.path)
}

// ranking keeps the best matches, in order.
type ranking struct {
	limit int
	list  []fit
}

func (r *ranking) add(f fit) {
	full := len(r.list) == r.limit
	if full && f.compare(r.list[r.limit-1]) >= 0 {
		return
	}
	at, _ := slices.BinarySearchFunc(r.list, f, fit.compare)
	if full {
		r.list = r.list[:r.limit-1]
	}
	r.list = slices.Insert(r.list, at, f)
}
