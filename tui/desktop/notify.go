// This file calls a person who looks elsewhere, in the way that their terminal has
// for it: a notification of the desktop, or the bell.
//
// Terminals that do not know a sequence for notifications ring, print it, or take it for
// another one, so only those get one that are known to take it. Inside of tmux the
// terminal around it is asked for, and gets one only if tmux is set to let it pass.

package desktop

import (
	"context"
	"os/exec"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"parley/internal/termtext"
)

// Way is a sequence that calls the person.
type NotifyMethod string

// The ways, by the number of the operating system command that they are.
const (
	OSC9   NotifyMethod = "osc9"   // iTerm2's
	OSC777 NotifyMethod = "osc777" // urxvt's
	OSC99  NotifyMethod = "osc99"  // kitty's
	Bell   NotifyMethod = "bell"
)

// Note is what the person is told.
type Notification struct{ Title, Text string }

const (
	// longest is how many characters of a title or a text are sent.
	longest = 160
	bell    = "\a"
)

// clean is a text in one line that ends no sequence, and is not too long.
func clean(text string) string {
	text = termtext.Line(text)
	if r := []rune(text); len(r) > longest {
		text = string(r[:longest-1]) + "…"
	}
	return text
}

// Sequence is what calls the person in a way.
func (w NotifyMethod) Sequence(n Notification) string {
	title, text := clean(n.Title), clean(n.Text)
	switch w {
	case OSC9:
		// A text that begins with a number means something else to some terminals.
		return ansi.Notify(title + ": " + text)
	case OSC777:
		return ansi.URxvtExt("notify", strings.ReplaceAll(title, ";", ","), text)
	case OSC99:
		return ansi.DesktopNotification(title, "i=parley", "d=0") + ansi.DesktopNotification(text, "i=parley", "p=body")
	}
	return bell
}

// of is the way of a terminal, by what it is called: TERM, TERM_PROGRAM, or what it
// answers when it is asked for its name.
func of(names ...string) NotifyMethod {
	for _, name := range names {
		name = strings.ToLower(name)
		for _, known := range []struct {
			name string
			way  NotifyMethod
		}{
			{"kitty", OSC99}, {"iterm", OSC9}, {"wezterm", OSC777}, {"ghostty", OSC777}, {"foot", OSC777}, {"warp", OSC9}, {"rxvt", OSC777},
		} {
			if strings.Contains(name, known.name) {
				return known.way
			}
		}
	}
	return Bell
}

// Terminal is the terminal that the environment describes. TMUX runs tmux with
// arguments; nil is the program.
type Notifier struct {
	Getenv func(string) string
	TMUX   func(ctx context.Context, args ...string) (string, error)
}

// Sequence calls the person: in a way, or, if that is "", in the terminal's own. It may
// ask tmux, and takes its time then.
func (t Notifier) Sequence(ctx context.Context, w NotifyMethod, n Notification) string {
	if t.Getenv("TMUX") == "" {
		if w == "" {
			w = t.way()
		}
		return w.Sequence(n)
	}
	if w == Bell {
		return bell
	}
	passes, around := t.around(ctx)
	if w == "" {
		w = around
	}
	if !passes || w == Bell {
		return bell // tmux hands it on, and marks the window
	}
	return ansi.TmuxPassthrough(w.Sequence(n))
}

// way is the way of a terminal in which no multiplexer runs. Screen hands nothing on.
func (t Notifier) way() NotifyMethod {
	if t.Getenv("STY") != "" {
		return Bell
	}
	if t.Getenv("KITTY_WINDOW_ID") != "" {
		return OSC99
	}
	return of(t.Getenv("TERM_PROGRAM"), t.Getenv("TERM"), t.Getenv("LC_TERMINAL"))
}

// patience is how long tmux may take to answer.
const notifyPatience = 2 * time.Second

// around asks tmux whether it lets sequences pass to the terminal around it, and which
// way that one has.
func (t Notifier) around(ctx context.Context) (passes bool, w NotifyMethod) {
	ctx, cancel := context.WithTimeout(ctx, notifyPatience)
	defer cancel()
	run := t.TMUX
	if run == nil {
		run = tmux
	}
	args := []string{"display-message", "-p"}
	if pane := t.Getenv("TMUX_PANE"); pane != "" {
		args = append(args, "-t", pane)
	}
	said, err := run(ctx, append(args, "#{allow-passthrough}\n#{client_termtype}\n#{client_termname}")...)
	if err != nil {
		return false, Bell
	}
	allowed, names, _ := strings.Cut(said, "\n")
	switch strings.TrimSpace(allowed) {
	case "on", "all", "1":
		return true, of(strings.Split(names, "\n")...)
	}
	return false, Bell
}

func tmux(ctx context.Context, args ...string) (string, error) {
	out, err := exec.CommandContext(ctx, "tmux", args...).Output()
	return string(out), err
}
