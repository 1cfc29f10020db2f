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
	// Sources say how it is known, each once.
	Sources []Source
	// Kept says that the person has agreed to all that became of it.
	Kept bool
}

// Turns lists the turns so far, the first one first.
func (j *Journal) Turns() []Turn {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.Clone(j.history.turns)
}

// Files lists the files that the agent changed in the turns from since on, in the
// order of their first change; 0 is all turns.
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

// Undoable is the turn that [Journal.UndoTurn] would take back, 0 if none, and
// whether [Journal.Redo] has something to do.
func (j *Journal) Undoable() (turn int, redo bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return max(0, j.history.lastLiveTurn()), len(j.history.redoable()) > 0
}

// Version is what a file held, or holds.
type Version struct {
	Image
	Content string
}

// Comparison is a file before the agent changed it, and as it is now.
type Comparison struct {
	Path  string
	Since int
	// Before is what the file held before the first change in the turns that are
	// compared, with the changes since then that the person has agreed to. Its
	// content is not known if it is Lost.
	Before Version
	// Now is what the file held when it was compared.
	Now Version
	// Binary says that one of the two is no text: it has no lines.
	Binary bool
	// Hunks are the changes from Before to Now, nil if the file is binary or lost.
	Hunks []Hunk
	// Added and Removed count lines.
	Added, Removed int
}

// Same reports whether the file holds what it held before.
func (c *Comparison) Same() bool { return c.Before.same(c.Now.Image) }

// Compare compares a file with what it held before the turns from since on.
func (j *Journal) Compare(ctx context.Context, path string, since int) (*Comparison, error) {
	before, err := j.base(path, since)
	if err != nil {
		return nil, err
	}
	c := &Comparison{Path: path, Since: since, Before: before}
	f, done, err := j.filesFor(path)
	if err != nil {
		return nil, &FileError{path, err}
	}
	defer done()
	err = f.Look(ctx, path, func(now *fs.Held) error {
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

// base is what a file held before the turns from since on, with what the person has
// agreed to since.
func (j *Journal) base(path string, since int) (Version, error) {
	j.mu.Lock()
	first := j.history.first(path, since)
	if first == nil { // all of it is agreed to
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
			continue // it is shown as not agreed to
		}
		if next, err := agreed.replay(s); err == nil {
			s = next
		}
	}
	return Version{Image: imageOf(s.held()), Content: s.content}, nil
}

// RevertHunk makes the lines of a hunk what they were before. What was changed
// elsewhere in the file since it was compared stays.
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

// KeepHunk agrees to a hunk: it is no longer shown as changed, and stays when the
// rest is taken back. The file is not written.
func (j *Journal) KeepHunk(c *Comparison, hunk int) {
	after := &fs.Held{Content: withHunk(c.Before.Content, c.Now.Content, c.Hunks[hunk]), Mode: c.Before.Mode}
	if c.Before.Absent {
		after.Mode = c.Now.Mode
	}
	if after.Content == c.Now.Content && c.Now.Absent {
		after = nil
	}
	was, is := c.Before.Image, j.keep(after, true)
	if !was.Absent {
		was = j.keep(&fs.Held{Content: c.Before.Content, Mode: c.Before.Mode}, true)
	}
	j.add(record{Kind: kindKept, Path: c.Path, Before: &was, After: &is}, true)
}

// KeepFile agrees to all that became of a file so far. The file is not written.
func (j *Journal) KeepFile(path string) {
	none := Image{Lost: true}
	j.add(record{Kind: kindKept, Path: path, Before: &none, After: &none, Whole: true}, true)
}

// OpenFile takes back all agreements to changes of a file.
func (j *Journal) OpenFile(path string) {
	j.add(record{Kind: kindOpened, Path: path}, true)
}

// firstLine is the beginning of a text, for people.
func firstLine(text string) string {
	const most = 200
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	if len(line) > most {
		line = strings.ToValidUTF8(line[:most], "") + "…"
	}
	return line
}
