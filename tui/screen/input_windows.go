package screen

import (
	"context"
	"io"

	uv "github.com/charmbracelet/ultraviolet"
)

// decode posts what the console sends until there is no more. A console sends keys whole,
// as records that only the library reads.
func (in *input) decode(ctx context.Context, from io.Reader) error {
	events, posted := make(chan uv.Event), make(chan struct{})
	go func() {
		defer close(posted)
		for e := range events {
			in.post(e)
		}
	}()
	keys := uv.NewTerminalReader(from, in.term)
	keys.EscTimeout = escTime
	err := keys.StreamEvents(ctx, events)
	close(events)
	<-posted
	return err
}
