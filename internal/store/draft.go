package store

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"parley/config"
	"parley/fs"
	"parley/internal/conversation"
)

// draftDir holds what is unsent outside of any log: a file for each [Draft].
const draftDir = "drafts"

// Draft is what a tab has unsent outside of any log and view, stored for its directory, or for its session
// by the id: a file named after a hash of that. It is that of the tab until [Draft.Leave], or until parley
// ends. It is not safe for concurrent use.
type Draft struct {
	// View is what it had when it was taken over.
	View View

	base string // the beginning of the paths of all drafts of the directory or session
	path string // "" if nothing is stored
	lock *os.File
}

// NewDraft returns an empty draft for a directory or session. It does not access the disk.
func (s *Store) NewDraft(of string) *Draft {
	sum := sha256.Sum256([]byte(of))
	return &Draft{base: filepath.Join(s.dir, draftDir, hex.EncodeToString(sum[:16]))}
}

// TakeDraft takes over the newest draft of a directory or session that no tab of a living parley has, or
// returns an empty one. It also returns how many more there are, of very many only some. An error may be about
// a damaged one, which it has set aside, and come with another one.
func (s *Store) TakeDraft(of string) (taken *Draft, more int, err error) {
	taken = s.NewDraft(of)
	dir := filepath.Dir(taken.base)
	files, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return taken, 0, fmt.Errorf("read the draft: %w", config.ExplainRead(dir, err))
	}
	written, all := map[string]time.Time{}, []string{}
	for _, f := range files {
		path := filepath.Join(dir, f.Name())
		if !strings.HasPrefix(path, taken.base) || strings.HasSuffix(path, lockSuffix) || strings.HasSuffix(path, damagedSuffix) {
			continue
		}
		if info, err := f.Info(); err == nil {
			written[path], all = info.ModTime(), append(all, path)
		}
	}
	slices.SortFunc(all, func(a, b string) int { return written[b].Compare(written[a]) })
	err = nil
	for _, path := range all {
		if more == mostMore {
			break
		}
		d := &Draft{base: taken.base, path: path}
		if !d.own() {
			continue
		}
		read := readView
		if path == taken.base { // as parley stored drafts before: the text alone
			read = func(path string) (View, error) {
				b, err := fs.ReadHead(path, mostDraft)
				return View{Draft: string(b)}, err
			}
		}
		switch v, failed := read(path); {
		case failed != nil:
			err = fmt.Errorf("a draft cannot be read, and is set aside as %s: %w", path+damagedSuffix, failed)
			if moved := os.Rename(path, path+damagedSuffix); moved != nil {
				err = fmt.Errorf("the draft %s: %w", path, failed)
			}
		case v == (View{}): // after a power failure
			_ = d.Save(v)
		case taken.path != "":
			more++
		default:
			d.View, taken = withEdited(v, d.Save), d
			continue
		}
		d.Leave()
	}
	return taken, more, err
}

// stored returns all files of drafts of the directory or session.
func (d *Draft) stored() (paths []string) {
	files, _ := os.ReadDir(filepath.Dir(d.base))
	for _, f := range files {
		if path := filepath.Join(filepath.Dir(d.base), f.Name()); strings.HasPrefix(path, d.base) {
			paths = append(paths, path)
		}
	}
	return paths
}

// Save stores a view as the draft. The zero View removes the file.
func (d *Draft) Save(v View) error {
	switch {
	case d.path == "" && v == (View{}):
		return nil
	case d.path == "":
		path := d.base + "-" + rand.Text()
		if err := config.MakeDir(filepath.Dir(path)); err != nil {
			return fmt.Errorf("save the draft: %w", err)
		}
		d.path = path
		d.own()
	}
	err := writeView(d.path, v)
	if v == (View{}) && err == nil {
		d.Leave()
	}
	return err
}

// Leave leaves what is stored to whoever takes it over.
func (d *Draft) Leave() {
	if d.lock != nil {
		if _, err := os.Lstat(d.path); err != nil {
			_ = os.Remove(d.path + lockSuffix)
		}
		config.Unlock(d.lock)
		_ = d.lock.Close()
	}
	d.path, d.lock = "", nil
}

// own has the draft belong to its tab, unless it is that of another. It is best effort: without a lock
// another tab may take it over, too.
func (d *Draft) own() bool {
	f, err := os.OpenFile(d.path+lockSuffix, os.O_RDWR|os.O_CREATE, fileMode)
	if err != nil {
		return true
	}
	if ok, err := config.TryLock(f); !ok {
		_ = f.Close()
		return err != nil
	}
	d.lock = f
	return true
}

