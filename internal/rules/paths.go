package rules

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"

	"parley/config"
	files "parley/fs"
	"parley/internal/git"
	"parley/internal/policy"
)

// places resolves paths as seen from a session.
type places struct {
	// cwd is the session's directory as named; roots are all its directories with links
	// resolved, first cwd.
	cwd       string
	roots     []string
	sensitive *policy.SensitiveFiles
	// project is the folder of a worktree that stands for the one it was made for, with links
	// resolved; "" if that is the session's directory.
	project string
	// mostSearched limits the files and folders that a search looks at.
	mostSearched int
}

func newPlaces(cwd string, more []string, sensitive *policy.SensitiveFiles) places {
	p := places{cwd: cwd, sensitive: sensitive, mostSearched: 100_000}
	for _, root := range append([]string{cwd}, more...) {
		if real, err := filepath.EvalSymlinks(root); err == nil {
			root = real
		}
		p.roots = append(p.roots, root)
	}
	if t := git.WorktreeAt(cwd); t != nil {
		if dir, _ := follow(t.Folder()); dir != p.roots[0] {
			p.project = dir
		}
	}
	return p
}

// original returns [policy.Path.Original] of a file.
func (p places) original(real string) string {
	rel, err := filepath.Rel(p.project, real)
	if p.project == "" || err != nil || !filepath.IsLocal(rel) {
		return ""
	}
	return filepath.ToSlash(rel)
}

// resolve describes what a path leads to. If in doubt, it is outside.
func (p places) resolve(name string) policy.Path {
	if !plainPath(name) {
		return policy.Path{Name: filepath.ToSlash(name)}
	}
	path := filepath.Clean(name)
	if !filepath.IsAbs(path) {
		path = filepath.Join(p.cwd, path)
	}
	real, ok := follow(path)
	// A path with ".." must lead to the same file whether it is shortened as text or walked
	// link by link, as systems do.
	if !filepath.IsAbs(name) {
		name = p.cwd + string(filepath.Separator) + name // Join would shorten it
	}
	if ok && slices.Contains(strings.Split(filepath.ToSlash(name), "/"), "..") {
		walked, err := filepath.EvalSymlinks(name)
		ok = err == nil && walked == real
	}
	links, process := walk(name)
	for i := range links {
		links[i] = p.name(links[i])
	}
	out := policy.Path{
		Name: p.name(real), Links: links, Process: process, Inside: ok && !process && p.inside(real), Own: p.sensitive.Own(real),
		Above: p.above(real), Original: p.original(real), Absolute: []string{filepath.ToSlash(real), filepath.ToSlash(path)},
		Secret: p.sensitive.Match(policy.Reading, real), Runs: p.sensitive.Match(policy.Writing, real),
	}
	if info, err := os.Lstat(real); err == nil {
		out.Exists, out.Folder = true, info.IsDir()
		out.Special = !info.IsDir() && !info.Mode().IsRegular()
		out.Content = out.Inside && info.Mode().IsRegular() && info.Size() > 0 && !isProduct(real)
	}
	if written := p.name(path); written != out.Name {
		out.Written = written
	}
	return out
}

// plainPath reports whether every program takes a path for the same file: no shell or agent
// may expand it, and it is no URL.
func plainPath(name string) bool {
	if filepath.IsAbs(name) {
		return !strings.ContainsRune(name, 0)
	}
	return name != "" && !strings.HasPrefix(name, "~") && !strings.HasPrefix(name, "$") && !strings.Contains(name, "://") &&
		!strings.HasPrefix(name, "file:") && !strings.ContainsRune(name, 0)
}

// follow resolves the links of an absolute path whose end may not exist. ok is false if the
// destination is uncertain.
func follow(path string) (real string, ok bool) {
	rest := ""
	for dir := path; ; dir = filepath.Dir(dir) {
		found, err := filepath.EvalSymlinks(dir)
		if err == nil {
			return filepath.Join(found, rest), true
		}
		if _, there := os.Lstat(dir); there == nil || !errors.Is(err, fs.ErrNotExist) || dir == filepath.Dir(dir) {
			return path, false // such as a dangling link
		}
		rest = filepath.Join(filepath.Base(dir), rest)
	}
}

// walk follows an absolute path name by name, as systems do. It returns the links at its end of
// which each leads to the next, and whether it leads through what is another one for each process.
func walk(name string) (links []string, process bool) {
	const mostLinks = 40
	volume := filepath.VolumeName(name)
	at, rest := volume+string(filepath.Separator), strings.Split(filepath.ToSlash(name[len(volume):]), "/")
	for followed := 0; len(rest) > 0 && followed < mostLinks; {
		next := filepath.Join(at, rest[0])
		rest = rest[1:]
		target, err := os.Readlink(next)
		if err != nil || next == at {
			at = next
			continue
		}
		folder, file := filepath.Split(next)
		process = process || strings.HasPrefix(next, "/proc/") && (file == "cwd" || file == "root" || strings.HasSuffix(folder, "/fd/") && len(rest) > 0)
		if len(rest) == 0 {
			links = append(links, next)
		}
		if followed++; filepath.IsAbs(target) {
			at = string(filepath.Separator)
		}
		rest = append(strings.Split(filepath.ToSlash(target), "/"), rest...)
	}
	return links, process
}

