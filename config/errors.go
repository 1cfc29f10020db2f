package config

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Error is one error in a configuration file. [Load] and [Parse] join all that they
// find, in the order of the file, with [errors.Join].
//
// No field holds the value of an environment variable or of a header, nor a control
// character.
type Error struct {
	File string
	// Line and Column count from 1, the column in characters. Both are 0 if the error
	// concerns the file as a whole.
	Line, Column int
	// Message says what is wrong, Hint what to do about it. Hint may be empty.
	Message, Hint string
	// Text is the line with the error. Values that could be secret, or that do not
	// matter for the error, appear as "…". Text may be empty.
	Text string
}

// Error returns the position in the form that editors can jump to, the message, and the
// line with a mark under the error.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.File)
	if e.Line > 0 {
		fmt.Fprintf(&b, ":%d:%d", e.Line, e.Column)
	}
	b.WriteString(": " + e.Message)
	if e.Hint != "" {
		b.WriteString(": " + e.Hint)
	}
	if e.Text == "" {
		return b.String()
	}
	gutter := fmt.Sprintf("%5d", e.Line)
	fmt.Fprintf(&b, "\n%s | %s", gutter, e.Text)
	if e.Column <= utf8.RuneCountInString(e.Text) {
		fmt.Fprintf(&b, "\n%s | %s^", strings.Repeat(" ", len(gutter)), strings.Repeat(" ", e.Column-1))
	}
	return b.String()
}

// shown makes text of the file fit for an error: printable and not too long.
func shown(s string) string {
	const most = 160 // characters
	s = printable(s)
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	return string([]rune(s)[:most]) + "…"
}

// printable replaces what a terminal could act on: the file may come from anywhere.
// Every character stays one character, so that columns stay right.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t':
			return ' '
		case !unicode.IsGraphic(r):
			return utf8.RuneError
		}
		return r
	}, s)
}

// Nearest returns the candidate closest to a misspelt word, or "" if none is close enough.
func Nearest(word string, candidates []string) string {
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
	if near := Nearest(word, candidates); near != "" {
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
