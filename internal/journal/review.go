package journal

import (
	"cmp"
	"context"
	"encoding/json"
	iofs "io/fs"
	"iter"
	"slices"
	"strings"
	"time"

	"parley/fs"
	"parley/internal/termtext"
)

// File is a changed file, or one of its two parts if both have changed.
type File struct {
	Part
	// Sources says how the journal learned of the changes, each source once.
	Sources []Source
	// Kept means that the user has accepted all its changes.
	Kept bool
}

// Summary is what is shown of a journal all the time. It must not be changed.
type Summary struct {
	Dir string // see [Journal.Dir]
	// Tally counts the files that the agent has changed, and their lines, as far as these are
	// counted: that goes on in the background. Large files and those that are not text have none.
	Tally
	// Seen means that other files have changed during a turn, maybe by the user.
	Seen bool
	// Version increases whenever there may be new
	// changes, and Changed is closed then.
	Len     int
	Version int
	Changed <-chan struct{} `json:"-"`
	// Turns are the turns so far, oldest first.
	Turns []Turn
	// Undoable is the turn that [Journal.UndoTurn] would undo, 0 if none; Redoable that
	// [Journal.Redo] has something to do, and LastRewind the turn of the rewind that it would
	// take back, 0 if that is something else.
	Undoable   int
	Redoable   bool
	LastRewind int
	// Limits says what the journal does not record, and Failed why it could not record a
	// change; "" is nothing.
	Limits, Failed string
}

// Summary returns the summary of the journal as it is now.
func (j *Journal) Summary() *Summary {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.summary == nil {
		j.summary = &Summary{
			Dir: j.cwd, Tally: j.tally(), Seen: j.history.saw(), Version: j.version, Changed: j.changed, Turns: slices.Clone(j.history.turns),
			Undoable: max(0, j.history.lastLiveTurn()), Redoable: len(j.history.redoable()) > 0, LastRewind: j.history.lastRewind(), Limits: j.limits,
		}
		if why := cmp.Or(j.unopened, j.trouble); why != nil {
			j.summary.Failed = why.Error()
		}
	}
	return j.summary
}

// Files returns the files that changed since turn since, in the order of the first change
// of each part; 0 means all turns. One that was moved is at its new path.
func (j *Journal) Files(since int) []File {
	j.mu.Lock()
	defer j.mu.Unlock()
	var out []File
	index, away := map[Part]int{}, j.history.movedAway(since)
	for _, c := range j.history.changes {
		part := Part{c.path, c.seen}
		if c.act != 0 && c.source != SourceMerge || c.turn < since || away[part] {
			continue
		}
		at, known := index[part]
		if !known {
			at = len(out)
			index[part] = at
			out = append(out, File{Part: part, Kept: true})
		}
		f := &out[at]
		f.Kept = f.Kept && c.id <= j.history.agreedUpTo(part)
		if !slices.Contains(f.Sources, c.source) {
			f.Sources = append(f.Sources, c.source)
		}
	}
	return out
}

// Version is a past or present content of a file.
type Version struct {
	Image
	Content string
}

// versionJSON is a version in JSON, whose texts are UTF-8: the content of a file is bytes.
type versionJSON struct {
	Image
	Content []byte `json:"content,omitempty"`
}

// MarshalJSON keeps every byte of the content.
func (v Version) MarshalJSON() ([]byte, error) {
	return json.Marshal(versionJSON{v.Image, []byte(v.Content)})
}

// UnmarshalJSON takes what MarshalJSON makes.
func (v *Version) UnmarshalJSON(data []byte) error {
	var w versionJSON
	err := json.Unmarshal(data, &w)
	*v = Version{w.Image, string(w.Content)}
	return err
}

func versionOf(h *fs.Snapshot) Version {
	v := Version{Image: imageOf(h)}
	if h != nil {
		v.Content = h.Content
	}
	return v
}

// IsLink reports whether the version is a symbolic link. Its content is the target.
func (v Version) IsLink() bool { return v.Mode&iofs.ModeSymlink != 0 }

// snapshot returns the content of the file, nil for no file.
func (v Version) snapshot() *fs.Snapshot {
	if v.Absent {
		return nil
	}
	return &fs.Snapshot{Content: v.Content, Mode: v.Mode}
}

