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
	// maxInFlight is how many bytes of files and output a machine holds at the same
	// time in requests that are not answered yet. A request that needs more waits
	// until it is the only one.
	maxInFlight = fs.MaxBytes
	// largeRequest is the size in bytes from which memory is collected before the
	// next such request, so that what the last one held is not still there.
	largeRequest = 8 << 20
	// outputCost is how many bytes are needed to make text of a byte of output.
	outputCost = 4
)

// budget bounds the bytes that requests hold. It may be used from any goroutine.
type budget struct {
	size    int64
	free    *semaphore.Weighted
	garbage atomic.Bool // a large request was answered since memory was collected
}

func newBudget(size int64) *budget {
	return &budget{size: size, free: semaphore.NewWeighted(size)}
}

// take waits until the request that is handled with ctx may hold n bytes, or ctx
// ends. They are free again when its answer is written; if nobody writes an answer,
// when done is called, which the handler does at its end.
func (b *budget) take(ctx context.Context, n int64) (done func(), err error) {
	release, err := b.borrow(ctx, n)
	if err == nil && acpclient.OnAnswered(ctx, release) {
		return func() {}, nil
	}
	return release, err
}

// borrow waits until a request may hold n bytes, or ctx ends. They are free again when
// release is called.
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

// fileSize is about how much a file takes that is read or replaced; 0 if it is not
// there. What is wrong with it, reading or writing it tells.
func fileSize(path string) int64 {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return 0
	}
	return min(info.Size(), fs.MaxBytes)
}
