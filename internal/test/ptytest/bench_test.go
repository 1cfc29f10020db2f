package ptytest

import (
	"fmt"
	"testing"
)

// A wait takes a picture of the screen for every piece of output.
func BenchmarkCapture(b *testing.B) {
	for _, size := range [][2]int{{120, 40}, {400, 120}} {
		b.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(b *testing.B) {
			e := newEmulator(Options{Cols: size[0], Rows: size[1]})
			for y := range size[1] {
				_, _ = e.Write(fmt.Appendf(nil, "\x1b[%d;1H\x1b[38;2;1;2;3mrow %d of a screen with colours\x1b[m 世界", y+1, y))
			}
			b.ReportAllocs()
			for b.Loop() {
				e.capture()
			}
		})
	}
}
