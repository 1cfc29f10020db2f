package tab

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"parley/internal/termtext"
	"parley/tui/desktop"
)

// copiedMsg reports how text was copied.
type copiedMsg struct {
	text copied
	// way is the program that took it, "" if none; err is the reason.
	way string
	err error
}

// copied describes copied text.
type copied struct {
	what       string // as in "the command"; it may be ""
	characters int
	// cleaned means that control and invisible characters were removed.
	cleaned bool
	// tooLong means that it exceeds mostToTerminal.
	tooLong bool
}

// mostToTerminal is the longest text for the terminal's clipboard, in bytes. The text
// shares a pipe with the screen, and terminals accept no more.
const mostToTerminal = 1 << 20

// copy puts text on the terminal's clipboard and on the system's, because each reaches
// places where the other does not. It removes control characters and reports what is known
// to have happened.
func (ac *actions) copy(what, text string) tea.Cmd {
	t := ac.tab
	clean := termtext.Clipboard(text)
	if clean == "" {
		return t.say("there is nothing to copy")
	}
	whole := strings.ToValidUTF8(strings.ReplaceAll(text, "\r\n", "\n"), "\uFFFD")
	took := copied{what, utf8.RuneCountInString(clean), clean != whole, len(clean) > mostToTerminal}
	ctx, system := t.program.Context, t.program.Clipboard
	var toTerminal tea.Cmd
	if !took.tooLong {
		toTerminal = send(Copy{clean})
	}
	return tea.Batch(toTerminal, func() tea.Msg {
		if system == nil {
			return copiedMsg{text: took, err: desktop.ErrNoClipboard}
		}
		way, err := system(ctx, clean)
		return copiedMsg{took, way, err}
	})
}

// String reports the outcome. OSC 52 gets no reply, so the terminal's clipboard is never
// certain.
func (m copiedMsg) String() string {
	what := "1 character"
	if n := m.text.characters; n != 1 {
		what = fmt.Sprintf("%d characters", n)
	}
	if m.text.what != "" {
		what = m.text.what + ", " + what
	}
	words := "copied " + what + " (" + m.way + ")"
	switch {
	case m.err != nil && m.text.tooLong:
		return "not copied: " + what + ": too much for the terminal's clipboard (OSC 52), and " +
			strings.ReplaceAll(m.err.Error(), "\n", "; ")
	case m.err != nil:
		words = "sent " + what + " to the terminal's clipboard (OSC 52), which may refuse it"
	}
	if m.text.cleaned {
		words += ", without control and hidden characters"
	}
	if m.err != nil && !errors.Is(m.err, desktop.ErrNoClipboard) {
		words += "; " + strings.ReplaceAll(m.err.Error(), "\n", "; ")
	}
	return words
}
