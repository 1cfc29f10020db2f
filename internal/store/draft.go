package store

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"parley/config"
	"parley/fs"
	"parley/internal/conversation"
)

// A draft outside of any session belongs to no log: it is a file in draftDir, one per
// directory, named after a hash of the directory's path.
const draftDir = "drafts"

func (s *Store) draftPath(cwd string) string {
	sum := sha256.Sum256([]byte(cwd))
	return filepath.Join(s.dir, draftDir, hex.EncodeToString(sum[:16]))
}

// SaveDraft stores the draft for a directory in place of was, the caller's previous
// one. An empty draft removes the file. SaveDraft leaves a draft that another process,
// such as another tab, has stored meanwhile. The draft is this process's as long as it lives.
func (s *Store) SaveDraft(cwd, was, draft string) error {
	s.drafts.Lock()
	defer s.drafts.Unlock()
	path := s.draftPath(cwd)
	switch kept, err := readDraft(path); {
	case err != nil:
		return err
	case kept != was && kept != "":
		return nil
	case draft != "":
		if err := config.MakeDir(filepath.Dir(path)); err != nil {
			return fmt.Errorf("save the draft: %w", err)
		}
	}
	s.own(path, draft != "")
	return replaceDraft(path, []byte(draft))
}

// own has the draft of a path belong to this process, or to none any more. It is best effort: without it
// another process may offer the draft, too. s.drafts must be held.
func (s *Store) own(path string, mine bool) {
	f := s.owned[path]
	switch {
	case mine && f == nil:
		f, err := os.OpenFile(path+lockSuffix, os.O_RDWR|os.O_CREATE, fileMode)
		if err != nil {
			return
		}
		if ok, err := config.TryLock(f); !ok || err != nil {
			_ = f.Close()
			return
		}
		if s.owned == nil {
			s.owned = map[string]*os.File{}
		}
		s.owned[path] = f
	case !mine:
		_ = os.Remove(path + lockSuffix) // also what a process has left that was killed
		if f != nil {
			config.Unlock(f)
			_ = f.Close()
			delete(s.owned, path)
		}
	}
}

// lockSuffix is that of the file which the process that has a draft locks.
const lockSuffix = ".lock"

// Draft returns the draft for a directory, or "". While another process that has stored it lives, it is
// that one's, which may send it.
func (s *Store) Draft(cwd string) (string, error) {
	s.drafts.Lock()
	defer s.drafts.Unlock()
	path := s.draftPath(cwd)
	if s.owned[path] == nil {
		if f, err := os.OpenFile(path+lockSuffix, os.O_RDWR, 0); err == nil {
			free, err := config.TryLock(f)
			_ = f.Close()
			if !free && err == nil {
				return "", nil
			}
		}
	}
	return readDraft(path)
}

func readDraft(path string) (string, error) {
	b, err := fs.ReadHead(path, mostDraft)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", fmt.Errorf("read the draft: %w", config.ExplainRead(path, err))
	}
	return string(b), nil
}

// mostDraft bounds what is read of a file with a draft, in bytes.
const mostDraft = 256 << 20

// replaceDraft replaces a draft file as a whole, also against other programs. It removes
// an empty one. It does not wait for the disk: a draft is saved every few keys, and outlives
// a kill of parley without that.
func replaceDraft(path string, b []byte) error {
	if len(b) == 0 {
		if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("delete the draft: %w", err)
		}
		return nil
	}
	dir, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return fmt.Errorf("save the draft: %w", err)
	}
	defer dir.Close()
	if err := fs.ReplaceUnsynced(dir, filepath.Base(path), b, fileMode); err != nil {
		return fmt.Errorf("save the draft: %w", err)
	}
	return nil
}

// View is how the user left the view of a session. It is a separate file, rewritten as
// a whole, because it changes often and its history does not matter.
type View struct {
	// Draft is the unsent prompt.
	Draft string `json:"draft,omitempty"`
	// Editor is the file with the draft that was in an editor.
	Editor string `json:"editor,omitempty"`
	// Top is the number of the item at the top of the view; nil follows the end.
	Top *int `json:"top,omitempty"`
	// Unsent are the prompts that a host has not confirmed, or that were handed over; nil if there are
	// none.
	Unsent *Unsent `json:"unsent,omitempty"`
}

// Unsent are prompts of a viewer that their session may not have received. Those of no viewer come
// from the queue of a session that was handed over, and no front end has saved them yet.
type Unsent struct {
	Viewer  string         `json:"viewer"`
	Prompts []UnsentPrompt `json:"prompts"`
}

// Moved reports whether they were handed over.
func (u *Unsent) Moved() bool { return u.Viewer == "" }

// UnsentPrompt is one of them. Number is that of its act, 0 if it was never sent.
type UnsentPrompt struct {
	Number int                       `json:"number,omitempty"`
	Prompt conversation.QueuedPrompt `json:"prompt"`
}

func (s *Store) viewPath(id ID) string { return filepath.Join(s.dir, string(id)+".view") }

// SaveView stores the view of a session. The zero View removes the file.
func (s *Store) SaveView(id ID, v View) error {
	if !id.valid() {
		return fmt.Errorf("%q: %w", id, ErrNotStored)
	}
	if v == (View{}) {
		return replaceDraft(s.viewPath(id), nil)
	}
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("save the draft: %w", err)
	}
	return replaceDraft(s.viewPath(id), b)
}

// editedBytes bounds the text that is taken from a file of an editor.
const editedBytes = 16 << 20

// TakeView returns the stored view of a session. Text that was in an editor when parley was
// killed becomes the draft, and its file is removed.
func (s *Store) TakeView(id ID) (View, error) {
	v, err := s.View(id)
	if err != nil || v.Editor == "" {
		return v, err
	}
	file := v.Editor
	b, err := fs.ReadHead(file, editedBytes)
	text := strings.TrimRight(string(b), "\r\n")
	if v.Editor = ""; err == nil && text != "" {
		v.Draft = text
	}
	if s.SaveView(id, v) == nil {
		_ = os.Remove(file) // its text is in the view
	}
	return v, nil
}

// View returns the stored view of a session, or the zero View.
func (s *Store) View(id ID) (View, error) {
	var v View
	if !id.valid() {
		return v, fmt.Errorf("%q: %w", id, ErrNotStored)
	}
	path := s.viewPath(id)
	b, err := fs.ReadHead(path, mostDraft)
	switch {
	case errors.Is(err, os.ErrNotExist), err == nil && len(b) == 0: // after a power failure
		return v, nil
	case err == nil:
		err = json.Unmarshal(b, &v)
	}
	if err != nil {
		return View{}, fmt.Errorf("read the draft: %w", config.ExplainRead(path, err))
	}
	return v, nil
}
