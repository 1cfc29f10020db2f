//go:build unix

package app

import (
	"os"
	"path/filepath"
	"sync"
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
	var first, second Launcher
	used, err := first.sampleProject()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := second.sampleProject(); err != nil {
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
	first.Close()
	second.Close()
	if left, _ := filepath.Glob(filepath.Join(temporary, samplePrefix+"*")); len(left) > 0 {
		t.Errorf("%v are left", left)
	}
}

// One that begins while another looks for what was left behind keeps what it has just made.
func TestASampleThatIsBeingMadeIsNotAbandoned(t *testing.T) {
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 25 {
				var l Launcher
				dir, err := l.sampleProject()
				if err != nil {
					t.Error(err)
				} else if _, err := os.Stat(filepath.Join(dir, "main.go")); err != nil {
					t.Errorf("it was removed while it was in use: %v", err)
				}
				l.Close()
			}
		})
	}
	all.Wait()
	if left, err := os.ReadDir(temporary); err != nil || len(left) > 0 {
		t.Errorf("%v are left, %v", left, err)
	}
}
