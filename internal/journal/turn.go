package journal

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"parley/acpclient"
	"parley/fs"
)

// turnWatch is what is known of the files in the running turn. It belongs to the
// watcher's goroutine.
type turnWatch struct {
	j   *Journal
	ctx context.Context

	turn  int
	calls map[acpclient.ToolCallID]*call
	// touched holds files that the agent was about to edit, as they were then.
	touched map[string]Image
	tree    *tree // nil if the directory is in no work tree, or in one that is too large
	// tooLarge disables looking at the work tree.
	tooLarge bool
	// known holds the files of the journal as they were when the turn began.
	known map[string]Image
	stats map[string]stat
}

// stat shows without reading a file whether it may have changed.
type stat struct {
	size  int64
	mode  os.FileMode
	at    time.Time
	image Image
}

// call is what the agent has reported about a tool call.
type call struct {
	kind      acpclient.ToolKind
	diffs     []diff
	locations []string
}

// diff is a change that the agent reports, of a whole file or of a part.
type diff struct {
	path string
	old  *string
	new  string
}

// maxPaths bounds the files of one tool call: its locations, and separately the files
// that it changes as a whole.
const maxPaths = 200

// begin records the state of the files at the beginning of a turn.
func (t *turnWatch) begin(r record) {
	t.turn = r.Turn
	t.calls, t.touched = map[acpclient.ToolCallID]*call{}, map[string]Image{}
	t.j.note(t.j.log.add(r, false))
	t.j.mu.Lock()
	paths := slices.Clone(t.j.history.paths)
	t.j.mu.Unlock()
	t.known = map[string]Image{}
	for _, path := range paths[:min(len(paths), maxSeen)] {
		if i, ok := t.image(path); ok {
			t.known[path] = i
		}
	}
	t.tree = t.look(r.At)
}

// image stores the current content of a file.
func (t *turnWatch) image(path string) (Image, bool) {
	info, err := os.Lstat(path)
	if err == nil {
		s, known := t.stats[path]
		if known && s.size == info.Size() && s.mode == info.Mode() && s.at.Equal(info.ModTime()) {
			return s.image, true
		}
	}
	var image Image
	if t.read(path, func(now *fs.Snapshot) { image = t.j.keep(now, false) }) != nil {
		return Image{}, false
	}
	if err == nil && time.Since(info.ModTime()) > settled {
		t.stats[path] = stat{info.Size(), info.Mode(), info.ModTime(), image}
	}
	return image, true
}

// settled is the age at which a modification time is reliable: file systems keep coarse
// times.
const settled = 2 * time.Second

// read shows the content of a file while parley writes nothing. It follows no link: undo
// would write into the link's target.
func (t *turnWatch) read(path string, seen func(*fs.Snapshot)) error {
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		return os.ErrInvalid
	}
	return t.j.withFiles(path, func(f *fs.FS) error {
		return f.Look(t.ctx, path, func(now *fs.Snapshot) error { seen(now); return nil })
	})
}

// reported handles an update of a tool call. It reads the files before the edit, and
// records the changes after it.
func (t *turnWatch) reported(u acpclient.ToolCallUpdate) {
	if t.calls == nil {
		return // no turn has begun
	}
	c := t.calls[u.ToolCallID]
	if c == nil {
		c = &call{}
		t.calls[u.ToolCallID] = c
	}
	if u.Kind != nil && *u.Kind != "" {
		c.kind = *u.Kind
	}
	if diffs := t.diffs(u.Content); len(diffs) > 0 {
		c.diffs = diffs
	}
	if u.Locations != nil {
		c.locations = nil
		for _, l := range u.Locations[:min(len(u.Locations), maxPaths)] {
			c.locations = append(c.locations, t.path(l.Path))
		}
	}
	for i := range u.Content { // operations on whole files
		change := u.Content[i].Change
		if change == nil {
			continue
		}
		for _, path := range []string{u.Content[i].Path, change.OldPath} {
			if path == "" || len(c.locations) >= 2*maxPaths {
				continue
			}
			if path = t.path(path); !slices.Contains(c.locations, path) {
				c.locations = append(c.locations, path)
			}
		}
	}
	status := acpclient.ToolPending
	if u.Status != nil {
		status = *u.Status
	}
	for _, path := range c.paths(t.j.inside) {
		switch {
		case t.j.ignored(path), status == acpclient.ToolFailed:
		case status == acpclient.ToolCompleted:
			t.settle(path, c.of(path), SourceReport)
		default:
			t.touch(path, c.of(path))
		}
	}
}

// reportedMore handles changes that arrive in chunks.
func (t *turnWatch) reportedMore(u *acpclient.ToolCallContentChunk) {
	c := t.calls[u.ToolCallID]
	if c == nil || len(c.diffs) >= maxPaths {
		t.reported(acpclient.ToolCallUpdate{ToolCallID: u.ToolCallID, Content: u.Content})
		return
	}
	before := c.diffs
	t.reported(acpclient.ToolCallUpdate{ToolCallID: u.ToolCallID, Content: u.Content})
	if len(t.diffs(u.Content)) > 0 {
		c.diffs = append(before[:len(before):len(before)], c.diffs...)
	}
}

