package desktop_test

import (
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"parley/tui/desktop"
)

// system has the programs given: each writes its arguments and what it reads to
// a file of its name, those with a "!" fail.
func system(t *testing.T, goos string, env map[string]string, programs ...string) (desktop.Clipboard, string) {
	t.Helper()
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("there is no sh to stand in for clipboard programs")
	}
	dir := t.TempDir()
	for _, p := range programs {
		name, fails := strings.CutPrefix(p, "!")
		script := fmt.Sprintf("#!%s\necho \"$@\" >%[2]s/%[3]s.got\ncat >>%[2]s/%[3]s.got\n", sh, dir, name)
		if fails {
			script += "exit 1\n"
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return desktop.Clipboard{
		OS: goos, Getenv: func(k string) string { return env[k] },
		LookPath: func(name string) (string, error) { return exec.LookPath(filepath.Join(dir, name)) },
	}, dir
}

func TestCopy(t *testing.T) {
	wayland, x11 := map[string]string{"WAYLAND_DISPLAY": "wayland-0", "DISPLAY": ":0"}, map[string]string{"DISPLAY": ":0"}
	tmux := map[string]string{"TMUX": "/tmp/tmux-0/default,1,0", "DISPLAY": ":0"}
	for _, c := range []struct {
		name     string
		goos     string
		env      map[string]string
		programs []string
		want     string
		args     string
	}{
		{"wayland", "linux", wayland, []string{"wl-copy", "xclip"}, "wl-copy", ""},
		{"wayland without its program", "linux", wayland, []string{"xclip"}, "xclip", "-selection clipboard"},
		{"x11", "linux", x11, []string{"wl-copy", "xsel"}, "xsel", "--input --clipboard"},
		{"the first fails", "linux", x11, []string{"!xclip", "xsel"}, "xsel", "--input --clipboard"},
		{"tmux", "linux", tmux, []string{"tmux", "xclip"}, "tmux", "load-buffer -w -"},
		{"macOS", "darwin", nil, []string{"pbcopy"}, "pbcopy", ""},
		{"WSL", "linux", map[string]string{"WSL_DISTRO_NAME": "Debian"}, []string{"clip.exe"}, "clip.exe", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, dir := system(t, c.goos, c.env, c.programs...)
			way, err := s.Copy(t.Context(), "hello\nworld")
			if err != nil || way != c.want {
				t.Fatalf("copied by %q, %v; want %q", way, err, c.want)
			}
			got, err := os.ReadFile(filepath.Join(dir, c.want+".got"))
			if err != nil || string(got) != c.args+"\nhello\nworld" {
				t.Errorf("%s got %q, %v", way, got, err)
			}
		})
	}
}

func TestCopyNowhere(t *testing.T) {
	s, _ := system(t, "linux", nil, "wl-copy", "xclip")
	if _, err := s.Copy(t.Context(), "x"); !errors.Is(err, desktop.ErrNoClipboard) {
		t.Errorf("without a display: %v", err)
	}
	s, _ = system(t, "linux", map[string]string{"DISPLAY": ":0"}, "!xclip")
	if _, err := s.Copy(t.Context(), "x"); err == nil || errors.Is(err, desktop.ErrNoClipboard) || !strings.Contains(err.Error(), "xclip") {
		t.Errorf("when all fail: %v", err)
	}
}

// withReader is a system of which one program does what a shell script says.
func withReader(t *testing.T, goos, display, program, script string) desktop.Clipboard {
	t.Helper()
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("there is no sh to stand in for clipboard programs")
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, program), fmt.Appendf(nil, "#!%s\n%s\n", sh, script), 0o755); err != nil {
		t.Fatal(err)
	}
	return desktop.Clipboard{
		OS: goos, Getenv: func(k string) string { return map[string]string{display: ":0"}[k] },
		LookPath: func(name string) (string, error) { return exec.LookPath(filepath.Join(dir, name)) },
	}
}

func TestImage(t *testing.T) {
	const lists = `case "$*" in *list-types*|*TARGETS*) echo text/plain; echo image/png;; *image/png*) printf 'the image';; *) exit 1;; esac`
	for _, c := range []struct {
		name, goos, display, program, script string
		want                                 string
		err                                  error
	}{
		{"wayland", "linux", "WAYLAND_DISPLAY", "wl-paste", lists, "the image", nil},
		{"x11", "linux", "DISPLAY", "xclip", lists, "the image", nil},
		{"text only", "linux", "DISPLAY", "xclip", "echo text/plain", "", desktop.ErrNoImage},
		{"an empty clipboard", "linux", "WAYLAND_DISPLAY", "wl-paste", "echo 'Nothing is copied' >&2; exit 1", "", desktop.ErrNoImage},
		{"no program", "linux", "WAYLAND_DISPLAY", "other", "", "", desktop.ErrNoReader},
		{"no display", "linux", "OTHER", "wl-paste", lists, "", desktop.ErrNoReader},
		{"pngpaste", "darwin", "", "pngpaste", "printf 'the image'", "the image", nil},
		{"AppleScript", "darwin", "", "osascript", "echo '«data PNGf" + hex.EncodeToString([]byte("the image")) + "»'", "the image", nil},
		{"AppleScript without an image", "darwin", "", "osascript", "exit 1", "", desktop.ErrNoImage},
		{"PowerShell", "windows", "", "powershell.exe", "echo " + base64.StdEncoding.EncodeToString([]byte("the image")), "the image", nil},
		{"PowerShell under WSL, without an image", "linux", "WSL_DISTRO_NAME", "powershell.exe", "echo", "", desktop.ErrNoImage},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := withReader(t, c.goos, c.display, c.program, c.script).Image(t.Context(), 100)
			if string(got) != c.want || !errors.Is(err, c.err) {
				t.Errorf("got %q, %v; want %q, %v", got, err, c.want, c.err)
			}
		})
	}
}

// An image without an end is not read to its end.
func TestImageIsBounded(t *testing.T) {
	s := withReader(t, "linux", "DISPLAY", "xclip", `case "$*" in *TARGETS*) echo image/png;; *) while :; do echo xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx; done;; esac`)
	got, err := s.Image(t.Context(), 1000)
	if len(got) != 1001 || err != nil {
		t.Errorf("got %d bytes, %v", len(got), err)
	}
}

// Nor is one that comes in characters, of which the last may be cut off in the middle.
func TestImageInCharactersIsBounded(t *testing.T) {
	for _, c := range []struct{ goos, program, begins, goesOn string }{
		{"darwin", "osascript", "«data PNGf", "89504E47"},
		{"windows", "powershell.exe", "", "iVBO"},
	} {
		for most := int64(1000); most < 1004; most++ {
			script := "printf '" + c.begins + "'; while :; do printf '" + strings.Repeat(c.goesOn, 100) + "'; done"
			got, err := withReader(t, c.goos, "", c.program, script).Image(t.Context(), most)
			if int64(len(got)) != most+1 || err != nil {
				t.Errorf("%s: got %d bytes of more than %d, %v", c.program, len(got), most, err)
			}
		}
	}
}
