package composer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/sahilm/fuzzy"

	"parley/acpclient"
	"parley/internal/git"
	"parley/internal/prompt"
	"parley/internal/termtext"
	"parley/tui/desktop"
	"parley/tui/list"
)

// AnotherFile is the key that takes the marked file and continues with the next one.
const AnotherFile = "ctrl+space"

// matchedAtOnce bounds the paths that are matched while handling a key, in less than a
// millisecond. More are matched by a command.
const matchedAtOnce = 5000

// offerFiles finds the files that match a query, at once or by a command.
func (c *Composer) offerFiles(query string) tea.Cmd {
	p := &c.completion
	switch {
	case c.index == nil && c.listError != "":
		p.items, p.note = nil, c.listError
		return nil
	case c.index == nil:
		p.items, p.note = nil, "listing files…"
		return nil
	}
	index, cmd := c.indexFor(query)
	switch {
	case len(index.paths) <= matchedAtOnce:
		p.show(index.offers(query), index)
		return cmd
	case c.matching:
		return cmd // its result matches the query again
	}
	c.matching = true
	return tea.Batch(cmd, func() tea.Msg {
		offers := index.offers(query)
		return resultMsg{c, func() tea.Cmd { return c.takeMatches(index, query, offers) }}
	})
}

// folder is a folder that is mentioned and not in the list of files: behind a link, or ignored.
// Its index is nil until it was read, and stays so if there is none.
type folder struct {
	path  string
	index *fileIndex
}

// indexFor returns the files to match a query with, and the command that reads their folder, if
// it is not listed.
func (c *Composer) indexFor(query string) (*fileIndex, tea.Cmd) {
	path := strings.TrimPrefix(query[:strings.LastIndexByte(query, '/')+1], "./")
	if _, listed := slices.BinarySearch(c.index.paths, path); listed || path == "" {
		return c.index, nil
	}
	var cmd tea.Cmd
	if c.folder.path != path {
		c.folder = folder{path: path}
		root := c.Root
		cmd = func() tea.Msg {
			index := readFolder(root, path)
			return resultMsg{c, func() tea.Cmd {
				if index == nil || root != c.Root || c.folder.path != path {
					return nil
				}
				c.folder.index = index
				return c.offerAgain()
			}}
		}
	}
	if c.folder.index != nil {
		return c.folder.index, cmd
	}
	return c.index, cmd
}

// readFolder lists a folder of a project, nil if there is none. No link leads out of the project.
func readFolder(root, path string) *fileIndex {
	dir, err := os.OpenRoot(root)
	if err != nil {
		return nil
	}
	defer func() { _ = dir.Close() }()
	if info, err := os.Stat(filepath.Join(root, path)); err != nil || !info.IsDir() || !filepath.IsLocal(filepath.FromSlash(path)) {
		return nil
	}
	f, err := dir.Open(path)
	if err != nil {
		return &fileIndex{note: path + " leads out of the project: type the path"}
	}
	defer func() { _ = f.Close() }()
	entries, err := f.ReadDir(filesListed)
	var paths []string
	for _, e := range entries {
		name := path + e.Name()
		isDir := e.IsDir()
		if e.Type()&fs.ModeSymlink != 0 {
			info, err := dir.Stat(name)
			isDir = err == nil && info.IsDir()
		}
		if isDir {
			name += "/"
		}
		paths = append(paths, name)
	}
	index := newFileIndex(mentionable(paths))
	index.cut = err == nil && len(entries) == filesListed
	return index
}

// fileOffers are the files that match a query.
type fileOffers struct {
	items   []item
	found   int
	atLeast bool
	note    string
}

// takeMatches shows the result, or matches again if something else was typed since.
func (c *Composer) takeMatches(index *fileIndex, query string, offers fileOffers) tea.Cmd {
	c.matching = false
	p := &c.completion
	if p.kind != fileCompletion || p.closed || c.index == nil {
		return nil
	}
	if now, cmd := c.indexFor(p.query); p.query != query || now != index {
		return tea.Batch(cmd, c.offerFiles(p.query))
	}
	p.show(offers, index)
	p.keepMark()
	return nil
}

// show replaces the items by files of an index.
func (p *completion) show(o fileOffers, x *fileIndex) {
	p.items, p.found, p.all, p.atLeast, p.allAtLeast, p.note = o.items, o.found, len(x.paths), o.atLeast, x.cut, o.note
	p.window.Mark = max(0, min(p.window.Mark, len(p.items)-1))
}