func (p places) inside(real string) bool {
	return slices.ContainsFunc(p.roots, func(root string) bool {
		rel, err := filepath.Rel(root, real)
		return err == nil && filepath.IsLocal(rel)
	})
}

// above reports whether the session's directory is in a folder.
func (p places) above(folder string) bool {
	rel, err := filepath.Rel(folder, p.roots[0])
	return err == nil && rel != "." && filepath.IsLocal(rel)
}

// name returns a path as rules write it: relative to the session's directory if it is inside.
func (p places) name(path string) string {
	for _, dir := range []string{p.roots[0], p.cwd} {
		if rel, err := filepath.Rel(dir, path); err == nil && filepath.IsLocal(rel) {
			return filepath.ToSlash(rel)
		}
	}
	return filepath.ToSlash(path)
}

// isProduct reports whether a file begins like the output of compilers and tests.
func isProduct(path string) bool {
	head, err := files.ReadHead(path, 16)
	return err == nil && slices.ContainsFunc(productHeads, func(h string) bool { return strings.HasPrefix(string(head), h) })
}

// productHeads are the first bytes of executables, archives and coverage profiles.
var productHeads = []string{
	"\x7fELF", "\xfe\xed\xfa\xce", "\xfe\xed\xfa\xcf", "\xce\xfa\xed\xfe", "\xcf\xfa\xed\xfe", "\xca\xfe\xba\xbe", "MZ", "!<arch>\n", "\x00asm", "mode: ",
}

// expand implements policy.Request.Expand.
func (p places) expand(pattern string) (found []policy.Path, ok bool) {
	type place struct {
		path   string
		linked bool
	}
	all, left := []place{{path: p.cwd}}, mostExpanded
	if filepath.IsAbs(pattern) {
		volume := filepath.VolumeName(pattern)
		all[0].path, pattern = volume, pattern[len(volume):]
	}
	for name := range strings.SplitSeq(filepath.ToSlash(pattern), "/") {
		glob := strings.ReplaceAll(policy.LiteralPattern(name), `\*`, "*")
		var next []place
		add := func(in place, name string, mode fs.FileMode) {
			in.path += string(filepath.Separator) + name
			next = append(next, place{in.path, in.linked || mode&fs.ModeSymlink != 0})
		}
		for _, in := range all {
			if !strings.ContainsAny(name, "*") {
				if info, err := os.Lstat(in.path + string(filepath.Separator) + name); err == nil {
					add(in, name, info.Mode())
				}
				continue
			}
			f, err := files.OpenDir(cmp.Or(in.path, string(filepath.Separator)))
			if err != nil {
				continue // no folder, or none that the program can read
			}
			entries, _ := f.ReadDir(left + 1)
			_ = f.Close()
			if left -= len(entries); left < 0 {
				return nil, false
			}
			for _, e := range entries {
				if matched, _ := doublestar.Match(glob, e.Name()); matched && (e.Name()[0] != '.' || name[0] == '.') {
					add(in, e.Name(), e.Type())
				}
			}
		}
		all = next
	}
	for _, at := range all {
		if at.linked {
			found = append(found, p.resolve(at.path))
		}
	}
	return found, true
}

// mostExpanded limits the files and folders of which names are compared with a pattern.
const mostExpanded = 10_000

// searchTime limits how long git lists files.
const searchTime = 2 * time.Second

// search implements policy.Request.Search.
func (p places) search(dir string, how policy.SearchMode, about func(policy.Path) bool) (found string, ok bool) {
	s := searching{places: p, how: how, left: p.mostSearched, matches: p.sensitive.Entry}
	if about != nil {
		s.matches = func(dir, name string) bool {
			path := filepath.Join(dir, name)
			return about(policy.Path{Name: p.name(path), Original: p.original(path), Absolute: []string{filepath.ToSlash(path)}})
		}
		s.linked = func(path string) bool { return how == policy.SearchAll && about(p.resolve(path)) }
	}
	start := p.resolve(dir)
	path := filepath.FromSlash(start.Name)
	if !filepath.IsAbs(path) {
		path = filepath.Join(p.roots[0], path)
	}
	if how == policy.SearchTracked || how == policy.SearchAdded {
		return p.searchGit(path, how, about)
	}
	for above := filepath.Dir(path); p.inside(above) && how == policy.SearchVisible; above = filepath.Dir(above) {
		s.readExceptions(above)
	}
	s.folder(path)
	if s.found == "" {
		return "", s.left >= 0
	}
	return p.name(s.found), true
}

// searchGit is search for the files that git knows.
func (p places) searchGit(folder string, how policy.SearchMode, about func(policy.Path) bool) (found string, ok bool) {
	if about == nil {
		about = func(file policy.Path) bool {
			path := filepath.Join(p.roots[0], filepath.FromSlash(file.Name))
			return p.sensitive.Own(path) || p.sensitive.Match(policy.Reading, path) != ""
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), searchTime)
	defer cancel()
	list, err := git.Files(ctx, p.roots[0], folder, how == policy.SearchAdded, 0)
	for _, name := range list {
		path := filepath.Join(p.roots[0], filepath.FromSlash(name))
		if about(policy.Path{Name: name, Original: p.original(path), Absolute: []string{filepath.ToSlash(path)}}) {
			return name, true
		}
	}
	return "", err == nil
}

