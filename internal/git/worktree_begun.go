package git

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"parley/fs"
)

// begunDir is the directory of a repository with a file for each worktree that is being created or
// dropped. By it, what a kill leaves of one is found again.
const begunDir = "parley"

// begun is the content of such a file.
type begun struct {
	Worktree
	Path    string `json:"path"`
	Dropped bool   `json:"dropped,omitempty"`
}

func begunPath(repository, name string) string {
	return filepath.Join(repository, begunDir, name+".json")
}

// openBegun opens that directory, which it makes if there is none. An agent that may write in the repository
// leads it elsewhere by no link.
func openBegun(repository string) (*os.Root, error) {
	git, err := os.OpenRoot(repository)
	if err != nil {
		return nil, err
	}
	defer func() { _ = git.Close() }()
	if err := git.Mkdir(begunDir, 0o700); err != nil && !errors.Is(err, os.ErrExist) {
		return nil, err
	}
	if info, err := git.Lstat(begunDir); err != nil || !info.IsDir() {
		return nil, errors.Join(err, fmt.Errorf("%s is not a directory", filepath.Join(repository, begunDir)))
	}
	return fs.OpenRootIn(git, begunDir)
}

// begin records that the worktree is being created or dropped, until done is called.
func (t *Worktree) begin(dropped bool) (done func(), err error) {
	b, err := json.Marshal(begun{*t, t.Path, dropped})
	if err == nil {
		var in *os.Root
		if in, err = openBegun(repositoryOf(t.From)); err == nil {
			err = fs.ReplaceUnsynced(in, t.Name+".json", b, 0o600)
			_ = in.Close()
		}
	}
	return t.end, err
}

// end removes that record. At worst, the name stays in the list.
func (t *Worktree) end() {
	if in, err := openBegun(repositoryOf(t.From)); err == nil {
		_ = in.Remove(t.Name + ".json")
		_ = in.Close()
	}
}

// readBegun returns what is recorded of a worktree that is being created or dropped, nil without it.
func readBegun(repository, name string) *begun {
	b, err := fs.ReadHead(begunPath(repository, name), recordBound)
	t := &begun{}
	if err != nil || json.Unmarshal(b, t) != nil || t.Name != name || !filepath.IsAbs(t.Path) || filepath.Base(t.Path) != name {
		return nil
	}
	if t.Worktree.Path, t.Unfinished = t.Path, true; !t.fits(repository) {
		return nil
	}
	return t
}

// allBegun returns what is recorded in a repository of worktrees that are being created or dropped.
func allBegun(repository string) (all []*begun) {
	entries, _ := os.ReadDir(filepath.Join(repository, begunDir))
	for _, e := range entries {
		if name, is := strings.CutSuffix(e.Name(), ".json"); is {
			if t := readBegun(repository, name); t != nil {
				all = append(all, t)
			}
		}
	}
	return all
}

// unfinished returns the worktrees of which a kill has left something that has no record of its own. all
// are git's worktrees.
func unfinished(ctx context.Context, w *Writer, repository string, all []worktreeEntry) (trees []*Worktree) {
	for _, t := range allBegun(repository) {
		if WorktreeAt(t.Path) == nil && (w.has(ctx, "refs/heads/"+t.Branch) || t.in(all)) {
			trees = append(trees, &t.Worktree)
		}
	}
	return trees
}

// Gone reports whether at most commits of it are left.
func (t *Worktree) Gone() bool {
	return WorktreeGone(t.Path) || t.Unfinished && WorktreeAt(t.Path) == nil
}

// in reports whether git has the worktree, with its branch or with none.
func (t *Worktree) in(all []worktreeEntry) bool {
	return slices.ContainsFunc(all, func(e worktreeEntry) bool {
		return e.path == t.Path && (e.branch == "" || e.branch == t.Branch)
	})
}

// Restore makes what a kill has left of a worktree one that can be dropped like others: it writes what is
// missing of its link to the repository, its record and its index. It does nothing with others, or where
// git has no worktree.
func (t *Worktree) Restore(ctx context.Context) error {
	if !t.Gone() || WorktreeGone(t.Path) {
		return nil
	}
	_, all, err := open(ctx, t.From)
	if err != nil || !t.in(all) {
		return err
	}
	repository := repositoryOf(t.From)
	if err := t.supply(repository); err != nil {
		return err
	}
	if !listed(repository, linkedDir(t.Path), t.Path) {
		_, err := t.check()
		return err
	}
	if _, err := t.begin(true); err != nil { // it is not whole
		return err
	}
	if err := t.write(ctx); err != nil {
		return err
	}
	w, err := NewWriter(ctx, t.Path)
	if err == nil && WorktreeGone(filepath.Join(linkedDir(t.Path), "index")) {
		_ = os.Remove(filepath.Join(linkedDir(t.Path), "index.lock")) // of the git that was killed
		_, err = w.Run(ctx, "read-tree", "HEAD")
	}
	return err
}

// supply writes what a killed git has left out of the files that make a worktree one.
func (t *Worktree) supply(repository string) error {
	admins, err := os.ReadDir(filepath.Join(repository, "worktrees"))
	for _, e := range admins {
		admin := filepath.Join(repository, "worktrees", e.Name())
		if listed(repository, admin, t.Path) {
			err = errors.Join(err,
				supply(filepath.Join(admin, "commondir"), "../.."),
				supply(filepath.Join(admin, "HEAD"), "ref: refs/heads/"+t.Branch),
				supply(filepath.Join(t.Path, ".git"), "gitdir: "+admin))
		}
	}
	return err
}

// supply writes a file of git's with one line, unless it says something.
func supply(path, line string) error {
	b, err := fs.ReadHead(path, fileBound)
	switch {
	case err == nil && strings.Trim(string(b), "0\n") == "": // git begins with a commit of zeros
	case !errors.Is(err, os.ErrNotExist):
		return nil
	}
	dir, err := os.OpenRoot(filepath.Dir(path))
	if err == nil {
		err = fs.ReplaceUnsynced(dir, filepath.Base(path), []byte(line+"\n"), 0o644)
		_ = dir.Close()
	}
	return err
}

// whole fails if the worktree is unfinished.
func (t *Worktree) whole() error {
	if t.Unfinished {
		return fmt.Errorf("the worktree %s is unfinished: its creation or removal was interrupted, or is going on; 'parley worktree drop %s' removes it", t.Name, t.Name)
	}
	return nil
}
