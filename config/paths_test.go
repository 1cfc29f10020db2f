package config

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

func TestPathsFollowTheEnvironment(t *testing.T) {
	for _, root := range []string{"/one", "/two"} {
		t.Setenv("XDG_CONFIG_HOME", root+"/config")
		t.Setenv("XDG_STATE_HOME", root+"/state")
		t.Setenv("XDG_CACHE_HOME", root+"/cache")
		for want, got := range map[string]string{
			root + "/config/parley/config.toml": ConfigFile(),
			root + "/state/parley":              StateDir(),
			root + "/cache/parley":              CacheDir(),
		} {
			if got != filepath.FromSlash(want) {
				t.Errorf("%s, want %s", got, want)
			}
		}
	}
}

func TestPathsWithoutXDG(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("other systems have places of their own")
	}
	t.Setenv("HOME", "/home/ada")
	t.Setenv("XDG_CONFIG_HOME", "relative") // to be ignored, says the specification
	t.Setenv("XDG_STATE_HOME", "")
	if got := ConfigFile(); got != "/home/ada/.config/parley/config.toml" {
		t.Error(got)
	}
	if got := StateDir(); got != "/home/ada/.local/state/parley" {
		t.Error(got)
	}
}

func TestWriteFileIsPrivate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a", "b", "config.toml")
	for _, text := range []string{"first", "second"} {
		if err := WriteFile(path, []byte(text)); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != text {
			t.Errorf("%q, %v", got, err)
		}
	}
	for p, want := range map[string]os.FileMode{
		path:                             FileMode,
		filepath.Dir(path):               DirMode | os.ModeDir,
		filepath.Dir(filepath.Dir(path)): DirMode | os.ModeDir,
	} {
		if info, err := os.Stat(p); err != nil || info.Mode() != want {
			t.Errorf("%s: %v, %v", p, info.Mode(), err)
		}
	}
	if err := WriteFile(filepath.Join(path, "x"), nil); err == nil {
		t.Error("wrote below a file")
	}
}
