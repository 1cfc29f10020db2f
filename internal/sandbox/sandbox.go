// Package sandbox runs programs in the system's own sandbox: they write only to the
// given directories, and can only read the rest, or not even that. The same holds for
// everything that such a program starts.
//
// It uses bubblewrap or else Landlock on Linux, and sandbox-exec on macOS. Other
// systems have no sandbox.
package sandbox

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Bounds say what the programs of a sandbox may access. Paths are absolute; missing
// ones are ignored.
type Bounds struct {
	// Write are the writable directories and files, with everything below. Programs may
	// connect to a Unix socket that is one of them, and not to others that exist outside. No link inside of one may lead
	// to another.
	Write []string
	// Keep are read-only paths below Write. They and the directories that lead to them
	// cannot be moved away, nor can the directories of Fixed that are below Write, which are writable.
	Keep, Fixed []string
	// NoDirs and NoFiles are paths below Write that must not be created. The sandbox may
	// occupy them until Close, with an empty directory or with a file of the given text.
	NoDirs  []string
	NoFiles map[string]string
	// Hide are unreadable paths.
	Hide []string
	// Private are unreadable paths in every sandbox, also in one that cannot hide others.
	// Nothing below them can be in Write.
	Private []string
	// MustHide rules out sandboxes that cannot hide anything.
	MustHide bool
	// Temp is a directory for temporary files that the programs share, in place of the
	// system's.
	Temp string
	// Offline disables the network.
	Offline bool

	// sockets are the Unix sockets to hide, if they are still there.
	sockets []string
}

// ErrUnavailable means that no sandbox works here.
var ErrUnavailable = errors.New("no sandbox can be had here")

// PrivateError says that a path would be writable although it is private.
type PrivateError struct{ Path string }

func (e *PrivateError) Error() string {
	return "the sandbox keeps " + e.Path + " private"
}

// LinkError says that a link inside of what is writable leads to what would be, too: a program may have made it.
type LinkError struct{ Path, Link string }

func (e *LinkError) Error() string {
	return "the link " + e.Link + " leads to " + e.Path + ", and programs in a sandbox may have made it"
}

// boundsError means that a sandbox works here, with what no agent can touch, but not with the bounds. No other one takes its
// place: an agent can bring that about, as by sockets that come and go, and the other may confine less.
type boundsError struct{ error }

// Sandbox runs programs within bounds. It is safe for concurrent use.
type Sandbox struct {
	// Name is the name of the sandbox, such as "bubblewrap".
	Name string
	// Lack says, for display, which of the bounds it cannot enforce, or "".
	Lack string

	wrap func(program string, args []string) (string, []string)
	// hides reports whether programs cannot see a resolved path; nil hides nothing.
	hides func(path string) bool
	close func()
}

// Hides reports whether programs in the sandbox cannot see a file that exists outside.
func (s *Sandbox) Hides(path string) bool {
	real, err := filepath.EvalSymlinks(path)
	return err == nil && s.hides != nil && s.hides(real)
}

// Close frees the paths that must not be created. The programs must have ended.
func (s *Sandbox) Close() {
	if s.close != nil {
		s.close()
	}
}

// Command returns the program and arguments that run the given ones in the sandbox. The
// program is a path, or a name that is looked up on PATH.
func (s *Sandbox) Command(program string, args []string) (string, []string) {
	return s.wrap(program, args)
}

// Wrap is Command for a program that an agent has started, with the variables that it
// has chosen. It fails if CheckEnv refuses these.
func (s *Sandbox) Wrap(program string, args, env []string) (string, []string, error) {
	if err := CheckEnv(env); err != nil {
		return "", nil, err
	}
	program, args = s.Command(program, args)
	return program, args, nil
}

// loaderVariables make the system's loader or the C library load code into a program;
// loaderPrefixes are the prefixes of others.
var (
	loaderVariables = []string{"GCONV_PATH", "GLIBC_TUNABLES", "LOCPATH"}
	loaderPrefixes  = []string{"LD_", "DYLD_"}
)

// CheckEnv refuses variables, as NAME=value, that an agent must not set for a sandboxed
// program: their code would run in the program that sets up the sandbox.
func CheckEnv(env []string) error {
	for _, e := range env {
		name, _, _ := strings.Cut(e, "=")
		begins := func(prefix string) bool { return strings.HasPrefix(name, prefix) }
		if slices.Contains(loaderVariables, name) || slices.ContainsFunc(loaderPrefixes, begins) {
			return fmt.Errorf("the variable %s would take effect outside the sandbox: set it inside, as in: sh -c '%s=… exec PROGRAM'", name, name)
		}
	}
	return nil
}

