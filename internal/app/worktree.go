package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"parley/acpclient"
	"parley/config"
	"parley/internal/conversation"
	"parley/internal/git"
	"parley/internal/policy"
	"parley/internal/rules"
	"parley/internal/session"
	"parley/internal/termtext"
)

// NothingToMerge describes a worktree without unmerged changes.
const NothingToMerge = "the worktree has no unmerged changes"

// MergeWorktree merges the commits of a worktree, or returns the question to ask first.
// Uncommitted changes must be committed first. The front end asks in drop whether to drop it after
// that.
func MergeWorktree(ctx context.Context, tree *git.Worktree, drop func()) (Outcome, error) {
	work, err := tree.Work(ctx)
	switch {
	case err != nil:
		return Outcome{}, err
	case work.Empty():
		return Outcome{Say: NothingToMerge}, nil
	case len(work.Uncommitted) > 0:
		return Outcome{Ask: commitQuestion(ctx, tree, work, drop)}, nil
	}
	return Outcome{Ask: &Question{
		Title: "Merge into " + termtext.Line(tree.Into) + "?",
		Text:  fmt.Sprintf("%s of the worktree, which change:\n%s", termtext.Count(work.Commits, "commit"), bulleted(work.Files)),
		Choices: []Choice{
			{Name: "Merge", Key: "m", Do: func() (Outcome, error) {
				text, err := MergeCommits(ctx, tree)
				var hint *HintError
				switch {
				case errors.As(err, &hint):
					text = err.Error() + "\n" + hint.Hint
				case err != nil:
					text = err.Error()
				}
				if err != nil {
					return Outcome{Ask: &Question{Title: "Nothing was merged", Text: termtext.Block(text), Choices: []Choice{{Name: "Close"}}}}, nil
				}
				return Outcome{Ask: &Question{
					Title: "Merged", Text: text,
					Choices: []Choice{{Name: "Keep the worktree", Key: "k"}, {Name: "Drop the worktree", Here: drop}},
				}}, nil
			}},
			{Name: "Do nothing", Key: "n"},
		},
	}}, nil
}