// diffs returns the diffs in the content of a tool call.
func (t *turnWatch) diffs(content []acpclient.ToolCallContent) []diff {
	var out []diff
	for i := range content {
		if c := &content[i]; c.Type == acpclient.ToolContentDiff && c.Change == nil && c.Path != "" && len(out) < maxPaths {
			out = append(out, diff{t.path(c.Path), c.OldText, c.NewText})
		}
	}
	return out
}

// path returns the absolute path, without symbolic links, of a path from the agent.
func (t *turnWatch) path(path string) string {
	if !filepath.IsAbs(path) {
		path = filepath.Join(t.j.cwd, path)
	}
	if real, err := fs.Resolve(path); err == nil {
		return real
	}
	return filepath.Clean(path)
}

// paths returns the files that a call changes, without duplicates. A file that is only
// a location of the call counts only inside the session's directories.
func (c *call) paths(inside func(path string) bool) []string {
	var out []string
	for _, d := range c.diffs {
		if !slices.Contains(out, d.path) {
			out = append(out, d.path)
		}
	}
	switch c.kind {
	case acpclient.ToolEdit, acpclient.ToolDelete, acpclient.ToolMove:
		for _, path := range c.locations {
			if !slices.Contains(out, path) && inside(path) {
				out = append(out, path)
			}
		}
	}
	return out
}

// of returns the diffs of one file.
func (c *call) of(path string) []diff {
	return slices.DeleteFunc(slices.Clone(c.diffs), func(d diff) bool { return d.path != path })
}

// touch remembers the content of a file that the agent is about to edit.
func (t *turnWatch) touch(path string, diffs []diff) {
	if _, known := t.touched[path]; known {
		return
	}
	_ = t.read(path, func(now *fs.Snapshot) { // unreadable files are not remembered
		if untouched(now, diffs) {
			t.touched[path] = t.j.keep(now, false)
		}
	})
}

// untouched reports whether a file seems unchanged by the diffs that the agent reports:
// they may already be applied, or being written.
func untouched(now *fs.Snapshot, diffs []diff) bool {
	if len(diffs) == 0 {
		return true
	}
	d := diffs[0]
	switch {
	case d.old == nil || *d.old == "":
		return now == nil || d.new == "" || !strings.Contains(now.Content, d.new)
	case now == nil || !strings.Contains(now.Content, *d.old):
		return false
	}
	// Text that is added around a text leaves that in place.
	return !strings.Contains(d.new, *d.old) || !strings.Contains(now.Content, d.new)
}

// settle records the changes of a file that the agent has edited.
func (t *turnWatch) settle(path string, diffs []diff, source Source) {
	before, known := t.before(path)
	_ = t.read(path, func(now *fs.Snapshot) { // unreadable files are not recorded
		was, sure := before, known
		if !sure && len(diffs) > 0 {
			was = t.reconstructed(now, diffs)
			sure = true
		}
		if sure {
			t.record(path, was, t.j.keep(now, false), source)
		}
	})
}

// record adds a change that has happened, unless it is already known.
func (t *turnWatch) record(path string, was, is Image, source Source) {
	t.j.mu.Lock()
	if all := t.j.history.byPath[path]; len(all) > 0 {
		if last := all[len(all)-1]; last.turn == t.turn || was.Lost && last.after.same(is) {
			was = last.after
		}
	}
	t.j.mu.Unlock()
	if was.same(is) || was.Lost && is.Lost {
		return
	}
	if was.Mode == 0 && !was.Absent {
		was.Mode = is.Mode
	}
	t.j.add(record{Kind: kindChange, Path: path, Before: &was, After: &is, Source: source, Happened: true}, false)
}

// before returns the content of a file when the turn began, if known.
func (t *turnWatch) before(path string) (Image, bool) {
	if i, ok := t.known[path]; ok {
		return i, true
	}
	if t.tree != nil {
		if i, ok := t.tree.copies[path]; ok {
			return i, true
		}
		if i, ok := t.committed(path); ok {
			return i, true
		}
	}
	i, ok := t.touched[path]
	return i, ok
}

// reconstructed derives the previous content of a file from the diffs that the agent
// reports.
func (t *turnWatch) reconstructed(now *fs.Snapshot, diffs []diff) Image {
	lost := Image{Lost: true}
	if now == nil {
		if d := diffs[0]; len(diffs) == 1 && d.new == "" && d.old != nil {
			return t.j.keep(&fs.Snapshot{Content: *d.old}, false)
		}
		return lost
	}
	content := now.Content
	for i, d := range slices.Backward(diffs) {
		switch {
		case (d.old == nil || *d.old == "") && content == d.new && i == 0:
			return Image{Absent: true}
		case d.old == nil || d.new == "":
			return lost
		case content == d.new:
			content = *d.old
		case strings.Count(content, d.new) == 1:
			content = strings.Replace(content, d.new, *d.old, 1)
		default:
			return lost
		}
	}
	return t.j.keep(&fs.Snapshot{Content: content, Mode: now.Mode}, false)
}
