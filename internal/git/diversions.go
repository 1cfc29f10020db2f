package git

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	files "parley/fs"
)

// A diversion is an entry of a repository that would lead git elsewhere when it writes: a
// symbolic link, a file with further names, or what is no file at all. Git follows a link
// at COMMIT_EDITMSG, at index or in logs, also when the user runs it outside the sandbox.
type diversion struct {
	info   fs.FileInfo
	target string // of a symbolic link
}

// is reports whether a diversion is the one that was there before.
func (d diversion) is(before diversion) bool {
	if before.info == nil || d.info.Mode().Type() != before.info.Mode().Type() {
		return false
	}
	if d.info.Mode()&fs.ModeSymlink != 0 {
		return d.target == before.target
	}
	return os.SameFile(d.info, before.info)
}

// ipcSocket is where git's own file system monitor listens. Git writes no file there.
const ipcSocket = "fsmonitor--daemon.ipc"

// Clean removes the diversions that were not there when the guard was made, and puts the
// links back that were, and the index and the refs that links lead to. It returns the paths of what it has removed. The agent may change
// the repository at the same time: nothing outside of it is touched.
func (g *Guard) Clean() (removed []string, err error) {
	err = g.survey(func(dir *os.Root, name, path string, d diversion) error {
		before := g.diversions[path]
		if d.is(before) {
			return nil
		}
		if d.target != "" && before.target == "" && g.materialise(dir, name, path, d.target) {
			removed = append(removed, path)
			return nil
		}
		if err := dir.Remove(name); errors.Is(err, fs.ErrNotExist) {
			return nil
		} else if err != nil {
			return fmt.Errorf("%s cannot be removed: %w", path, err)
		}
		if before.target != "" {
			_ = dir.Symlink(before.target, name) // without it, git makes what it needs
		}
		removed = append(removed, path)
		return nil
	})
	err = errors.Join(err, g.putBack())
	slices.Sort(removed)
	return slices.Compact(removed), err
}

// putBack restores links of the user that are gone, if their directory is still there.
func (g *Guard) putBack() (err error) {
	for _, path := range slices.Sorted(maps.Keys(g.diversions)) {
		before := g.diversions[path]
		i := slices.IndexFunc(g.Write, func(top string) bool { return strings.HasPrefix(path, top+string(filepath.Separator)) })
		if before.target == "" || i < 0 {
			continue
		}
		root, failed := os.OpenRoot(g.Write[i])
		if failed != nil {
			continue
		}
		name, _ := filepath.Rel(g.Write[i], path) // it is below
		if failed := root.Symlink(before.target, name); failed != nil && !errors.Is(failed, fs.ErrExist) && !errors.Is(failed, fs.ErrNotExist) {
			err = errors.Join(err, fmt.Errorf("%s cannot be put back: %w", path, failed))
		}
		err = errors.Join(err, root.Close())
	}
	return err
}

// kept returns the pattern of the beginning of a file of a repository whose loss loses
// something; nil for another one. Of a ref it is all of it.
func kept(name, path string) *regexp.Regexp {
	switch {
	case name == "index":
		return indexHead
	case name == "packed-refs":
		return packedHead
	case strings.Contains(path, string(filepath.Separator)+"refs"+string(filepath.Separator)):
		return refText
	}
	return nil
}

var indexHead, packedHead, refText = regexp.MustCompile(`^DIRC`), regexp.MustCompile(`^# pack-refs`), regexp.MustCompile(`^[0-9a-f]{40}([0-9a-f]{24})?\n?$`)

