package app

import (
	"os"
	"path/filepath"
	"testing"
)

func TestWhereSessionsWork(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	dir := t.TempDir()
	below, link := filepath.Join(dir, "below"), filepath.Join(t.TempDir(), "link")
	if err := os.Mkdir(below, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(below, link); err != nil {
		t.Skip("there are no links:", err)
	}
	works := func(in string) bool {
		t.Helper()
		works, err := WorksIn(in)
		if err != nil {
			t.Fatal(err)
		}
		return works
	}
	if works(dir) {
		t.Error("somebody works before anybody does")
	}
	leave, err := workIn([]string{t.TempDir(), link})
	if err != nil {
		t.Fatal(err)
	}
	if !works(dir) || !works(below) || works(filepath.Join(dir, "beside")) {
		t.Errorf("it works in %v, %v, not %v", works(dir), works(below), works(filepath.Join(dir, "beside")))
	}
	leave()
	leave()
	if works(dir) {
		t.Error("it works after it has left")
	}
	// A session that was killed works nowhere, and its note goes.
	if err := os.WriteFile(filepath.Join(workplaces(), "session-killed"), []byte(`["`+filepath.ToSlash(dir)+`"]`), 0o600); err != nil {
		t.Fatal(err)
	}
	if works(dir) {
		t.Error("a killed session works")
	}
	if left, err := os.ReadDir(workplaces()); len(left) > 0 || err != nil {
		t.Errorf("there is still %v, %v", left, err)
	}
}
