//go:build unix

package terminal

import (
	"fmt"
	"sync"
	"testing"
)

// BenchmarkCloseStubborn closes a manager whose commands, and what they have
// started, all ignore SIGTERM. The grace of two seconds is part of it.
func BenchmarkCloseStubborn(b *testing.B) {
	for _, n := range []int{100, 400, 1500} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			if n > 100 && testing.Short() {
				b.Skip("thousands of processes")
			}
			for b.Loop() {
				b.StopTimer()
				m := NewManager(Options{})
				var ready sync.WaitGroup
				ready.Add(n)
				for range n {
					var once sync.Once
					if _, err := m.Create(b.Context(), Spec{
						Command: "sh", Args: []string{"-c", `trap "" TERM HUP; sleep 1000 & echo ready; wait; sleep 1000`},
						OnOutput: func(string, []byte) { once.Do(ready.Done) },
					}); err != nil {
						b.Fatal(err)
					}
				}
				ready.Wait()
				b.StartTimer()
				if err := m.Close(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
