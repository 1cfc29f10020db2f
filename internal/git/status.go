package git

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// maxListed limits the files in a Status, and maxOutput git's output in bytes.
const (
	maxListed = 20_000
	maxOutput = 8 << 20
)

// ErrTooMany means that too many files differ from the last commit.
var ErrTooMany = errors.New("too many files differ from the last commit")

// Status is how a work tree differs from its last commit.
type Status struct {
	// Top is the directory of the work tree.
	Top string
	// Head is the last commit, "" if there is none yet.
	Head string
	// Dirty are the absolute paths of tracked files that differ from the commit,
	// including deleted ones. Untracked are those of files that git neither tracks nor
	// ignores.
	Dirty, Untracked map[string]bool

	dir string // below which git looked
}

// Covers reports whether git would list a file if it were there and not ignored: it is
// below the directory, and neither in git's own nor in another repository. So a file that
// git covers and does not list is as in the last commit, or does not exist.
func (w *Status) Covers(path string) bool {
	rel, err := filepath.Rel(w.dir, path)
	if err != nil || !filepath.IsLocal(rel) {
		return false
	}
	if slices.ContainsFunc(strings.Split(filepath.ToSlash(rel), "/"), func(name string) bool { return strings.EqualFold(name, ".git") }) {
		return false
	}
	for dir := filepath.Dir(path); dir != w.dir && len(dir) > len(w.dir); dir = filepath.Dir(dir) {
		if w.Untracked[dir] { // it was a repository, of which git lists the directory alone
			return false
		}
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return false
		}
		if info, err := os.Lstat(dir); err == nil && !info.IsDir() {
			return false
		}
	}
	return true
}

// StatusOf returns how the work tree of dir differs from its last commit, below dir. It
// does not run the repository's filters, and treats files that have one as different.
// It fails if dir belongs to no work tree.
func StatusOf(ctx context.Context, dir string) (*Status, error) {
	top, err := output(ctx, dir, "rev-parse", "--show-toplevel")
	if err != nil {
		return nil, err
	}
	w := &Status{Top: strings.TrimSuffix(top, "\n"), Dirty: map[string]bool{}, Untracked: map[string]bool{}, dir: dir}
	if resolved, err := filepath.EvalSymlinks(dir); err == nil {
		w.dir = resolved
	}
	if head, err := output(ctx, dir, "rev-parse", "--verify", "--quiet", "HEAD^{commit}"); err == nil {
		w.Head = strings.TrimSpace(head)
	}
	args, err := withoutFilters(ctx, dir)
	if err != nil {
		return nil, err
	}
	out, err := output(ctx, dir, append(args, "status", "--porcelain", "-z", "--no-renames",
		"--untracked-files=all", "--ignore-submodules=all", "--no-ahead-behind", "--", ".")...)
	if err != nil {
		return nil, err
	}
	for entry := range strings.SplitSeq(out, "\x00") {
		if len(entry) < 4 {
			continue
		}
		path := filepath.Join(w.Top, filepath.FromSlash(entry[3:]))
		if entry[:2] == "??" {
			w.Untracked[path] = true
		} else {
			w.Dirty[path] = true
		}
		if len(w.Dirty)+len(w.Untracked) > maxListed {
			return nil, ErrTooMany
		}
	}
	return w, nil
}

// withoutFilters returns the settings that disable every filter in the repository's
// configuration, since git runs them even to read.
func withoutFilters(ctx context.Context, dir string) ([]string, error) {
	out, err := output(ctx, dir, "config", "-z", "--name-only", "--get-regexp", `^filter\.`)
	if err != nil && !exitedWith1(err) { // 1 means that there are none
		return nil, err
	}
	var args []string
	for _, key := range split(out) {
		if dot := strings.LastIndexByte(key, '.'); dot > 0 {
			key = key[:dot]
			for _, setting := range []string{".clean=", ".smudge=", ".process=", ".required=false"} {
				args = append(args, "-c", key+setting)
			}
		}
	}
	return args, nil
}

// ChangedBetween returns the absolute paths of the files below dir that differ between
// two commits.
func (w *Status) ChangedBetween(ctx context.Context, dir, from, to string) ([]string, error) {
	out, err := output(ctx, dir, "diff-tree", "-r", "-z", "--no-renames", "--name-only", "--no-commit-id",
		"--no-ext-diff", "--no-textconv", from, to, "--", ".")
	if err != nil {
		return nil, err
	}
	var paths []string
	for _, name := range split(out) {
		if paths = append(paths, filepath.Join(w.Top, filepath.FromSlash(name))); len(paths) > maxListed {
			return nil, ErrTooMany
		}
	}
	return paths, nil
}

