package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"

	"parley/internal/termtext"
)

// ErrMissing means that git is not installed.
var ErrMissing = errors.New("git is not installed, or not on PATH")

// Error is a failure of git.
type Error struct {
	// Command is git's subcommand, such as "merge"; Said is the end of its standard
	// error, sanitised for drawing, and may be empty.
	Command, Said string
	Err           error
}

func (e *Error) Error() string {
	if e.Said == "" {
		return fmt.Sprintf("git %s: %v", e.Command, e.Err)
	}
	return fmt.Sprintf("git %s: %s", e.Command, e.Said)
}

func (e *Error) Unwrap() error { return e.Err }

// Writer runs git commands that check out, add or merge files. It runs filters of the
// user's own configuration, because files would be corrupted without them, but no hooks
// and no programs that the repository's configuration names: a file that needs one of
// those filters is an error, and one that needs a merge driver is a conflict. A Writer
// is safe for concurrent use.
type Writer struct {
	dir string
	env []string
}

// NewWriter returns a Writer for the repository of dir. It fails without git or a
// repository.
func NewWriter(ctx context.Context, dir string) (*Writer, error) {
	w := &Writer{dir: dir}
	if _, err := w.Run(ctx, "rev-parse", "--git-dir"); err != nil {
		return nil, err
	}
	settings := map[string]string{
		"commit.gpgSign": "false", "merge.verifySignatures": "false", "merge.autoStash": "false",
		"rerere.enabled": "false", "advice.detachedHead": "false",
	}
	out, err := w.Run(ctx, "config", "-z", "--show-scope", "--name-only", "--get-regexp", `^(filter|merge)\..*\.`)
	if exit := (*exec.ExitError)(nil); err != nil && !(errors.As(err, &exit) && exit.ExitCode() == 1) { // 1 means that there is none
		return nil, err
	}
	fields := strings.Split(out, "\x00")
	for i := 0; i+1 < len(fields); i += 2 {
		if scope := fields[i]; scope == "local" || scope == "worktree" {
			refuse(settings, fields[i+1])
		}
	}
	w.env = []string{fmt.Sprintf("GIT_CONFIG_COUNT=%d", len(settings))}
	n := 0
	for key, value := range settings {
		w.env = append(w.env, fmt.Sprintf("GIT_CONFIG_KEY_%d=%s", n, key), fmt.Sprintf("GIT_CONFIG_VALUE_%d=%s", n, value))
		n++
	}
	return w, nil
}

// refuse adds the settings that make git refuse a filter or a merge driver; name is one
// of its keys.
func refuse(settings map[string]string, name string) {
	section := name[:strings.LastIndexByte(name, '.')]
	if strings.HasPrefix(section, "merge.") {
		settings[section+".driver"] = "false"
		return
	}
	for _, key := range []string{".clean", ".smudge", ".process"} {
		settings[section+key] = ""
	}
	settings[section+".required"] = "true"
}

// Run runs git and returns its output, up to the bound. The error is an *Error,
// ErrMissing or ErrTooMany.
func (w *Writer) Run(ctx context.Context, args ...string) (string, error) {
	return w.RunWith(ctx, nil, args...)
}

// RunWith is Run with additional environment variables.
func (w *Writer) RunWith(ctx context.Context, env []string, args ...string) (string, error) {
	cmd := Command(ctx, w.dir, args...)
	cmd.Env = append(append(cmd.Env, w.env...), env...)
	var out, said bounded
	cmd.Stdout, cmd.Stderr = &out, &said
	err := cmd.Run()
	switch {
	case err == nil:
		return string(out.kept), nil
	case errors.Is(err, exec.ErrNotFound):
		return "", ErrMissing
	case out.over:
		return "", ErrTooMany
	}
	return "", &Error{Command: args[0], Said: lastWords(said.kept), Err: err}
}

// maxSaid bounds the lines of git's output in an error.
const maxSaid = 6

// lastWords returns the last lines of git's output.
func lastWords(b []byte) string {
	lines := strings.Split(termtext.Block(strings.TrimSpace(string(bytes.ToValidUTF8(b, nil)))), "\n")
	lines = slices.DeleteFunc(lines, func(l string) bool { return strings.TrimSpace(l) == "" || strings.HasPrefix(l, "hint:") })
	return strings.TrimPrefix(strings.Join(lines[max(0, len(lines)-maxSaid):], "\n"), "fatal: ")
}
