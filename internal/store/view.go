package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// View is how the person had a session before them when they left it. It is a file of
// its own, written anew as a whole: it changes with every key, and of its past nothing
// is to be known.
type View struct {
	// Draft is the prompt that was not sent.
	Draft string `json:"draft,omitempty"`
	// Top is the number of the item at the top of the view; nil follows the end.
	Top *int `json:"top,omitempty"`
}

func (s *Store) viewPath(id ID) string { return filepath.Join(s.dir, string(id)+".view") }

// SaveView keeps the view of a session. The zero View is kept as no file.
func (s *Store) SaveView(id ID, v View) error {
	if !id.valid() {
		return fmt.Errorf("%q: %w", id, ErrNotStored)
	}
	path := s.viewPath(id)
	if v == (View{}) {
		if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("forget the draft: %w", err)
		}
		return nil
	}
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("keep the draft: %w", err)
	}
	return replaceDraft(path, b)
}

// View is the view of a session as it was kept; the zero View if none was.
func (s *Store) View(id ID) (View, error) {
	var v View
	if !id.valid() {
		return v, fmt.Errorf("%q: %w", id, ErrNotStored)
	}
	b, err := os.ReadFile(s.viewPath(id))
	switch {
	case errors.Is(err, os.ErrNotExist):
		return v, nil
	case err == nil:
		err = json.Unmarshal(b, &v)
	}
	if err != nil {
		return View{}, fmt.Errorf("read the draft: %w", err)
	}
	return v, nil
}
