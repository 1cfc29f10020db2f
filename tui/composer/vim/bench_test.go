package vim

import (
	"fmt"
	"strings"
	"testing"
)

// BenchmarkMotion is a motion in the middle of a text of 100 KB, in lines and in one.
func BenchmarkMotion(b *testing.B) {
	for _, shape := range []string{"lines", "one line"} {
		text := strings.Repeat("some words (of a prompt), as a user types them. ", 2000)
		if shape == "lines" {
			text = strings.ReplaceAll(text, "them. ", "them.\n")
		}
		h := newHost(text, Pos{})
		at := Pos{len(h.lines) / 2, len(h.lines[len(h.lines)/2]) / 2}
		for _, keys := range []string{"w", "b", "e", "j", "}", "%", "fz"} {
			b.Run(fmt.Sprintf("%s/%s", shape, keys), func(b *testing.B) {
				pressed := keysOf(keys)
				b.ReportAllocs()
				for b.Loop() {
					h.cursor = at
					for _, k := range pressed {
						h.press(k)
					}
				}
			})
		}
	}
}
