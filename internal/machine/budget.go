package machine

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"sync/atomic"

	"golang.org/x/sync/semaphore"

	"parley/acpclient"
	"parley/fs"
)

const (
	// maxInFlight bounds the bytes of files and output in requests that are not
	// answered yet. A request that needs more waits until it is the only one.
	maxInFlight = fs.MaxBytes
	// largeRequest is the size in bytes from which memory is collected before the next
	// such request, to free what the last one used.
	largeRequest = 8 << 20
	// outputCost is how many bytes it takes to turn a byte of output into text.
	outputCost = 4
)

// budget bounds the bytes that requests hold. It is safe for concurrent use.
type budget struct {
	size    int64
	free    *semaphore.Weighted
	garbage atomic.Bool // a large request was answered since memory was collected
}

func newBudget(size int64) *budget {
	return &budget{size: size, free: semaphore.NewWeighted(size)}
}

// take waits until the request with ctx may hold n bytes, or ctx ends. They are
// released when its answer is written; without an answer, when the handler calls done
// at its end.
func (b *budget) take(ctx context.Context, n int64) (done func(), err error) {
	release, err := b.borrow(ctx, n)
	if err == nil && acpclient.OnAnswered(ctx, release) {
		return func() {}, nil
	}
	return release, err
}

// borrow waits until a request may hold n bytes, or ctx ends. release frees them.
func (b *budget) borrow(ctx context.Context, n int64) (release func(), err error) {
	held := min(n, b.size)
	if err := b.free.Acquire(ctx, held); err != nil {
		return nil, fmt.Errorf("wait for other requests to be answered: %w", err)
	}
	if held >= largeRequest && b.garbage.Swap(false) {
		runtime.GC()
	}
	return func() {
		if held >= largeRequest {
			b.garbage.Store(true)
		}
		b.free.Release(held)
	}, nil
}

// fileSize returns the approximate size of a file to read or replace; 0 on error, which
// reading or writing will report.
func fileSize(path string) int64 {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return 0
	}
	return min(info.Size(), fs.MaxBytes)
}
