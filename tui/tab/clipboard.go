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

// copiedMsg says how text was put on the clipboard.
type copiedMsg struct {
	text copied
	// way is the program that took it, "" if none did; err is why.
	way string
	err error
}

// copied is what was put on the clipboard.
type copied struct {
	what       string // as in "the command"; it may be ""
	characters int
	// cleaned says that characters were left out: such as draw nothing, or such
	// as a terminal takes as commands.
	cleaned bool
	// tooLong says that it did not go to the terminal's clipboard.
	tooLong bool
}

// mostToTerminal is the longest text for the terminal's clipboard, in bytes. It goes
// through the same pipe as all that is drawn, and terminals take no more than that.
const mostToTerminal = 1 << 20

// copy puts text on the terminal's clipboard and on the system's: each reaches
// where the other does not. What it says afterwards is what is known to have
// happened. Text that leaves is as clean as what is drawn.
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

// String says what happened, and by which way. Nothing answers to OSC 52, so that
// way is never known to have worked.
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
		return "not copied: " + what + " are too many for the terminal's clipboard (OSC 52), and " +
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
