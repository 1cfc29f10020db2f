package config

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// nearest returns the candidate closest to word, or "" if none is close enough.
func nearest(word string, candidates []string) string {
	const longest = 40 // letters; no candidate is as long
	if len(word) > longest {
		return ""
	}
	word = strings.ToLower(word)
	best, bestDistance := "", 1+max(1, utf8.RuneCountInString(word)/3)
	for _, c := range candidates {
		lower := strings.ToLower(c)
		d := distance(word, lower)
		if d > 1 && len(word) > 2 && strings.HasPrefix(lower, word) {
			d = 1 // "perm" for "permission": far by letters, near by meaning
		}
		if d < bestDistance {
			best, bestDistance = c, d
		}
	}
	return best
}

// didYouMean returns the hint for an unknown word: the nearest candidate, else all
// candidates if they are few.
func didYouMean(word string, candidates []string, called string) string {
	if near := nearest(word, candidates); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	const readable = 12
	if n := len(candidates); n == 0 || n > readable {
		return ""
	}
	return called + ": " + strings.Join(candidates, ", ")
}

// distance counts the letters to insert, delete, replace or swap with their neighbour
// to get from a to b (optimal string alignment).
func distance(a, b string) int {
	s, t := []rune(a), []rune(b)
	before, last, row := make([]int, len(t)+1), make([]int, len(t)+1), make([]int, len(t)+1)
	for j := range last {
		last[j] = j
	}
	for i := range s {
		row[0] = i + 1
		for j := range t {
			cost := 1
			if s[i] == t[j] {
				cost = 0
			}
			row[j+1] = min(last[j+1]+1, row[j]+1, last[j]+cost)
			if i > 0 && j > 0 && s[i] == t[j-1] && s[i-1] == t[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(t)]
}
