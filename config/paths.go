package config

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/adrg/xdg"
	"github.com/rogpeppe/go-internal/lockedfile"

	files "parley/fs"
)

const (
	appName = "parley"

	// FileMode is the permission of every file that parley writes for itself, because
	// its contents can be private.
	FileMode os.FileMode = 0o600
	dirMode  os.FileMode = 0o700
)

// baseDirs are the base directories of the XDG specification.
type baseDirs struct{ config, state, data, cache string }

// loaded is the environment that the variables of package xdg are from. The lock also
// guards those variables.
var loaded = struct {
	sync.Mutex
	environment [8]string
}{environment: baseEnvironment()}

// baseEnvironment returns what decides on the base directories.
func baseEnvironment() (env [8]string) {
	for i, name := range [len(env)]string{
		"HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME",
		"USERPROFILE", "LOCALAPPDATA", "APPDATA",
	} {
		env[i] = os.Getenv(name)
	}
	return env
}

// base returns the base directories for the current environment. As the specification
// asks, it ignores variables that hold a relative path.
func base() baseDirs {
	loaded.Lock()
	defer loaded.Unlock()
	if env := baseEnvironment(); env != loaded.environment {
		xdg.Reload() // reads a file
		loaded.environment = env
	}
	return baseDirs{xdg.ConfigHome, xdg.StateHome, xdg.DataHome, xdg.CacheHome}
}

// ConfigFile returns the path of the configuration file,
// $XDG_CONFIG_HOME/parley/config.toml. It need not exist.
func ConfigFile() string { return filepath.Join(base().config, appName, "config.toml") }

// StateDir returns the directory for what should outlive a session: logs, the prompt
// history. It need not exist; see [MakeDir].
func StateDir() string { return filepath.Join(base().state, appName) }

// CommandDir returns where parley runs the commands of the configuration that it starts by
// itself: beside the configuration, because a project could put a program, or a module of
// one, into its own directory.
func CommandDir() string {
	if dir := filepath.Dir(ConfigFile()); isDir(dir) {
		return dir
	}
	return filepath.VolumeName(os.TempDir()) + string(filepath.Separator)
}

// RunDir returns the directory of the sockets of running sessions. It need not exist. Where the
// user's runtime directory is too long for them, it is below that of the state, which may be too
// long as well.
func RunDir() string {
	if run := os.Getenv("XDG_RUNTIME_DIR"); filepath.IsAbs(run) && len(run)+len("/"+appName) <= MostRunDir {
		return filepath.Join(run, appName)
	}
	return filepath.Join(StateDir(), "run")
}

// MostRunDir is how long the directory of the sockets may be, in bytes: the path of a socket,
// which has the ID of a session behind it, has room for 103 on macOS, and for 107 on Linux.
const MostRunDir = 103 - len("/12345678.sock")

