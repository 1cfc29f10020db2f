package git

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"parley/fs"
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
	// ignores. Converted are tracked files that git stores in another form than they have
	// in the work tree, because of a filter, an encoding or an ident attribute.
	Dirty, Untracked, Converted map[string]bool

	dir     string          // below which git looked
	ignored map[string]bool // files, and directories with all that is in them; other repositories
	blind   bool            // git ignores too many files to list them
	index   string          // the index as it was then
	env     []string
}

// covers reports whether git would have listed a file if it had been there: it is below the
// directory, not ignored, and neither in git's own nor in another repository. So a file that
// git covers and does not list is as in the last commit, or did not exist.
func (w *Status) covers(path string) bool {
	rel, err := filepath.Rel(w.dir, path)
	if err != nil || !filepath.IsLocal(rel) {
		return false
	}
	if slices.ContainsFunc(strings.Split(filepath.ToSlash(rel), "/"), func(name string) bool { return strings.EqualFold(name, ".git") }) {
		return false
	}
	if w.ignored[path] {
		return false
	}
	for dir := filepath.Dir(path); dir != w.dir && len(dir) > len(w.dir); dir = filepath.Dir(dir) {
		if w.ignored[dir] {
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
// does not run the repository's filters, and treats files that have one as different,
// unless git knows that they are not. It keeps a copy of the index in a file, for
// [Status.Clean], in which git overlooks no file. It fails with [ErrNoRepository] if dir belongs to no work tree.
func StatusOf(ctx context.Context, dir, index string) (*Status, error) {
	if topOf(dir) == "" {
		return nil, ErrNoRepository
	}
	top, err := output(ctx, dir, "rev-parse", "--show-toplevel")
	if err != nil {
		return nil, err
	}
	w := &Status{
		Top: strings.TrimSuffix(top, "\n"), Dirty: map[string]bool{}, Untracked: map[string]bool{}, Converted: map[string]bool{},
		dir: dir, ignored: map[string]bool{}, index: index,
	}
	if resolved, err := filepath.EvalSymlinks(dir); err == nil {
		w.dir = resolved
	}
	if head, err := output(ctx, dir, "rev-parse", "--verify", "--quiet", "HEAD^{commit}"); err == nil {
		w.Head = strings.TrimSpace(head)
	}
	if err := w.withoutFilters(ctx); err != nil {
		return nil, err
	}
	if err := w.copyIndex(ctx); err != nil {
		return nil, err
	}
	list := func(ignored string) (string, error) {
		return w.indexed(ctx, dir, "status", "--porcelain", "-z", "--no-renames",
			"--untracked-files=all", "--ignored="+ignored, "--ignore-submodules=all", "--no-ahead-behind", "--", ".")
	}
	out, err := list("matching")
	if w.blind = errors.Is(err, ErrTooMany); w.blind {
		out, err = list("no")
	}
	if err != nil {
		return nil, err
	}
	for entry := range strings.SplitSeq(out, "\x00") {
		if len(entry) < 4 {
			continue
		}
		path := filepath.Join(w.Top, filepath.FromSlash(entry[3:]))
		switch entry[:2] {
		case "!!":
			w.ignored[path] = true
		case "??":
			w.Untracked[path] = true
			if strings.HasSuffix(entry, "/") { // a repository, of which git lists the directory alone
				w.ignored[path] = true
			}
		default:
			w.Dirty[path] = true
		}
		if len(w.Dirty)+len(w.Untracked) > maxListed {
			return nil, ErrTooMany
		}
	}
	converted, err := w.git(dir).converted(ctx)
	for name := range converted {
		w.Converted[filepath.Join(w.Top, filepath.FromSlash(name))] = true
	}
	return w, err
}

// converted returns the names of the files in the index that git stores in another form than they
// have in the work tree.
func (w *Writer) converted(ctx context.Context) (map[string]bool, error) {
	out, err := w.Run(ctx, "--no-literal-pathspecs", "ls-files", "-z", "--full-name", "--", ".",
		":(exclude,attr:!filter !ident !working-tree-encoding)")
	names := map[string]bool{}
	for _, name := range split(out) {
		names[name] = true
	}
	return names, err
}

// copyIndex copies the index, if something was ever added to it.
func (w *Status) copyIndex(ctx context.Context) error {
	from, err := output(ctx, w.dir, "rev-parse", "--git-path", "index")
	if err == nil {
		err = os.Remove(w.index)
	}
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if from = strings.TrimSuffix(from, "\n"); !filepath.IsAbs(from) {
		from = filepath.Join(w.dir, from)
	}
	switch err := copyFile(from, w.index); {
	case errors.Is(err, os.ErrNotExist):
		return nil
	case err != nil:
		return err
	}
	tags, err := w.indexed(ctx, w.Top, "ls-files", "-v", "-z")
	for some := range slices.Chunk(overlooked(w.Top, tags), 200) {
		for _, flag := range []string{"--no-assume-unchanged", "--no-skip-worktree"} { // git takes one at a time
			if err == nil {
				_, err = w.indexed(ctx, w.Top, append([]string{"update-index", flag, "--"}, some...)...)
			}
		}
	}
	return err
}

// git returns git with the copy of the index, if there is one. Git refreshes the copy, so that it
// has the size of each file as it was then.
func (w *Status) git(dir string) *Writer {
	env := w.env
	if w.index != "" {
		env = append(env[:len(env):len(env)], "GIT_INDEX_FILE="+w.index, "GIT_OPTIONAL_LOCKS=1")
	}
	return &Writer{dir: dir, env: env}
}

// indexed runs git with the copy of the index.
func (w *Status) indexed(ctx context.Context, dir string, args ...string) (string, error) {
	out, err := w.git(dir).Run(ctx, args...)
	if failed, ok := errors.AsType[*Error](err); ok && w.index != "" {
		failed.Output = strings.ReplaceAll(failed.Output, w.index+": ", "")
	}
	return out, err
}

// withoutFilters disables every filter in the repository's configuration, since git runs them even
// to read.
func (w *Status) withoutFilters(ctx context.Context) error {
	out, err := output(ctx, w.dir, "config", "-z", "--name-only", "--get-regexp", `^filter\.`)
	if err != nil && !exitedWith(err, 1) { // 1 means that there are none
		return err
	}
	settings := map[string]string{"core.splitIndex": "false"} // git would write into the repository
	for _, key := range split(out) {
		if dot := strings.LastIndexByte(key, '.'); dot > 0 {
			for _, setting := range []string{".clean", ".smudge", ".process"} {
				settings[key[:dot]+setting] = ""
			}
			settings[key[:dot]+".required"] = "false"
		}
	}
	w.env = configured(settings)
	return nil
}

// ChangedBetween returns the absolute paths of the files below dir that differ between
// two commits. One of them may be "", before the first.
func (w *Status) ChangedBetween(ctx context.Context, dir, from, to string) ([]string, error) {
	args := []string{"diff-tree", "-r", "-z", "--no-renames", "--name-only", "--no-commit-id", "--no-ext-diff", "--no-textconv", from, to}
	if from == "" || to == "" {
		args = []string{"ls-tree", "-r", "-z", "--full-name", "--name-only", from + to}
	}
	out, err := output(ctx, dir, append(args, "--", ".")...)
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

// Entry is a file in a commit or in the index: its mode and the hash of its content, as git
// writes them. The mode is "100644", "100755" for executables, "120000" for symbolic links.
type Entry struct{ Mode, Hash string }

// Entries returns those of the paths that are in the last commit.
func (w *Status) Entries(ctx context.Context, paths []string) (map[string]Entry, error) {
	entries := map[string]Entry{}
	if w.Head == "" {
		return entries, nil
	}
	err := w.ask(paths, func(names []string) error {
		out, err := output(ctx, w.Top, append([]string{"ls-tree", "-z", "--full-tree", w.Head, "--"}, names...)...)
		for entry := range strings.SplitSeq(out, "\x00") {
			about, name, _ := strings.Cut(entry, "\t")
			if fields := strings.Fields(about); len(fields) == 3 {
				entries[filepath.Join(w.Top, filepath.FromSlash(name))] = Entry{fields[0], fields[2]}
			}
		}
		return err
	})
	return entries, err
}

// ask calls do with the names that git has for paths, some at a time.
func (w *Status) ask(paths []string, do func(names []string) error) error {
	const atOnce = 200
	for chunk := range slices.Chunk(paths, atOnce) {
		var names []string
		for _, path := range chunk {
			if rel, err := filepath.Rel(w.Top, path); err == nil {
				names = append(names, filepath.ToSlash(rel))
			}
		}
		if err := do(names); err != nil {
			return err
		}
	}
	return nil
}

// Clean passes to take what files that the status does not list contained when it was
// taken, nil for no file; known is false where that is not certain. The mode has git's
// permissions. It does not call take where git never lists anything.
//
// Git knows a file only in the form in which it stores it. That it did not differ says
// nothing of files that were converted or that git was told not to look at; otherwise only
// the ends of lines may differ, and the size of the file shows how.
func (w *Status) Clean(ctx context.Context, paths []string, most int64, take func(path string, was *fs.Snapshot, known bool)) error {
	entries, sizes := map[string]Entry{}, map[string]int{}
	err := w.ask(paths, func(names []string) error {
		out, err := w.indexed(ctx, w.Top, append([]string{"ls-files", "-z", "-v", "-s", "--debug", "--"}, names...)...)
		before, rest, more := strings.Cut(out, "\x00")
		for more && err == nil {
			// "H 100644 HASH 0<tab>NAME", and lines of which one begins with "  size: SIZE"
			about, name, _ := strings.Cut(before, "\t")
			path := filepath.Join(w.Top, filepath.FromSlash(name))
			_, after, _ := strings.Cut(rest, "\n  size: ")
			size, last, _ := strings.Cut(after, "\t")
			_, last, _ = strings.Cut(last, "\n")
			if fields := strings.Fields(about); len(fields) == 4 {
				e := Entry{Mode: fields[1]}
				if fields[0] == "H" && fields[3] == "0" && !w.Converted[path] {
					e.Hash = fields[2]
				}
				if sizes[path], err = strconv.Atoi(size); err != nil {
					return fmt.Errorf("unexpected size %.80q in the output of git ls-files", size)
				}
				entries[path] = e
			}
			before, rest, more = strings.Cut(last, "\x00")
		}
		return err
	})
	if err != nil {
		return err
	}
	submodules, err := w.submodules(ctx, paths)
	if err != nil {
		return err
	}
	wanted := map[string]Entry{}
	for _, path := range paths {
		switch e, exists := entries[path]; {
		case !exists:
			if w.covers(path) && !slices.ContainsFunc(w.above(path), func(dir string) bool { return submodules[dir] }) {
				take(path, nil, !w.blind)
			}
		case e.Hash == "":
			take(path, nil, false)
		default:
			wanted[path] = e
		}
	}
	err = w.Blobs(ctx, wanted, most, func(path, content string) {
		e := wanted[path]
		delete(wanted, path)
		if size := sizes[path]; len(content) != size {
			content = strings.ReplaceAll(strings.ReplaceAll(content, "\r\n", "\n"), "\n", "\r\n")
			if len(content) != size {
				take(path, nil, false)
				return
			}
		}
		take(path, &fs.Snapshot{Content: content, Mode: fileMode(e.Mode)}, true)
	})
	for path := range wanted {
		take(path, nil, false)
	}
	return err
}

// above returns the directories on the way to a file in the work tree.
func (w *Status) above(path string) (dirs []string) {
	for dir := filepath.Dir(path); len(dir) > len(w.Top); dir = filepath.Dir(dir) {
		dirs = append(dirs, dir)
	}
	return dirs
}

// submodules returns the submodules of the last commit that any of the files may be in.
func (w *Status) submodules(ctx context.Context, paths []string) (map[string]bool, error) {
	all := map[string]bool{}
	for _, path := range paths {
		for _, dir := range w.above(path) {
			all[dir] = true
		}
	}
	entries, err := w.Entries(ctx, slices.Sorted(maps.Keys(all)))
	maps.DeleteFunc(all, func(dir string, _ bool) bool { return entries[dir].Mode != "160000" })
	return all, err
}

// Files returns the files in a folder that git knows, also those that are gone, or would add, relative
// to dir. Of more than most bytes of names it returns the first, the last one cut off, with ErrTooMany.
func Files(ctx context.Context, dir, folder string, added bool, most int) (names []string, err error) {
	args := []string{"ls-files", "-z", "--cached"}
	if added {
		args = append(args, "--others", "--exclude-standard")
	}
	out, err := (&Writer{dir: dir, most: most}).Run(ctx, append(args, "--", folder)...)
	return split(out), err
}

// Blobs passes to take the stored contents of entries, if they are at most most bytes long and in
// the repository. It does not call take for other objects.
func (w *Status) Blobs(ctx context.Context, entries map[string]Entry, most int64, take func(path, content string)) error {
	if len(entries) == 0 {
		return nil
	}
	var ask strings.Builder
	paths := slices.Sorted(maps.Keys(entries))
	for _, path := range paths {
		ask.WriteString(entries[path].Hash + "\n")
	}
	ctx, stop := context.WithTimeout(ctx, writeTime)
	defer stop()
	cmd := Command(ctx, w.Top, "cat-file", "--batch")
	cmd.Stdin = strings.NewReader(ask.String())
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := start(cmd); err != nil {
		return err
	}
	err = readBlobs(bufio.NewReader(out), paths, most, take)
	stop()
	_ = cmd.Wait() // stopped, or ended
	if err != nil {
		return fmt.Errorf("git cat-file: %w", err)
	}
	return nil
}

// readBlobs reads the output of cat-file: for each file "HASH TYPE SIZE", a newline,
// the content and a newline, or "HASH missing".
func readBlobs(r *bufio.Reader, asked []string, most int64, take func(path, content string)) error {
	for _, path := range asked {
		head, err := r.ReadString('\n')
		if err != nil {
			return err
		}
		fields := strings.Fields(head)
		if len(fields) == 2 && fields[1] == "missing" {
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
			take(path, content.String())
		}
	}
	return nil
}

// exitedWith reports whether git ended with an exit code; 129 is that for arguments it does not know.
func exitedWith(err error, code int) bool {
	exit, ok := errors.AsType[*exec.ExitError](err)
	return ok && exit.ExitCode() == code
}

// output runs git without what a [Writer] needs, and returns its output, up to the bound.
func output(ctx context.Context, dir string, args ...string) (string, error) {
	return (&Writer{dir: dir}).Run(ctx, args...)
}

// bounded is a buffer that fails for more than most bytes, by default maxOutput.
type bounded struct {
	kept []byte
	most int
	over bool
}

func (b *bounded) Write(p []byte) (int, error) {
	if len(b.kept)+len(p) > cmp.Or(b.most, maxOutput) {
		b.over = true
		return 0, ErrTooMany
	}
	b.kept = append(b.kept, p...)
	return len(p), nil
}
