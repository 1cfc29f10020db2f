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

// A running session, stored or not, lists its directories in a file that its process locks, so
// that no other process removes a directory in use. An unlocked file belongs to a killed process.

// workplaces returns the directory of these files.
func workplaces() string { return filepath.Join(config.StateDir(), "working") }

// mostNote limits how much of such a file is read, in bytes.
const mostNote = 1 << 20

// workIn records that a session works in directories, until leave is called. If the record
// cannot be written, the session can still run.
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
	// A reader may hold the lock for a moment: then try another file.
	for range 3 {
		f, err := os.CreateTemp(workplaces(), "session-*")
		if err != nil {
			return fails(err)
		}
		leave := sync.OnceFunc(func() {
			config.Unlock(f)
			_ = f.Close()
			_ = os.Remove(f.Name()) // otherwise the next reader does
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

// WorksIn reports whether a session of this user works in or below a directory, in any parley
// process.
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

// notedIn returns the directories in the file of a running session, and removes that of a
// killed one.
func notedIn(path string) (dirs []string, err error) {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil // the session has ended
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

// inside reports whether a path is dir or below it, with links resolved.
func inside(dir, path string) bool {
	for _, p := range []*string{&dir, &path} {
		if real, err := filepath.EvalSymlinks(*p); err == nil {
			*p = real
		}
	}
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}
