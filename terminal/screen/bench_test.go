package screen

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// outputLimit is how much of an output is kept, in bytes.
const outputLimit = 1 << 20

// outputs are what programs write, about a megabyte of each.
var outputs = []struct{ name, text string }{
	{"plain", repeated(func(i int) string {
		return fmt.Sprintf("%6d the quick brown fox jumps over the lazy dog and more\r\n", i)
	})},
	{"coloured", repeated(func(i int) string {
		return fmt.Sprintf("\x1b[32m%6d\x1b[m the \x1b[1;31mquick\x1b[m brown \x1b[38;5;200mfox\x1b[m jumps\r\n", i)
	})},
	{"progress", repeated(func(i int) string {
		return fmt.Sprintf("\r\x1b[K[%-40s] %d%%", strings.Repeat("=", i%40), i%100)
	})},
	{"redraw", repeated(func(i int) string {
		return fmt.Sprintf("\x1b[3A\x1b[2Kone %d\r\n\x1b[2Ktwo %d\r\n\x1b[2Kthree %d\r\n", i, i, i)
	})},
	{"wide", repeated(func(int) string { return "日本語のテキスト、文字の幅は二つです。\r\n" })},
	{"joined", repeated(func(int) string { return "👩‍👩‍👧 e\u0301 ❤️ 🇩🇪 ok\r\n" })},
}

func repeated(text func(i int) string) string {
	var b strings.Builder
	for i := 0; b.Len() < 1<<20; i++ {
		b.WriteString(text(i))
	}
	return b.String()
}

func BenchmarkScreen(b *testing.B) {
	for _, o := range outputs {
		for _, times := range []int{1, 10} {
			b.Run(fmt.Sprintf("%s/%dMB", o.name, times), func(b *testing.B) {
				data := []byte(strings.Repeat(o.text, times))
				b.SetBytes(int64(len(data)))
				b.ReportAllocs()
				for b.Loop() {
					New(80, 24, 5000).Write(data)
				}
			})
		}
	}
}

// BenchmarkScreenMemory says what a full screen holds (KB/screen).
func BenchmarkScreenMemory(b *testing.B) {
	for _, o := range outputs[:2] {
		b.Run(o.name, func(b *testing.B) {
			data := []byte(o.text)
			var before, after runtime.MemStats
			for b.Loop() {
				runtime.GC()
				runtime.ReadMemStats(&before)
				s := New(80, 24, 5000)
				s.Write(data)
				runtime.GC()
				runtime.ReadMemStats(&after)
				runtime.KeepAlive(s)
			}
			b.ReportMetric(float64(int64(after.HeapAlloc)-int64(before.HeapAlloc))/1024, "KB/screen")
		})
	}
}

// BenchmarkTail draws the last lines: as fast with much scrollback as with little.
func BenchmarkTail(b *testing.B) {
	for _, scrollback := range []int{500, 5000} {
		b.Run(fmt.Sprint(scrollback), func(b *testing.B) {
			s := New(80, 24, scrollback)
			s.Write([]byte(outputs[1].text))
			b.ReportAllocs()
			for b.Loop() {
				s.Tail(40)
			}
		})
	}
}

func BenchmarkResize(b *testing.B) {
	for _, scrollback := range []int{500, 5000} {
		b.Run(fmt.Sprint(scrollback), func(b *testing.B) {
			s := New(80, 24, scrollback)
			s.Write([]byte(outputs[1].text))
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				s.Resize(80 + i%2*20)
			}
		})
	}
}

// BenchmarkRetained keeps the end of an output that is longer than the limit.
func BenchmarkRetained(b *testing.B) {
	for _, o := range outputs[:2] {
		for _, limit := range []int{outputLimit / 10, outputLimit} {
			b.Run(fmt.Sprintf("%s/%dKB", o.name, limit>>10), func(b *testing.B) {
				data := []byte(o.text)
				r := NewRetained(limit)
				b.SetBytes(int64(len(data)))
				b.ReportAllocs()
				for b.Loop() {
					r.Write(data)
				}
			})
		}
	}
}

// BenchmarkOutput is one terminal/output request.
func BenchmarkOutput(b *testing.B) {
	for _, o := range outputs[:3] {
		for _, size := range []int{100 << 10, 1 << 20} {
			b.Run(fmt.Sprintf("%s/%dKB", o.name, size>>10), func(b *testing.B) {
				data := []byte(o.text[:size])
				b.SetBytes(int64(len(data)))
				b.ReportAllocs()
				for b.Loop() {
					PlainText(data, 80, 24, outputLimit)
				}
			})
		}
	}
}
