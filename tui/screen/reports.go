package screen

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"

	"parley/internal/termtext"
)

// asking returns the query for synchronized output (mode 2026) and grapheme clusters
// (mode 2027). It is empty for terminals that would print it.
func asking(env []string) string {
	if !understandsQuestions(env) {
		return ""
	}
	return ansi.RequestModeSynchronizedOutput + ansi.RequestModeUnicodeCore
}

// understandsQuestions decides as Bubble Tea's renderer does: not for Apple's Terminal,
// and over SSH, where the terminal could be that one, only for known others.
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
