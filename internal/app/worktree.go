package app

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"parley/internal/git"
	"parley/internal/session"
	"parley/internal/termtext"
)

// NothingToMerge is said of a worktree without unmerged changes.
const NothingToMerge = "the worktree has no unmerged changes"

// MergeWorktree asks what has to be asked before the commits of a worktree are merged, and
// merges them. Uncommitted changes must be committed first.
func MergeWorktree(ctx context.Context, tree *git.Worktree) (Outcome, error) {
	work, err := tree.Work(ctx)
	switch {
	case err != nil:
		return Outcome{}, err
	case work.Empty():
		return Outcome{Say: NothingToMerge}, nil
	case len(work.Uncommitted) > 0:
		return Outcome{Ask: commitQuestion(ctx, tree, work)}, nil
	}
	return Outcome{Ask: &Question{
		Title: "Merge into " + termtext.Line(tree.Into) + "?",
		Text:  fmt.Sprintf("%s of the worktree, which change:\n%s", termtext.Count(work.Commits, "commit"), bulleted(work.Files)),
		Choices: []Choice{
			{Name: "Merge", Key: "m", Do: func() (Outcome, error) {
				n, err := tree.Merge(ctx)
				return Outcome{Ask: mergedQuestion(tree, n, err)}, nil
			}},
			{Name: "Do nothing", Key: "n"},
		},
	}}, nil
}

// commitQuestion asks whether to commit everything before the merge, and with which message.
func commitQuestion(ctx context.Context, tree *git.Worktree, work *git.WorktreeWork) *Question {
	message := &Question{Title: "Commit with this message", Hint: "commit message", Enter: func(text string) (Outcome, error) {
		if strings.TrimSpace(text) == "" {
			return Outcome{Say: "not committed: the message is empty"}, nil
		}
		if err := tree.Commit(ctx, text); err != nil {
			return Outcome{}, err
		}
		return MergeWorktree(ctx, tree)
	}}
	return &Question{
		Title: "Commit first?",
		Text:  "Only commits can be merged. Not committed:\n" + bulleted(work.Uncommitted),
		Choices: []Choice{
			{Name: "Commit it", Key: "c", Do: func() (Outcome, error) { return Outcome{Ask: message}, nil }},
			{Name: "Do nothing", Key: "n"},
		},
	}
}

// mergedQuestion tells the outcome of a merge, and asks what becomes of the worktree.
func mergedQuestion(tree *git.Worktree, commits int, err error) *Question {
	var conflict *git.MergeConflictError
	switch {
	case errors.As(err, &conflict):
		return &Question{
			Title: "Nothing was merged",
			Text: "Both sides changed the same lines of:\n" + bulleted(conflict.Files) +
				"\nNothing has changed. Let the agent merge " + termtext.Line(tree.Into) + " in the worktree and resolve the conflicts, then merge again.",
			Choices: []Choice{{Name: "Close"}},
		}
	case err != nil:
		return &Question{Title: "Nothing was merged", Text: termtext.Block(err.Error()), Choices: []Choice{{Name: "Close"}}}
	}
	return &Question{
		Title:   "Merged",
		Text:    fmt.Sprintf("Merged %s into %s. The worktree is still there.", termtext.Count(commits, "commit"), termtext.Line(tree.Into)),
		Choices: []Choice{{Name: "Keep the worktree", Key: "k"}, {Name: "Drop the worktree", DropWorktree: true}},
	}
}

// DropWorktreeQuestion asks whether to drop a worktree, and lists what is unmerged in it.
// The front end carries out the second choice, by [DropWorktree].
func DropWorktreeQuestion(ctx context.Context, tree *git.Worktree) (Question, error) {
	work, err := tree.Work(ctx)
	if err == nil {
		err = work.Whole()
	}
	if err != nil {
		return Question{}, err
	}
	text := "The directory and the branch " + tree.Branch + " are removed and the agent is stopped. Everything in it is merged."
	if !work.Empty() {
		text = fmt.Sprintf("The directory and the branch %s are removed and the agent is stopped.\n\nNot merged: %s:\n%s\nIt stays in the repository under refs/parley/dropped.",
			tree.Branch, work, bulleted(work.Files))
	}
	if len(work.Ignored) > 0 {
		text += "\nIgnored files are lost for good:\n" + bulleted(work.Ignored)
	}
	return Question{
		Title: "Drop the worktree " + tree.Name + "?", Text: text,
		Choices: []Choice{{Name: "Keep it", Key: "k"}, {Name: "Drop it", Key: "d", Risky: true}},
	}, nil
}

// DropWorktree ends the session in a worktree, whose agent must not write any more, and
// drops the worktree. It returns where unmerged changes were kept, "" if there were none.
func DropWorktree(ctx context.Context, s *session.Session, tree *git.Worktree) (kept string, err error) {
	bounded, stop := context.WithTimeout(ctx, StopTime)
	defer stop()
	s.Close(bounded)
	return tree.Drop(context.WithoutCancel(ctx)) // do not stop halfway
}

// DroppedText tells the outcome of dropping a worktree. kept is where its unmerged changes
// were kept.
func DroppedText(tree *git.Worktree, kept string) string {
	if kept == "" {
		return "It had no changes."
	}
	return fmt.Sprintf("Its contents are kept as %s. To restore them:\ngit branch %s %s", kept, tree.Name, kept)
}

// mostBullets bounds the names that a question lists.
const mostBullets = 12

// bulleted returns the names as a list, shortened if too long.
func bulleted(names []string) string {
	var b strings.Builder
	for i, name := range names {
		if i == mostBullets {
			fmt.Fprintf(&b, "• and %d more\n", len(names)-i)
			break
		}
		b.WriteString("• " + termtext.VisibleLine(name) + "\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}
