package cli

import (
	"io"
	"os"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/term"

	"parley/internal/app"
)

// streams are the standard streams of the process, and what is known of them.
type streams struct {
	In       io.Reader
	Out, Err io.Writer
	// InTerminal, OutTerminal and ErrTerminal say which of them are a terminal.
	InTerminal, OutTerminal, ErrTerminal bool
	// Piped says that something is piped into the program.
	Piped bool
	// Keyboard says that there is a terminal to read keys from: standard input,
	// or else the terminal that the process belongs to.
	Keyboard bool
}

// systemStreams are the streams that the process was started with.
func systemStreams() *streams {
	return &streams{
		In: os.Stdin, Out: os.Stdout, Err: os.Stderr,
		InTerminal:  term.IsTerminal(os.Stdin.Fd()),
		OutTerminal: term.IsTerminal(os.Stdout.Fd()),
		ErrTerminal: term.IsTerminal(os.Stderr.Fd()),
		Piped:       holdsText(os.Stdin),
		Keyboard:    term.IsTerminal(os.Stdin.Fd()) || ownsTerminal(),
	}
}

// ownsTerminal says whether the process belongs to a terminal, whatever its
// standard streams are.
func ownsTerminal() bool {
	in, out, err := tea.OpenTTY()
	if err != nil {
		return false
	}
	_ = in.Close()
	_ = out.Close()
	return true
}

// holdsText says whether a file is a pipe, or a file that holds something.
func holdsText(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && (info.Mode()&os.ModeNamedPipe != 0 || info.Mode().IsRegular() && info.Size() > 0)
}

// needScreen is the error of a command that draws on the terminal and has none.
func (s *streams) needScreen() error {
	const hint = "Start parley in a terminal, without > or |.\nTo work without a screen: parley run PROMPT"
	switch {
	case !s.OutTerminal:
		return app.WithHint(hint, "no terminal to draw on: the output goes to a file or a program")
	case s.Piped:
		return app.WithHint("To send it as a prompt and print the answer: … | parley run\nTo send a prompt on the screen: parley --prompt TEXT",
			"parley reads keys, but its input is a pipe")
	case !s.Keyboard:
		return app.WithHint(hint, "no terminal to read keys from")
	}
	return nil
}
