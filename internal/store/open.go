package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// A log that is being written has an empty file of the same name in the directory
// openDir. Whoever closes the log removes it. If it is there and nobody has locked the
// log, the program that wrote it was killed.
const openDir = "open"

func (s *Store) markPath(id ID) string { return filepath.Join(s.dir, openDir, string(id)) }

// mark says that a log is being written, until it is closed. Without the mark nobody
// will offer to go on with the session, which is no reason not to store it.
func (s *Store) mark(l *Log) {
	path := s.markPath(l.id)
	if err := os.MkdirAll(filepath.Dir(path), dirMode); err != nil {
		return
	}
	if err := os.WriteFile(path, nil, fileMode); err == nil {
		l.marked = path
	}
}

// Abandoned are the sessions of a directory, or of a worktree made for it, whose writer was killed, the newest first.
// It looks at nothing but the sessions that were being written.
func (s *Store) Abandoned(cwd string) ([]ID, error) {
	entries, err := os.ReadDir(filepath.Join(s.dir, openDir))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("look for sessions that were not ended: %w", err)
	}
	var found []Meta
	for _, e := range entries {
		id := ID(e.Name())
		l, err := s.openLog(id, 0)
		if err != nil {
			if errors.Is(err, ErrNotStored) {
				_ = s.Forget(id)
			}
			continue // somebody writes it
		}
		_ = l.Close()
		if m, err := s.Meta(id); err == nil && (m.Cwd == cwd || m.From == cwd) {
			found = append(found, m)
		}
	}
	slices.SortFunc(found, func(a, b Meta) int { return b.Created.Compare(a.Created) })
	ids := make([]ID, len(found))
	for i, m := range found {
		ids[i] = m.ID
	}
	return ids, nil
}

// Forget takes a session out of those that were abandoned. The session stays.
func (s *Store) Forget(id ID) error {
	if err := os.Remove(s.markPath(id)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("forget that the session %s was not ended: %w", id, err)
	}
	return nil
}