// materialise replaces the link at path, which is name in a directory, by the file that it
// leads to, if that is one of kept and within the directory or the work tree. It reports whether
// it did.
func (g *Guard) materialise(dir *os.Root, name, path, target string) bool {
	head := kept(name, path)
	if head == nil {
		return false
	}
	if !filepath.IsAbs(target) {
		target = filepath.Join(filepath.Dir(path), target)
	}
	from, err := openBelow(dir, filepath.Dir(path), target)
	if err != nil {
		tree, failed := os.OpenRoot(g.dir)
		if failed != nil {
			return false
		}
		defer tree.Close()
		from, err = openBelow(tree, g.dir, target)
	}
	if err != nil {
		return false
	}
	defer from.Close()
	info, err := from.Stat()
	if err != nil {
		return false
	}
	begins := make([]byte, 66) // a ref is shorter
	n, _ := io.ReadFull(from, begins)
	if begins = begins[:n]; !head.Match(begins) {
		return false // it may be anything that the agent is not to see
	}
	fresh := name + ".parley"
	_ = dir.Remove(fresh) // of an earlier run
	to, err := dir.OpenFile(fresh, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return false
	}
	_, err = io.Copy(to, io.MultiReader(bytes.NewReader(begins), from))
	if err = errors.Join(err, to.Close()); err == nil {
		err = dir.Chtimes(fresh, info.ModTime(), info.ModTime()) // see copyFile
	}
	if err == nil {
		err = dir.Rename(fresh, name)
	}
	if err != nil {
		_ = dir.Remove(fresh)
	}
	return err == nil
}

// openBelow opens a regular file by its absolute path in an open directory, whose path is dir.
func openBelow(root *os.Root, dir, path string) (*os.File, error) {
	rel, err := filepath.Rel(dir, path)
	if err != nil {
		return nil, err
	}
	return files.OpenRegularIn(root, rel)
}

// survey calls visit for each diversion in what the agent may write of the repository.
func (g *Guard) survey(visit func(dir *os.Root, name, path string, d diversion) error) error {
	var err error
	for _, top := range g.Write {
		if slices.ContainsFunc(g.Write, func(outer string) bool { return strings.HasPrefix(top, outer+string(filepath.Separator)) }) {
			continue
		}
		root, failed := os.OpenRoot(top)
		if failed != nil {
			continue // it is missing
		}
		s := surveyor{guard: g, top: top, visit: visit}
		err = errors.Join(err, s.directory(root, top), root.Close())
	}
	return err
}

// surveyor looks for diversions in a directory of a repository.
type surveyor struct {
	guard *Guard
	top   string
	visit func(dir *os.Root, name, path string, d diversion) error
}

// directory looks into an open directory and below. What cannot be read is left out: the
// agent has closed it, and git cannot write there either.
func (s surveyor) directory(dir *os.Root, path string) error {
	f, err := dir.Open(".")
	if err != nil {
		return nil
	}
	entries, _ := f.ReadDir(-1)
	err = f.Close()
	for _, e := range entries {
		err = errors.Join(err, s.entry(dir, e, filepath.Join(path, e.Name())))
	}
	return err
}

func (s surveyor) entry(dir *os.Root, e fs.DirEntry, path string) error {
	name := e.Name()
	switch {
	case slices.Contains(s.guard.Keep, path), slices.Contains(s.guard.NoDirs, path): // not the agent's
		return nil
	case e.Type() == fs.ModeSocket && name == ipcSocket, e.Type().IsRegular() && s.shared(path):
		return nil
	}
	info, err := dir.Lstat(name)
	switch {
	case err != nil, info.Mode().IsRegular() && files.LinkCount(info) == 1:
		return nil
	case info.IsDir():
		// It may become another one, or a link, at this moment.
		inner, err := files.OpenRootIn(dir, name)
		if err != nil {
			return nil
		}
		defer inner.Close()
		if opened, err := inner.Stat("."); err != nil || !os.SameFile(info, opened) {
			return nil
		}
		return s.directory(inner, path)
	}
	d := diversion{info: info}
	if info.Mode()&fs.ModeSymlink != 0 {
		d.target, _ = dir.Readlink(name)
	}
	return s.visit(dir, name, path, d)
}

// shared reports whether a file may have further names: those of objects, which git never
// writes to, and which clones on one disk share.
func (s surveyor) shared(path string) bool {
	first, _, _ := strings.Cut(strings.TrimPrefix(path, s.top+string(filepath.Separator)), string(filepath.Separator))
	stores := []string{"objects", "lfs"}
	return slices.Contains(stores, first) || slices.Contains(stores, filepath.Base(s.top))
}
