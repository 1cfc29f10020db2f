//go:build unix

// Command watched is parley, for tests of long days. On SIGUSR1 it collects garbage, and writes
// into the directory that PARLEY_TEST_WATCH names the file PID with the number of its goroutines
// and the bytes of its heap, beside PID.goroutine and PID.heap, which go tool pprof reads.
package main

import (
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"syscall"

	"parley/internal/cli"
)

func main() {
	asked := make(chan os.Signal, 1)
	signal.Notify(asked, syscall.SIGUSR1)
	go func() {
		for range asked {
			report(filepath.Join(os.Getenv("PARLEY_TEST_WATCH"), fmt.Sprint(os.Getpid())))
		}
	}()
	os.Exit(cli.Main(""))
}

// report writes the file last and whole: it is what a test waits for.
func report(path string) {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC() // what the first one has found in pools and finalizers
	runtime.ReadMemStats(&m)
	for _, kind := range []string{"goroutine", "heap"} {
		f, err := os.Create(path + "." + kind)
		if err != nil {
			return
		}
		_ = pprof.Lookup(kind).WriteTo(f, 0)
		_ = f.Close()
	}
	if os.WriteFile(path+".new", fmt.Appendf(nil, "%d %d\n", runtime.NumGoroutine(), m.HeapAlloc), 0o600) == nil {
		_ = os.Rename(path+".new", path)
	}
}
