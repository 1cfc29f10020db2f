package test

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestTwoBuildsAreTheSame builds parley in two places, as "make build" does, each from
// an empty cache. That takes minutes: only "make reproducible" runs it.
func TestTwoBuildsAreTheSame(t *testing.T) {
	if os.Getenv("PARLEY_TEST_REPRODUCIBLE") == "" {
		t.Skip("builds twice from nothing: make reproducible runs it")
	}
	digests := map[string]string{}
	for _, place := range []string{"here", "somewhere/else/entirely"} {
		dir := filepath.Join(t.TempDir(), place)
		copySource(t, "../..", dir)
		build := exec.Command("make", "build", "VERSION=of-this-test")
		build.Dir = dir
		build.Env = append(os.Environ(), "GOCACHE="+t.TempDir())
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("make build: %v\n%s", err, out)
		}
		program, err := os.ReadFile(filepath.Join(dir, "bin", "parley"))
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(program), dir) {
			t.Errorf("the program names the folder in which it was built: %s", dir)
		}
		digests[fmt.Sprintf("%x", sha256.Sum256(program))] = place
	}
	if len(digests) != 1 {
		t.Errorf("two builds of one source differ: %v", digests)
	}
}

// copySource copies what the build needs.
func copySource(t *testing.T, from, to string) {
	t.Helper()
	err := filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(from, path)
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != "." && (strings.HasPrefix(d.Name(), ".") || name == "bin" || name == "dist"):
			return filepath.SkipDir
		case d.IsDir():
			return os.MkdirAll(filepath.Join(to, name), 0o755)
		case !d.Type().IsRegular() || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, name), content, 0o644)
	})
	if err != nil {
		t.Fatalf("copy the source: %v", err)
	}
}
