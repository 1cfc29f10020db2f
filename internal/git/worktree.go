package git

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"parley/fs"
)

// branchPrefix is the prefix of worktree branches, and droppedPrefix that of the refs
// of dropped ones.
const (
	branchPrefix  = "parley/"
	droppedPrefix = "refs/parley/dropped/"
)

// recordName is the file in git's own directory of a worktree that describes it; git
// removes it with the worktree.
const recordName = "parley.json"

// recordBound bounds what is read of a record, in bytes.
const recordBound = 64 << 10

// record is the stored description of a worktree.
type record struct {
	Name string `json:"name"`
	// Base is the commit that it began at, and Into the branch that was checked out
	// then, "" if none was.
	Base string `json:"base"`
	Into string `json:"into,omitempty"`
	// From is the directory for which it was created.
	From string `json:"from"`
}

// Worktree is a worktree for sessions. It is immutable.
type Worktree struct {
	// Name is the user's name for it, and Path its directory.
	Name, Path string
	// Branch is its own branch. Base is the commit that it began at, and Into the
	// branch that was checked out then, the target of a merge; "" if none was.
	Branch, Base, Into string
	// From is the directory for which it was created.
	From string
}

// Errors of finding worktrees.
var (
	ErrNoRepository = errors.New("not in a git repository")
	ErrNoCommit     = errors.New("the git repository has no commits yet")
	ErrUnknown      = errors.New("no such worktree")
)

// WorktreeAt returns the worktree with the directory dir, nil if it is not one for
// sessions. It reads two files without running git.
func WorktreeAt(dir string) *Worktree {
	b, err := fs.ReadHead(filepath.Join(dir, ".git"), recordBound)
	admin, linked := strings.CutPrefix(string(b), "gitdir:")
	if err != nil || !linked {
		return nil
	}
	if admin = strings.TrimSpace(admin); !filepath.IsAbs(admin) {
		admin = filepath.Join(dir, admin)
	}
	b, err = fs.ReadHead(filepath.Join(admin, recordName), recordBound)
	if err != nil {
		return nil
	}
	var r record
	if json.Unmarshal(b, &r) != nil || CheckWorktreeName(r.Name) != nil || !isHash(r.Base) || strings.HasPrefix(r.Into, "-") {
		return nil
	}
	return &Worktree{Name: r.Name, Path: dir, Branch: branchPrefix + r.Name, Base: r.Base, Into: r.Into, From: r.From}
}

// WorktreeName returns the name of the worktree of a branch.
func WorktreeName(branch string) string { return strings.TrimPrefix(branch, branchPrefix) }

// isHash reports whether a text can be the hash of a commit.
func isHash(s string) bool {
	return len(s) >= 40 && strings.Trim(s, "0123456789abcdef") == ""
}

func sameFile(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

// worktreeEntry is an entry of git's list of worktrees.
type worktreeEntry struct {
	path   string
	branch string // "" if none is checked out
}

// listWorktrees returns all worktrees of a repository, the main one first.
func listWorktrees(ctx context.Context, w *Writer) ([]worktreeEntry, error) {
	out, err := w.Run(ctx, "worktree", "list", "--porcelain", "-z")
	if err != nil {
		return nil, err
	}
	var list []worktreeEntry
	for line := range strings.SplitSeq(out, "\x00") {
		key, value, _ := strings.Cut(line, " ")
		switch key {
		case "worktree":
			list = append(list, worktreeEntry{path: filepath.FromSlash(value)})
		case "branch":
			if len(list) > 0 {
				list[len(list)-1].branch = strings.TrimPrefix(value, "refs/heads/")
			}
		}
	}
	return list, nil
}

// open returns git for the repository of dir, and all its worktrees.
func open(ctx context.Context, dir string) (*Writer, []worktreeEntry, error) {
	w, err := NewWriter(ctx, dir)
	var failed *Error
	if errors.As(err, &failed) && failed.Command == "rev-parse" && strings.Contains(failed.Said, "not a git repository") {
		return nil, nil, fmt.Errorf("%s: %w", dir, ErrNoRepository)
	}
	if err != nil {
		return nil, nil, err
	}
	all, err := listWorktrees(ctx, w)
	return w, all, err
}

// Worktrees returns the worktrees for sessions in the repository of dir, in git's
// order.
func Worktrees(ctx context.Context, dir string) ([]*Worktree, error) {
	_, all, err := open(ctx, dir)
	if err != nil {
		return nil, err
	}
	var trees []*Worktree
	for _, p := range all {
		if t := WorktreeAt(p.path); t != nil {
			trees = append(trees, t)
		}
	}
	return trees, nil
}

// WorktreeGone reports whether a directory no longer exists.
func WorktreeGone(dir string) bool {
	_, err := os.Stat(dir)
	return errors.Is(err, os.ErrNotExist)
}
