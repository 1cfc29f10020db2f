package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"parley/config"
)

// While a log is being written, the directory openDir contains an empty file of the
// same name. Closing the log removes it. If the file is there and the log is not
// locked, the program that wrote the log was killed.
const openDir = "open"

func (s *Store) markPath(id ID) string { return filepath.Join(s.dir, openDir, string(id)) }

// mark creates the marker file of a log. Best effort: without it the session is stored,
// but cannot be offered for recovery.
func (s *Store) mark(l *Log) {
	path := s.markPath(l.id)
	if err := config.MakeDir(filepath.Dir(path)); err != nil {
		return
	}
	if err := os.WriteFile(path, nil, fileMode); err == nil {
		l.marked = path
	}
}

// Interrupted returns the sessions of a directory, or of a worktree made for it, whose
// writer was killed, newest first. It looks only at sessions with a marker file.
func (s *Store) Interrupted(cwd string) ([]ID, error) {
	entries, err := os.ReadDir(filepath.Join(s.dir, openDir))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("look for interrupted sessions: %w", err)
	}
	var found []Meta
	for _, e := range entries {
		id := ID(e.Name())
		l, err := s.openLog(id, 0)
		if err != nil {
			if errors.Is(err, ErrNotStored) {
				_ = s.Forget(id)
			}
			continue // another process writes it
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

// Forget removes the marker file of a session. The session stays.
func (s *Store) Forget(id ID) error {
	if err := os.Remove(s.markPath(id)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("forget that the session %s was not ended: %w", id, err)
	}
	return nil
}
