//go:build unix

package terminal

import (
	"fmt"
	"strconv"
	"testing"
)

// BenchmarkManager is a command that writes as fast as it can.
func BenchmarkManager(b *testing.B) {
	for _, size := range []int{10 << 20, 100 << 20} {
		b.Run(fmt.Sprintf("%dMB", size>>20), func(b *testing.B) {
			m := NewManager(Options{})
			defer m.Close()
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				seen := 0
				id, err := m.Create(b.Context(), Spec{
					Command: "head", Args: []string{"-c", strconv.Itoa(size), "/dev/zero"},
					OnOutput: func(_ string, data []byte) { seen += len(data) },
				})
				if err != nil {
					b.Fatal(err)
				}
				if _, err := m.WaitForExit(b.Context(), id); err != nil {
					b.Fatal(err)
				}
				if err := m.Release(id); err != nil || seen != size {
					b.Fatalf("%d bytes came, %v", seen, err)
				}
			}
		})
	}
}

// BenchmarkShortCommand is what most calls of agents are: a few lines.
func BenchmarkShortCommand(b *testing.B) {
	m := NewManager(Options{})
	defer m.Close()
	for b.Loop() {
		id, err := m.Create(b.Context(), Spec{Command: "echo", Args: []string{"hello"}})
		if err != nil {
			b.Fatal(err)
		}
		if _, err := m.WaitForExit(b.Context(), id); err != nil {
			b.Fatal(err)
		}
		if err := m.Release(id); err != nil {
			b.Fatal(err)
		}
	}
}
