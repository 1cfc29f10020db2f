package test

import (
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// Parley returns the path of a parley built from the test's module, once per test
// binary and without cgo, as it is shipped. With PARLEY_BIN set, it returns that
// program instead.
//
// The program stays in a directory for this user and checkout below the temporary
// directory, because no single test knows when the last one is done; the next build
// replaces it.
func Parley(t testing.TB) string {
	t.Helper()
	if bin := os.Getenv("PARLEY_BIN"); bin != "" {
		return bin
	}
	bin, err := buildParley()
	if err != nil {
		t.Fatalf("build parley: %v", err)
	}
	return bin
}

var buildParley = sync.OnceValues(func() (string, error) {
	root, err := moduleRoot()
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256([]byte(root))
	dir := filepath.Join(os.TempDir(), fmt.Sprintf("parley-test-%d", os.Getuid()), fmt.Sprintf("%x", sum[:6]))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("make a folder for it: %w", err)
	}
	// Test binaries run in parallel: each builds under its own name and then moves the
	// whole program into place.
	fresh, err := os.MkdirTemp(dir, fmt.Sprintf("build-%d-", os.Getpid()))
	if err != nil {
		return "", fmt.Errorf("make a folder for it: %w", err)
	}
	defer os.RemoveAll(fresh)
	bin := filepath.Join(fresh, "parley")
	build := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-o", bin, ".")
	build.Dir = root
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w\n%s", err, out)
	}
	final := filepath.Join(dir, "parley")
	if err := os.Rename(bin, final); err != nil {
		return "", fmt.Errorf("put it in place: %w", err)
	}
	return final, nil
})

// moduleRoot returns the directory of go.mod, at or above the test's own.
func moduleRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", fmt.Errorf("no go.mod at or above the test's folder")
		}
		dir = parent
	}
}
