package store

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"parley/config"
)

// A prompt that is being written where nothing was said yet belongs to no log: it is a
// file in draftDir, one for each directory, that is named after a hash of its path.
const draftDir = "drafts"

func (s *Store) draftPath(cwd string) string {
	sum := sha256.Sum256([]byte(cwd))
	return filepath.Join(s.dir, draftDir, hex.EncodeToString(sum[:16]))
}

// SaveDraft keeps the prompt that was written in a directory, in no session yet, in place of
// the one that the same person has kept there until now. An empty one is kept as no file.
// What somebody else has kept there, such as another tab, stays: theirs is not to be lost.
func (s *Store) SaveDraft(cwd, was, draft string) error {
	s.drafts.Lock()
	defer s.drafts.Unlock()
	path := s.draftPath(cwd)
	switch kept, err := s.Draft(cwd); {
	case err != nil:
		return err
	case kept != was && kept != "":
		return nil
	case draft != "":
		if err := os.MkdirAll(filepath.Dir(path), dirMode); err != nil {
			return fmt.Errorf("keep the draft: %w", err)
		}
		return replaceDraft(path, []byte(draft))
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("forget the draft: %w", err)
	}
	return nil
}

// Draft is what SaveDraft has kept for a directory, "" if it has nothing.
func (s *Store) Draft(cwd string) (string, error) {
	b, err := os.ReadFile(s.draftPath(cwd))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", fmt.Errorf("read the draft: %w", err)
	}
	return string(b), nil
}

// replaceDraft writes a file with a draft in it as a whole, also if another program does so
// at the same time.
func replaceDraft(path string, b []byte) error {
	if err := config.ReplaceFile(path, b, fileMode); err != nil {
		return fmt.Errorf("keep the draft: %w", err)
	}
	return nil
}
