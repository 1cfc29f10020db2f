package test

import (
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path"
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
	return built(t, buildParley)
}

// Scripted returns the path of an agent that follows a script, built as Parley is: see package
// peer.
func Scripted(t testing.TB) string {
	t.Helper()
	return built(t, buildScripted)
}

// Watched returns the path of a parley that says how it is: see command watched.
func Watched(t testing.TB) string {
	t.Helper()
	return built(t, func() (string, error) { return build("parley/internal/test/watched") })
}

// Tap returns the command that runs the agent of the arguments after it and records what that and
// parley send each other: see command scripted.
func Tap(t testing.TB) []string {
	t.Helper()
	return []string{Scripted(t), "tap"}
}

func built(t testing.TB, build func() (string, error)) string {
	t.Helper()
	bin, err := build()
	if err != nil {
		t.Fatalf("build a program for the tests: %v", err)
	}
	return bin
}

var (
	buildParley   = sync.OnceValues(func() (string, error) { return build("parley") })
	buildScripted = sync.OnceValues(func() (string, error) { return build("parley/internal/test/peer/scripted") })
)

// environ is that of builds: of before a test sets another home, as go's cache is in the first.
var environ = append(os.Environ(), "CGO_ENABLED=0")

// build builds a program, by its import path.
func build(program string) (string, error) {
	module, err := exec.Command("go", "env", "GOMOD").Output()
	if err != nil {
		return "", fmt.Errorf("find go.mod: %w", err)
	}
	sum := sha256.Sum256(module)
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
	bin, final := filepath.Join(fresh, path.Base(program)), filepath.Join(dir, path.Base(program))
	if last, err := os.ReadFile(final); err == nil {
		// go build links nothing if what it would write is there already.
		if err := os.WriteFile(bin, last, 0o700); err != nil {
			return "", fmt.Errorf("copy the last build: %w", err)
		}
	}
	cmd := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-o", bin, program)
	cmd.Env = environ
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w\n%s", err, out)
	}
	if err := os.Rename(bin, final); err != nil {
		return "", fmt.Errorf("put it in place: %w", err)
	}
	return final, nil
}
