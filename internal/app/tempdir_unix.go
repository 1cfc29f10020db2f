//go:build unix

package app

import (
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// lockDirectory locks a directory until the returned file is closed. ok is false if another
// process holds the lock.
func lockDirectory(dir string) (lock *os.File, ok bool) {
	f, err := os.OpenFile(dir, os.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW, 0)
	if err != nil {
		return nil, false
	}
	if unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) != nil {
		_ = f.Close()
		return nil, false
	}
	return f, true
}

// removeAbandoned removes this user's directories that begin with a prefix and are unlocked,
// because the parley that made them was killed.
func removeAbandoned(temporary, prefix string) {
	dirs, _ := filepath.Glob(filepath.Join(temporary, prefix+"*"))
	for _, dir := range dirs {
		var info unix.Stat_t
		if unix.Lstat(dir, &info) != nil || int(info.Uid) != os.Getuid() {
			continue
		}
		if lock, ok := lockDirectory(dir); ok {
			_ = os.RemoveAll(dir)
			_ = lock.Close()
		}
	}
}
