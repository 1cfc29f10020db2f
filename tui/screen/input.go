package screen

import (
	"context"
	"errors"
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
)

// cancelTime bounds how long a cancelled read may take to return. Only reads that
// cannot be interrupted take that long.
const cancelTime = 500 * time.Millisecond

var errClosed = errors.New("the terminal has been closed")

// input reads keys, the mouse and the terminal's answers.
type input struct {
	tty    *tty
	term   string
	post   func(tea.Msg)
	failed func(error)

	cancel func() // nil while not reading
}

func newInput(t *tty, env []string, post func(tea.Msg), failed func(error)) *input {
	return &input{tty: t, term: uv.Environ(env).Getenv("TERM"), post: post, failed: failed}
}

// start reads until stop is called.
func (in *input) start() error {
	reader, err := uv.NewCancelReader(in.tty.in)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	events, read, posted := make(chan uv.Event), make(chan error, 1), make(chan struct{})
	go func() {
		defer close(posted)
		for e := range events {
			in.post(e)
		}
	}()
	go func() {
		err := uv.NewTerminalReader(reader, in.term).StreamEvents(ctx, events)
		close(events)
		_ = reader.Close()
		if ctx.Err() == nil {
			in.failed(reason(err))
		}
		read <- err
	}()
	in.cancel = func() {
		cancel()
		reader.Cancel()
		select {
		case <-read:
			<-posted
		case <-time.After(cancelTime):
		}
	}
	return nil
}

// stop leaves further input to others.
func (in *input) stop() {
	if in.cancel != nil {
		in.cancel()
		in.cancel = nil
	}
}

// reason returns why there is nothing more to read.
func reason(err error) error {
	if err == nil {
		return errClosed
	}
	return fmt.Errorf("read from the terminal: %w", err)
}
