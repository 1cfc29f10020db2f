package config

import (
	"fmt"
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
