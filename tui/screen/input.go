package screen

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"

	"parley/internal/termtext"
)

// cancelTime bounds how long a cancelled read may take to return. Only reads that
// cannot be interrupted take that long.
const cancelTime = 500 * time.Millisecond

// input reads keys, the mouse and the terminal's answers.
type input struct {
	tty    *tty
	term   string // its name
	post   func(tea.Msg)
	failed func(error)
	asked  questions

	cancel func() // nil while not reading
}

// start reads until stop is called.
func (in *input) start() error {
	reader, err := uv.NewCancelReader(in.tty.in)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	read := make(chan error, 1)
	go func() {
		err := in.decode(ctx, reader)
		_ = reader.Close()
		if ctx.Err() == nil {
			if err == nil {
				in.failed(errors.New("the terminal has been closed"))
			} else {
				in.failed(fmt.Errorf("read from the terminal: %w", err))
			}
		}
		read <- err
	}()
	in.cancel = func() {
		cancel()
		reader.Cancel()
		select {
		case <-read:
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
		in.asked.forget()
	}
}

// understandsQuestions reports whether the terminal ignores questions about modes that it
// does not know, instead of printing them. It decides as Bubble Tea's renderer does: not
// for Apple's Terminal, and over SSH, where the terminal could be that one, only for known
// others.
func understandsQuestions(env []string) bool {
	environ := uv.Environ(env)
	program, named := environ.LookupEnv("TERM_PROGRAM")
	_, remote := environ.LookupEnv("SSH_TTY")
	if _, windows := environ.LookupEnv("WT_SESSION"); windows {
		return true
	}
	for _, known := range []string{"ghostty", "wezterm", "alacritty", "kitty", "rio"} {
		if strings.Contains(environ.Getenv("TERM"), known) {
			return true
		}
	}
	return !remote && !(named && strings.Contains(program, "Apple"))
}

// reported handles the terminal's answer about a mode, and returns what to send in
// return.
func (t *terminal) reported(report tea.ModeReportMsg) string {
	known := report.Value == ansi.ModeReset || report.Value == ansi.ModeSet
	switch report.Mode {
	case ansi.ModeSynchronizedOutput:
		t.synchronized = known
	case ansi.ModeUnicodeCore:
		if !known && report.Value != ansi.ModePermanentlySet {
			return ""
		}
		if t.method != termtext.Graphemes {
			t.method = termtext.Graphemes
			t.canvas.measure(t.method)
			if t.inline != nil {
				t.inline.method = t.method
			}
		}
		if report.Value == ansi.ModeReset {
			t.unicodeCore = true // ours to reset
			return ansi.SetModeUnicodeCore
		}
	}
	return ""
}
