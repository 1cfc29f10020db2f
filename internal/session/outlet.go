package session

import (
	"bytes"
	"context"
	"io"
	"sync"
	"time"
)

// flushTime is how long the last words to an agent may take to be written.
const flushTime = 100 * time.Millisecond

// outlet is what an agent hears. A connection writes beside those who send, so
// that whoever closes the pipe after the last message has to know that it went
// out.
type outlet struct {
	w io.Writer

	mu   sync.Mutex
	last []byte // what the last message has in it; nil while none is expected
	done chan struct{}
}

func newOutlet(w io.Writer) *outlet { return &outlet{w: w, done: make(chan struct{})} }

// expect says that the last message will call a method. It must be called before
// that is sent; the latest call counts.
func (o *outlet) expect(method string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.last = []byte(`"method":"` + method + `"`)
}

// Write writes one line.
func (o *outlet) Write(line []byte) (int, error) {
	n, err := o.w.Write(line)
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.last != nil && (err != nil || bytes.Contains(line[:min(len(line), 200)], o.last)) {
		o.last = nil
		close(o.done)
	}
	return n, err
}

// flush waits until the last message is written, but not long.
func (o *outlet) flush(ctx context.Context) {
	o.mu.Lock()
	nothing := o.last == nil
	o.mu.Unlock()
	if nothing {
		return
	}
	t := time.NewTimer(flushTime)
	defer t.Stop()
	select {
	case <-o.done:
	case <-t.C:
	case <-ctx.Done():
	}
}
