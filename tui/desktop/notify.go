package desktop

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"
	"golang.org/x/mod/semver"

	"parley/config"
	"parley/internal/termtext"
)

// NotifyMethod is an escape sequence for notifications.
type NotifyMethod string

// The methods, named after their operating system command.
const (
	OSC9   NotifyMethod = "osc9"   // iTerm2's
	OSC777 NotifyMethod = "osc777" // urxvt's
	OSC99  NotifyMethod = "osc99"  // kitty's
	Bell   NotifyMethod = "bell"
)

// Notification is a message for the user.
type Notification struct{ Title, Text string }

const (
	// longest bounds a title or text, in characters.
	longest = 160
	bell    = "\a"
)

// clean returns a text on one line, shortened, that cannot end the sequence.
func clean(text string) string {
	text = termtext.Line(text)
	if r := []rune(text); len(r) > longest {
		text = string(r[:longest-1]) + "…"
	}
	return text
}

// Sequence returns the sequence for a notification.
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

// of returns the method of a terminal by its name: TERM, TERM_PROGRAM, or its answer to
// a query.
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

// Notifier notifies users who look elsewhere, by a desktop notification of their
// terminal or the bell. Only terminals that are known to support a sequence get one:
// others ring, print it, or take it for something else. Inside tmux the outer terminal
// decides, and only if tmux passes the sequence through. TMUX runs tmux with arguments;
// nil means the program.
type Notifier struct {
	Getenv func(string) string
	TMUX   func(ctx context.Context, args ...string) (string, error)
}

// Sequence returns the sequence for a notification by a method or, if that is "", by
// the terminal's own. It may have to wait for tmux.
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
		return bell // tmux passes it on, and marks the window
	}
	return ansi.TmuxPassthrough(w.Sequence(n))
}

// way returns the method of a terminal without a multiplexer. GNU screen passes nothing
// on.
func (t Notifier) way() NotifyMethod {
	if t.Getenv("STY") != "" {
		return Bell
	}
	if t.Getenv("KITTY_WINDOW_ID") != "" {
		return OSC99
	}
	return of(t.Getenv("TERM_PROGRAM"), t.Getenv("TERM"), t.Getenv("LC_TERMINAL"))
}

// notifyPatience is how long tmux may take to answer.
const notifyPatience = 2 * time.Second

// around asks tmux whether it passes sequences through, and for the outer terminal's
// method.
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

// commandTime is how long the user's program may take.
const commandTime = 10 * time.Second

// RunNotifyCommand runs the user's program, and waits for it. There is no shell:
// "{title}" and "{text}" in the arguments are replaced, and the event, title and text
// are in the environment.
func RunNotifyCommand(ctx context.Context, command []string, happening string, n Notification) error {
	ctx, cancel := context.WithTimeout(ctx, commandTime)
	defer cancel()
	title, text := clean(n.Title), clean(n.Text)
	fill := strings.NewReplacer("{title}", title, "{text}", text)
	args := make([]string, 0, len(command))
	for _, arg := range command[1:] {
		args = append(args, fill.Replace(arg))
	}
	cmd := exec.CommandContext(ctx, command[0], args...)
	cmd.Env = append(os.Environ(), "PARLEY_EVENT="+happening, "PARLEY_TITLE="+title, "PARLEY_TEXT="+text)
	cmd.Dir, cmd.WaitDelay = config.CommandDir(), time.Second
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("the command of [attention] failed: %s: %w", command[0], err)
	}
	return nil
}

// ShowsProgress reports whether the terminal is known to show progress (OSC 9;4).
// Others take the sequence for the text of a notification.
func ShowsProgress(getenv func(string) string) bool {
	if getenv("TMUX") != "" || getenv("STY") != "" {
		return false
	}
	version := "v" + getenv("TERM_PROGRAM_VERSION")
	switch program := getenv("TERM_PROGRAM"); {
	case getenv("WT_SESSION") != "", getenv("ConEmuANSI") == "ON":
		return true
	case program == "ghostty":
		return semver.Compare(version, "v1.2.0-0") >= 0
	case program == "iTerm.app":
		return semver.Compare(version, "v3.6.6-0") >= 0
	case program != "":
		return false
	}
	vte, err := strconv.Atoi(getenv("VTE_VERSION"))
	return err == nil && vte >= 7900
}
