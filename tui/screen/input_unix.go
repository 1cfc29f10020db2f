//go:build unix

package screen

import (
	"context"
	"errors"
	"io"
)

// decode posts what the terminal sends until there is no more.
func (in *input) decode(ctx context.Context, from io.Reader) error {
	pieces, decoded := make(chan []byte), make(chan struct{})
	go func() {
		newDecoder(in.term, &in.asked, in.post).run(pieces)
		close(decoded)
	}()
	defer func() { close(pieces); <-decoded }()
	for {
		piece := make([]byte, 4<<10)
		n, err := from.Read(piece)
		if n > 0 && ctx.Err() == nil {
			pieces <- piece[:n]
		}
		switch {
		case ctx.Err() != nil, errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
	}
}