// Comparison compares the current content of a file with what it would be without the
// changes of a part. What else changed is in both.
type Comparison struct {
	Part
	// Before is the current content without the part's changes since the first of the
	// compared turns, except those that the user has accepted. Its content is unknown if
	// it is Lost.
	Before Version
	// Now is the content at the time of the comparison.
	Now Version
	// Reported means that only the agent says what Before contained: parley does not restore
	// it.
	Reported bool
	// Binary means that one of the two is a link or not text and so has no lines.
	Binary bool
	// Hunks are the changes from Before to Now, nil if the file is binary or lost.
	Hunks []Hunk
	// Added and Removed count lines.
	Added, Removed int

	// From is where the file was, "" if it was not moved. Its changes are kept and undone as a whole,
	// with those at that path.
	From string
	// Since is the first of the compared turns.
	Since int
	// Conflicts says of each hunk whether its lines have changed since, so that it cannot be reverted.
	Conflicts []bool
}

// Same reports whether the file has its previous content.
func (c *Comparison) Same() bool { return c.Before.same(c.Now.Image) }

// Unmarked reports whether the file has lost the byte order mark at its beginning, which nothing
// draws.
func (c *Comparison) Unmarked() bool {
	const mark = "\ufeff"
	return strings.HasPrefix(c.Before.Content, mark) && !c.Now.Absent && !strings.HasPrefix(c.Now.Content, mark)
}

// Compare compares a file with what it would be without the changes of a part since turn
// since.
func (j *Journal) Compare(ctx context.Context, part Part, since int) (*Comparison, error) {
	c := &Comparison{Part: part, Since: since}
	var err error
	if c.Now, err = j.now(ctx, part.Path); err != nil && j.displaced(part.Path) {
		c.Now, err = Version{Image: Image{Absent: true}}, nil
	}
	if err == nil {
		err = j.compare(c)
	}
	if err != nil {
		return nil, err
	}
	return c, nil
}

// now returns the current content of a file.
func (j *Journal) now(ctx context.Context, path string) (v Version, err error) {
	err = j.withFiles(path, func(f *fs.FS) error {
		return f.Look(ctx, path, func(now *fs.Snapshot) error {
			v = versionOf(now)
			return nil
		})
	})
	return v, err
}

// compare compares c.Now with what it would be without the part's changes.
func (j *Journal) compare(c *Comparison) error {
	j.mu.Lock()
	known := len(j.history.byPath[c.Path]) > 0
	changes := j.history.liveSince(c.Part, c.Since)
	j.mu.Unlock()
	if !known {
		return ErrNothing
	}
	p, err := j.revert(c.Part, changes)
	if err != nil {
		c.Before.Lost = true
		return nil
	}
	if err := p.fits(c.Now.snapshot()); err != nil {
		return &FileError{c.Path, err}
	}
	c.Reported = p.claimed
	c.compareWith(&p)
	j.fromElsewhere(c)
	return nil
}

// compareWith compares c.Now with what a plan would make of it.
func (c *Comparison) compareWith(p *plan) {
	before, kept := p.both(c.Now.snapshot())
	c.Before = versionOf(before)
	c.findHunks(versionOf(kept).Content)
}

// findHunks sets the hunks. kept is the content without the part's changes that can be
// undone: a hunk that is not also a change from kept contains a conflict.
func (c *Comparison) findHunks(kept string) {
	c.Binary = !isText(c.Before.Content) || !isText(c.Now.Content) || c.Before.IsLink() || c.Now.IsLink()
	if c.Binary {
		return
	}
	c.Hunks = Hunks(c.Before.Content, c.Now.Content)
	c.Conflicts = make([]bool, len(c.Hunks))
	var clean []Hunk
	if kept != c.Before.Content {
		clean = Hunks(kept, c.Now.Content)
	}
	before, base := termtext.SplitLines(c.Before.Content), termtext.SplitLines(kept)
	for i, h := range c.Hunks {
		c.Added += h.NewEnd - h.NewStart
		c.Removed += h.OldEnd - h.OldStart
		c.Conflicts[i] = kept != c.Before.Content && !slices.ContainsFunc(clean, func(k Hunk) bool {
			return sameHunk(k, base, h, before)
		})
	}
}

// sameHunk reports whether two hunks to the same text are equal: a from the lines of
// before a, b from those before b.
func sameHunk(a Hunk, beforeA []string, b Hunk, beforeB []string) bool {
	return a.NewStart == b.NewStart && a.NewEnd == b.NewEnd &&
		slices.Equal(beforeA[a.OldStart:a.OldEnd], beforeB[b.OldStart:b.OldEnd])
}

