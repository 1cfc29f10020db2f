package app

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"parley/config"
)

// A session notes its directories as long as it lives, stored or not, in a file that its
// process locks: whoever is to remove a directory sees whether somebody works there. A file
// without a lock is of a process that was killed.

// workplaces is where the notes are.
func workplaces() string { return filepath.Join(config.StateDir(), "working") }

// mostNote bounds what is read of a note, in bytes.
const mostNote = 1 << 20

// workIn notes that a session works in directories, until leave is called. It fails only where
// nothing can be written; the session goes on.
func workIn(dirs []string) (leave func(), err error) {
	fails := func(err error) (func(), error) {
		return func() {}, fmt.Errorf("note where the session works: %w", err)
	}
	if err := config.MakeDir(workplaces()); err != nil {
		return fails(err)
	}
	note, err := json.Marshal(dirs)
	if err != nil {
		return fails(err)
	}
	// Whoever looks may have the lock for a moment: then another file does.
	for range 3 {
		f, err := os.CreateTemp(workplaces(), "session-*")
		if err != nil {
			return fails(err)
		}
		leave := sync.OnceFunc(func() {
			config.Unlock(f)
			_ = f.Close()
			_ = os.Remove(f.Name()) // else the next one that looks does
		})
		locked, err := config.TryLock(f)
		if locked {
			if _, err = f.Write(note); err == nil {
				return leave, nil
			}
		}
		if leave(); err != nil {
			return fails(err)
		}
	}
	return fails(errors.New("it is locked"))
}

// WorksIn reports whether a session works in a directory or below it, in any parley of this
// user.
func WorksIn(dir string) (bool, error) {
	entries, err := os.ReadDir(workplaces())
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		return false, err
	}
	for _, e := range entries {
		dirs, err := notedIn(filepath.Join(workplaces(), e.Name()))
		if err != nil {
			return false, fmt.Errorf("look who works in %s: %w", dir, err)
		}
		for _, d := range dirs {
			if inside(dir, d) {
				return true, nil
			}
		}
	}
	return false, nil
}

// notedIn returns the directories of a note whose session lives, and removes that of one that
// was killed.
func notedIn(path string) (dirs []string, err error) {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil // it has ended meanwhile
	}
	if err != nil {
		return nil, err
	}
	free, err := config.TryLock(f)
	var note []byte
	if err == nil {
		note, err = io.ReadAll(io.LimitReader(f, mostNote))
	}
	if free {
		config.Unlock(f)
	}
	_ = f.Close()
	switch {
	case err != nil || len(note) == 0: // it is just being written
		return nil, err
	case free:
		_ = os.Remove(path)
		return nil, nil
	}
	return dirs, json.Unmarshal(note, &dirs)
}

// inside reports whether a path is a directory or lies below it, whatever links lead there.
func inside(dir, path string) bool {
	for _, p := range []*string{&dir, &path} {
		if real, err := filepath.EvalSymlinks(*p); err == nil {
			*p = real
		}
	}
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}
