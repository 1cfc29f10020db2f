package config

import (
	"io/fs"
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

// Nobody else can read a lock file, also one that an earlier version has left.
func TestLockFilesAreClosedToOthers(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("files have no mode there")
	}
	path := filepath.Join(t.TempDir(), "rules.json")
	if err := os.WriteFile(path+".lock", nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		unlock, err := Lock(path)
		if err != nil {
			t.Fatal(err)
		}
		unlock()
		if info, err := os.Stat(path + ".lock"); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%v, %v", info.Mode(), err)
		}
		if err := os.Remove(path + ".lock"); err != nil {
			t.Fatal(err)
		}
	}
}

// A directory that cannot be created is named, with what is in its way.
func TestADirectoryThatCannotBeMade(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(file, "parley", "sessions")
	want := "parley needs the directory " + dir + ", but " + file + " is a file: move it away"
	if err := MakeDir(dir); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// An error of reading says what parley wanted and what to do; others stay as they are.
func TestExplainRead(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	below := filepath.Join(file, "parley", "rules.json")
	for path, want := range map[string]string{
		below:                      "parley needs the directory " + filepath.Dir(below) + ", but " + file + " is a file: move it away",
		dir:                        "parley needs a file at " + dir + ", but it is a directory: move it away",
		filepath.Join(dir, "none"): fs.ErrNotExist.Error(),
	} {
		err := fs.ErrNotExist
		if path == below {
			_, err = os.ReadFile(path)
		}
		if got := ExplainRead(path, err); got == nil || got.Error() != want {
			t.Errorf("%s: got %v, want %s", path, got, want)
		}
	}
	if got, want := ExplainRead(file, &fs.PathError{Op: "open", Path: file, Err: fs.ErrPermission}), "parley may not read "+file+": change its permissions"; got.Error() != want {
		t.Errorf("got %v, want %s", got, want)
	}
}
