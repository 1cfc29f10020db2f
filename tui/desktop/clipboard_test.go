package desktop_test

import (
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
