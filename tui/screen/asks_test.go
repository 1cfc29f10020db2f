package screen

import (
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// Terminals that would print a question are not asked.
func TestAsksWhoUnderstands(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		env  []string
		asks bool
	}{
		{[]string{"TERM=xterm-256color"}, true},
		{[]string{"TERM=xterm-256color", "TERM_PROGRAM=iTerm.app"}, true},
		{[]string{"TERM=xterm-256color", "TERM_PROGRAM=Apple_Terminal"}, false},
		{[]string{"TERM=xterm-256color", "SSH_TTY=/dev/pts/1"}, false},
		{[]string{"TERM=xterm-kitty", "SSH_TTY=/dev/pts/1"}, true},
		{[]string{"WT_SESSION=1"}, true},
	} {
		if got := asking(tt.env) != ""; got != tt.asks {
			t.Errorf("%q: asked %v, want %v", tt.env, got, tt.asks)
		}
	}
}

// The library's commands that ask something of the terminal are written by the
// screen, and its other messages are not.
func TestWritesWhatTheLibrarysCommandsAsk(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		msg  tea.Msg
		want string
	}{
		{tea.SetClipboard("text")(), ansi.SetSystemClipboard("text")},
		{tea.SetPrimaryClipboard("text")(), ansi.SetPrimaryClipboard("text")},
		{tea.ReadClipboard(), ansi.RequestSystemClipboard},
		{tea.RequestBackgroundColor(), ansi.RequestBackgroundColor},
		{tea.RequestCapability("RGB")(), ansi.RequestTermcap("RGB")},
		{tea.RequestTerminalVersion(), ansi.RequestNameVersion},
		{tea.Raw("\a")(), "\a"},
		{tea.Quit(), ""},
		{tea.KeyPressMsg{}, ""},
		{"a text", ""},
	} {
		if got, ok := sequence(tt.msg); got != tt.want || ok != (tt.want != "") {
			t.Errorf("%T: %q, %v, want %q", tt.msg, got, ok, tt.want)
		}
	}
}