// Modes returns the modes of files in the last commit, as git writes them: "100644",
// "100755" for executables, "120000" for symbolic links. It leaves out files that are
// not in the commit.
func (w *Status) Modes(ctx context.Context, paths []string) (map[string]string, error) {
	const atOnce = 200
	modes := map[string]string{}
	for chunk := range slices.Chunk(paths, atOnce) {
		if w.Head == "" {
			break
		}
		args := []string{"ls-tree", "-z", "--full-tree", w.Head, "--"}
		for _, path := range chunk {
			if rel, err := filepath.Rel(w.Top, path); err == nil {
				args = append(args, filepath.ToSlash(rel))
			}
		}
		out, err := output(ctx, w.Top, args...)
		if err != nil {
			return nil, err
		}
		for entry := range strings.SplitSeq(out, "\x00") {
			about, name, _ := strings.Cut(entry, "\t")
			if mode, _, ok := strings.Cut(about, " "); ok {
				modes[filepath.Join(w.Top, filepath.FromSlash(name))] = mode
			}
		}
	}
	return modes, nil
}

// Ignored reports whether git ignores the file or folder at an absolute path in the work
// tree of dir.
func Ignored(ctx context.Context, dir, path string) (bool, error) {
	// git refuses to check with literal paths; an absolute path has no magic.
	_, err := output(ctx, dir, "--no-literal-pathspecs", "check-ignore", "-q", "--", path)
	if exitedWith1(err) {
		return false, nil
	}
	return err == nil, err
}

// Files returns the files in a folder that git knows, also those that are gone, or would add, relative
// to dir.
func Files(ctx context.Context, dir, folder string, added bool) (names []string, err error) {
	args := []string{"ls-files", "-z", "--cached"}
	if added {
		args = append(args, "--others", "--exclude-standard")
	}
	out, err := output(ctx, dir, append(args, "--", folder)...)
	return split(out), err
}

// Blobs passes to take the contents of files in the last commit, if they are at most
// most bytes long; exists is false for files that are not in it. It does not call take
// for other objects and larger files.
func (w *Status) Blobs(ctx context.Context, paths []string, most int64, take func(path string, exists bool, content string)) error {
	var ask bytes.Buffer
	var asked []string
	for _, path := range paths {
		rel, err := filepath.Rel(w.Top, path)
		if err != nil || strings.ContainsRune(rel, '\n') {
			continue
		}
		asked = append(asked, path)
		fmt.Fprintf(&ask, "%s:%s\n", w.Head, filepath.ToSlash(rel))
	}
	if len(asked) == 0 || w.Head == "" {
		return nil
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	cmd := Command(ctx, w.Top, "cat-file", "--batch")
	cmd.Stdin = &ask
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	err = readBlobs(bufio.NewReader(out), asked, most, take)
	stop()
	_ = cmd.Wait() // stopped, or ended
	if err != nil {
		return fmt.Errorf("git cat-file: %w", err)
	}
	return nil
}

// readBlobs reads the output of cat-file: for each file "HASH TYPE SIZE", a newline,
// the content and a newline, or "NAME missing".
func readBlobs(r *bufio.Reader, asked []string, most int64, take func(string, bool, string)) error {
	for _, path := range asked {
		head, err := r.ReadString('\n')
		if err != nil {
			return err
		}
		fields := strings.Fields(head)
		if n := len(fields); n >= 2 && fields[n-1] == "missing" {
			take(path, false, "")
			continue
		}
		if len(fields) != 3 {
			return fmt.Errorf("unexpected %.80q", head)
		}
		size, err := strconv.ParseInt(fields[2], 10, 64)
		if err != nil {
			return err
		}
		var content strings.Builder
		to := io.Writer(&content)
		wanted := fields[1] == "blob" && size <= most
		if !wanted {
			to = io.Discard
		}
		if _, err := io.CopyN(to, r, size); err != nil {
			return err
		}
		if _, err := r.Discard(1); err != nil {
			return err
		}
		if wanted {
			take(path, true, content.String())
		}
	}
	return nil
}

// exitedWith1 reports whether git ended with the exit code by which some commands say no.
func exitedWith1(err error) bool {
	exit, ok := errors.AsType[*exec.ExitError](err)
	return ok && exit.ExitCode() == 1
}

// output runs git without what a [Writer] needs, and returns its output, up to the bound.
func output(ctx context.Context, dir string, args ...string) (string, error) {
	return (&Writer{dir: dir}).Run(ctx, args...)
}

// bounded is a buffer that fails for more than maxOutput bytes.
type bounded struct {
	kept []byte
	over bool
}

func (b *bounded) Write(p []byte) (int, error) {
	if len(b.kept)+len(p) > maxOutput {
		b.over = true
		return 0, ErrTooMany
	}
	b.kept = append(b.kept, p...)
	return len(p), nil
}
