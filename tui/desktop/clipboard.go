// Package desktop accesses what is beside the terminal: the clipboard, the editor,
// notifications, and images.
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

// ErrNoClipboard means that this system has no program to reach its clipboard.
var ErrNoClipboard = errors.New("no clipboard program was found: install wl-clipboard, xclip or xsel")

// clipboardPatience is how long a program may take: it takes the text and ends, or
// moves to the background. Tests raise it, because their result must not depend on the
// load of the machine.
var clipboardPatience = 3 * time.Second

// Clipboard is the system's clipboard, accessed through an external program. It
// complements the terminal's own way, OSC 52, which the painter writes: a terminal may
// refuse OSC 52, and over SSH the system's clipboard belongs to another machine. Use
// SystemClipboard to create one.
type Clipboard struct {
	// OS is a value of runtime.GOOS.
	OS string
	// Getenv reads the environment.
	Getenv func(string) string
	// LookPath finds a program, as exec.LookPath does.
	LookPath func(string) (string, error)
}

// SystemClipboard returns the clipboard of this system.
func SystemClipboard(getenv func(string) string) Clipboard {
	return Clipboard{OS: runtime.GOOS, Getenv: getenv, LookPath: exec.LookPath}
}

// tool is a program that reads text and puts it on a clipboard.
type tool struct {
	name string
	args []string
	// there reports whether the user sees its clipboard.
	there func(Clipboard) bool
}

// tools are tried in this order. tmux comes first: it keeps a buffer of its own and
// passes the text on to its terminal.
var tools = []tool{
	{"tmux", []string{"load-buffer", "-w", "-"}, func(s Clipboard) bool { return s.Getenv("TMUX") != "" }},
	{"pbcopy", nil, func(s Clipboard) bool { return s.OS == "darwin" }},
	{"clip.exe", nil, func(s Clipboard) bool { return s.OS == "windows" || s.Getenv("WSL_DISTRO_NAME") != "" }},
	{"wl-copy", nil, func(s Clipboard) bool { return s.Getenv("WAYLAND_DISPLAY") != "" }},
	{"xclip", []string{"-selection", "clipboard"}, func(s Clipboard) bool { return s.Getenv("DISPLAY") != "" }},
	{"xsel", []string{"--input", "--clipboard"}, func(s Clipboard) bool { return s.Getenv("DISPLAY") != "" }},
}

// Copy puts text on the clipboard and returns the name of the program that took it. If
// one program fails, it tries the next. The error wraps ErrNoClipboard if there is
// none. Copy waits for the program.
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
		// Do not read the output: xclip keeps it open while it serves the text.
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
