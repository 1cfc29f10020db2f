package composer

import (
	"fmt"
	"strings"
	"testing"
)

// drafts are texts of a length, in many lines or in one.
func draftOf(size int, newlines bool) string {
	line := "some words of a draft, as a user would type them "
	if newlines {
		line += "\n"
	}
	return strings.Repeat(line, size/len(line)+1)
}

// BenchmarkKey is one key typed, until the lines are ready for the screen.
func BenchmarkKey(b *testing.B) {
	for _, shape := range []string{"lines", "one line"} {
		for _, size := range []int{1 << 10, 10 << 10, 100 << 10, 1 << 20} {
			b.Run(fmt.Sprintf("%s/%dKB", shape, size>>10), func(b *testing.B) {
				c := newTest(b, nil)
				c.SetText(draftOf(size, shape == "lines"))
				c.buf.Move(pos(len(c.buf.lines)/2, len(c.buf.lines[len(c.buf.lines)/2].text)/2))
				keys := []string{"a", "backspace"}
				b.ReportAllocs()
				for i := 0; b.Loop(); i++ {
					c.Key(press(keys[i%2]))
					c.View()
				}
			})
		}
	}
}

// BenchmarkVimKey is a motion of vim and a change, in the middle of a prompt.
func BenchmarkVimKey(b *testing.B) {
	for _, shape := range []string{"lines", "one line"} {
		for _, keys := range []string{"w", "}", "dwu", "vj<esc>"} {
			b.Run(fmt.Sprintf("%s/100KB/%s", shape, keys), func(b *testing.B) {
				c := newVim(b)
				c.SetText(draftOf(100<<10, shape == "lines"))
				play(c, "<esc>")
				middle := pos(len(c.buf.lines)/2, len(c.buf.lines[len(c.buf.lines)/2].text)/2)
				b.ReportAllocs()
				for b.Loop() {
					c.buf.Move(middle)
					play(c, keys)
					c.View()
				}
			})
		}
	}
}

// BenchmarkKeyAfterPaste is typing beside a folded paste.
func BenchmarkKeyAfterPaste(b *testing.B) {
	for _, size := range []int{10 << 10, 100 << 10, 1 << 20} {
		b.Run(fmt.Sprintf("%dKB", size>>10), func(b *testing.B) {
			c := newTest(b, nil)
			c.Paste(draftOf(size, true))
			keys := []string{"a", "backspace"}
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				c.Key(press(keys[i%2]))
				c.View()
			}
		})
	}
}

// BenchmarkPaste is what a paste costs Update; cleaning it is a command's.
func BenchmarkPaste(b *testing.B) {
	for _, size := range []int{1 << 20, 10 << 20} {
		text := strings.ReplaceAll(draftOf(size, true), "\n", "\r")
		b.Run(fmt.Sprintf("%dMB", size>>20), func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				c := newTest(b, nil)
				c.Paste(text)
				c.View()
			}
		})
	}
}

// somePaths are paths as a large project has them.
func somePaths(n int) []string {
	words := []string{"server", "client", "internal", "render", "session", "config", "transcript", "handler", "message", "index"}
	ends := []string{".go", "_test.go", ".ts", ".md"}
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf("packages/%s/%s-%d/%s_%s_%d%s", words[i%10], words[i/10%10], i/400, words[i/7%10], words[i/3%10], i, ends[i%4])
	}
	return list
}

func BenchmarkMatchFiles(b *testing.B) {
	for _, n := range []int{5_000, 50_000} {
		x := newFileIndex(somePaths(n))
		for _, query := range []string{"", "e", "sess", "rendgo", "pkgsrvcfg", "packages/client/ren", "zzz"} {
			b.Run(fmt.Sprintf("%d/%q", n, query), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					x.match(query)
				}
			})
		}
	}
}
