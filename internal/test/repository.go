package test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Apart isolates a test's use of git from the settings of the current user, and from a
// repository for which git itself runs the tests, as in a hook. It sets the
// environment, so the test cannot be parallel; it skips the test without git.
func Apart(t testing.TB) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	for _, v := range os.Environ() {
		if name, value, _ := strings.Cut(v, "="); strings.HasPrefix(name, "GIT_") {
			t.Setenv(name, value) // restored after the test
			if err := os.Unsetenv(name); err != nil {
				t.Fatal(err)
			}
		}
	}
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", home)
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	write(t, filepath.Join(home, ".gitconfig"), "[user]\n\tname = t\n\temail = t@example.com\n[init]\n\tdefaultBranch = main\n")
}

// Environ returns the environment for git in a test that cannot be [Apart], because it
// is parallel, without the variables that git reads.
func Environ() []string {
	environ := slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "GIT_") })
	return append(environ, "GIT_CONFIG_NOSYSTEM=1")
}

// New creates a repository with one commit of these files, by path, and returns its
// directory and a function that runs git in a directory as its owner would. It calls
// [Apart].
func New(t testing.TB, files map[string]string) (dir string, run func(dir string, args ...string) string) {
	t.Helper()
	Apart(t)
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	dir = filepath.Join(top, "project")
	for path, text := range files {
		write(t, filepath.Join(dir, path), text)
	}
	run = func(in string, args ...string) string {
		t.Helper()
		cmd := exec.Command("git", args...)
		cmd.Dir = in
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %s: %v: %s", strings.Join(args, " "), err, out)
		}
		return strings.TrimSpace(string(out))
	}
	run(dir, "init", "-q")
	run(dir, "add", ".")
	run(dir, "commit", "-q", "-m", "first")
	return dir, run
}

func write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
