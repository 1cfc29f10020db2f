package app

import (
	"fmt"
	"strings"

	"parley/internal/git"
	"parley/internal/termtext"
)

// MergeWorktreeQuestion asks whether to merge the commits of a worktree. The front end
// carries out the first choice.
func MergeWorktreeQuestion(tree *git.Worktree, work *git.WorktreeWork) Question {
	return Question{
		Title:   "Merge into " + termtext.Line(tree.Into) + "?",
		Text:    fmt.Sprintf("%s of the worktree, with changes of these files:\n%s", termtext.Count(work.Commits, "commit"), Bulleted(work.Files)),
		Choices: []Choice{{Name: "Merge", Key: "m"}, {Name: "Do nothing", Key: "n"}},
	}
}

// DropWorktreeQuestion asks whether to drop a worktree, and lists what is unmerged in it.
// The front end carries out the second choice.
func DropWorktreeQuestion(tree *git.Worktree, work *git.WorktreeWork) Question {
	text := "The directory and the branch " + tree.Branch + " are removed, and the agent is ended. Everything in it is merged."
	if !work.Empty() {
		text = fmt.Sprintf("The directory and the branch %s are removed, and the agent is ended.\n\nNot merged are %s:\n%s\nThat stays in the repository, under refs/parley/dropped.",
			tree.Branch, work, Bulleted(work.Files))
	}
	if len(work.Ignored) > 0 {
		text += "\nWhat git ignores is lost for good:\n" + Bulleted(work.Ignored)
	}
	return Question{
		Title: "Drop the worktree " + tree.Name + "?", Text: text,
		Choices: []Choice{{Name: "Keep it", Key: "k"}, {Name: "Drop it", Key: "d", Risky: true}},
	}
}

// mostBullets bounds the names that a question lists.
const mostBullets = 12

// Bulleted returns the names as a list, shortened if too long.
func Bulleted(names []string) string {
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
