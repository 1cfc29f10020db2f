//go:build unix

package cli

import (
	"os"
	"path/filepath"
	"testing"
)

// A killed parley leaves its sample project behind; the next tour removes it, and
// leaves those alone that are in use.
func TestAbandonedSamplesAreRemoved(t *testing.T) {
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	abandoned := filepath.Join(temporary, samplePrefix+"1", "src")
	other := filepath.Join(temporary, "other")
	for _, dir := range []string{abandoned, other} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	var first, second launcher
	used, err := first.sample()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := second.sample(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(abandoned); !os.IsNotExist(err) {
		t.Errorf("the abandoned one is still there: %v", err)
	}
	for _, dir := range []string{used, other} {
		if _, err := os.Stat(dir); err != nil {
			t.Error(err)
		}
	}
	first.cleanUp()
	second.cleanUp()
	if left, _ := filepath.Glob(filepath.Join(temporary, samplePrefix+"*")); len(left) > 0 {
		t.Errorf("%v are left", left)
	}
}
