package journal

import (
	"context"
	"slices"
	"strings"

	"parley/fs"
)

// File is a file that the agent changed.
type File struct {
	Path string
	// Sources says how the journal learned of the changes, each source once.
	Sources []Source
	// Kept means that the user has accepted all its changes.
	Kept bool
}

// Turns returns the turns so far, oldest first.
func (j *Journal) Turns() []Turn {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.Clone(j.history.turns)
}

// Files returns the files that the agent changed since turn since, in the order of
// their first change; 0 means all turns.
func (j *Journal) Files(since int) []File {
	j.mu.Lock()
	defer j.mu.Unlock()
	var out []File
	for _, path := range j.history.paths {
		f, upTo := File{Path: path, Kept: true}, j.history.agreedUpTo(path)
		for _, c := range j.history.byPath[path] {
			if c.act != 0 || c.turn < since {
				continue
			}
			f.Kept = f.Kept && c.id <= upTo
			if !slices.Contains(f.Sources, c.source) {
				f.Sources = append(f.Sources, c.source)
			}
		}
		if len(f.Sources) > 0 {
			out = append(out, f)
		}
	}
	return out
}

// Undoable returns the turn that [Journal.UndoTurn] would undo, 0 if none, and whether
// [Journal.Redo] has something to do.
func (j *Journal) Undoable() (turn int, redo bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return max(0, j.history.lastLiveTurn()), len(j.history.redoable()) > 0
}

// Version is a past or present content of a file.
type Version struct {
	Image
	Content string
}

// Comparison compares a file before the agent changed it with its current content.
type Comparison struct {
	Path string
	// Before is the content before the first of the compared turns, with the changes
	// since then that the user has accepted. Its content is unknown if it is Lost.
	Before Version
	// Now is the content at the time of the comparison.
	Now Version
	// Binary means that one of the two is not text and so has no lines.
	Binary bool
	// Hunks are the changes from Before to Now, nil if the file is binary or lost.
	Hunks []Hunk
	// Added and Removed count lines.
	Added, Removed int
}

// Same reports whether the file has its previous content.
func (c *Comparison) Same() bool { return c.Before.same(c.Now.Image) }

// Compare compares a file with its content before turn since.
func (j *Journal) Compare(ctx context.Context, path string, since int) (*Comparison, error) {
	before, err := j.base(path, since)
	if err != nil {
		return nil, err
	}
	c := &Comparison{Path: path, Before: before}
	f, done, err := j.filesFor(path)
	if err != nil {
		return nil, &FileError{path, err}
	}
	defer done()
	err = f.Look(ctx, path, func(now *fs.Snapshot) error {
		c.Now.Image = imageOf(now)
		if now != nil {
			c.Now.Content = now.Content
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	c.compare()
	return c, nil
}

func (c *Comparison) compare() {
	c.Binary = !isText(c.Before.Content) || !isText(c.Now.Content)
	if c.Binary || c.Before.Lost {
		return
	}
	c.Hunks = Hunks(c.Before.Content, c.Now.Content)
	for _, h := range c.Hunks {
		c.Added += h.NewEnd - h.NewStart
		c.Removed += h.OldEnd - h.OldStart
	}
}

// base returns a file's content before turn since, with the changes that the user has
// accepted since.
func (j *Journal) base(path string, since int) (Version, error) {
	j.mu.Lock()
	first := j.history.first(path, since)
	if first == nil { // all of it is accepted
		if last := j.history.byPath[path]; len(last) > 0 {
			first = &change{before: last[len(last)-1].after, id: j.history.lastID}
		}
	}
	j.mu.Unlock()
	if first == nil {
		return Version{}, ErrNothing
	}
	s, err := j.state(first.before)
	if err != nil {
		return Version{Image: Image{Lost: true}}, nil
	}
	for _, a := range j.agreed(path, first.id) {
		agreed, err := j.step(a.before, a.after)
		if err != nil {
			continue // shown as not accepted
		}
		if next, err := agreed.replay(s); err == nil {
			s = next
		}
	}
	return Version{Image: imageOf(s.held()), Content: s.content}, nil
}

// RevertHunk restores the previous lines of a hunk. Changes elsewhere in the file since
// the comparison stay.
func (j *Journal) RevertHunk(ctx context.Context, c *Comparison, hunk int) (Done, error) {
	j.reviewing.Lock()
	defer j.reviewing.Unlock()
	from := state{absent: c.Now.Absent, content: c.Now.Content, mode: c.Now.Mode}
	to := state{content: withHunk(c.Now.Content, c.Before.Content, flipped(c.Hunks[hunk])), mode: c.Now.Mode}
	switch {
	case to.content == c.Before.Content && c.Before.Absent:
		to = state{absent: true}
	case from.absent:
		to.mode = c.Before.Mode
	}
	return j.carryOut(ctx, []plan{{path: c.Path, steps: []step{{from, to}}}})
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
		was = j.keep(&fs.Snapshot{Content: c.Before.Content, Mode: c.Before.Mode}, true)
	}
	j.add(record{Kind: kindKept, Path: c.Path, Before: &was, After: &is}, true)
}

// KeepFile accepts all changes of a file so far. It does not write the file.
func (j *Journal) KeepFile(path string) {
	none := Image{Lost: true}
	j.add(record{Kind: kindKept, Path: path, Before: &none, After: &none, Whole: true}, true)
}

// OpenFile withdraws the acceptance of a file's changes.
func (j *Journal) OpenFile(path string) {
	j.add(record{Kind: kindOpened, Path: path}, true)
}

// firstLine returns the beginning of a text, for display.
func firstLine(text string) string {
	const most = 200
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	if len(line) > most {
		line = strings.ToValidUTF8(line[:most], "") + "…"
	}
	return line
}
