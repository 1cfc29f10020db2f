// This file puts text on the clipboard of the system that parley runs
// on, by the program that the system has for it.
//
// The terminal's own way, OSC 52, is not here: whoever draws writes that. The
// two go together, since each reaches where the other does not: a terminal may
// refuse OSC 52, and over ssh the system's clipboard is another machine's.

package desktop

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"runtime"
	"strings"
	"time"
)

// ErrNone says that this system has no program to reach its clipboard.
var ErrNoClipboard = errors.New("no clipboard program was found: install wl-clipboard, xclip or xsel")

// patience is how long a program may take: they hand the text over and end, or
// go on in the background by themselves. Tests raise it, for what they see must not
// depend on the load of the machine.
var clipboardPatience = 3 * time.Second

// System is what decides which program is used. The zero value is of no use:
// see Here.
type Clipboard struct {
	// OS is a value of runtime.GOOS.
	OS string
	// Getenv reads the environment.
	Getenv func(string) string
	// LookPath finds a program, as exec.LookPath does.
	LookPath func(string) (string, error)
}

// Here is this system.
func SystemClipboard(getenv func(string) string) Clipboard {
	return Clipboard{OS: runtime.GOOS, Getenv: getenv, LookPath: exec.LookPath}
}

// tool is a program that reads text and puts it on a clipboard.
type tool struct {
	name string
	args []string
	// there reports whether its clipboard is one that the person sees.
	there func(Clipboard) bool
}

// tools are tried in this order. tmux comes first: it keeps a buffer of its own
// and hands the text on to the terminal that it runs in.
var tools = []tool{
	{"tmux", []string{"load-buffer", "-w", "-"}, func(s Clipboard) bool { return s.Getenv("TMUX") != "" }},
	{"pbcopy", nil, func(s Clipboard) bool { return s.OS == "darwin" }},
	{"clip.exe", nil, func(s Clipboard) bool { return s.OS == "windows" || s.Getenv("WSL_DISTRO_NAME") != "" }},
	{"wl-copy", nil, func(s Clipboard) bool { return s.Getenv("WAYLAND_DISPLAY") != "" }},
	{"xclip", []string{"-selection", "clipboard"}, func(s Clipboard) bool { return s.Getenv("DISPLAY") != "" }},
	{"xsel", []string{"--input", "--clipboard"}, func(s Clipboard) bool { return s.Getenv("DISPLAY") != "" }},
}

// Copy puts text on the clipboard and returns the name of the program that took
// it. The error wraps ErrNone if there is no such program; when several are there
// and the first fails, the next is tried. It waits for the program, so it
// belongs beside the screen.
func (s Clipboard) Copy(ctx context.Context, text string) (way string, err error) {
	ctx, cancel := context.WithTimeout(ctx, clipboardPatience)
	defer cancel()
	failed := []error{}
	for _, t := range tools {
		if !t.there(s) {
			continue
		}
		path, err := s.LookPath(t.name)
		if err != nil {
			continue
		}
		// Output is not read: xclip keeps its own open for as long as it serves
		// the text, and waiting for its end would be waiting for that.
		cmd := exec.CommandContext(ctx, path, t.args...)
		cmd.Stdin = strings.NewReader(text)
		cmd.WaitDelay = time.Second
		if err := cmd.Run(); err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", t.name, err))
			continue
		}
		return t.name, nil
	}
	if len(failed) > 0 {
		return "", errors.Join(failed...)
	}
	return "", ErrNoClipboard
}