// backend is one kind of sandbox. It fails if the system does not have it, or if it cannot
// enforce the bounds.
type backend struct {
	name string
	make func(b Bounds, enter []string) (*Sandbox, error)
}

// New returns the best sandbox that works here. enter is the command of this program
// that calls Enter, for sandboxes in which a program confines itself. The error
// wraps ErrUnavailable if none works here, and says why each does not.
func New(b Bounds, enter []string) (*Sandbox, error) {
	given := b.Write
	b = b.existing()
	for _, w := range b.Write {
		if within(w, b.Private) {
			return nil, &PrivateError{w}
		}
	}
	for _, w := range given {
		for _, link := range links(w) {
			if real, _ := filepath.EvalSymlinks(w); within(link, slices.DeleteFunc(slices.Clone(b.Write), func(other string) bool { return other == real })) {
				return nil, &LinkError{w, link}
			}
		}
	}
	var reasons []string
	for _, candidate := range backends {
		s, err := candidate.make(b, enter)
		if err == nil {
			s.Name = candidate.name
			return s, nil
		}
		if errors.As(err, new(boundsError)) {
			return nil, fmt.Errorf("%s: %w", candidate.name, err)
		}
		reasons = append(reasons, fmt.Sprintf("%s: %v", candidate.name, err))
	}
	if len(reasons) == 0 {
		reasons = []string{"parley supports no sandbox on this system"}
	}
	return nil, fmt.Errorf("%w: %s", ErrUnavailable, strings.Join(reasons, "; "))
}

// existing returns the bounds with resolved paths, without missing ones and duplicates.
func (b Bounds) existing() Bounds {
	b.Write, b.Keep, b.Hide, b.Private = resolved(b.Write), resolved(b.Keep), resolved(b.Hide), resolved(b.Private)
	// A mount inside would open a window.
	b.Keep = slices.DeleteFunc(b.Keep, func(p string) bool { return within(p, b.Private) })
	b.Write = append(b.Write, slices.DeleteFunc(resolved(b.Fixed), func(p string) bool { // what is in Write has a mount of its own
		return !slices.Contains(b.Fixed, p) || !isDir(p) || !within(p, b.Write) || within(p, slices.Concat(b.Keep, b.Hide, b.Private))
	})...)
	if temp := resolved([]string{b.Temp}); len(temp) > 0 {
		b.Temp = temp[0]
	}
	var dirs []string
	for _, p := range b.NoDirs {
		if parent, err := filepath.EvalSymlinks(filepath.Dir(p)); err == nil && !within(parent, b.Private) {
			dirs = append(dirs, filepath.Join(parent, filepath.Base(p)))
		}
	}
	files := map[string]string{}
	for p, text := range b.NoFiles {
		if parent, err := filepath.EvalSymlinks(filepath.Dir(p)); err == nil && !within(parent, b.Private) {
			files[filepath.Join(parent, filepath.Base(p))] = text
		}
	}
	b.NoDirs, b.NoFiles = dirs, files
	return b
}

// leading returns the directories that lead from a writable directory to a path, without
// both.
func (b Bounds) leading(path string) []string {
	for _, w := range b.Write {
		if !below(path, w) {
			continue
		}
		var dirs []string // the outermost directory is the first in b.Write
		for dir := filepath.Dir(path); dir != w; dir = filepath.Dir(dir) {
			dirs = append(dirs, dir)
		}
		return dirs
	}
	return nil
}

// within reports whether a path is one of others or inside of one.
func within(path string, dirs []string) bool {
	return slices.ContainsFunc(dirs, func(dir string) bool { return path == dir || below(path, dir) })
}

// below reports whether a path is inside of a directory.
func below(path, dir string) bool {
	return path != dir && strings.HasPrefix(path, strings.TrimSuffix(dir, "/")+"/")
}

func resolved(paths []string) []string {
	var out []string
	for _, p := range paths {
		real, err := filepath.EvalSymlinks(p)
		if p == "" || err != nil || slices.Contains(out, real) {
			continue
		}
		out = append(out, real)
	}
	slices.Sort(out) // inner paths come after outer ones
	return out
}

// links returns the links that lead to an existing path.
func links(path string) (all []string) {
	for ; path != filepath.Dir(path); path = filepath.Dir(path) {
		parent, err := filepath.EvalSymlinks(filepath.Dir(path))
		if err != nil {
			continue
		}
		at := filepath.Join(parent, filepath.Base(path))
		if target, err := os.Readlink(at); err == nil {
			if !filepath.IsAbs(target) {
				target = filepath.Join(parent, target)
			}
			all = append(append(all, at), links(target)...)
		}
	}
	return all
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
