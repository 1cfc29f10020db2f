package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// View is how the user left the view of a session. It is a separate file, rewritten as
// a whole, because it changes often and its history does not matter.
type View struct {
	// Draft is the unsent prompt.
	Draft string `json:"draft,omitempty"`
	// Top is the number of the item at the top of the view; nil follows the end.
	Top *int `json:"top,omitempty"`
}

func (s *Store) viewPath(id ID) string { return filepath.Join(s.dir, string(id)+".view") }

// SaveView stores the view of a session. The zero View removes the file.
func (s *Store) SaveView(id ID, v View) error {
	if !id.valid() {
		return fmt.Errorf("%q: %w", id, ErrNotStored)
	}
	path := s.viewPath(id)
	if v == (View{}) {
		if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("delete the draft: %w", err)
		}
		return nil
	}
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("save the draft: %w", err)
	}
	return replaceDraft(path, b)
}

// View returns the stored view of a session, or the zero View.
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
