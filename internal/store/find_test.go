package store

import (
	"strings"
	"testing"
)

// An excerpt shows the word that was found, near its beginning, however it is written there.
func TestAnExcerptShowsTheHit(t *testing.T) {
	long := strings.Repeat("the other theme ", 40)
	for _, c := range []struct{ text, words, hit string }{
		{long + "Grün ist es", "grun", "Grün ist"},
		{long + "GRÜN ist es", "grün", "GRÜN ist"},
		{long + "straße İ GREEN", "green", "GREEN"},
		{"there is the he itself " + long, "he", "the he itself"},
		{long + "he said", "he", "he said"},
		{long + "prefixes match", "other pref", ""},
		{long + "prefixes match", "pref", "prefixes match"},
		{long, "missing", ""},
	} {
		got := excerpt(c.text, word().FindAllString(c.words, -1))
		if at := strings.Index(got, c.hit); at < 0 || at > 60 {
			t.Errorf("%s: the hit is at %d of %q", c.words, at, got)
		}
	}
}
