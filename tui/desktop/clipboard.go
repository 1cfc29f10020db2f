// Package desktop accesses what is beside the terminal: the clipboard, the editor,
// notifications, and images.
package desktop

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"runtime"
	"slices"
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

var (
	// ErrNoImage means that there is no image on the clipboard.
	ErrNoImage = errors.New("there is no image on the clipboard")
	// ErrNoReader means that this system has no program that reads images from its
	// clipboard.
	ErrNoReader = errors.New("no program was found that reads images from the clipboard: install wl-clipboard or xclip, on macOS pngpaste")
)

// imageTypes are the accepted types, the best first.
var imageTypes = []string{"image/png", "image/jpeg", "image/webp", "image/gif"}

// reader is a program that outputs the image on a clipboard.
type reader struct {
	name string
	// there reports whether the user sees its clipboard.
	there func(Clipboard) bool
	// types are the arguments with which it lists the available types; nil if it
	// cannot. image returns those with which it outputs an image of a type.
	types []string
	image func(kind string) []string
	// decode converts the output to an image; nil if the output is one.
	decode func([]byte) ([]byte, error)
}

// powershell writes the image as a PNG in base64.
const powershell = "Add-Type -AssemblyName System.Windows.Forms,System.Drawing; " +
	"$i = [System.Windows.Forms.Clipboard]::GetImage(); if ($i) { $m = New-Object System.IO.MemoryStream; " +
	"$i.Save($m, [System.Drawing.Imaging.ImageFormat]::Png); [Convert]::ToBase64String($m.ToArray()) }"

// readers are tried in this order.
var readers = []reader{
	{
		name: "pngpaste", there: func(s Clipboard) bool { return s.OS == "darwin" },
		image: func(string) []string { return []string{"-"} },
	},
	{
		name: "osascript", there: func(s Clipboard) bool { return s.OS == "darwin" },
		image: func(string) []string { return []string{"-e", "get the clipboard as «class PNGf»"} }, decode: fromAppleScript,
	},
	{
		name: "powershell.exe", there: func(s Clipboard) bool { return s.OS == "windows" || s.Getenv("WSL_DISTRO_NAME") != "" },
		image: func(string) []string {
			return []string{"-NoProfile", "-NonInteractive", "-STA", "-Command", powershell}
		},
		decode: func(out []byte) ([]byte, error) {
			return base64.StdEncoding.DecodeString(string(bytes.TrimSpace(out)))
		},
	},
	{
		name: "wl-paste", there: func(s Clipboard) bool { return s.Getenv("WAYLAND_DISPLAY") != "" },
		types: []string{"--list-types"},
		image: func(kind string) []string { return []string{"--no-newline", "--type", kind} },
	},
	{
		name: "xclip", there: func(s Clipboard) bool { return s.Getenv("DISPLAY") != "" },
		types: []string{"-selection", "clipboard", "-t", "TARGETS", "-o"},
		image: func(kind string) []string { return []string{"-selection", "clipboard", "-t", kind, "-o"} },
	},
}

// imagePatience is how long a program may take to output an image. PowerShell needs a
// second to start.
const imagePatience = 10 * time.Second

// Image returns the image on the clipboard, up to most bytes and one more, which shows
// that it is too large. The error is ErrNoImage if there is none, and ErrNoReader if no
// program can tell. Image waits for the program.
func (s Clipboard) Image(ctx context.Context, most int64) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, imagePatience)
	defer cancel()
	err := ErrNoReader
	for _, r := range readers {
		if !r.there(s) {
			continue
		}
		path, missing := s.LookPath(r.name)
		if missing != nil {
			continue
		}
		data, failed := r.read(ctx, path, most)
		if failed == nil {
			return data, nil
		}
		if errors.Is(err, ErrNoReader) || !errors.Is(failed, ErrNoImage) {
			err = failed
		}
	}
	return nil, err
}

// read returns the image that the program at path outputs.
func (r reader) read(ctx context.Context, path string, most int64) ([]byte, error) {
	kind := ""
	if r.types != nil {
		listed, err := output(ctx, path, r.types, 64<<10)
		if err != nil {
			return nil, err // a failure here means that the clipboard is empty
		}
		offered := strings.Fields(string(listed))
		i := slices.IndexFunc(imageTypes, func(kind string) bool { return slices.Contains(offered, kind) })
		if i < 0 {
			return nil, ErrNoImage
		}
		kind = imageTypes[i]
	}
	bound := most + 1
	if r.decode != nil {
		bound = 3 * bound // at most two characters per byte, and what surrounds them
	}
	data, err := output(ctx, path, r.image(kind), bound)
	if err == nil && r.decode != nil {
		data, err = r.decode(data)
	}
	switch {
	case err != nil && int64(len(data)) > most: // the rest is not wanted
	case err != nil:
		return nil, err
	case len(data) == 0:
		return nil, ErrNoImage
	}
	return data[:min(int64(len(data)), most+1)], nil
}

// output returns up to bound bytes of a program's output. A program that fails has no
// image: all of them report it that way.
func output(ctx context.Context, path string, args []string, bound int64) ([]byte, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.WaitDelay = time.Second
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	data, readErr := io.ReadAll(io.LimitReader(out, bound))
	if int64(len(data)) == bound {
		cancel() // there is more, which is too much
		_ = cmd.Wait()
		return data, nil
	}
	failed := cmd.Wait()
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return nil, fmt.Errorf("%s did not answer: %w", cmd.Args[0], ctx.Err())
	case errors.As(failed, &exit):
		return nil, ErrNoImage
	case failed != nil:
		return nil, failed
	}
	return data, readErr
}

// fromAppleScript decodes «data PNGf89504E47…».
func fromAppleScript(out []byte) ([]byte, error) {
	text := strings.TrimSpace(string(out))
	digits, isData := strings.CutPrefix(text, "«data PNGf")
	if !isData {
		return nil, ErrNoImage
	}
	return hex.DecodeString(strings.TrimSuffix(digits, "»"))
}
