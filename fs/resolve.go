package fs

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
)

// maxLinks bounds the symbolic links in a path, as most systems do.
const maxLinks = 40

var errLinkLoop = errors.New("too many symbolic links: they may lead in a circle")

// Resolve follows every symbolic link of an absolute path, including the last
// component. Unlike filepath.EvalSymlinks it accepts paths whose end does not exist: it
// keeps components that it cannot look up as written. The result is not safe by itself;
// open it through os.Root.
func Resolve(path string) (string, error) {
	volume := filepath.VolumeName(path)
	top := volume + string(filepath.Separator)
	done, rest := top, components(path[len(volume):])
	for links := 0; len(rest) > 0; {
		name := rest[0]
		rest = rest[1:]
		if name == ".." {
			done = filepath.Dir(done)
			continue
		}
		next := filepath.Join(done, name)
		info, err := os.Lstat(next)
		if err != nil || info.Mode()&os.ModeSymlink == 0 {
			done = next
			continue
		}
		if links++; links > maxLinks {
			return "", errLinkLoop
		}
		target, err := os.Readlink(next)
		if err != nil {
			return "", err
		}
		if v := filepath.VolumeName(target); v != "" {
			top = v + string(filepath.Separator)
			target, done = target[len(v):], top
		} else if target != "" && os.IsPathSeparator(target[0]) {
			done = top
		}
		rest = append(components(target), rest...)
	}
	return done, nil
}

// components splits a path without its volume, and drops empty components and ".".
func components(path string) []string {
	names := strings.Split(filepath.ToSlash(path), "/")
	kept := names[:0]
	for _, name := range names {
		if name != "" && name != "." {
			kept = append(kept, name)
		}
	}
	return kept
}
