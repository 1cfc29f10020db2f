package desktop_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"parley/tui/desktop"
)

var note = desktop.Notification{Title: "parley", Text: "Finished: a; b"}

func TestEachTerminalIsCalledInItsWay(t *testing.T) {
	t.Parallel()
	const (
		osc9   = "\x1b]9;parley: Finished: a; b\a"
		osc777 = "\x1b]777;notify;parley;Finished: a; b\a"
		osc99  = "\x1b]99;i=parley:d=0;parley\a\x1b]99;i=parley:p=body;Finished: a; b\a"
	)
	for _, tt := range []struct {
		env  map[string]string
		want string
	}{
		{map[string]string{"TERM": "xterm-256color"}, "\a"},
		{map[string]string{"TERM": "linux"}, "\a"},
		{map[string]string{"TERM_PROGRAM": "Apple_Terminal", "TERM": "xterm-256color"}, "\a"},
		{map[string]string{"TERM_PROGRAM": "iTerm.app", "TERM": "xterm-256color"}, osc9},
		{map[string]string{"LC_TERMINAL": "iTerm2", "TERM": "xterm-256color"}, osc9}, // through ssh
		{map[string]string{"TERM_PROGRAM": "WezTerm"}, osc777},
		{map[string]string{"TERM_PROGRAM": "ghostty", "TERM": "xterm-ghostty"}, osc777},
		{map[string]string{"TERM": "foot"}, osc777},
		{map[string]string{"TERM": "xterm-kitty"}, osc99},
		{map[string]string{"TERM": "xterm-256color", "KITTY_WINDOW_ID": "1"}, osc99},
		{map[string]string{"TERM": "screen", "STY": "1.pts", "KITTY_WINDOW_ID": "1"}, "\a"},
	} {
		term := desktop.Notifier{Getenv: func(name string) string { return tt.env[name] }}
		if got := term.Sequence(t.Context(), "", note); got != tt.want {
			t.Errorf("%v: %q, want %q", tt.env, got, tt.want)
		}
	}
	plain := desktop.Notifier{Getenv: func(string) string { return "" }}
	for way, want := range map[desktop.NotifyMethod]string{desktop.OSC9: osc9, desktop.OSC777: osc777, desktop.OSC99: osc99, desktop.Bell: "\a"} {
		if got := plain.Sequence(t.Context(), way, note); got != want {
			t.Errorf("%s: %q, want %q", way, got, want)
		}
	}
}

// Inside of tmux the terminal around it is called, and only if tmux lets it pass.
func TestInsideOfTmux(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		says string
		err  error
		way  desktop.NotifyMethod
		want string
	}{
		{says: "on\niTerm2 3.5\nxterm-256color\n", want: "\x1bPtmux;\x1b\x1b]9;parley: Finished: a; b\a\x1b\\"},
		{says: "all\n\nfoot\n", want: "\x1bPtmux;\x1b\x1b]777;notify;parley;Finished: a; b\a\x1b\\"},
		{says: "on\n\nxterm-256color\n", want: "\a"},
		{says: "off\niTerm2 3.5\nxterm-256color\n", want: "\a"},
		{says: "\niTerm2 3.5\nxterm-256color\n", want: "\a"}, // a tmux without that option
		{err: errors.New("no server"), want: "\a"},
		{says: "off\niTerm2 3.5\n", way: desktop.OSC9, want: "\a"},
		{says: "on\n\nxterm-256color\n", way: desktop.OSC9, want: "\x1bPtmux;\x1b\x1b]9;parley: Finished: a; b\a\x1b\\"},
	} {
		env := map[string]string{"TMUX": "/tmp/x", "TMUX_PANE": "%3", "TERM_PROGRAM": "tmux", "KITTY_WINDOW_ID": "1"}
		term := desktop.Notifier{
			Getenv: func(name string) string { return env[name] },
			TMUX: func(_ context.Context, args ...string) (string, error) {
				if got := strings.Join(args[:4], " "); got != "display-message -p -t %3" {
					t.Errorf("tmux is asked %q", got)
				}
				return tt.says, tt.err
			},
		}
		if got := term.Sequence(t.Context(), tt.way, note); got != tt.want {
			t.Errorf("%+v: %q", tt, got)
		}
	}
}

// Nothing in a title or a text ends the sequence, or is a sequence.
func TestTextFromOutsideStaysText(t *testing.T) {
	t.Parallel()
	nasty := desktop.Notification{Title: "a;b\x07", Text: "x\x1b]52;c;eA==\x07\u009cy\n\u202e" + strings.Repeat("z", 1000)}
	plain := desktop.Notifier{Getenv: func(string) string { return "" }}
	for _, way := range []desktop.NotifyMethod{desktop.OSC9, desktop.OSC777, desktop.OSC99} {
		seq := plain.Sequence(t.Context(), way, nasty)
		ends := map[desktop.NotifyMethod]int{desktop.OSC9: 1, desktop.OSC777: 1, desktop.OSC99: 2}[way]
		if strings.Count(seq, "\a") != ends || strings.Count(seq, "\x1b") != ends || strings.ContainsAny(seq, "\u009c\n\u202e") || len(seq) > 400 {
			t.Errorf("%s: %q", way, seq)
		}
	}
}

func TestProgressOnlyWhereItIsKnown(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		env  map[string]string
		want bool
	}{
		{map[string]string{"TERM": "xterm-256color"}, false},
		{map[string]string{"WT_SESSION": "x"}, true},
		{map[string]string{"WT_SESSION": "x", "TMUX": "x"}, false},
		{map[string]string{"ConEmuANSI": "ON"}, true},
		{map[string]string{"TERM_PROGRAM": "ghostty", "TERM_PROGRAM_VERSION": "1.1.3"}, false},
		{map[string]string{"TERM_PROGRAM": "ghostty", "TERM_PROGRAM_VERSION": "1.2.0-main"}, true},
		{map[string]string{"TERM_PROGRAM": "ghostty", "TERM_PROGRAM_VERSION": "2.0"}, true},
		{map[string]string{"TERM_PROGRAM": "iTerm.app", "TERM_PROGRAM_VERSION": "3.5.14"}, false},
		{map[string]string{"TERM_PROGRAM": "iTerm.app", "TERM_PROGRAM_VERSION": "3.6.6"}, true},
		{map[string]string{"TERM_PROGRAM": "iTerm.app"}, false},
		{map[string]string{"VTE_VERSION": "7800"}, false},
		{map[string]string{"VTE_VERSION": "7900"}, true},
		{map[string]string{"VTE_VERSION": "7900", "TERM_PROGRAM": "WezTerm"}, false},
	} {
		if got := desktop.ShowsProgress(func(name string) string { return tt.env[name] }); got != tt.want {
			t.Errorf("%v: %v", tt.env, got)
		}
	}
}
