package screen

import (
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/colorprofile"

	"parley/internal/termtext"
)

// page is a screen of styled text as a transcript has it.
func page(from int) []string {
	lines := make([]string, 40)
	for y := range lines {
		n := from + y
		lines[y] = fmt.Sprintf("  \x1b[38;2;200;120;%dmline %d\x1b[m of a transcript, \x1b[1mwith\x1b[m some words, %s", n%256, n, strings.Repeat("and more ", n%7))
	}
	return lines
}

func benchCanvas() *canvas {
	c := newCanvas([]string{"TERM=xterm-256color"}, colorprofile.TrueColor, Unicode, termtext.Graphemes)
	c.resize(120, 40)
	c.draw(page(0), nil)
	return c
}

func BenchmarkDraw(b *testing.B) {
	frames := map[string]func(i int) []string{
		"unchanged": func(int) []string { return page(0) },
		"one line": func(i int) []string {
			lines := page(0)
			lines[30] = fmt.Sprint("  a line that grows ", i)
			return lines
		},
		"scrolled": func(i int) []string { return append(page(i % 1000)[:36], page(0)[36:]...) },
		"all new":  func(i int) []string { return page(i % 1000 * 50) },
	}
	for name, frame := range frames {
		b.Run(name, func(b *testing.B) {
			c := benchCanvas()
			made := make([][]string, 64)
			for i := range made {
				made[i] = frame(i)
			}
			b.ReportAllocs()
			bytes := 0
			for i := 0; b.Loop(); i++ {
				bytes += len(c.draw(made[i%len(made)], nil))
			}
			b.ReportMetric(float64(bytes)/float64(b.N), "written/op")
		})
	}
}
