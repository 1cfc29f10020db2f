package journal

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"parley/acpclient"
	"parley/fs"
	"parley/internal/termtext"
)

// turnWatch is what is known of the files in the running turn. It belongs to the
// watcher's goroutine.
type turnWatch struct {
	j   *Journal
	ctx context.Context

	turn int
	// since is the number of the last change before the turn, looked that of the last one
	// before git was asked.
	since, looked int
	calls         map[acpclient.ToolCallID]*call
	// asked are the calls that the open permissions are about.
	asked map[int]*call
	// touched holds the files that the agent was about to edit, as they were when parley
	// first read them in the turn.
	touched map[string]seenFile
	tree    *tree // nil if the directory is in no work tree, or in one that is too large
	// tooLarge disables looking at the work tree.
	tooLarge bool
	// known holds the files of the journal as they were when the turn began.
	known map[string]seenFile
	// finished are the files of which the end of the turn is recorded.
	finished map[string]bool
	// at is when parley read the report that it handles, maybe long ago.
	at    time.Time
	stats map[string]stat
}

// stat shows without reading a file whether it may have changed.
type stat struct {
	info  os.FileInfo
	image Image
}

// of reports whether a file is the same one, and as it was.
func (s stat) of(now os.FileInfo) bool {
	return s.info.Size() == now.Size() && s.info.Mode() == now.Mode() && s.info.ModTime().Equal(now.ModTime()) &&
		fs.ChangedAt(s.info).Equal(fs.ChangedAt(now)) && os.SameFile(s.info, now)
}

// call is what the agent has reported about a tool call.
type call struct {
	began     time.Time // when the agent first told of it, or asked about it
	kind      acpclient.ToolKind
	diffs     []diff
	input     json.RawMessage // of an edit that has not completed
	locations []string
	whole     map[string]bool // those that it changes as a whole
	// seen are the files that the call is about to edit, as parley saw them last before
	// the edit.
	seen map[string]seenFile
}

