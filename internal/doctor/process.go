package doctor

import (
	"context"
	"io"
	"sync"

	"parley/acpclient"
)

// Process starts an agent's command; it is what Options.Start is made of.
func Process(c acpclient.Command) func(stderr io.Writer) (*Running, error) {
	return func(stderr io.Writer) (*Running, error) {
		c := c
		c.Stderr = stderr
		p, err := acpclient.StartProcess(c)
		if err != nil {
			return nil, err
		}
		code := func() int {
			if end, ok := p.Err().(*acpclient.ExitError); ok && end != nil {
				return end.State.ExitCode()
			}
			return -1
		}
		return &Running{
			Stdin: p.Stdin, Stdout: p.Stdout, Done: p.Done(), ExitCode: code,
			Stop: func(ctx context.Context) { p.Stop(ctx); _ = p.Stdout.Close() },
		}, nil
	}
}

// tail keeps the end of what is written to it. It may be used from any goroutine.
type tail struct {
	mu   sync.Mutex
	data []byte
}

// maxStderr is how much of an agent's stderr is kept, in bytes.
const maxStderr = 8 << 10

// Write implements io.Writer. It never fails.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.data = append(t.data, p...)
	if over := len(t.data) - maxStderr; over > 0 {
		t.data = append([]byte(nil), t.data[over:]...)
	}
	return len(p), nil
}

// String is what was kept.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.data)
}
