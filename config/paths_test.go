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
		for want, got := range map[string]string{
			root + "/config/parley/config.toml": ConfigFile(),
			root + "/state/parley":              StateDir(),
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

func TestDirectoriesArePrivate(t *testing.T) {
	top := t.TempDir()
	dir := filepath.Join(top, "a", "b")
	for range 2 { // one that is there already will do
		if err := MakeDir(dir); err != nil {
			t.Fatal(err)
		}
	}
	for _, d := range []string{dir, filepath.Dir(dir)} {
		if info, err := os.Stat(d); err != nil || info.Mode() != 0o700|os.ModeDir {
			t.Errorf("%s: %v, %v", d, info.Mode(), err)
		}
	}
	file := filepath.Join(top, "file")
	if err := os.WriteFile(file, nil, FileMode); err != nil {
		t.Fatal(err)
	}
	if err := MakeDir(filepath.Join(file, "x")); err == nil {
		t.Error("made a directory below a file")
	}
}
