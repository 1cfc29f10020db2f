package screen

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
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
		if got := understandsQuestions(tt.env); got != tt.asks {
			t.Errorf("%q: asked %v, want %v", tt.env, got, tt.asks)
		}
	}
}

// In GNU screen the mouse is left alone: while it is reported, escape comes only with the
// next key.
func TestTakesTheMouseWhereThatCostsNoKey(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		env   []string
		takes bool
	}{
		{[]string{"TERM=xterm-256color"}, true},
		{[]string{"TERM=screen", "STY=1.pts-0.host"}, false},
		{[]string{"TERM=screen.xterm-256color", "STY=1.pts-0.host", "TMUX=/tmp/t,1,0"}, false},
		{[]string{"TERM=tmux-256color", "STY=1.pts-0.host", "TMUX=/tmp/t,1,0"}, true},
		{[]string{"TERM=screen-256color", "TMUX=/tmp/t,1,0"}, true},
	} {
		term := newTerminal(tt.env, colorprofile.ANSI, Unicode)
		out := string(term.frame(Frame{Whole: true, Lines: []string{"text"}, View: tea.View{MouseMode: tea.MouseModeCellMotion}}, 20, 5))
		if got := strings.Contains(out, ansi.SetModeMouseButtonEvent); got != tt.takes {
			t.Errorf("%q: the mouse is taken: %v", tt.env, got)
		}
	}
}