// PrivatePaths returns the paths that no agent gets into by itself: who reads or writes them
// speaks with the user's voice, or hears what others have said. They are the only list of
// these. They need not exist, and links that lead to them are among them.
//
//   - the directory of the configuration: rules, commands that parley runs, headers
//   - the directory of the state: sessions, journals, drafts, saved rules, trust
//   - the sockets of running sessions with what proves that a viewer is the user's, also
//     those of a parley that has another XDG_RUNTIME_DIR
func PrivatePaths() []string {
	paths := []string{filepath.Dir(ConfigFile()), StateDir(), RunDir()}
	if run := filepath.Join("/run/user", strconv.Itoa(os.Getuid())); isDir(run) {
		paths = append(paths, filepath.Join(run, appName))
	}
	// What a link leads to may lie where an agent writes, as in a repository of settings.
	for _, p := range slices.Clone(paths) {
		if real, err := files.Resolve(p); err == nil {
			paths = append(paths, real)
		}
	}
	if real, err := filepath.EvalSymlinks(ConfigFile()); err == nil && filepath.Dir(real) != filepath.Dir(ConfigFile()) {
		paths = append(paths, real)
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// DataDir returns the directory for installed agents. It need not exist.
func DataDir() string { return filepath.Join(base().data, appName) }

// CacheDir returns the directory for data that can be fetched again. It need not exist.
func CacheDir() string { return filepath.Join(base().cache, appName) }

// MakeDir creates dir and its parents, closed to other users. Existing directories keep
// their permissions.
func MakeDir(dir string) error {
	err := os.MkdirAll(dir, dirMode)
	if err == nil {
		return nil
	}
	if blocked := blockedDir(dir); blocked != nil {
		return blocked
	}
	at, ok := errors.AsType[*fs.PathError](err)
	if !ok {
		return fmt.Errorf("parley needs the directory %s: %w", dir, err)
	}
	return fmt.Errorf("parley needs the directory %s and cannot create %s: %w", dir, at.Path, at.Err)
}

// ExplainRead explains an error from reading the file at path, and says what to do, if
// there is a file in place of a directory, a directory in place of the file, or no
// permission. It returns any other error unchanged, such as that of a missing file.
func ExplainRead(path string, err error) error {
	if err == nil {
		return nil
	}
	if blocked := blockedDir(filepath.Dir(path)); blocked != nil {
		return blocked
	}
	switch info, failed := os.Stat(path); {
	case failed == nil && info.IsDir():
		return fmt.Errorf("parley needs a file at %s, but it is a directory: move it away", path)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("parley may not read %s: change its permissions", path)
	}
	return err
}

// blockedDir returns an error if dir or a parent of it is a file, else nil.
func blockedDir(dir string) error {
	for at := dir; ; at = filepath.Dir(at) {
		info, err := os.Stat(at)
		switch {
		case err == nil && !info.IsDir():
			return fmt.Errorf("parley needs the directory %s, but %s is a file: move it away", dir, at)
		case err == nil || at == filepath.Dir(at):
			return nil
		}
	}
}

// Lock locks a file against other processes and goroutines until unlock is called. The
// lock is a file beside it, whose directory it makes.
func Lock(path string) (unlock func(), err error) {
	if err := MakeDir(filepath.Dir(path)); err != nil {
		return nil, err
	}
	f, err := lockedfile.OpenFile(path+".lock", os.O_RDWR|os.O_CREATE, FileMode)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err == nil && info.Mode().Perm() != FileMode {
		_ = f.Chmod(FileMode) // an earlier version let others read it
	}
	return func() { _ = f.Close() }, nil
}

// lockWait is how long after a try to lock a file the next one is.
const lockWait = 200 * time.Millisecond

// AwaitLock waits for the lock of a file, as [TryLock] takes it. If it has to, it calls waits first.
func AwaitLock(ctx context.Context, f *os.File, waits func()) error {
	for told := false; ; told = true {
		locked, err := TryLock(f)
		switch {
		case locked:
			return nil
		case err != nil || ctx.Err() != nil:
			return cmp.Or(err, ctx.Err())
		case !told:
			waits()
		}
		select {
		case <-time.After(lockWait):
		case <-ctx.Done():
		}
	}
}

// ReplaceFile writes a file atomically: it writes a temporary file beside it and
// renames that. Of two concurrent writes the later one wins.
func ReplaceFile(path string, data []byte, mode fs.FileMode) error {
	dir, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer dir.Close()
	return files.Replace(dir, filepath.Base(path), data, mode)
}

// Rewrite changes a file of parley's own under its lock, atomically. change gets the content,
// nil if there is no file; more than most bytes are an error.
func Rewrite(path string, most int, change func(before []byte) ([]byte, error)) error {
	unlock, err := Lock(path)
	if err != nil {
		return err
	}
	defer unlock()
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real // the file may be a link to where the user keeps the configuration
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	before, err := files.ReadHead(path, int64(most)+1)
	switch {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	case len(before) > most:
		return errTooLarge
	}
	after, err := change(before)
	if err != nil {
		return err
	}
	return ReplaceFile(path, after, FileMode)
}

// MakeFile writes the example to path if there is no configuration yet.
func MakeFile(path string, actions *Actions) error {
	if err := MakeDir(filepath.Dir(path)); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, FileMode)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("make the configuration file: %w", err)
	}
	_, err = f.WriteString(Example(actions))
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("write the configuration file: %w", err)
	}
	return nil
}
