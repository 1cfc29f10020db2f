package git

import (
	"bytes"
	"context"
	"path"
	"strings"
)

// Scope says in what Tracked looks.
type Scope struct {
	// Words are revisions, or paths. Without a revision it is HEAD.
	Words []string
	// Index means also the index, History all commits that lead to the revisions, and All
	// also those of every branch, tag and reflog. Without History it is the trees of the
	// revisions and of their parents.
	Index, History, All bool
}

// Tracked calls seen for every path that git knows in a scope of the repository at dir. It
// returns those words that are no revisions. ok is false if a revision is a file, or if
// there are too many paths.
func Tracked(ctx context.Context, dir string, in Scope, seen func(path string)) (paths []string, ok bool) {
	names := func(below string, args ...string) bool {
		out, err := output(ctx, dir, args...)
		for name := range bytes.SplitSeq(out, []byte{0}) {
			if len(name) > 0 {
				seen(path.Join(below, string(name)))
			}
		}
		return err == nil
	}
	if in.Index && !names("", "ls-files", "-z", "--cached") {
		return nil, false
	}
	var revisions []string
	for _, w := range in.Words {
		ids := resolved(ctx, dir, w)
		_, inTree, colon := strings.Cut(w, ":")
		switch {
		case len(ids) == 0:
			paths = append(paths, w)
		case colon && kindOf(ctx, dir, ids[0]) == "blob":
			seen(path.Clean(inTree))
		case colon:
			below := path.Clean(inTree)
			if !names(below, "ls-tree", "-r", "-z", "--name-only", "--full-tree", ids[0]) {
				return nil, false
			}
		default:
			revisions = append(revisions, ids...)
		}
	}
	if len(revisions) == 0 {
		revisions = resolved(ctx, dir, "HEAD") // none before the first commit
	}
	if in.History {
		return paths, reachable(ctx, dir, revisions, in.All, seen)
	}
	for _, r := range revisions {
		trees := []string{r}
		if kindOf(ctx, dir, r) != "tree" {
			trees = append(trees, resolved(ctx, dir, r+"^@")...)
		}
		for _, t := range trees {
			if !names("", "ls-tree", "-r", "-z", "--name-only", "--full-tree", t) {
				return nil, false // a file, perhaps
			}
		}
	}
	return paths, true
}

// resolved returns the objects that a word means to git, none if it is no revision.
func resolved(ctx context.Context, dir, word string) []string {
	out, err := output(ctx, dir, "rev-parse", "--revs-only", word)
	if err != nil {
		return nil
	}
	ids := strings.Fields(string(out))
	for i := range ids {
		ids[i] = strings.TrimPrefix(ids[i], "^")
	}
	return ids
}

func kindOf(ctx context.Context, dir, object string) string {
	out, _ := output(ctx, dir, "cat-file", "-t", object) // "" is no kind
	return strings.TrimSpace(string(out))
}

// reachable calls seen for every path in the commits that lead to some revisions.
func reachable(ctx context.Context, dir string, revisions []string, all bool, seen func(path string)) bool {
	args := []string{"rev-list", "--objects"}
	if all {
		args = append(args, "--all", "--reflog")
	}
	if len(revisions) == 0 && !all {
		return true
	}
	out, err := output(ctx, dir, append(args, revisions...)...)
	for line := range strings.Lines(string(out)) {
		if _, name, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " "); name != "" {
			seen(path.Clean(name))
		}
	}
	return err == nil
}