// offers returns the files that match a query, and their mentions.
func (x *fileIndex) offers(query string) fileOffers {
	paths, found, exact := x.match(query)
	o := fileOffers{found: found, atLeast: !exact}
	for _, p := range paths {
		text := prompt.WriteMention(p)
		if strings.HasSuffix(p, "/") {
			text = strings.TrimSuffix(text, `"`) // the path continues
		} else {
			text += " "
		}
		o.items = append(o.items, item{label: p, text: text, hits: hitsIn(p, query)})
	}
	if len(o.items) == 0 {
		o.note = x.aboutLines(query)
	}
	return o
}

// aboutLines returns the hint while lines of a file are being named, or why there are no files,
// or "".
func (x *fileIndex) aboutLines(query string) string {
	if x.note != "" {
		return x.note
	}
	if path, begun := strings.CutSuffix(query, ":"); begun && slices.Contains(x.paths, path) {
		return "lines of " + path + ": 10, or 10-20"
	}
	path, lines, ok := prompt.SplitRange(strings.TrimSuffix(query, "-"))
	switch {
	case !ok || !slices.Contains(x.paths, path):
		return ""
	case lines.From == lines.To:
		return fmt.Sprintf("line %d of %s", lines.From, path)
	}
	return fmt.Sprintf("lines %d to %d of %s", lines.From, lines.To, path)
}

// listDue returns the command that lists the files, if there is no list or it is old.
// An existing list stays in use meanwhile.
func (c *Composer) listDue() tea.Cmd {
	if c.listing || c.index != nil && c.Now().Sub(c.listed) < listAge {
		return nil
	}
	c.listing = true
	root := c.Root
	return func() tea.Msg {
		paths, cut, err := listFiles(root)
		index := newFileIndex(paths)
		index.cut = cut
		return resultMsg{c, func() tea.Cmd { return c.takeList(root, index, err) }}
	}
}

func (c *Composer) takeList(root string, index *fileIndex, err error) tea.Cmd {
	if root != c.Root {
		return nil // of the previous project
	}
	c.listing, c.listed, c.listError = false, c.Now(), ""
	if err != nil {
		c.listError = termtext.Line(err.Error())
	} else {
		c.index = index
	}
	maps.DeleteFunc(c.looked, func(_ string, there bool) bool { return !there }) // it may exist now
	return c.offerAgain()
}

// offerAgain matches the files again. The mark stays.
func (c *Composer) offerAgain() tea.Cmd {
	p := &c.completion
	if p.kind != fileCompletion {
		return nil
	}
	marked := ""
	if p.window.Mark < len(p.items) {
		marked = p.items[p.window.Mark].label
	}
	p.stale, p.keep = true, marked
	cmd := c.complete()
	p.keepMark()
	return cmd
}

// keepMark restores the marked offer after the offers have changed.
func (p *completion) keepMark() {
	for i, it := range p.items {
		if it.label == p.keep {
			p.window.Mark = i
		}
	}
}

const (
	filesListed = 1_000_000        // bounds the files of a project that are offered
	namesListed = 64 << 20         // bounds their names together, in bytes
	listTimeout = 20 * time.Second // bounds the time; the list is then incomplete
	listAge     = 5 * time.Second  // an older list is read again on use
)

// skippedDirs are left out where git does not say what belongs to a project.
var skippedDirs = []string{
	".git", ".hg", ".svn", ".jj", "node_modules", "bower_components", ".venv", "venv", "__pycache__",
	".tox", ".cache", ".gradle", ".idea", ".terraform", ".direnv", ".next",
}

// listFiles lists the files of a project, relative to its root and with slashes: those
// that git tracks or would add, else all. cut means that there are more.
func listFiles(root string) (paths []string, cut bool, err error) {
	if strings.HasPrefix(root, "ssh://") {
		return nil, false, errors.New("the files are on the other machine: type the path")
	}
	ctx, cancel := context.WithTimeout(context.Background(), listTimeout)
	defer cancel()
	paths, err = git.Files(ctx, root, ".", true, namesListed)
	switch {
	case errors.Is(err, git.ErrTooMany):
		paths, cut = paths[:max(0, len(paths)-1)], true // the last one may be cut off
	case err != nil:
		paths, err = walkFiles(ctx, root)
		if err != nil {
			return nil, false, fmt.Errorf("list the files of %s: %w", termtext.Line(root), err)
		}
		cut = ctx.Err() != nil
	}
	if len(paths) > filesListed {
		paths, cut = paths[:filesListed], true
	}
	return mentionable(paths), cut, nil
}

