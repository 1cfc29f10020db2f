package linemode

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"sync/atomic"
	"time"

	uv "github.com/charmbracelet/ultraviolet"
)

// typed is a line from the user.
type typed struct {
	text string
	// began is when its first character arrived. A terminal delivers whole lines, so it is
	// the end of the line there.
	began time.Time
}

// input reads lines, on a goroutine of its own.
type input struct {
	from  io.Reader
	tty   *os.File    // nil if lines come from elsewhere
	lines chan typed  // closed at the end of the input
	ended atomic.Bool // lines is closed

	halt func() // stops reading; nil if stopped
}

func newInput(from io.Reader, terminal bool) *input {
	in := &input{from: from, lines: make(chan typed)}
	if f, ok := from.(*os.File); ok && terminal {
		in.tty = f
	}
	return in
}

// start reads until stop is called or the input ends.
func (in *input) start() error {
	if in.ended.Load() { // a terminal could be read again, which no user expects
		return nil
	}
	done, stopped := make(chan struct{}), make(chan struct{})
	reader := in.from
	cancel := func() {}
	if in.tty != nil && runtime.GOOS != "windows" { // a Windows console reads lines only as a file
		r, err := uv.NewCancelReader(in.tty)
		if err != nil {
			return fmt.Errorf("read from the terminal: %w", err)
		}
		reader = r
		cancel = func() { r.Cancel(); <-stopped; _ = r.Close() }
	}
	lines := in.lines
	go func() {
		defer close(stopped)
		if in.read(reader, lines, done) {
			in.ended.Store(true)
			close(lines)
		}
	}()
	in.halt = func() { close(done); cancel() }
	return nil
}

// stop stops reading, so that another program can read the terminal.
func (in *input) stop() {
	if in.halt != nil {
		in.halt()
		in.halt = nil
	}
}

// read reads lines until the input ends or done is closed, and reports whether it ended.
func (in *input) read(from io.Reader, to chan<- typed, done <-chan struct{}) (end bool) {
	buf := make([]byte, 64<<10)
	var line strings.Builder
	var began time.Time
	send := func() bool {
		text := strings.TrimSuffix(line.String(), "\r")
		line.Reset()
		select {
		case to <- typed{text, began}:
			return true
		case <-done:
			return false
		}
	}
	for {
		n, err := from.Read(buf)
		now := time.Now()
		for _, c := range buf[:n] {
			if line.Len() == 0 {
				began = now
			}
			if c != '\n' {
				line.WriteByte(c)
			} else if !send() {
				return false
			}
		}
		select {
		case <-done:
			return false
		default:
		}
		if err != nil {
			return line.Len() == 0 || send()
		}
	}
}