// turnOf returns the last turn since which a hunk is the part's.
func (j *Journal) turnOf(c *Comparison, hunk int) int {
	j.mu.Lock()
	changes := j.history.liveSince(c.Part, c.Since)
	j.mu.Unlock()
	turn := c.Since
	for _, change := range changes {
		if change.turn == turn {
			continue
		}
		turn = change.turn
		narrow := &Comparison{Part: c.Part, Now: c.Now, Since: turn}
		if j.compare(narrow) != nil {
			continue
		}
		before, narrowBefore := termtext.SplitLines(c.Before.Content), termtext.SplitLines(narrow.Before.Content)
		if slices.ContainsFunc(narrow.Hunks, func(h Hunk) bool {
			return sameHunk(h, narrowBefore, c.Hunks[hunk], before)
		}) {
			break
		}
	}
	return turn
}

// RevertHunk restores the previous lines of a hunk. Changes elsewhere in the file since
// the comparison stay.
func (j *Journal) RevertHunk(ctx context.Context, c *Comparison, hunk int) (Done, error) {
	if c.Conflicts[hunk] {
		return Done{}, &FileError{c.Path, ErrConflict}
	}
	j.mu.Lock()
	changes := j.history.liveSince(c.Part, c.Since)
	j.mu.Unlock()
	if p, err := j.revert(c.Part, changes); err != nil {
		return Done{}, err
	} else if err := p.check(); err != nil {
		return Done{}, &FileError{c.Path, err}
	}
	j.reviewing.Lock()
	defer j.reviewing.Unlock()
	h := c.Hunks[hunk]
	inverse := Hunk{OldStart: h.NewStart, OldEnd: h.NewEnd, NewStart: h.OldStart, NewEnd: h.OldEnd}
	from := c.Now.snapshot()
	to := &fs.Snapshot{Content: withHunk(c.Now.Content, c.Before.Content, inverse), Mode: c.Now.Mode}
	switch {
	case to.Content == c.Before.Content && c.Before.Absent:
		to = nil
	case from == nil:
		to.Mode = c.Before.Mode
	}
	return j.carryOut(ctx, []plan{{path: c.Path, steps: []step{{from, to}}, turn: j.turnOf(c, hunk), seen: c.Seen}}, actUndo, 0)
}

// KeepHunk accepts a hunk: it no longer shows as a change, and reverting the rest keeps
// it. It does not write the file.
func (j *Journal) KeepHunk(c *Comparison, hunk int) {
	after := &fs.Snapshot{Content: withHunk(c.Before.Content, c.Now.Content, c.Hunks[hunk]), Mode: c.Before.Mode}
	if c.Before.Absent {
		after.Mode = c.Now.Mode
	}
	if after.Content == c.Now.Content && c.Now.Absent {
		after = nil
	}
	was, is := c.Before.Image, j.keep(after, true)
	if !was.Absent {
		was = j.keep(c.Before.snapshot(), true)
	}
	j.add(record{Kind: kindKept, Path: c.Path, Seen: c.Seen, Before: &was, After: &is}, true)
}

// KeepFile accepts all changes of a part so far. It does not write the file.
func (j *Journal) KeepFile(part Part) {
	none := Image{Lost: true}
	for _, part := range j.withFormer(part, 0) {
		j.add(record{Kind: kindKept, Path: part.Path, Seen: part.Seen, Before: &none, After: &none, Whole: true}, true)
	}
}

// OpenFile withdraws the acceptance of a part's changes.
func (j *Journal) OpenFile(part Part) {
	for _, part := range j.withFormer(part, 0) {
		j.add(record{Kind: kindOpened, Path: part.Path, Seen: part.Seen}, true)
	}
}

// Had reports whether a file has had one of these contents, as far as the journal knows.
func (j *Journal) Had(path string, contents iter.Seq[string]) bool {
	known := map[string]bool{}
	j.mu.Lock()
	for _, c := range j.history.byPath[path] {
		known[c.before.Hash], known[c.after.Hash] = true, true
	}
	j.mu.Unlock()
	if len(known) == 0 {
		return false
	}
	for content := range contents {
		if known[hashOf(content)] {
			return true
		}
	}
	return false
}

// TurnBegan returns when the last turn began, the zero time if there was none.
func (j *Journal) TurnBegan() (at time.Time) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if n := len(j.history.turns); n > 0 {
		at = j.history.turns[n-1].At
	}
	return at
}