// seenFile is what parley saw in a file at one moment.
type seenFile struct {
	image Image
	after int // number of the last recorded change then
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
func (t *turnWatch) begin(r record, since int) {
	t.turn, t.since = r.Turn, since
	t.calls, t.asked = map[acpclient.ToolCallID]*call{}, map[int]*call{}
	t.touched, t.finished = map[string]seenFile{}, map[string]bool{}
	if t.j.ready() == nil {
		t.j.note(t.j.log.add(r, false))
	}
	t.j.mu.Lock()
	paths := slices.Clone(t.j.history.paths)
	t.j.mu.Unlock()
	t.known = map[string]seenFile{}
	for _, path := range paths[:min(len(paths), maxSeen)] {
		if s, err := t.see(path); err == nil {
			t.known[path] = s
		}
	}
	t.tree = t.look(r.At)
}

// see stores the current content of a file. Of a file that is too large to be read it
// returns what shows later whether it has changed.
func (t *turnWatch) see(path string) (s seenFile, err error) {
	s.after = t.j.lastID()
	info, missing := os.Lstat(path)
	if missing == nil {
		c, known := t.stats[path]
		if known && c.of(info) {
			s.image = c.image
			return s, nil
		}
		if info.Mode().IsRegular() && info.Size() > fs.MaxBytes {
			s.image = unread(info)
			return s, nil
		}
	}
	err = t.read(path, func(now *fs.Snapshot) { s = seenFile{t.j.keep(now, false), t.j.lastID()} })
	if err == nil && missing == nil && time.Since(info.ModTime()) > settled {
		t.stats[path] = stat{info, s.image}
	}
	return s, err
}

// unread is the image of a file that is not read.
func unread(info os.FileInfo) Image {
	return Image{Lost: true, Size: info.Size(), Mode: info.Mode().Perm(), ModTime: info.ModTime().UnixNano()}
}

// settled is the age at which a modification time is reliable: file systems keep coarse
// times.
const settled = 2 * time.Second

// read shows the content of a file while parley writes nothing. It follows no link. There is
// no file where something else is, or behind what is no directory.
func (t *turnWatch) read(path string, seen func(*fs.Snapshot)) error {
	if t.j.displaced(path) {
		seen(nil)
		return nil
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
		c = &call{began: t.at, seen: map[string]seenFile{}, whole: map[string]bool{}}
		t.calls[u.ToolCallID] = c
	}
	if u.Kind != nil && *u.Kind != "" {
		c.kind = *u.Kind
	}
	if diffs := t.diffs(u.Content); len(diffs) > 0 {
		c.diffs = diffs
	}
	if len(u.RawInput) > 0 && c.kind == acpclient.ToolEdit {
		c.input = u.RawInput
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
			c.whole[path] = true
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
			t.settle(path, c)
		default:
			t.remember(path, c)
		}
	}
	if status == acpclient.ToolCompleted {
		c.input = nil
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

// opened remembers which call a permission is about.
func (t *turnWatch) opened(id int, u acpclient.ToolCallUpdate) {
	t.reported(u)
	if c := t.calls[u.ToolCallID]; c != nil && len(t.asked) < maxPaths {
		t.asked[id] = c
	}
}

// answered looks at the files of a call again: while a permission was open, the user may
// have edited them. The agent does not know the answer yet.
func (t *turnWatch) answered(id int) {
	c := t.asked[id]
	delete(t.asked, id)
	if c == nil {
		return
	}
	for path := range c.seen {
		if len(c.of(path)) == 0 {
			delete(c.seen, path)
		}
		t.remember(path, c)
	}
}

// remember remembers the content of a file that a call is about to edit. What it has seen
// before counts no more if the reported diffs show that the call has not edited the file
// yet.
func (t *turnWatch) remember(path string, c *call) {
	diffs := c.of(path)
	if _, known := c.seen[path]; known && len(diffs) == 0 {
		return
	}
	_ = t.read(path, func(now *fs.Snapshot) { // unreadable files are not remembered
		if !untouched(now, diffs) || c.wrote(now) {
			return
		}
		s := seenFile{t.j.keep(now, false), t.j.lastID()}
		c.seen[path] = s
		if _, known := t.touched[path]; !known {
			t.touched[path] = s
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
		return now == nil || d.new == "" || !has(now.Content, d.new)
	case now == nil || !has(now.Content, *d.old):
		return false
	}
	// Text that is added around a text leaves that in place.
	return !strings.Contains(d.new, *d.old) || !has(now.Content, d.new)
}

// has reports whether a content has lines that an agent reports, also if it reports them with
// other ends or indentation.
func has(content, text string) bool {
	return strings.Contains(content, text) || len(content) <= mostCounted && strings.Contains(trimLines(content), trimLines(text))
}

func trimLines(text string) string {
	lines := termtext.SplitLines(text)
	for i, line := range lines {
		lines[i] = strings.TrimSpace(line)
	}
	return strings.Join(lines, "\n")
}

// settle records what a call has changed in a file, now that it has completed: what parley
// watched, or what the files confirm of its diffs. What else is new may be the user's, and the
// end of the turn records it as seen.
func (t *turnWatch) settle(path string, c *call) {
	diffs := c.of(path)
	t.reclaim(path, c)
	_ = t.read(path, func(now *fs.Snapshot) { // unreadable files are not recorded
		is := t.j.keep(now, false)
		base, known, sight := t.base(path, c, is)
		switch {
		case known && base.same(is):
			t.joinLast(path, c)
		case known && sight != sawChange && !c.mayHave(path): // whatever it says
		case known && len(diffs) == 0:
			gone := now == nil && sight == notWatched && (c.kind == acpclient.ToolDelete || c.kind == acpclient.ToolMove)
			made := sight == notWatched && base.Absent && c.wrote(now)
			others := c.kind == acpclient.ToolEdit && len(c.diffs) > 0 && !c.whole[path] // are what it edits
			if (sight == sawChange || gone || made) && !others {
				t.record(path, base, is, SourceReport, ProvenanceSeen)
			}
		case known:
			if own, ok := t.own(base, now, diffs, sight); ok {
				t.record(path, own, is, SourceReport, ProvenanceSeen)
			}
		case len(diffs) > 0:
			t.record(path, t.reconstructed(now, diffs), is, SourceReport, ProvenanceClaimed)
		}
	})
}

// mayHave reports whether a call may have changed a file while parley did not watch: not if the file, or
// the directory of one that is gone, was changed last before the call. A report may come late.
func (c *call) mayHave(path string) bool {
	info, err := os.Lstat(path)
	if err != nil {
		info, err = os.Lstat(filepath.Dir(path))
	}
	return err != nil || c.began.Sub(info.ModTime()) <= settled
}

// wrote reports whether a file is the one that the call names, with all that its input says. Agents
// that write a file at once may report no diff of it.
func (c *call) wrote(now *fs.Snapshot) bool {
	if len(c.input) == 0 || len(c.locations) != 1 || now == nil || now.IsLink() {
		return false
	}
	text, ok := acpclient.MetaValue[string](c.input, "content")
	return ok && text == now.Content
}

// sight is what parley has seen of a file while a call ran that names it.
type sight uint8

const (
	notWatched  sight = iota
	sawChange         // the file has changed between the call's begin and its end
	sawNoChange       // it has not
)

// base returns what parley last saw of a file before the edit of a call, or while it ran.
func (t *turnWatch) base(path string, c *call, now Image) (base Image, known bool, of sight) {
	last := t.last(path)
	s, saw := c.seen[path]
	fresh := saw && (last == nil || s.after >= last.id)
	switch {
	case fresh && !s.image.same(now):
		return s.image, true, sawChange
	case fresh:
		of = sawNoChange
	case saw && last.source == SourceReport, // since the end of another call
		saw && last.source == SourceWrite && len(c.of(path)) > 0: // since parley wrote it while the call ran
		of = sawChange
	}
	if last != nil {
		return last.after, true, of
	}
	first, known := t.before(path)
	return first.image, known && first.image.ModTime == 0, of
}

// last returns the last change of a file since the turn began, or nil.
func (t *turnWatch) last(path string) *change {
	t.j.mu.Lock()
	defer t.j.mu.Unlock()
	if all := t.j.history.byPath[path]; len(all) > 0 && all[len(all)-1].id > t.since {
		return all[len(all)-1]
	}
	return nil
}

// joinLast handles the end of a call whose edit the last change of the file includes, or
// came before: two edits may follow each other faster than the reports are handled. The
// last change then begins earlier.
func (t *turnWatch) joinLast(path string, c *call) {
	last := t.last(path)
	if last == nil || last.source != SourceReport || last.provenance != ProvenanceSeen {
		return
	}
	first, known := t.beforeChange(last)
	between, err := t.j.content(last.before)
	if !known || err != nil || first.same(last.before) {
		return
	}
	diffs := c.of(path)
	base, ok := t.own(first, between, diffs, notWatched)
	if s, saw := c.seen[path]; saw && len(diffs) == 0 && s.image.same(first) {
		base, ok = first, true
	}
	if !ok {
		return
	}
	t.beginEarlier(last, base)
}

// reclaim handles a write through parley that found an empty file where a call that names it had
// seen another content: some agents write a file themselves, too, and had just begun to.
func (t *turnWatch) reclaim(path string, c *call) {
	last := t.last(path)
	s, saw := c.seen[path]
	if saw && last != nil && last.source == SourceWrite && s.after < last.id && last.before.empty() {
		if before := t.changeBefore(last); before == nil || before.id <= s.after {
			t.beginEarlier(last, s.image)
		}
	}
}

// beginEarlier replaces a change by one from an earlier content of the file.
func (t *turnWatch) beginEarlier(c *change, base Image) {
	t.record(c.path, base, c.after, c.source, ProvenanceSeen)
	superseded := record{Kind: kindFailed, ID: c.id}
	t.j.note(t.j.log.add(superseded, false))
	t.j.mu.Lock()
	defer t.j.mu.Unlock()
	t.j.history.apply(superseded)
	t.j.bump()
}

// beforeChange returns what parley saw of a file before what a change of this turn began
// with.
func (t *turnWatch) beforeChange(c *change) (Image, bool) {
	if before := t.changeBefore(c); before != nil {
		return before.after, true
	}
	first, known := t.before(c.path)
	return first.image, known && first.after < c.id
}

// changeBefore returns the change of this turn before another one of the file, or nil.
func (t *turnWatch) changeBefore(c *change) (before *change) {
	t.j.mu.Lock()
	defer t.j.mu.Unlock()
	for _, o := range t.j.history.byPath[c.path] {
		if o.id > t.since && o.id < c.id {
			before = o
		}
	}
	return before
}

// finish records, at the end of the turn, what has changed in a file beside the recorded
// changes, given what parley saw first.
func (t *turnWatch) finish(path string, begun seenFile) {
	if t.finished[path] {
		return
	}
	t.finished[path] = true
	t.j.mu.Lock()
	changes := slices.Clone(t.j.history.byPath[path])
	t.j.mu.Unlock()
	was := begun.image
	for _, c := range changes {
		if c.id <= begun.after {
			continue
		}
		if was.ModTime == 0 || was.Size != c.before.Size { // else nothing says that it had changed
			t.add(record{Source: SourceSeen, Provenance: ProvenanceSeen, Earlier: true}, path, was, c.before)
		}
		was = c.after
	}
	if len(changes) > 0 && was.unknown() {
		was = latest(changes) // of an earlier turn
		if s, err := t.see(path); err != nil || !was.same(s.image) {
			was = begun.image
		}
	}
	info, err := os.Lstat(path)
	if err == nil && was.ModTime != 0 && was.same(unread(info)) {
		return // without reading it
	}
	if s, unreadable := t.see(path); unreadable == nil { // else it is not recorded
		if err == nil && was.ModTime != 0 {
			s.image.ModTime = info.ModTime().UnixNano()
		}
		t.record(path, was, s.image, SourceSeen, ProvenanceSeen)
	}
}

// record adds a change that has happened, unless nothing is known of one.
func (t *turnWatch) record(path string, was, is Image, source Source, p Provenance) {
	t.add(record{Source: source, Provenance: p}, path, was, is)
}

func (t *turnWatch) add(r record, path string, was, is Image) {
	if was.same(is) || was.unknown() && is.Lost || is.unknown() {
		return
	}
	if was.Mode == 0 && !was.Absent {
		was.Mode = fileMode(is.Mode)
	}
	if was.Lost {
		r.Provenance = ProvenanceNone
	}
	r.Kind, r.Turn, r.Path, r.Before, r.After, r.Happened = kindChange, t.turn, path, &was, &is, true
	t.j.add(r, false)
}

// before returns the content of a file when the turn began, or else when parley first read
// it, if known.
func (t *turnWatch) before(path string) (seenFile, bool) {
	if s, ok := t.known[path]; ok {
		return s, true
	}
	if t.tree != nil {
		if s, ok := t.tree.copies[path]; ok {
			return s, true
		}
		if i, ok := t.committed(path); ok {
			return seenFile{i, t.looked}, true
		}
	}
	s, ok := t.touched[path]
	return s, ok
}

// reconstructed is the previous content of a file that parley has not seen, by the diffs
// that the agent reports.
func (t *turnWatch) reconstructed(now *fs.Snapshot, diffs []diff) Image {
	was, ok := unapplied(now, diffs)
	if !ok {
		return Image{Lost: true}
	}
	return t.j.keep(was, false)
}

// unapplied takes the diffs that the agent reports of a file back.
func unapplied(now *fs.Snapshot, diffs []diff) (was *fs.Snapshot, ok bool) {
	if now == nil {
		if d := diffs[0]; len(diffs) == 1 && d.new == "" && d.old != nil {
			return &fs.Snapshot{Content: *d.old}, true
		}
		return nil, false
	}
	if now.IsLink() {
		return nil, false
	}
	content := now.Content
	for i, d := range slices.Backward(diffs) {
		switch {
		case (d.old == nil || *d.old == "") && content == d.new && i == 0:
			return nil, true
		case d.old == nil || d.new == "":
			return nil, false
		case content == d.new:
			content = *d.old
		case strings.Count(content, d.new) == 1:
			content = strings.Replace(content, d.new, *d.old, 1)
		default:
			return nil, false
		}
	}
	return &fs.Snapshot{Content: content, Mode: now.Mode}, true
}
