package compare

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"parley/config"
	"parley/fs"
	"parley/internal/git"
)

// seen is what parley has seen of the last check of a side. It is stored where agents do not write.
type seen struct {
	Path  string    `json:"path"`
	Began time.Time `json:"began"`
	Checked
	// Files identifies all that differed after the check: it says nothing about other files.
	Files string `json:"files,omitempty"`
	// Wrote are the files that it has changed, by name: they count as they were before.
	Wrote map[string]written `json:"wrote,omitempty"`
}

// written is a file that a check has changed.
type written struct {
	// Left identifies the file as the check left it.
	Left string `json:"left"`
	// Own means that the side had changed it before, to a text and a mode.
	Own  bool        `json:"own,omitempty"`
	Text *string     `json:"text,omitempty"`
	Mode os.FileMode `json:"mode,omitempty"`
}

// maxSeen limits what is stored of a check, in bytes.
const maxSeen = 8 << 20

// id identifies a file as far as it is known.
func (f *File) id() string {
	text := ""
	if f.New != nil {
		text = *f.New
	}
	sum := sha256.Sum256(fmt.Append(nil, f.NewMode, f.Opaque, f.New != nil, text))
	return hex.EncodeToString(sum[:16])
}

// id identifies all files.
func (c *Changed) id() string {
	sum := sha256.New()
	for i := range c.Files {
		fmt.Fprintf(sum, "%q %s\n", c.Files[i].Name, c.Files[i].id())
	}
	return hex.EncodeToString(sum.Sum(nil)[:16])
}

// checks returns the directory of what is stored of checks.
func checks() string { return filepath.Join(config.StateDir(), "checks") }

func (s *Side) checkFile() string {
	sum := sha256.Sum256([]byte(s.Tree.Path))
	return filepath.Join(checks(), hex.EncodeToString(sum[:16])+".json")
}

// readSeen reads a file of what is stored, empty if there is none.
func readSeen(path string) *seen {
	k := &seen{}
	if b, err := fs.ReadHead(path, maxSeen); err != nil || json.Unmarshal(b, k) != nil {
		return &seen{}
	}
	return k
}

// seenOf returns what was seen of the check of a side.
func (c *Contest) seenOf(side int) *seen {
	s := &c.States[side]
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.seen == nil {
		s.seen = readSeen(c.Sides[side].checkFile())
		if s.seen.Path != c.Sides[side].Tree.Path || !s.seen.Began.Equal(c.Began) {
			s.seen = &seen{} // of an earlier worktree
		}
	}
	return s.seen
}

// save stores what was seen of the check of a side, and removes what is stored of worktrees that are gone.
func (c *Contest) save(side int, k *seen) error {
	s := &c.States[side]
	s.mu.Lock()
	s.seen = k
	s.mu.Unlock()
	b, err := json.Marshal(k)
	if err == nil {
		err = config.MakeDir(checks())
	}
	if err != nil || len(b) > maxSeen {
		return err
	}
	old, _ := filepath.Glob(filepath.Join(checks(), "*.json"))
	for _, path := range old {
		if git.WorktreeGone(readSeen(path).Path) {
			_ = os.Remove(path)
		}
	}
	return config.ReplaceFile(c.Sides[side].checkFile(), b, config.FileMode)
}

// changed reads what a side has changed, and returns the outcome of the check if that was of these files.
// A file as the check has left it counts as it was before.
func (c *Contest) changed(ctx context.Context, side int) (own *Changed, checked *Checked, err error) {
	all, err := c.Sides[side].Changed(ctx)
	if err != nil {
		return nil, nil, err
	}
	k := c.seenOf(side)
	if k.Files != "" && (k.Files == all.id() || len(all.Files) == 0) { // or it is merged
		checked = &k.Checked
	}
	own = &Changed{More: all.More, Added: all.Added, Removed: all.Removed}
	for _, f := range all.Files {
		if w, is := k.Wrote[f.Name]; is && f.id() == w.Left {
			own.Added, own.Removed = own.Added-f.Added, own.Removed-f.Removed
			if !w.Own {
				continue
			}
			f.Added, f.Removed = 0, 0
			if f.NewMode = w.Mode; !f.Opaque {
				f.New = w.Text
			}
			own.count(&f)
		}
		own.Files = append(own.Files, f)
	}
	return own, checked, nil
}

// Test runs the check of a side, and notes how it ended and what it has written, unless the side works
// meanwhile: whose a change is cannot be told then.
func (c *Contest) Test(ctx context.Context, side int) (Checked, error) {
	s, tree := &c.States[side], c.Sides[side].Tree
	works := s.works.Load()
	before, _, unknown := c.changed(ctx, side)
	checked, err := c.Run(ctx, side)
	at, ended := time.Now(), ctx.Err() == nil
	ctx = context.WithoutCancel(ctx)
	if err != nil || unknown != nil || works != s.works.Load() {
		return checked, err
	}
	after, err := c.Sides[side].Changed(ctx)
	if err != nil {
		return checked, nil
	}
	k := &seen{Path: tree.Path, Began: c.Began, Checked: checked, Wrote: map[string]written{}}
	var only []string
	for i := range after.Files {
		f := &after.Files[i]
		switch was := before.Named(f.Name); {
		case was == nil:
			only = append(only, f.Name)
			k.Wrote[f.Name] = written{Left: f.id()}
		case f.id() != was.id():
			k.Wrote[f.Name] = written{f.id(), true, was.New, was.NewMode}
		}
	}
	if len(only) > 0 {
		err = tree.NotWork(ctx, at, only)
	}
	if now, failed := c.Sides[side].Changed(ctx); failed == nil && ended {
		k.Files = now.id()
	}
	return checked, errors.Join(err, c.save(side, k))
}

// Wrote names the files of a side that its check has changed, too.
func (c *Contest) Wrote(side int) (names []string) {
	for name, w := range c.seenOf(side).Wrote {
		if w.Own {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