// mentionable sorts paths, and leaves out those that cannot be shown exactly.
func mentionable(paths []string) []string {
	paths = slices.DeleteFunc(paths, func(p string) bool {
		return p == "" || clean(p) != p || strings.Contains(p, "\n")
	})
	slices.Sort(paths)
	return slices.Compact(paths)
}

func walkFiles(ctx context.Context, root string) ([]string, error) {
	var paths []string
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil && path == root:
			return err
		case err != nil:
			return nil // unreadable files are not offered
		case len(paths) > filesListed || ctx.Err() != nil:
			return fs.SkipAll
		case d.IsDir() && slices.Contains(skippedDirs, d.Name()) && path != root:
			return fs.SkipDir
		case d.IsDir():
			return nil
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		paths = append(paths, filepath.ToSlash(rel))
		return nil
	})
	return paths, err
}

// offered bounds the matches that are offered.
const offered = 50

// fileIndex is the paths of a project, prepared for matching. It is immutable.
type fileIndex struct {
	paths []string // directories end in a slash
	lower []string
	base  []int    // where the last name begins
	has   []uint64 // see letters
	cut   bool     // there are more paths
	note  string   // why there are none
}

// newFileIndex returns an index of sorted files, and of their directories, each before
// its contents.
func newFileIndex(files []string) *fileIndex {
	x := &fileIndex{}
	dirs := map[string]bool{}
	var addDir func(string)
	addDir = func(dir string) {
		if dir == "" || dirs[dir] {
			return
		}
		dirs[dir] = true
		addDir(parent(dir))
		x.add(dir)
	}
	for _, p := range files {
		if strings.HasSuffix(p, "/") {
			addDir(p)
			continue
		}
		addDir(parent(p))
		x.add(p)
	}
	return x
}

// parent returns the directory of a path, with its slash; "" is the root.
func parent(p string) string {
	return p[:strings.LastIndexByte(strings.TrimSuffix(p, "/"), '/')+1]
}

func (x *fileIndex) add(p string) {
	lower := strings.ToLower(p)
	if len(lower) != len(p) {
		lower = p // so that offsets fit both
	}
	x.paths = append(x.paths, p)
	x.lower = append(x.lower, lower)
	x.base = append(x.base, len(parent(p)))
	x.has = append(x.has, letters(lower))
}

// letters returns the set of bytes in s, as bits: a path that lacks one of the query's
// cannot match.
func letters(s string) (set uint64) {
	for i := range len(s) {
		set |= 1 << (s[i] & 63)
	}
	return set
}

// How well a path matches, best first. Within a rank the shorter path is better (without
// a query, the one less deep); among scattered letters, the fuzzy score decides.
const (
	rankNamePrefix = iota
	rankPathPrefix
	rankName
	rankPath
	rankScattered
)

// scored bounds the paths with scattered letters that are scored, because scoring is
// expensive.
const scored = 2000

// match returns the paths that match a query best, best first, and how many match it at
// all; exact means that there are no more. It ignores case. It runs for every key, so
// most paths cost only a look at their bits.
func (x *fileIndex) match(query string) (paths []string, found int, exact bool) {
	query = strings.ToLower(strings.TrimPrefix(query, "./"))
	want := letters(query)
	var best ranking
	var scattered []int
	for i, p := range x.lower {
		if x.has[i]&want != want {
			continue
		}
		rank := rankOf(p, x.base[i], query)
		if rank < rankScattered {
			score := len(p)
			if query == "" {
				score = strings.Count(strings.TrimSuffix(p, "/"), "/")
			}
			best.add(fit{rank, score, i})
			found++
		} else if len(scattered) < scored && subsequence(p, query) {
			scattered = append(scattered, i)
		}
	}
	if len(best) < offered {
		for _, m := range fuzzy.FindFromNoSort(query, list.Subset{Texts: x.paths, Rows: scattered}) {
			best.add(fit{rankScattered, -m.Score, scattered[m.Index]})
		}
	}
	paths = make([]string, len(best))
	for i, f := range best {
		paths[i] = x.paths[f.path]
	}
	return paths, found + len(scattered), len(scattered) < scored
}

