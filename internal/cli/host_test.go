package cli

import (
	"context"
	"io"
	"testing"
	"testing/synctest"
)

// A host that waits for something while it starts ends when it is told to.
func TestAHostEndsWhileItStarts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in, never := io.Pipe()
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- keepRunning(ctx, &streams{In: in, Out: io.Discard}) }()
		synctest.Wait()
		cancel()
		if err := <-ended; err == nil {
			t.Error("it has ended well")
		}
		_ = never.Close()
	})
}