// lockSuffix is that of the file which the parley that has a draft locks.
const lockSuffix = ".lock"

// damagedSuffix is that of drafts which cannot be read. mostMore bounds how many drafts are counted: each is
// locked and read for that.
const (
	damagedSuffix = ".damaged"
	mostMore      = 100
)

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

// Text returns Texts as one.
func (v View) Text() string { return strings.Join(v.Texts(), "\n\n") }

// Texts returns the text of each unsent prompt, and the draft.
func (v View) Texts() (all []string) {
	if v.Unsent != nil {
		for _, p := range v.Unsent.Prompts {
			all = append(all, p.Prompt.Text())
		}
	}
	all = append(all, v.Draft)
	return slices.DeleteFunc(all, func(text string) bool { return text == "" })
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

// Viewing stores the view of a session for one of its viewers. What another one has unsent there is not
// replaced: the viewer has a [Draft] of the session instead. It is not safe for concurrent use.
type Viewing struct {
	// Saved is what the viewer has saved or read last.
	Saved View

	store *Store
	id    ID
	aside *Draft
}

// NewViewing returns the viewing of a viewer that has read the view, or zero. It does not access the disk.
func (s *Store) NewViewing(id ID, read View) *Viewing {
	return &Viewing{Saved: read, store: s, id: id, aside: s.NewDraft(string(id))}
}

// ID returns the id of the session.
func (w *Viewing) ID() ID { return w.id }

// Save stores the view.
func (w *Viewing) Save(v View) error {
	kept, err := w.aside.path == "", error(nil)
	if kept {
		kept, err = w.store.replaceView(w.id, w.Saved, v)
	}
	if !kept && err == nil {
		err = w.aside.Save(v.unsent())
	}
	if err == nil {
		w.Saved = v
	}
	return err
}

// Leave leaves what is stored to the next viewer.
func (w *Viewing) Leave() { w.aside.Leave() }

// unsent returns what is unsent of the view.
func (v View) unsent() View {
	v.Top = nil
	return v
}

// replaceView stores the view of a session unless it has something unsent that is not in before.
func (s *Store) replaceView(id ID, before, v View) (done bool, err error) {
	if err := config.MakeDir(s.dir); err != nil {
		return false, fmt.Errorf("save the draft: %w", err)
	}
	if f, err := os.OpenFile(filepath.Join(s.dir, "views"+lockSuffix), os.O_RDWR|os.O_CREATE, fileMode); err == nil { // best effort
		defer f.Close()
		defer config.Unlock(f)
		short, cancel := context.WithTimeout(context.Background(), time.Second) // its holder may be stopped
		defer cancel()
		_ = config.AwaitLock(short, f, func() {})
	}
	same := func(a, b View) bool {
		x, _ := json.Marshal(a.unsent())
		y, _ := json.Marshal(b.unsent())
		return bytes.Equal(x, y)
	}
	if is, err := s.View(id); err == nil && !same(is, View{}) && !same(is, before) {
		return false, nil
	}
	return true, s.SaveView(id, v)
}

// SaveView stores the view of a session that has no viewer. The zero View removes the file.
func (s *Store) SaveView(id ID, v View) error {
	if !id.valid() {
		return fmt.Errorf("%q: %w", id, ErrNotStored)
	}
	return writeView(s.viewPath(id), v)
}

func writeView(path string, v View) error {
	if v == (View{}) {
		return replaceDraft(path, nil)
	}
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("save the draft: %w", err)
	}
	return replaceDraft(path, b)
}

// editedBytes bounds the text that is taken from a file of an editor.
const editedBytes = 16 << 20

// TakeView returns the stored view of a session. Text that was in an editor when parley was
// killed becomes the draft, and its file is removed.
func (s *Store) TakeView(id ID) (View, error) {
	v, err := s.View(id)
	return withEdited(v, func(v View) error { return s.SaveView(id, v) }), err
}

// withEdited returns a view with the text that was in an editor as its draft, and saves it so.
func withEdited(v View, save func(View) error) View {
	file := v.Editor
	if file == "" {
		return v
	}
	b, err := fs.ReadHead(file, editedBytes)
	text := strings.TrimRight(string(b), "\r\n")
	if v.Editor = ""; err == nil && text != "" {
		v.Draft = text
	}
	if save(v) == nil {
		_ = os.Remove(file) // its text is in the view
	}
	return v
}

// View returns the stored view of a session, or the zero View.
func (s *Store) View(id ID) (View, error) {
	if !id.valid() {
		return View{}, fmt.Errorf("%q: %w", id, ErrNotStored)
	}
	return readView(s.viewPath(id))
}

func readView(path string) (v View, err error) {
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
