package app

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"parley/internal/policy"
)

// places tell what paths lead to, as seen from a session.
type places struct {
	// cwd is the session's directory as it was named; roots are all of its
	// directories, links followed, of which the first is cwd.
	cwd       string
	roots     []string
	sensitive *policy.SensitiveFiles
}

func newPlaces(cwd string, more []string, sensitive *policy.SensitiveFiles) places {
	p := places{cwd: cwd, sensitive: sensitive}
	for _, root := range append([]string{cwd}, more...) {
		if real, err := filepath.EvalSymlinks(root); err == nil {
			root = real
		}
		p.roots = append(p.roots, root)
	}
	return p
}

// resolve says what a path leads to. What cannot be told for certain is outside.
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
	if ok && slices.Contains(strings.Split(filepath.ToSlash(name), "/"), "..") {
		if !filepath.IsAbs(name) {
			name = p.cwd + string(filepath.Separator) + name // Join would shorten it
		}
		walked, err := filepath.EvalSymlinks(name)
		ok = err == nil && walked == real
	}
	_, gone := os.Lstat(real)
	out := policy.Path{
		Exists: gone == nil,
		Name:   p.name(real), Inside: ok && p.inside(real), Own: p.sensitive.Own(real),
		Secret: p.sensitive.Match(policy.Reading, real), Runs: p.sensitive.Match(policy.Writing, real),
	}
	if written := p.name(path); written != out.Name {
		out.Written = written
	}
	return out
}

// plainPath reports a path that every program takes for the same file: none that a
// shell or an agent may replace by another, and no address.
func plainPath(name string) bool {
	return name != "" && !strings.HasPrefix(name, "~") && !strings.HasPrefix(name, "$") && !strings.Contains(name, "://") &&
		!strings.HasPrefix(name, "file:") && !strings.ContainsRune(name, 0)
}

// follow follows the links of an absolute path whose end need not be there yet. ok is
// false if it cannot be told where it leads.
func follow(path string) (real string, ok bool) {
	rest := ""
	for dir := path; ; dir = filepath.Dir(dir) {
		found, err := filepath.EvalSymlinks(dir)
		if err == nil {
			return filepath.Join(found, rest), true
		}
		if _, there := os.Lstat(dir); there == nil || !errors.Is(err, fs.ErrNotExist) || dir == filepath.Dir(dir) {
			return path, false // such as a link to what is not there
		}
		rest = filepath.Join(filepath.Base(dir), rest)
	}
}

func (p places) inside(real string) bool {
	return slices.ContainsFunc(p.roots, func(root string) bool {
		rel, err := filepath.Rel(root, real)
		return err == nil && filepath.IsLocal(rel)
	})
}

// name writes a path as rules do: relative to the session's directory if it is
// inside that.
func (p places) name(path string) string {
	for _, dir := range []string{p.roots[0], p.cwd} {
		if rel, err := filepath.Rel(dir, path); err == nil && filepath.IsLocal(rel) {
			return filepath.ToSlash(rel)
		}
	}
	return filepath.ToSlash(path)
}