// commitQuestion asks whether to commit everything before merging, and with which message.
func commitQuestion(ctx context.Context, tree *git.Worktree, work *git.WorktreeWork, drop func()) *Question {
	message := &Question{Title: "Commit with this message", Hint: "commit message", Enter: func(text string) (Outcome, error) {
		if strings.TrimSpace(text) == "" {
			return Outcome{Say: "not committed: the message is empty"}, nil
		}
		if err := tree.Commit(ctx, text); err != nil {
			return Outcome{}, err
		}
		return MergeWorktree(ctx, tree, drop)
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

// MergeCommits merges the commits of a worktree and describes the outcome. If both sides have
// changed the same lines, the error is a [HintError]; otherwise it is one of
// [git.Worktree.Merge].
func MergeCommits(ctx context.Context, tree *git.Worktree) (string, error) {
	n, err := tree.Merge(ctx)
	var conflict *git.MergeConflictError
	switch {
	case errors.As(err, &conflict):
		return "", WithHint("Nothing has changed. Merge "+termtext.Line(tree.Into)+" in the worktree and resolve the conflicts there, then merge again: "+termtext.Line(tree.Path), "%w", err)
	case err != nil:
		return "", err
	}
	return fmt.Sprintf("Merged %s into %s. The worktree is still there.", termtext.Count(n, "commit"), termtext.Line(tree.Into)), nil
}

// DropWorktreeQuestion asks whether to drop a worktree, and lists its unmerged work. The front
// end drops it in drop, by [DropWorktree].
func DropWorktreeQuestion(ctx context.Context, tree *git.Worktree, drop func()) (Question, error) {
	work, err := tree.Work(ctx)
	if err == nil {
		err = work.Whole()
	}
	if err != nil {
		return Question{}, err
	}
	text := "The directory and the branch " + tree.Branch + " are removed and the agent is stopped."
	if work.Empty() {
		text += " Everything in it is merged."
	}
	if left := LeftInWorktree(work); left != "" {
		text += "\n\n" + left
	}
	return Question{
		Title: "Drop the worktree " + tree.Name + "?", Text: text,
		Choices: []Choice{{Name: "Keep it", Key: "k"}, {Name: "Drop it", Key: "d", Risky: true, Here: drop}},
	}, nil
}

// LeftInWorktree lists the unmerged work in a worktree, and what dropping it loses; "" for
// nothing.
func LeftInWorktree(work *git.WorktreeWork) string {
	var left []string
	if !work.Empty() {
		left = append(left, fmt.Sprintf("Not merged: %s:\n%s\nIt stays in the repository under refs/parley/dropped.", work, bulleted(work.Files)))
	}
	if len(work.Ignored) > 0 {
		left = append(left, "Ignored files are lost for good:\n"+bulleted(work.Ignored))
	}
	return strings.Join(left, "\n")
}

// DropWorktree ends the session in a worktree, so that its agent writes no more, and drops the
// worktree. It returns the outcome in words.
func DropWorktree(ctx context.Context, s Session, tree *git.Worktree) (string, error) {
	bounded, stop := context.WithTimeout(ctx, StopTime)
	defer stop()
	if err := s.End(bounded); err != nil {
		return "", err
	}
	return DropEmptyWorktree(context.WithoutCancel(ctx), tree) // do not stop halfway
}

// DropEmptyWorktree drops a worktree without a running session. It returns the outcome in
// words.
func DropEmptyWorktree(ctx context.Context, tree *git.Worktree) (string, error) {
	work := &git.WorktreeWork{}
	if err := tree.Restore(ctx); err != nil {
		return "", err
	}
	if !tree.Gone() {
		var err error
		if work, err = tree.Work(ctx); err != nil {
			return "", err
		}
	}
	kept, err := tree.Drop(ctx)
	switch {
	case err != nil:
		return "", err
	case kept != "":
		return fmt.Sprintf("Its contents are kept as %s. To restore them:\ngit branch %s %s", kept, tree.Name, kept), nil
	case work.Merged > 0:
		return termtext.Count(work.Merged, "commit") + " of it " + map[bool]string{true: "is", false: "are"}[work.Merged == 1] + " in " + termtext.Line(tree.Into) + ".", nil
	}
	return "It had no changes.", nil
}

// bulleted returns the names as a list, shortened if too long.
func bulleted(names []string) string {
	var lines []string
	for _, name := range names {
		lines = append(lines, "• "+termtext.VisibleLine(name))
	}
	return strings.Join(atMost(lines, 12), "\n")
}

// MayLeadOut is why a merge of a link is asked about.
const MayLeadOut = "it is a link that may lead out of the project"

// LeadsOut reports whether a link with a name relative to the top of a project leads out of it.
func LeadsOut(name, target string) bool {
	return filepath.IsAbs(target) || !filepath.IsLocal(filepath.Join(filepath.Dir(name), target))
}

// Writes says why a write of an agent's to a file, or its removal, would be asked about or denied;
// "" if it would not.
type Writes func(ctx context.Context, path string, removed bool) (why string, denied bool)

// Writes judges writes below a directory. What is merged is judged by it.
func (l *Launcher) Writes(a config.Agent, dir string) (Writes, error) {
	files, err := rules.SensitiveFiles(l.Config.Files, nil, dir)
	if err != nil {
		return nil, err
	}
	judge, err := rules.Open(rules.Options{
		Agent: a.ID, Cwd: dir, Configured: append(ConfiguredRules(l.Config), l.Rules...),
		Store: rules.NewStore(config.StateDir()), Files: l.Config.Files,
	})
	if judge == nil {
		return nil, err
	}
	return func(ctx context.Context, path string, removed bool) (why string, denied bool) {
		call := &conversation.ToolCall{Kind: acpclient.ToolEdit, Locations: []acpclient.ToolCallLocation{{Path: path}}}
		if removed {
			call.Kind = acpclient.ToolDelete
		}
		r := session.Ruling{}
		if !l.NoRules {
			r = judge.Judge(ctx, session.Case{Call: call, Unasked: true})
		}
		switch {
		case r.Verdict == policy.Deny:
			return "denied by " + r.Rule, true
		case r.Why != "" || r.Rule != "":
			return cmp.Or(r.Why, "to be asked about by "+r.Rule), false
		case files.Own(path):
			return "it belongs to parley", false
		case files.Match(policy.Reading, path) != "":
			return "it may hold secrets", false
		case files.Match(policy.Writing, path) != "":
			return "it may run commands", false
		}
		return "", false
	}, nil
}
