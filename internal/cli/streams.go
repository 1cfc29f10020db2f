package cli

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/term"

	"parley/internal/app"
	"parley/internal/session"
	"parley/internal/termtext"
	"parley/tui/desktop"
)

// streams are the standard streams of the process, and what is known of them.
type streams struct {
	In       io.Reader
	Out, Err io.Writer
	// InTerminal, OutTerminal and ErrTerminal say which of them are a terminal.
	InTerminal, OutTerminal, ErrTerminal bool
	// Piped says that standard input is a pipe, or a file that holds something.
	Piped bool
	// Keyboard says that there is a terminal to read keys from: standard input,
	// or else the terminal that the process belongs to.
	Keyboard bool
}

// systemStreams returns the process's standard streams.
func systemStreams() *streams {
	info, err := os.Stdin.Stat()
	return &streams{
		In: os.Stdin, Out: os.Stdout, Err: os.Stderr,
		InTerminal:  term.IsTerminal(os.Stdin.Fd()),
		OutTerminal: term.IsTerminal(os.Stdout.Fd()),
		ErrTerminal: term.IsTerminal(os.Stderr.Fd()),
		Piped:       err == nil && (info.Mode()&os.ModeNamedPipe != 0 || info.Mode().IsRegular() && info.Size() > 0),
		Keyboard:    term.IsTerminal(os.Stdin.Fd()) || ownsTerminal(),
	}
}

// warn tells the user something on stderr.
func (s *streams) warn(text string) { fmt.Fprintln(s.Err, text) }

// ownsTerminal reports whether the process has a controlling terminal.
func ownsTerminal() bool {
	in, out, err := tea.OpenTTY()
	if err != nil {
		return false
	}
	_ = in.Close()
	_ = out.Close()
	return true
}

// printBlock prints text of several lines, sanitised.
func (s *streams) printBlock(text string) error {
	_, err := fmt.Fprintln(s.Out, termtext.Block(text))
	return err
}

// tell prints a line that is not of the output.
func (s *streams) tell(line string) { fmt.Fprintln(s.Err, "parley: "+line) }

// preparation tells what the preparation of a worktree does. What was told stays in sight, or is in the
// notices, too.
func preparation(tell func(string), stays bool) app.Tell {
	return func(step, line string) bool {
		if line != "" {
			step = "  " + line
		}
		tell(step)
		return stays
	}
}

// tellNotes tells notices, with the lines below them.
func (s *streams) tellNotes(notes []session.AddNotice, tell func(string)) {
	for _, n := range notes {
		tell(n.Title)
		for line := range strings.Lines(n.Detail) {
			tell("  " + strings.TrimRight(line, "\n"))
		}
	}
}

// needScreen returns an error if there is no terminal to draw on and read keys from.
func (s *streams) needScreen() error {
	const hint = "Start parley in a terminal, without > or |.\nTo work without a screen: parley run PROMPT"
	switch {
	case !s.OutTerminal:
		return app.WithHint(hint, "output is not a terminal: it goes to a file or a program")
	case s.Piped:
		return app.WithHint("To send it as a prompt and print the answer: … | parley run\nTo send a prompt on the screen: parley --prompt TEXT",
			"parley reads keys, but its input is a pipe")
	case !s.Keyboard:
		return app.WithHint(hint, "no terminal to read keys from")
	}
	return nil
}

// paged calls write with the input of the user's pager, and waits until the user leaves
// it. Without a pager it calls write with the output itself.
func paged(s *streams, write func(io.Writer) error) error {
	words := desktop.Pager(os.Getenv, exec.LookPath)
	if words == nil {
		return write(s.Out)
	}
	cmd := exec.Command(words[0], words[1:]...)
	cmd.Stdout, cmd.Stderr = s.Out, s.Err
	if os.Getenv("LESS") == "" {
		cmd.Env = append(os.Environ(), "LESS=FRX") // as git does: print what fits on the screen
	}
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return write(s.Out)
	}
	_ = write(in) // fails if the user leaves before the end
	_ = in.Close()
	return cmd.Wait()
}

// shownLines prints an agent's output line by line, sanitised. It prints an incomplete line,
// such as a question, after restTime without more output.
type shownLines struct {
	to io.Writer

	mu   sync.Mutex
	rest []byte
	late *time.Timer // shows rest, nil while nothing is left
}

const (
	// maxShown is the length in bytes at which a line is printed in parts.
	maxShown = 4096
	// restTime is how long the rest of a line may take.
	restTime = 300 * time.Millisecond
)

// Write implements io.Writer.
func (w *shownLines) Write(data []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.late != nil {
		w.late.Stop()
		w.late = nil
	}
	w.rest = append(w.rest, data...)
	for {
		end := bytes.IndexByte(w.rest, '\n') + 1
		if end == 0 && len(w.rest) >= maxShown {
			end = len(w.rest)
		}
		if end == 0 {
			break
		}
		w.show(end)
	}
	if len(w.rest) > 0 {
		w.late = time.AfterFunc(restTime, func() {
			w.mu.Lock()
			defer w.mu.Unlock()
			if len(w.rest) > 0 {
				w.show(len(w.rest))
			}
		})
	}
	return len(data), nil
}

// show prints the first bytes of rest. The caller holds w.mu.
func (w *shownLines) show(end int) {
	fmt.Fprintln(w.to, termtext.Line(strings.TrimRight(string(w.rest[:end]), "\r\n")))
	w.rest = w.rest[end:]
}
