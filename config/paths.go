package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/adrg/xdg"
)

const (
	appName = "parley"

	// FileMode is the permission of every file that parley writes for itself, because
	// its contents can be private.
	FileMode os.FileMode = 0o600
	dirMode  os.FileMode = 0o700
)

// environment guards the variables of package xdg, which Reload rewrites.
var environment sync.Mutex

// xdgPath joins elem to one of the base directories of the XDG specification, from the
// current environment. As the specification asks, it ignores variables that hold a
// relative path.
func xdgPath(base *string, elem ...string) string {
	environment.Lock()
	defer environment.Unlock()
	xdg.Reload()
	return filepath.Join(append([]string{*base, appName}, elem...)...)
}

// ConfigFile returns the path of the configuration file,
// $XDG_CONFIG_HOME/parley/config.toml. It need not exist.
func ConfigFile() string { return xdgPath(&xdg.ConfigHome, "config.toml") }

// StateDir returns the directory for what should outlive a session: logs, the prompt
// history. It need not exist; see [MakeDir].
func StateDir() string { return xdgPath(&xdg.StateHome) }

// DataDir returns the directory for installed agents. It need not exist.
func DataDir() string { return xdgPath(&xdg.DataHome) }

// CacheDir returns the directory for data that can be fetched again. It need not exist.
func CacheDir() string { return xdgPath(&xdg.CacheHome) }

// MakeDir creates dir and its parents, closed to other users. Existing directories keep
// their permissions.
func MakeDir(dir string) error {
	if err := os.MkdirAll(dir, dirMode); err != nil {
		return fmt.Errorf("create directory %s: %w", dir, err)
	}
	return nil
}

// ReplaceFile writes a file atomically: it writes a temporary file beside it and
// renames that. Of two concurrent writes the later one wins.
func ReplaceFile(path string, data []byte, mode fs.FileMode) error {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*.new")
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	err = errors.Join(err, f.Chmod(mode), f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	if dir, err := os.Open(filepath.Dir(path)); err == nil {
		_ = dir.Sync() // best effort: not every system can sync a directory
		_ = dir.Close()
	}
	return nil
}
