package toolview

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
)

// Reach knows which paths lead out of a session's directories. Without links this is
// known at once; the targets of links are known after [Resolve]. The zero value, and
// nil, have no directories, and report no path as outside.
type Reach struct {
	// Roots are the directories, absolute.
	Roots []string

	lookups[string, Target]
}

// Target is where a path leads.
type Target struct {
	// Outside means that it leads out of the session's directories.
	Outside bool
	// Real is the target if the path contains links; "" otherwise, or if unknown.
	Real string
}

// Of returns where a path of an agent leads, as far as that is known.
func (r *Reach) Of(path string) Target {
	if r == nil || len(r.Roots) == 0 || path == "" {
		return Target{}
	}
	if s, ok := r.known[path]; ok {
		return s
	}
	return Target{Outside: !inOneOf(r.Roots, filepath.Clean(absolute(r.Roots[0], path)))}
}

// Known reports whether the path was resolved.
func (r *Reach) Known(path string) bool {
	_, ok := r.known[path]
	return ok
}

// Version changes with every addition.
func (r *Reach) Version() uint64 {
	if r == nil {
		return 0
	}
	return r.version
}

// absolute returns the absolute path that an agent means. It does not clean it, because
// ".." after a link is relative to the link's target.
func absolute(dir, path string) string {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		if home, err := os.UserHomeDir(); err == nil {
			return home + string(filepath.Separator) + rest
		}
	}
	if filepath.IsAbs(path) {
		return path
	}
	return dir + string(filepath.Separator) + path
}

func inOneOf(roots []string, path string) bool {
	for _, root := range roots {
		if _, in := within(root, path); in {
			return true
		}
	}
	return false
}

// Resolve returns where paths of an agent lead, for a session in these directories. It
// reads directories, so call it outside of Update.
func Resolve(roots, paths []string) map[string]Target {
	if len(roots) == 0 {
		return nil
	}
	real := make([]string, len(roots))
	for i, root := range roots {
		real[i] = follow(root, 0)
	}
	found := map[string]Target{}
	for _, path := range paths {
		plain := filepath.Clean(absolute(roots[0], path))
		leads := follow(absolute(roots[0], path), 0)
		s := Target{Outside: !inOneOf(real, leads)}
		// Inside a root that is a link, every path resolves to another one.
		for i, root := range roots {
			if rel, in := within(root, plain); in && leads != filepath.Join(real[i], rel) {
				s.Real = leads
			}
		}
		found[path] = s
	}
	return found
}

// follow resolves the links in a path, as far as it exists.
func follow(path string, links int) string {
	const most = 40
	missing := ""
	for at := path; ; {
		if real, err := filepath.EvalSymlinks(at); err == nil {
			return filepath.Join(real, missing)
		}
		if target, err := os.Readlink(at); err == nil && links < most { // it leads to something that does not exist
			if !filepath.IsAbs(target) {
				target = filepath.Dir(at) + string(filepath.Separator) + target
			}
			return filepath.Join(follow(target, links+1), missing)
		}
		up := strings.TrimRight(at, string(filepath.Separator))
		i := strings.LastIndexByte(up, filepath.Separator)
		if i < 0 {
			return filepath.Clean(path)
		}
		missing = filepath.Join(up[i+1:], missing)
		if at = up[:i]; at == "" {
			at = string(filepath.Separator)
		}
		if up == "" {
			return filepath.Clean(path)
		}
	}
}

// lookups holds results of look-ups in the background, for drawing. The zero value is
// empty.
type lookups[K comparable, V any] struct {
	known   map[K]V
	version uint64
}

// Add adds results.
func (l *lookups[K, V]) Add(found map[K]V) {
	if len(found) == 0 {
		return
	}
	if l.known == nil {
		l.known = map[K]V{}
	}
	maps.Copy(l.known, found)
	l.version++
}
