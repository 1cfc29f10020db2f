package fs

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// A directory between two roots that is turned elsewhere and back is noticed.
func TestSteadyLooksUpToTheOutermostRoot(t *testing.T) {
	outer := t.TempDir()
	between := filepath.Join(outer, "between")
	inner := filepath.Join(between, "inner")
	file := filepath.Join(inner, "file")
	if err := errors.Join(os.MkdirAll(inner, 0o700), os.WriteFile(file, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	f, err := New(inner, outer)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	place, err := f.Find(file)
	if err != nil {
		t.Fatal(err)
	}
	still, ok := place.Steady(t.Context())
	if !ok {
		t.Skip("the system does not say when files have changed")
	}
	if !still() {
		t.Error("something has changed, though nothing was touched")
	}
	if err := errors.Join(os.Rename(between, between+".old"), os.Rename(between+".old", between)); err != nil {
		t.Fatal(err)
	}
	if still() {
		t.Error("nobody has noticed")
	}
	if still, ok = place.Steady(t.Context()); !ok || os.RemoveAll(outer) != nil || still() {
		t.Errorf("nobody has noticed that all is gone: %v", ok)
	}
}