// hitsIn returns where the letters of a query are in a matching path, in bytes.
func hitsIn(path, query string) []int {
	lower := strings.ToLower(path)
	query = strings.ToLower(strings.TrimPrefix(query, "./"))
	if query == "" || len(lower) != len(path) {
		return nil
	}
	base := len(parent(path))
	at := strings.Index(lower[base:], query) + base
	if at < base || strings.HasPrefix(lower, query) && at > base {
		at = strings.Index(lower, query)
	}
	if at >= 0 {
		hits := make([]int, len(query))
		for i := range hits {
			hits[i] = at + i
		}
		return hits
	}
	for _, m := range fuzzy.FindNoSort(query, []string{path}) {
		return m.MatchedIndexes
	}
	return nil
}

func rankOf(p string, base int, query string) int {
	inName := strings.Index(p[base:], query)
	switch {
	case inName == 0:
		return rankNamePrefix
	case strings.HasPrefix(p, query):
		return rankPathPrefix
	case inName > 0:
		return rankName
	case strings.Contains(p, query):
		return rankPath
	}
	return rankScattered
}

// subsequence reports whether the bytes of query are in p in order.
func subsequence(p, query string) bool {
	for i := range len(query) {
		at := strings.IndexByte(p, query[i])
		if at < 0 {
			return false
		}
		p = p[at+1:]
	}
	return true
}

// fit rates how well a path matches: lower is better, in the order of the fields.
type fit struct{ rank, score, path int }

func (f fit) compare(g fit) int {
	return cmp.Or(f.rank-g.rank, f.score-g.score, f.path-g.path)
}

// ranking is the best matches, at most offered, in order.
type ranking []fit

func (r *ranking) add(f fit) {
	list := *r
	if len(list) == offered {
		if f.compare(list[offered-1]) >= 0 {
			return
		}
		list = list[:offered-1]
	}
	at, _ := slices.BinarySearchFunc(list, f, fit.compare)
	*r = slices.Insert(list, at, f)
}

const (
	lookedUpAtOnce = 50       // mentions that one command looks up
	lookedUpKept   = 1000     // and results that the draft remembers
	lookedUpIn     = 16 << 10 // the longest line whose mentions are looked up, in bytes
)

// found holds the targets of a draft's mentions.
type found struct {
	there map[string]bool
	// images are the files that are images, refused the reasons against others.
	images  map[string]*prompt.Image
	refused map[string]error
}

// lookUp returns the command that looks up the visible unknown mentions; nil if there
// are none.
func (c *Composer) lookUp() tea.Cmd {
	if c.search != nil || c.IsCommand() {
		return nil
	}
	var due []prompt.Mention
	last := min(len(c.buf.lines), c.top.line+c.maxHeight)
	for row := c.top.line; row < last; row++ {
		text := c.buf.lines[row].text
		if len(text) > lookedUpIn {
			continue
		}
		for _, m := range prompt.Mentions(text) {
			if _, known := c.looked[m.Path]; known || m.Path == "" || c.writing(row, m) || len(due) == lookedUpAtOnce {
				continue
			}
			due = append(due, m)
		}
	}
	if len(due) == 0 {
		return nil
	}
	if c.looked == nil || len(c.looked) > lookedUpKept {
		c.looked = map[string]bool{}
	}
	for _, m := range due {
		c.looked[m.Path] = false // until it is known
	}
	root, chips, images := c.Root, c.chips, c.refusesImages() == nil
	return func() tea.Msg {
		f := lookAt(root, due, images)
		return resultMsg{c, func() tea.Cmd {
			if chips != c.chips || root != c.Root || c.looked == nil {
				return nil // the draft is gone
			}
			maps.Copy(c.looked, f.there)
			for path, img := range f.images {
				c.chipImage(path, img)
			}
			for path, err := range f.refused {
				err := fmt.Errorf("%s is sent as a link, not as an image: %w", oneLine(path), err)
				return func() tea.Msg { return ErrorMsg{Err: err} }
			}
			return nil
		}}
	}
}

// writing reports whether a mention is being typed: the cursor is after it, and the
// popup offers completions.
func (c *Composer) writing(row int, m prompt.Mention) bool {
	return c.buf.cur.Row == row && c.buf.cur.Col == m.To && c.completion.kind == fileCompletion && !c.completion.closed
}

// lookAt looks mentions up on disk.
func lookAt(root string, due []prompt.Mention, images bool) found {
	f := prompt.NewFiles(root, acpclient.PromptCapabilities{})
	defer f.Close()
	result := found{there: map[string]bool{}, images: map[string]*prompt.Image{}, refused: map[string]error{}}
	for _, m := range due {
		for name, lines := range m.Names() {
			abs, info := f.Look(name)
			if info == nil || info.IsDir() && lines.Some() {
				continue
			}
			result.there[m.Path] = true
			if name != m.Path || info.IsDir() || !prompt.IsImageName(name) || !images {
				break
			}
			if img, err := prompt.LookAtImage(abs, info); err != nil {
				result.refused[m.Path] = err
			} else {
				img.Name = name
				result.images[m.Path] = img
			}
			break
		}
	}
	return result
}

