package composer

import (
	"slices"
	"testing"

	"parley/tui/composer/vim"

	"pgregory.net/rapid"
)

// Wrapping again after an edit gives what wrapping the whole line gives.
func TestRewrapIsWrap(t *testing.T) {
	piece := rapid.SampledFrom([]string{"a", "word ", "longer-word", " ", "   ", "\t", "世", "世界", "é", "\u0301", "👩", "\u200d", "🇩", "longlonglonglonglonglonglong"})
	rapid.Check(t, func(r *rapid.T) {
		width := rapid.IntRange(1, 20).Draw(r, "width")
		b := newBuffer(&chips{})
		for _, p := range rapid.SliceOfN(piece, 0, 150).Draw(r, "line") {
			b.Replace(b.cur, b.cur, p)
		}
		b.rows(0, width)
		for range rapid.IntRange(1, 5).Draw(r, "edits") {
			places := []vim.Pos{{}}
			for p := b.right(pos(0, 0)); p != places[len(places)-1]; p = b.right(p) {
				places = append(places, p)
			}
			from := rapid.IntRange(0, len(places)-1).Draw(r, "from")
			to := rapid.IntRange(from, min(from+6, len(places)-1)).Draw(r, "to")
			b.Replace(places[from], places[to], piece.Draw(r, "text"))
			got := b.rows(0, width)
			want := b.chips.wrap(b.lines[0].text, width, []int{0}, func(int) bool { return false })
			if !slices.Equal(got, want) {
				r.Fatalf("%q at %d: rows begin at %v, want %v", b.lines[0].text, width, got, want)
			}
		}
	})
}
