package terminal

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// terminalType names the terminal that screen.Screen emulates.
const terminalType = "TERM=xterm-256color"

// defaultEnv is added to the environment of every command of an agent; the request may
// override it. TERM names what screen.Screen emulates, not the user's own
// terminal. Pagers are off, because no user could leave them, and git fails instead of
// asking for a password.
var defaultEnv = []string{
	terminalType,
	"PAGER=cat",
	"GIT_PAGER=cat",
	"GIT_TERMINAL_PROMPT=0",
}

// command is a Spec that is ready to start.
type command struct {
	path string   // the program's file
	argv []string // includes argv[0]
	env  []string
	dir  string
}

// resolve finds the program and checks everything that can be checked before the start,
// so that the agent gets a clear error instead of a bare errno.
func resolve(spec Spec) (command, error) {
	if spec.Command == "" {
		return command{}, errors.New("cannot run a command: the command is empty")
	}
	dir, err := workingDir(spec.Cwd)
	if err != nil {
		return command{}, err
	}
	for _, kv := range spec.Env {
		if name, _, ok := strings.Cut(kv, "="); !ok || name == "" || strings.ContainsRune(kv, 0) {
			// Name only the variable: the value may be a secret.
			return command{}, fmt.Errorf("cannot run %q: the environment variable %q is not of the form NAME=value", spec.Command, name)
		}
	}
	env := os.Environ()
	if spec.Personal {
		env = append(env, terminalType)
	} else {
		env = append(env, defaultEnv...)
	}
	env = append(env, spec.Env...)
	c := command{argv: append([]string{spec.Command}, spec.Args...), env: env, dir: dir}
	c.path, err = findProgram(spec.Command, dir, lastValue(env, "PATH"))
	if err == nil {
		return c, nil
	}
	missing := errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist)
	if missing && len(spec.Args) == 0 && strings.ContainsAny(spec.Command, " \t\n") {
		c.argv = shell(spec.Command)
		c.path, err = findProgram(c.argv[0], dir, lastValue(env, "PATH"))
	}
	if err != nil {
		return command{}, fmt.Errorf("cannot run %q: %w", spec.Command, err)
	}
	return c, nil
}

// workingDir checks a request's directory; empty means our own.
func workingDir(dir string) (string, error) {
	if dir == "" {
		return os.Getwd()
	}
	if !filepath.IsAbs(dir) {
		return "", fmt.Errorf("cannot run a command in %q: the directory must be an absolute path", dir)
	}
	switch info, err := os.Stat(dir); {
	case errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("cannot run a command in %q: %w", dir, syscall.ENOENT)
	case err != nil:
		return "", fmt.Errorf("cannot run a command in %q: %w", dir, err)
	case !info.IsDir():
		return "", fmt.Errorf("cannot run a command in %q: it is not a directory", dir)
	}
	return dir, nil
}

// findProgram is exec.LookPath with the directory and the PATH that the command will
// run with.
func findProgram(name, dir, path string) (string, error) {
	if strings.ContainsRune(name, filepath.Separator) {
		if !filepath.IsAbs(name) {
			name = filepath.Join(dir, name)
		}
		return spelled(name)
	}
	var denied error
	for _, d := range filepath.SplitList(path) {
		if d == "" {
			d = "."
		}
		if !filepath.IsAbs(d) {
			d = filepath.Join(dir, d)
		}
		file, err := spelled(filepath.Join(d, name))
		if err == nil {
			return file, nil
		}
		if errors.Is(err, fs.ErrPermission) && denied == nil {
			denied = err
		}
	}
	if denied != nil {
		return "", denied
	}
	return "", exec.ErrNotFound
}

// spelled returns the first of the possible files of a program that can be started, or
// the error of the last one.
func spelled(file string) (found string, err error) {
	for _, found = range spellings(file) {
		if err = checkProgram(found); err == nil {
			return found, nil
		}
	}
	return file, err
}

// checkProgram returns why a file cannot be started, or nil: fs.ErrNotExist if it is
// missing, fs.ErrPermission without permission.
func checkProgram(file string) error {
	switch info, err := os.Stat(file); {
	case err != nil && errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%s cannot be reached: %w", file, fs.ErrPermission)
	case err != nil:
		return fmt.Errorf("%s: %w", file, syscall.ENOENT)
	case info.IsDir():
		return fmt.Errorf("%s is a directory, not a program", file)
	case !executable(file, info):
		return fmt.Errorf("%s is not executable (chmod +x, or run it with its interpreter): %w", file, fs.ErrPermission)
	}
	return nil
}

// lastValue returns the effective value of a variable that an environment may contain
// more than once.
func lastValue(env []string, name string) string {
	for _, variable := range slices.Backward(env) {
		if k, v, _ := strings.Cut(variable, "="); k == name {
			return v
		}
	}
	return ""
}
