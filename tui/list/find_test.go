package list

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestQuery(t *testing.T) {
	for _, c := range []struct {
		query, text string
		want        []string
	}{
		{"err", "Error, error, ERR, no", []string{"Err", "err", "ERR"}},
		{"Err", "Error, error, ERR", []string{"Err"}},
		{"aa", "aaaaa", []string{"aa", "aa"}},
		{"straße", "STRAßE straße", []string{"STRAßE", "straße"}},
		{"éa", "xÉAéa", []string{"ÉA", "éa"}},
		{"日本", "日本語 日 本", []string{"日本"}},
		{"  two   words ", "two words", []string{"two words"}},
		{"i", "İ\xffI", []string{"I"}},
		{"x", "", nil},
		{"", "x", nil},
		{"=>", "a => b", []string{"=>"}},
	} {
		q, got := NewQuery(c.query), []string(nil)
		for at := 0; ; {
			start, end, ok := q.Next(c.text, at)
			if !ok {
				break
			}
			got, at = append(got, c.text[start:end]), end
		}
		if !slices.Equal(got, c.want) || q.Count(c.text) != len(c.want) {
			t.Errorf("%q in %q: %q, want %q", c.query, c.text, got, c.want)
		}
	}
}

// A query without capitals finds what a plain search in lower case finds.
func TestQueryIgnoresCase(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOfN(rapid.SampledFrom([]rune("abAB éÉ日")), 0, 40, -1).Draw(t, "text")
		word := rapid.StringOfN(rapid.SampledFrom([]rune("abé日")), 1, 3, -1).Draw(t, "word")
		if got, want := NewQuery(word).Count(text), strings.Count(strings.ToLower(text), word); got != want {
			t.Fatalf("%d matches of %q in %q, want %d", got, word, text, want)
		}
	})
}
