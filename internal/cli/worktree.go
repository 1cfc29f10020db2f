package cli

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"parley/config"
	"parley/internal/app"
	"parley/internal/git"
	"parley/internal/termtext"
)

// worktreeFlag adds --worktree to the flags of a command that makes sessions.
func (o *startOptions) worktreeFlag(f *pflag.FlagSet) {
	f.StringVar(&o.worktree, "worktree", "", "work in a git worktree and branch of this `NAME`, new or existing; without =NAME parley invents one")
}

// checkWorktree finds contradictions between --worktree and other flags. A session that
// is stored has a directory of its own, where stored ones can be gone on with.
func (o *startOptions) checkWorktree(cmd *cobra.Command, stored bool) error {
	o.apart = cmd.Flags().Changed("worktree")
	switch {
	case !o.apart:
		return nil
	case o.worktree != "" && git.CheckWorktreeName(o.worktree) != nil:
		return misused(cmd, "", "--worktree: %w", git.CheckWorktreeName(o.worktree))
	case stored && (o.pick || o.resume != ""):
		return misused(cmd, "", "use either --worktree or --resume, not both: a session resumes in its own directory")
	case o.worktree == "" && (o.last || o.resume != ""):
		return misused(cmd, "Name the session's worktree: --worktree=NAME.", "a new worktree has no session to continue")
	}
	return nil
}

// enterWorktree makes the worktree that is wanted, or finds it, and makes it the
// session's directory.
func (o *startOptions) enterWorktree(ctx context.Context, cfg *config.Config, agent *config.Agent) error {
	if agent != nil && agent.ID == app.TourID {
		return errors.New("the tour has its own project and no worktree")
	}
	t, err := app.MakeWorktree(ctx, cfg, o.cwd, o.worktree)
	if err != nil {
		return err
	}
	o.cwd = t.Path
	return nil
}

// tellWorktrees says of each of the directories that is a worktree what is in it, and
// how to go on: nothing on the ordinary screen tells that it is there.
func (o *startOptions) tellWorktrees(ctx context.Context, dirs []string) {
	told := map[string]bool{}
	for _, dir := range dirs {
		t := git.WorktreeAt(dir)
		if t == nil || told[dir] {
			continue
		}
		told[dir] = true
		what := ""
		work, err := t.Work(ctx)
		if err != nil {
			what = "cannot read its contents: " + err.Error()
		} else {
			what = work.String()
		}
		fmt.Fprintf(o.streams.Err, "The worktree %s is in %s, on the branch %s: %s.\n", t.Name, termtext.Line(t.Path), t.Branch, termtext.Line(what))
		args := elsewhere(t)
		fmt.Fprintln(o.streams.Err, "To continue there: "+commandLine("parley --worktree="+t.Name, args...))
		label, verbs := "To see, merge or drop it: ", "diff|merge|drop"
		if err == nil && work.Empty() {
			label, verbs = "To drop it: ", "drop"
		}
		fmt.Fprintln(o.streams.Err, label+commandLine("parley worktree "+verbs+" "+t.Name, args...))
	}
}

// elsewhere are the flags that lead a command to the repository of a worktree, none if
// it is that of this directory.
func elsewhere(t *git.Worktree) []string {
	if here, err := os.Getwd(); err == nil && (here == t.From || here == t.Path) {
		return nil
	}
	return []string{"--cwd", t.From}
}
