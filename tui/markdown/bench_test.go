//go:build unix

package markdown

import (
	"fmt"
	"syscall"
	"testing"
	"time"
)

// BenchmarkStream adds 1 KB for each frame and draws what a screen of it
// would show, the last two blocks. The processor time per byte has to be the same
// for all sizes; -short leaves out the largest.
func BenchmarkStream(b *testing.B) {
	for _, s := range shapes {
		for _, size := range []int{100 << 10, 1 << 20, 10 << 20} {
			if testing.Short() && size > 1<<20 {
				continue
			}
			b.Run(fmt.Sprintf("%s/%dKB", s.name, size>>10), func(b *testing.B) {
				text := s.text(size)
				before := cpuTime()
				b.SetBytes(int64(size))
				b.ReportAllocs()
				for b.Loop() {
					d := New(dark)
					for at := 0; at < size; at += 1 << 10 {
						for c := at; c < min(at+1<<10, size); c += 64 {
							d.SetText(text[:min(c+64, size)])
						}
						last := d.Len() - 1
						d.Lines(last-1, 100)
						d.Lines(last, 100)
					}
				}
				b.ReportMetric(float64(cpuTime()-before)/float64(b.N)/float64(size), "cpu-ns/byte")
			})
		}
	}
}

// cpuTime is what this process has used of the processor, which other processes
// of the machine do not change.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkScan takes a whole message and finds its blocks, as for a session
// that is loaded, and draws none.
func BenchmarkScan(b *testing.B) {
	for _, size := range []int{100 << 10, 1 << 20, 10 << 20} {
		b.Run(fmt.Sprintf("%dKB", size>>10), func(b *testing.B) {
			text := realistic(size)
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				d := New(dark)
				d.SetText(text)
				d.Finish()
				d.Len()
			}
		})
	}
}

// BenchmarkBlock draws a closed block of about 1 KB.
func BenchmarkBlock(b *testing.B) {
	for _, name := range []string{"paragraph", "list", "table", "fence", "realistic"} {
		for _, s := range shapes {
			if s.name != name {
				continue
			}
			b.Run(name, func(b *testing.B) {
				d := document(s.text(1 << 10))
				b.SetBytes(1 << 10)
				b.ReportAllocs()
				for b.Loop() {
					d.Release()
					for i := range d.Len() {
						d.Lines(i, 80)
					}
				}
			})
		}
	}
}