// chipImage replaces each mention of an image by a chip. The cursor stays in place.
func (c *Composer) chipImage(path string, img *prompt.Image) {
	for row := range c.buf.lines {
		text := c.buf.lines[row].text
		if len(text) > lookedUpIn {
			continue
		}
		for {
			list := prompt.Mentions(c.buf.lines[row].text)
			at := -1
			for i, m := range list {
				if m.Path == path && !c.writing(row, m) {
					at = i
				}
			}
			if at < 0 {
				break
			}
			mark := c.chips.image(img)
			if mark == "" {
				return
			}
			m, cur := list[at], c.buf.cur
			c.buf.Replace(pos(row, m.From), pos(row, m.To), mark)
			switch {
			case cur.Row != row || cur.Col <= m.From:
			case cur.Col < m.To:
				cur.Col = m.From + len(mark)
			default:
				cur.Col += len(mark) - (m.To - m.From)
			}
			c.buf.Move(cur)
		}
	}
}

// refusesImages returns why images are not sent, nil if they are.
func (c *Composer) refusesImages() error {
	if c.NoImages == nil {
		return nil
	}
	if why := c.NoImages(); why != "" {
		return errors.New(why)
	}
	return nil
}

// droppedBytes bounds a paste that is checked for file names.
const droppedBytes = 8 << 10

// dropped returns the command that checks whether a paste consists of paths of images,
// as terminals paste dropped files; nil if it cannot.
func (c *Composer) dropped(text string) tea.Cmd {
	paths := droppedPaths(text)
	if paths == nil {
		return nil
	}
	chips, root := c.chips, c.Root
	return func() tea.Msg {
		f := prompt.NewFiles(root, acpclient.PromptCapabilities{})
		defer f.Close()
		for _, p := range paths {
			if _, info := f.Look(p); info == nil || info.IsDir() {
				return nil
			}
		}
		return resultMsg{c, func() tea.Cmd { return c.takeDropped(chips, oneLine(text), paths) }}
	}
}

// droppedPaths returns the absolute paths of images that a text consists of, or nil.
// Terminals quote a path, escape its spaces, write a URL, or do nothing.
func droppedPaths(text string) []string {
	text = strings.TrimSpace(text)
	if text == "" || len(text) > droppedBytes || strings.ContainsAny(text, "\n\r") {
		return nil
	}
	if whole, ok := droppedPath(text); ok && !strings.ContainsAny(text, `\'"`) {
		return []string{whole}
	}
	if filepath.Separator != '/' {
		text = strings.ReplaceAll(text, `\`, `\\`)
	}
	words, ok := desktop.ShellWords(text, nil)
	if !ok {
		return nil
	}
	var paths []string
	for _, word := range words {
		p, ok := droppedPath(word)
		if !ok {
			return nil
		}
		paths = append(paths, p)
	}
	return paths
}

func droppedPath(word string) (string, bool) {
	if u, err := url.Parse(word); err == nil && u.Scheme == "file" && (u.Host == "" || u.Host == "localhost") {
		word = filepath.FromSlash(u.Path)
	}
	return word, filepath.IsAbs(word) && prompt.IsImageName(word) && clean(word) == word
}

// takeDropped replaces the pasted text by mentions, if it is still there.
func (c *Composer) takeDropped(chips *chips, pasted string, paths []string) tea.Cmd {
	if chips != c.chips {
		return nil
	}
	text := ""
	for _, p := range paths {
		text += prompt.WriteMention(p) + " "
	}
	for row := range c.buf.lines {
		at := strings.LastIndex(c.buf.lines[row].text, pasted)
		if at < 0 {
			continue
		}
		if at > 0 && !prompt.OpensWord(c.buf.lines[row].text[:at]) {
			text = " " + text
		}
		c.buf.Replace(pos(row, at), pos(row, at+len(pasted)), text)
		if err := c.refusesImages(); err != nil {
			return func() tea.Msg { return ErrorMsg{Err: fmt.Errorf("%w: the file is sent as a link", err)} }
		}
		return c.complete()
	}
	return nil
}
