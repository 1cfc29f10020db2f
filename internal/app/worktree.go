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

// MergeWorktree returns the question to ask before the commits of a worktree are merged. Uncommitted
// changes must be committed first. The front end asks in drop whether to drop it after that.
func (l *Launcher) MergeWorktree(ctx context.Context, tree *git.Worktree, drop func()) (Outcome, error) {
	nothing := func(err error) Outcome {
		text := err.Error()
		if hint, ok := errors.AsType[*HintError](err); ok {
			text += "\n" + hint.Hint
		}
		return Outcome{Ask: &Question{Title: "Nothing was merged", Text: termtext.Block(text), Choices: []Choice{{Name: "Close"}}}}
	}
	m, err := l.PlanMerge(ctx, tree)
	switch {
	case errors.Is(err, git.ErrNothing):
		return Outcome{Say: NothingToMerge}, nil
	case errors.Is(err, git.ErrUncommitted):
		work, err := tree.Work(ctx)
		if err != nil {
			return Outcome{}, err
		}
		return Outcome{Ask: l.commitQuestion(ctx, tree, work, drop)}, nil
	case err != nil:
		return nothing(err), nil
	case len(m.Denied) > 0:
		return nothing(m.Refused()), nil
	}
	var names []string
	for _, f := range m.Files {
		names = append(names, f.Name)
	}
	text := fmt.Sprintf("%s of the worktree, which change:\n%s", termtext.Count(m.Commits, "commit"), bulleted(names))
	if len(m.Asked) > 0 {
		text += "\n\n" + m.Asks()
	}
	return Outcome{Ask: &Question{
		Title: "Merge into " + termtext.Line(tree.Into) + "?", Text: text,
		Choices: []Choice{
			{Name: "Merge", Key: "m", Risky: len(m.Asked) > 0, Do: func() (Outcome, error) {
				text, err := m.Do(ctx)
				if err != nil {
					return nothing(err), nil
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

// CommitAndMerge commits what is not committed in a worktree, and merges it, to which the user has
// agreed: it asks only what they have not seen yet. drop is as in MergeWorktree.
func (l *Launcher) CommitAndMerge(ctx context.Context, tree *git.Worktree, message string, drop func()) (Outcome, error) {
	work, err := tree.Work(ctx)
	if err == nil && len(work.Uncommitted) > 0 {
		err = tree.Commit(ctx, message)
	}
	if err != nil {
		return Outcome{}, err
	}
	m, err := l.PlanMerge(ctx, tree)
	if err != nil || len(m.Asked)+len(m.Denied) > 0 {
		return l.MergeWorktree(ctx, tree, drop)
	}
	text, err := m.Do(ctx)
	return Outcome{Say: text}, err
}

// commitQuestion asks whether to commit everything before merging, and with which message.
func (l *Launcher) commitQuestion(ctx context.Context, tree *git.Worktree, work *git.WorktreeWork, drop func()) *Question {
	message := &Question{Title: "Commit with this message", Hint: "commit message", Enter: func(text string) (Outcome, error) {
		if strings.TrimSpace(text) == "" {
			return Outcome{Say: "not committed: the message is empty"}, nil
		}
		if err := tree.Commit(ctx, text); err != nil {
			return Outcome{}, err
		}
		return l.MergeWorktree(ctx, tree, drop)
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

// Merge is the planned merge of a worktree's commits.
type Merge struct {
	*git.Merge
	tree *git.Worktree
	// Asked are the files that a write would ask about, Denied those that a rule denies, each with the
	// reason. git merges all or nothing.
	Asked, Denied []string
}

// PlanMerge plans to merge the commits of a worktree, and judges the files that this changes. If both
// sides have changed the same lines, the error is a [HintError]; otherwise it is one of
// [git.Worktree.PlanMerge].
func (l *Launcher) PlanMerge(ctx context.Context, tree *git.Worktree) (*Merge, error) {
	plan, err := tree.PlanMerge(ctx)
	var conflict *git.MergeConflictError
	switch {
	case errors.Is(err, git.ErrUncommitted):
		work, failed := tree.Work(ctx)
		if failed != nil {
			return nil, failed
		}
		return nil, fmt.Errorf("%w:\n%s", err, bulleted(work.Uncommitted))
	case errors.As(err, &conflict):
		return nil, WithHint("Nothing has changed. Merge "+termtext.Line(tree.Into)+" in the worktree and resolve the conflicts there, then merge again: "+termtext.Line(tree.Path), "%w", err)
	case err != nil:
		return nil, err
	}
	// Any agent, in any mode, may have worked there.
	writes, err := l.Writes(config.Agent{ID: policy.Any}, tree.From)
	if err != nil {
		return nil, err
	}
	m := &Merge{Merge: plan, tree: tree}
	for _, f := range plan.Files {
		why, denied := writes(ctx, tree.From, f)
		named := "• " + termtext.VisibleLine(f.Name) + " (" + termtext.Line(why) + ")"
		switch {
		case denied:
			m.Denied = append(m.Denied, named)
		case why != "":
			m.Asked = append(m.Asked, named)
		}
	}
	return m, nil
}

// Asks says which files a write would ask about.
func (m *Merge) Asks() string {
	return "parley would ask before a write to:\n" + strings.Join(m.Asked, "\n")
}

// Refused says which files a rule denies, and how to merge all the same.
func (m *Merge) Refused() error {
	return WithHint("To merge all the same: git merge "+m.tree.Branch, "a rule denies writing to:\n%s", strings.Join(m.Denied, "\n"))
}

// Do merges, and describes the outcome.
func (m *Merge) Do(ctx context.Context) (string, error) {
	err := m.Merge.Do(ctx)
	if over, ok := errors.AsType[*git.OverwriteError](err); ok {
		return "", WithHint("Commit or stash them first.", "%w:\n%s", err, bulleted(over.Files))
	}
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("Merged %s into %s. The worktree is still there.", termtext.Count(m.Commits, "commit"), termtext.Line(m.tree.Into)), nil
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
		left = append(left, fmt.Sprintf("Not merged: %s:\n%s\nIt stays in the repository under refs/parley/dropped.", work, bulleted(work.Unmerged)))
	}
	if len(work.Ignored) > 0 {
		left = append(left, "Ignored files are lost for good:\n"+bulleted(work.Ignored))
	}
	return strings.Join(left, "\n")
}

// DropWorktree ends the session in a worktree, if there is one, so that its agent writes no more, and
// drops the worktree unless another session works there. It returns the outcome in words.
func DropWorktree(ctx context.Context, s Session, tree *git.Worktree) (string, error) {
	if s != nil {
		bounded, stop := context.WithTimeout(ctx, StopTime)
		defer stop()
		if err := s.End(bounded); err != nil {
			return "", err
		}
	}
	if works, err := WorksIn(tree.Path); err != nil {
		return "", err
	} else if works {
		return "", fmt.Errorf("a session works in the worktree %s: end it first", tree.Name)
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
	if err != nil {
		return "", err
	}
	var said []string
	if kept.Ref != "" {
		said = append(said, fmt.Sprintf("Its contents are kept as %s. To restore them:\ngit branch %s %s", kept.Ref, tree.Name, kept.Ref))
	}
	for _, in := range kept.Submodules {
		said = append(said, "What was in a submodule is kept as "+termtext.Line(in)+".")
	}
	switch {
	case len(said) > 0:
		return strings.Join(said, "\n"), nil
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

// Writes says why an agent's write of a file below a directory, or its removal, would be asked about or
// denied; "" if it would not.
type Writes func(ctx context.Context, top string, f git.MergedFile) (why string, denied bool)

// Writes judges writes below a directory by the rules of an agent, or of [policy.Any]. What is merged is
// judged by it.
func (l *Launcher) Writes(agent config.Agent, dir string) (Writes, error) {
	files, err := rules.SensitiveFiles(l.Config.Files, nil, dir)
	if err != nil {
		return nil, err
	}
	judge, err := rules.Open(rules.Options{
		Agent: agent, Cwd: dir, Configured: append(ConfiguredRules(l.Config), l.Rules...),
		Store: rules.NewStore(config.StateDir()), Files: l.Config.Files,
	})
	if judge == nil {
		return nil, err
	}
	return func(ctx context.Context, top string, f git.MergedFile) (why string, denied bool) {
		path := filepath.Join(top, filepath.FromSlash(f.Name))
		kinds := []acpclient.ToolKind{acpclient.ToolEdit}
		if f.Removed { // a rule about writing a file is about its removal, too
			kinds = append(kinds, acpclient.ToolDelete)
		}
		for _, kind := range kinds {
			call := &conversation.ToolCall{Kind: kind, Locations: []acpclient.ToolCallLocation{{Path: path}}}
			r := session.Ruling{}
			if !l.NoRules {
				r = judge.Judge(ctx, session.Case{Call: call, Mode: policy.Any, Unasked: true})
			}
			switch {
			case r.Verdict == policy.Deny:
				return "denied by " + r.Rule, true
			case why == "" && (r.Why != "" || r.Rule != ""):
				why = cmp.Or(r.Why, "to be asked about by "+r.Rule)
			}
		}
		switch {
		case why != "":
			return why, false
		case files.Own(path):
			return "it belongs to parley", false
		case files.Match(policy.Reading, path) != "":
			return "it may hold secrets", false
		case files.Match(policy.Writing, path) != "":
			return "it may run commands", false
		case f.Repository:
			return "it is a git repository of its own", false
		case f.Link && git.LeadsOut(f.Name, f.Target):
			return "it is a link that may lead out of the project", false
		}
		return "", false
	}, nil
}
