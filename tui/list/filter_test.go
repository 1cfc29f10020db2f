package list

import (
	"slices"
	"testing"
)

func TestFilterFindsWhatWordsMean(t *testing.T) {
	titles := []string{"Cancel turn / close", "Next tab", "Review and undo changes", "Expand or collapse the item", "GPT-5 mini", "commit"}
	abouts := []string{"", "ctrl+pgdown", "diff rewind", "", "", ""}
	f := NewFilter(len(titles), func(i int) (string, string) { return titles[i], abouts[i] })
	for words, want := range map[string][]string{
		"clear":    nil, // its letters are scattered over "Cancel turn / close"
		"cost":     nil,
		"undo":     {"Review and undo changes"},
		"rewind":   {"Review and undo changes"},
		"nt":       {"Next tab"},
		"expandor": {"Expand or collapse the item"},
		"gpt5":     {"GPT-5 mini"},
		"gpt-5m":   {"GPT-5 mini"},
		"cmt":      {"commit"},
		"tab next": {"Next tab"},
	} {
		var got []string
		for _, h := range f.Find(words, nil) {
			got = append(got, titles[h.Row])
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q finds %q, want %q", words, got, want)
		}
	}
}
