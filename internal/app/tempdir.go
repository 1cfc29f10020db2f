package app

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"parley/internal/demoagent"
)

// tempDir is a temporary directory, locked while in use.
type tempDir struct {
	path string
	lock *os.File
}

// samplePrefix begins the names of the tour's projects.
const samplePrefix = "parley-tour-"

// sampleProject makes a temporary project for the tour.
func (l *Launcher) sampleProject() (string, error) {
	dir, err := l.TempDir(samplePrefix)
	if err != nil {
		return "", fmt.Errorf("make a directory for the tour: %w", err)
	}
	if err := demoagent.WriteSample(dir); err != nil {
		return "", fmt.Errorf("write the tour's sample project: %w", err)
	}
	return dir, nil
}

// TempDir makes a directory that Close removes. It also removes directories left by killed
// parley processes. Until the new directory is locked, its name is one that no parley removes.
func (l *Launcher) TempDir(prefix string) (string, error) {
	removeAbandoned(os.TempDir(), prefix)
	const unlocked = "new-"
	made, err := os.MkdirTemp("", unlocked+prefix)
	if err != nil {
		return "", err
	}
	lock, _ := lockDirectory(made) // unlocked, only Close may remove it
	dir := filepath.Join(filepath.Dir(made), strings.TrimPrefix(filepath.Base(made), unlocked))
	if err := os.Rename(made, dir); err != nil {
		dir = made
	}
	l.mu.Lock()
	l.temps = append(l.temps, tempDir{dir, lock})
	l.mu.Unlock()
	return filepath.EvalSymlinks(dir)
}