type searching struct {
	places
	how   policy.SearchMode
	left  int    // how many more files and folders it may look at; below 0 it stops
	found string // stops the search
	// matches reports whether a search looks for an entry of a folder.
	matches func(dir, name string) bool
	linked  func(path string) bool // the same for a link, nil if links are left out
	// exceptions are patterns of hidden files and folders that are searched all the same.
	exceptions []string
}

func (s *searching) folder(dir string) {
	f, err := files.OpenDir(dir)
	if errors.Is(err, fs.ErrPermission) {
		return // the program cannot read it either
	}
	var entries []fs.DirEntry
	if err == nil {
		entries, err = f.ReadDir(s.left + 1)
		_ = f.Close()
	}
	if s.left -= len(entries); err != nil && !errors.Is(err, io.EOF) {
		s.left = -1
	}
	if s.left < 0 {
		return
	}
	if s.how == policy.SearchVisible && slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return slices.Contains(ignoreFiles, e.Name()) }) {
		s.readExceptions(dir)
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		switch {
		case e.Type() == fs.ModeSymlink && s.linked != nil && s.linked(path):
			s.found = path
		case s.leavesOut(e.Name()) || !e.IsDir() && !e.Type().IsRegular():
		case s.matches(dir, e.Name()):
			s.found = path
		case e.IsDir():
			s.folder(path)
		}
		if s.found != "" || s.left < 0 {
			return
		}
	}
}

// leavesOut reports whether the program skips an entry.
func (s *searching) leavesOut(name string) bool {
	return s.how != policy.SearchAll && strings.HasPrefix(name, ".") && !slices.ContainsFunc(s.exceptions, func(pattern string) bool {
		ok, err := doublestar.Match(pattern, name)
		return ok || err != nil
	})
}

// ignoreFiles are the files that tell rg and similar programs what to skip.
var ignoreFiles = []string{".gitignore", ".ignore", ".rgignore"}

// readExceptions reads the exceptions in a folder's ignore files.
func (s *searching) readExceptions(dir string) {
	const most = 1 << 20
	for _, name := range ignoreFiles {
		text, err := files.ReadHead(filepath.Join(dir, name), most)
		if err != nil && !errors.Is(err, fs.ErrNotExist) || len(text) == most {
			s.exceptions = append(s.exceptions, "*")
		}
		for line := range strings.Lines(strings.TrimPrefix(string(text), "\ufeff")) {
			if pattern, ok := strings.CutPrefix(line, "!"); ok {
				s.exceptions = append(s.exceptions, strings.Split(strings.TrimSpace(pattern), "/")...)
			}
		}
	}
}

// SensitiveFiles returns the table of files that the user is asked about. The configuration
// cannot exempt hidden ones, which the sandbox hides from the agent. In roots that are worktrees,
// the files of the working tree have their questions, too.
func SensitiveFiles(f config.Files, hidden []string, roots ...string) (*policy.SensitiveFiles, error) {
	reading := slices.Clone(f.AskRead)
	for _, path := range hidden {
		path = strings.TrimRight(filepath.Clean(path), " ")
		reading = append(reading, policy.LiteralPattern(path))
		if real, err := files.Resolve(path); err == nil && real != path {
			reading = append(reading, policy.LiteralPattern(real))
		}
	}
	home, _ := os.UserHomeDir() // "" if unknown
	table, err := policy.NewSensitiveFiles(reading, f.AskWrite, config.PrivatePaths(), home)
	if err != nil {
		return nil, fmt.Errorf("the configuration's [files]: %w", err)
	}
	for _, root := range roots {
		if of, is := copied(root); is {
			dir, _ := follow(root)
			table.Copy(dir, of)
		}
	}
	return table, nil
}

// copied returns what a directory in a worktree is a copy of, with links resolved.
func copied(dir string) (of string, is bool) {
	if of = git.Original(dir); of == dir {
		return "", false
	}
	of, _ = follow(of)
	return of, true
}

// HiddenCopies returns the paths to hide, links resolved, with their copies in roots that are worktrees, and in
// all worktrees of the repository that they are in.
func HiddenCopies(hide, roots []string) (all []string) {
	for _, path := range hide {
		real, _ := follow(path)
		all = append(all, real)
	}
	add := func(of, in, path string) {
		copied, err := filepath.Rel(of, path)
		if err == nil && filepath.IsLocal(copied) && !slices.Contains(all, filepath.Join(in, copied)) {
			all = append(all, filepath.Join(in, copied))
		}
	}
	for _, real := range slices.Clone(all) {
		top, trees := git.LinkedTo(real)
		for _, tree := range trees {
			add(top, tree, real)
		}
		for _, root := range roots {
			if of, is := copied(root); is {
				add(of, root, real)
			}
		}
	}
	return all
}
