package screen

import "github.com/charmbracelet/x/ansi"

// next measures the first piece of a text that is not empty: how many bytes
// belong together, and how many columns they take. Escape sequences, control
// characters and what cannot be seen take none.
type next func(s string) (n, width int)

// measure is how text is measured: by grapheme clusters, or by code points.
func (a abilities) measure(graphemes bool) next {
	switch {
	case a.next != nil:
		return a.next
	case graphemes:
		return clusters
	}
	return codePoints
}

func clusters(s string) (n, width int) {
	if s[0] < ' ' || s[0] == ansi.DEL {
		_, _, n, _ = ansi.DecodeSequence(s, ansi.NormalState, nil)
		return max(n, 1), 0
	}
	cluster, width := ansi.FirstGraphemeCluster(s, ansi.GraphemeWidth)
	return len(cluster), width
}

func codePoints(s string) (n, width int) {
	n, width = clusters(s)
	if width > 0 {
		width = ansi.WcWidth.StringWidth(s[:n])
	}
	return n, width
}
