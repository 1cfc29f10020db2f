package composer

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"parley/internal/git"
	"parley/internal/termtext"
)

const (
	filesListed = 200_000          // bounds the files of a project that are offered
	listTimeout = 20 * time.Second // bounds the time; the list is then incomplete
	listAge     = 5 * time.Second  // an older list is read again on use
)

// skippedDirs are left out where git does not say what belongs to a project.
var skippedDirs = []string{
	".git", ".hg", ".svn", ".jj", "node_modules", "bower_components", ".venv", "venv", "__pycache__",
	".tox", ".cache", ".gradle", ".idea", ".terraform", ".direnv", ".next",
}

// listFiles lists the files of a project, relative to its root and with slashes: those
// that git tracks or would add, else all.
func listFiles(root string) ([]string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), listTimeout)
	defer cancel()
	paths, err := gitFiles(ctx, root)
	if err != nil {
		paths, err = walkFiles(ctx, root)
	}
	if err != nil {
		return nil, fmt.Errorf("list the files of %s: %w", termtext.Line(root), err)
	}
	slices.Sort(paths)
	return slices.Compact(paths), nil
}

func gitFiles(ctx context.Context, root string) ([]string, error) {
	cmd := git.Command(ctx, root, "ls-files", "-co", "--exclude-standard", "-z")
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	var paths []string
	s := bufio.NewScanner(out)
	s.Split(splitNUL)
	for len(paths) < filesListed && s.Scan() {
		paths = addPath(paths, s.Text())
	}
	if len(paths) == filesListed || ctx.Err() != nil {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		return paths, nil
	}
	return paths, errors.Join(s.Err(), cmd.Wait())
}

func splitNUL(data []byte, atEOF bool) (int, []byte, error) {
	if i := bytes.IndexByte(data, 0); i >= 0 {
		return i + 1, data[:i], nil
	}
	if atEOF && len(data) > 0 {
		return len(data), data, nil
	}
	return 0, nil, nil
}

// addPath leaves out names that cannot be shown exactly, and so must not be mentioned.
func addPath(paths []string, p string) []string {
	if p == "" || clean(p) != p || strings.Contains(p, "\n") {
		return paths
	}
	return append(paths, p)
}

func walkFiles(ctx context.Context, root string) ([]string, error) {
	var paths []string
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil && path == root:
			return err
		case err != nil:
			return nil // unreadable files are not offered
		case len(paths) >= filesListed || ctx.Err() != nil:
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
		paths = addPath(paths, filepath.ToSlash(rel))
		return nil
	})
	return paths, err
}
