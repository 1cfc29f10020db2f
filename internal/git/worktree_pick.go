package git

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Snapshot commits everything in the working tree of dir except ignored files, on top of its
// last commit and on no branch, and returns the commit. Working tree, index and branches stay
// as they are. Without changes it is the last commit. It fails with [ErrNoRepository] or
// [ErrNoCommit].
func Snapshot(ctx context.Context, dir string) (commit string, err error) {
	w, _, err := open(ctx, dir)
	if err != nil {
		return "", err
	}
	head, err := w.line(ctx, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
	if err != nil {
		return "", fmt.Errorf("%s: %w", dir, ErrNoCommit)
	}
	tree, err := snapshot(ctx, w)
	if err != nil {
		return "", err
	}
	if was, err := w.line(ctx, "rev-parse", "--verify", "HEAD^{tree}"); err == nil && was == tree {
		return head, nil
	}
	return w.commitTree(ctx, tree, "The working tree when a comparison began", head)
}

// Pick is a changed file of a worktree that is wanted elsewhere.
type Pick struct {
	// Path is relative to the top of the worktree, with slashes.
	Path string
	// Text is what is wanted of the file; nil is the file as it is in the worktree.
	Text *string
}

// PickPatch returns the picked changes since the worktree began, in git's format, "" if there
// are none. It changes nothing.
func (t *Worktree) PickPatch(ctx context.Context, picks []Pick) (patch string, err error) {
	w, k, err := t.open(ctx)
	if err != nil {
		return "", err
	}
	whole, err := snapshot(ctx, w)
	if err != nil {
		return "", err
	}
	err = withIndex(func(_ string, env []string) error {
		if _, err := w.runWith(ctx, env, "read-tree", k.since); err != nil {
			return err
		}
		entries, err := w.entries(ctx, whole, picks)
		if err != nil {
			return err
		}
		if _, err := w.feed(ctx, entries, env, "update-index", "-z", "--index-info"); err != nil {
			return err
		}
		tree, err := w.runWith(ctx, env, "write-tree")
		if err == nil {
			patch, err = w.patch(ctx, k.since, strings.TrimSpace(tree))
		}
		return err
	})
	return patch, err
}

// removed is the mode of a removed file, as update-index takes it.
const removed = "0"

// entries returns what the picked files are in an index, as update-index takes it.
func (w *Writer) entries(ctx context.Context, tree string, picks []Pick) (string, error) {
	var b strings.Builder
	null := strings.Repeat("0", len(tree))
	for _, p := range picks {
		// Of a directory in place of the file, ls-tree would list the entry; it is no blob.
		line, err := w.Run(ctx, "ls-tree", "-z", "--full-tree", tree, "--", p.Path)
		if err != nil {
			return "", err
		}
		mode, hash := removed, null
		about, _, _ := strings.Cut(strings.TrimSuffix(line, "\x00"), "\t")
		if f := strings.Fields(about); len(f) == 3 && f[1] != "tree" {
			mode, hash = f[0], f[2]
		}
		if p.Text != nil {
			if mode == removed {
				mode = "100644"
			}
			written, err := w.feed(ctx, *p.Text, nil, "hash-object", "-w", "--stdin")
			if err != nil {
				return "", err
			}
			hash = strings.TrimSpace(written)
		}
		fmt.Fprintf(&b, "%s %s\t%s\x00", mode, hash, p.Path)
	}
	return b.String(), nil
}

// ApplyError means that a patch does not fit what is there by now. Nothing was changed.
type ApplyError struct{ Files []string }

func (e *ApplyError) Error() string {
	return "the same lines have changed in the meantime in " + strings.Join(e.Files, ", ")
}

// unfit finds the files in git's words about a patch that does not fit.
var unfit = regexp.MustCompile(`(?m)^error: (?:patch failed: (.+):\d+|(.+): (?:already exists in working directory|No such file or directory|does not match index|wrong type|beyond a symbolic link|patch does not apply|does not exist in index))$`)

// Apply applies a patch to the working tree of dir, or takes it back, whole or not at all. The
// index stays as it is. The error is an *ApplyError if the patch does not fit.
func Apply(ctx context.Context, dir, patch string, back bool) error {
	w, err := NewWriter(ctx, dir)
	if err != nil {
		return err
	}
	if w.dir, err = w.line(ctx, "rev-parse", "--show-toplevel"); err != nil { // paths are relative to it
		return err
	}
	args := []string{"apply", "--whitespace=nowarn"}
	if back {
		args = append(args, "--reverse")
	}
	_, err = w.feed(ctx, patch, nil, append(args, "-")...)
	if failed, ok := errors.AsType[*Error](err); ok {
		var files []string
		for _, m := range unfit.FindAllStringSubmatch(failed.Output, -1) {
			files = append(files, m[1]+m[2])
		}
		if slices.Sort(files); len(files) > 0 {
			return &ApplyError{slices.Compact(files)}
		}
	}
	return err
}
