package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"parley/config"
	"parley/internal/app"
	"parley/internal/compare"
	"parley/internal/git"
	"parley/internal/termtext"
)

// checkWorktree refuses flags that contradict --worktree.
func (o *startOptions) checkWorktree(cmd *cobra.Command) error {
	switch {
	case !o.given("worktree"):
		return nil
	case o.worktree != "" && git.CheckWorktreeName(o.worktree) != nil:
		return misused(cmd, "", "--worktree: %w", git.CheckWorktreeName(o.worktree))
	case o.pick || o.resume != "":
		return misused(cmd, "", "use either --worktree or --resume, not both: a session resumes in its own directory")
	case o.worktree == "" && o.last:
		return misused(cmd, "Name the session's worktree: --worktree=NAME.", "a new worktree has no session to continue")
	}
	return nil
}

// enterWorktree creates or finds the worktree and makes it the session's directory.
func (o *startOptions) enterWorktree(ctx context.Context, cfg *config.Config, agent *config.Agent) error {
	if agent != nil && agent.ID == app.TourID {
		return errors.New("the tour has its own project and no worktree")
	}
	t, err := app.MakeWorktree(ctx, cfg, o.cwd, o.worktree, o.streams.tell)
	if err != nil {
		return err
	}
	o.cwd = t.Place(o.cwd)
	return nil
}

// tellWorktrees prints, for each directory that is a worktree, what it contains and how to
// continue there.
func (o *startOptions) tellWorktrees(ctx context.Context, dirs []string) {
	announced := map[string]bool{}
	for _, dir := range dirs {
		t := git.WorktreeOf(dir)
		if t == nil || announced[t.Path] {
			continue
		}
		announced[t.Path] = true
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

// elsewhere returns the flags that a command needs to find the repository of a worktree:
// none in that repository.
func elsewhere(t *git.Worktree) []string {
	if here, err := app.Directory(""); err == nil && (here == t.From || t.Has(here)) {
		return nil
	}
	return []string{"--cwd", t.From}
}

// worktreeOptions are the flags and arguments of the worktree commands.
type worktreeOptions struct {
	streams *streams
	cwd     string
	name    string
	message string
	force   bool
	json    bool
}

// worktreeCommand returns the command that manages the worktrees made by parley.
func worktreeCommand(s *streams) *cobra.Command {
	o := &worktreeOptions{streams: s}
	cmd := leaf("worktree", `List, diff, merge and drop the git worktrees made by parley
worktree manages the git worktrees that --worktree and compare made for sessions
of this repository. Without a command it lists them. The name is optional within
a worktree, or if there is only one.`, noArguments, func(cmd *cobra.Command, _ []string) error { return o.list(cmd.Context()) })
	cmd.PersistentFlags().StringVar(&o.cwd, "cwd", "", "`DIR` in the repository (default: current)")
	list := o.command("list", "List the worktrees and their unmerged changes", nil)
	list.Args = noArguments
	list.RunE = cmd.RunE
	for _, c := range []*cobra.Command{cmd, list} {
		c.Flags().BoolVar(&o.json, "json", false, "print JSON: a list of objects")
	}
	diff := o.command("diff [NAME]", "Print a worktree's unmerged changes as a patch", o.diff)
	merge := o.command("merge [NAME]", "Merge a worktree into the branch it came from", o.merge)
	merge.Flags().StringVarP(&o.message, "commit", "m", "", "first commit all changes with this `MESSAGE`")
	drop := o.command("drop [NAME]", "Remove a worktree and its branch, or those of a comparison; a ref keeps unmerged work", nil)
	drop.RunE = func(cmd *cobra.Command, _ []string) error { return o.dropNamed(cmd.Context()) }
	drop.Flags().BoolVar(&o.force, "force", false, "even with unmerged or ignored files")
	cmd.AddCommand(list, diff, merge, drop)
	return cmd
}

// command returns a command for one worktree.
func (o *worktreeOptions) command(use, short string, do func(context.Context, *git.Worktree) error) *cobra.Command {
	return leaf(use, short, func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) > 1:
			return misused(cmd, "", "%s takes one name, got %d", cmd.Name(), len(args))
		case cmd.Flags().Changed("commit") && strings.TrimSpace(o.message) == "":
			return misused(cmd, "", "--commit has no message")
		case len(args) == 1:
			o.name = args[0]
		}
		return nil
	}, func(cmd *cobra.Command, _ []string) error {
		t, err := o.find(cmd.Context())
		if err != nil {
			return err
		}
		return do(cmd.Context(), t)
	})
}

// trees returns the worktrees of the repository.
func (o *worktreeOptions) trees(ctx context.Context) (dir string, trees []*git.Worktree, err error) {
	switch dir, err = app.Directory(o.cwd); {
	case err != nil && o.cwd != "":
		return "", nil, fmt.Errorf("--cwd: %w", err)
	case err != nil:
		return "", nil, err
	}
	trees, err = git.Worktrees(ctx, dir)
	return dir, trees, err
}

// find returns the named worktree, or the only one.
func (o *worktreeOptions) find(ctx context.Context) (*git.Worktree, error) {
	dir, trees, err := o.trees(ctx)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, t := range trees {
		if t.Name == o.name || o.name == "" && (t.Has(dir) || len(trees) == 1) {
			return t, nil
		}
		names = append(names, t.Name)
	}
	switch {
	case len(names) == 0:
		return nil, errors.New("this repository has no worktree made by parley")
	case o.name == "":
		return nil, app.WithHint("Name one: "+strings.Join(names, ", "), "there are %d worktrees", len(names))
	}
	return nil, app.WithHint("There are: "+strings.Join(names, ", "), "%q: %w", o.name, git.ErrUnknown)
}

// listedTree is a worktree as --json prints it.
type listedTree struct {
	Name        string   `json:"name"`
	Path        string   `json:"path"`
	Branch      string   `json:"branch"`
	Into        string   `json:"into,omitempty"`
	Commits     int      `json:"commits"`
	Files       []string `json:"files"`
	Uncommitted []string `json:"uncommitted"`
	Error       string   `json:"error,omitempty"`
	// Unfinished means that its creation or removal was interrupted, or is going on.
	Unfinished bool `json:"unfinished,omitempty"`
	// Comparison is what it is for, nil if it belongs to none.
	Comparison *listedComparison `json:"comparison,omitempty"`
}

// listedComparison is the part of a worktree in a comparison.
type listedComparison struct {
	Name  string `json:"name"`
	Agent string `json:"agent"`
	// Prompt is its first line.
	Prompt string `json:"prompt"`
}

// comparisonOf returns the part of a worktree in a comparison, nil if it belongs to none.
func comparisonOf(t *git.Worktree) *listedComparison {
	n, ok := compare.NoteOf(t)
	if !ok {
		return nil
	}
	first, _, _ := strings.Cut(strings.TrimSpace(n.Prompt), "\n")
	return &listedComparison{termtext.Line(n.Comparison), termtext.Line(n.Name), termtext.Line(first)}
}

func (o *worktreeOptions) list(ctx context.Context) error {
	_, trees, err := o.trees(ctx)
	if err != nil {
		return err
	}
	if len(trees) == 0 && !o.json {
		fmt.Fprintln(o.streams.Err, "No worktrees. 'parley --worktree' creates one.")
		return nil
	}
	all := []listedTree{}
	for _, t := range trees {
		l := listedTree{Name: t.Name, Path: t.Path, Branch: t.Branch, Into: t.Into, Files: []string{}, Uncommitted: []string{}}
		what := "unfinished: its creation or removal was interrupted, or is going on; drop removes what is left"
		if l.Unfinished = t.Unfinished; !t.Unfinished {
			k, err := t.Work(ctx)
			if err != nil {
				l.Error = err.Error()
				what = l.Error
			} else {
				l.Commits, l.Files, l.Uncommitted = k.Commits, append(l.Files, k.Files...), append(l.Uncommitted, k.Uncommitted...)
				what = k.String()
			}
		}
		l.Comparison = comparisonOf(t)
		all = append(all, l)
		if o.json {
			continue
		}
		fmt.Fprintf(o.streams.Out, "%s  %s  (%s)\n", t.Name, termtext.Line(t.Path), termtext.Line(what))
		if c := l.Comparison; c != nil {
			fmt.Fprintf(o.streams.Out, "  of the comparison %s, %s: %s\n", c.Name, c.Agent, termtext.Truncate(c.Prompt, 100, "…"))
		}
	}
	if o.json {
		return writeJSON(o.streams.Out, all)
	}
	return nil
}

func (o *worktreeOptions) diff(ctx context.Context, t *git.Worktree) error {
	patch, err := t.Patch(ctx)
	if err != nil {
		return err
	}
	if o.streams.OutTerminal {
		patch = termtext.Block(patch)
	}
	if _, err = fmt.Fprint(o.streams.Out, patch); err != nil {
		return err
	}
	work, err := t.Work(ctx)
	if err == nil {
		for _, name := range work.Inside {
			fmt.Fprintln(o.streams.Err, "Not in the patch is what is not committed in the submodule "+termtext.Line(name))
		}
	}
	return err
}

func (o *worktreeOptions) merge(ctx context.Context, t *git.Worktree) error {
	if o.message != "" {
		if k, err := t.Work(ctx); err != nil {
			return err
		} else if len(k.Uncommitted) > 0 {
			if err := t.Commit(ctx, o.message); err != nil {
				return err
			}
		}
	}
	cfg, err := loadConfig()
	if err != nil {
		return err
	}
	m, err := (&app.Launcher{Config: cfg}).PlanMerge(ctx, t)
	switch {
	case errors.Is(err, git.ErrUncommitted):
		return app.WithHint(commandLine("parley worktree merge "+t.Name+" --commit", "MESSAGE")+" commits them first.", "%w", err)
	case err != nil:
		return err
	case len(m.Denied) > 0:
		return m.Refused()
	case len(m.Asked) > 0:
		fmt.Fprintln(o.streams.Err, m.Asks())
		if !o.streams.InTerminal || !o.streams.ErrTerminal || !agreed(ctx, o.streams, "Merge them?") {
			return app.WithHint("To merge all the same: "+commandLine("git merge", t.Branch), "nothing was merged")
		}
	}
	text, err := m.Do(ctx)
	if err == nil {
		fmt.Fprintln(o.streams.Out, text+" To drop it: parley worktree drop "+t.Name)
	}
	return err
}

// dropNamed drops a worktree, or all of a comparison.
func (o *worktreeOptions) dropNamed(ctx context.Context) error {
	_, trees, err := o.trees(ctx)
	if err != nil {
		return err
	}
	trees = slices.DeleteFunc(trees, func(t *git.Worktree) bool {
		c := comparisonOf(t)
		return c == nil || c.Name != o.name
	})
	if o.name == "" || len(trees) == 0 {
		t, err := o.find(ctx)
		if err != nil {
			return err
		}
		trees = []*git.Worktree{t}
	}
	return o.drop(ctx, trees)
}

// drop drops worktrees, all or none unless one cannot be removed.
func (o *worktreeOptions) drop(ctx context.Context, trees []*git.Worktree) error {
	var refused, lost []string
	for _, t := range trees {
		working, err := app.WorksIn(t.Path)
		switch {
		case err != nil:
			return err
		case working:
			return app.WithHint("Close it first: it is open in another parley.", "a session works in the worktree %s", t.Name)
		}
		if err := t.Restore(ctx); err != nil {
			return err
		}
		work := &git.WorktreeWork{}
		if !t.Gone() {
			if work, err = t.Work(ctx); err != nil {
				return err
			}
		}
		if left := app.LeftInWorktree(work); left != "" {
			what := "are not merged"
			if work.Empty() {
				what = "git ignores"
			}
			refused = append(refused, fmt.Sprintf("the worktree %s has files that %s", t.Name, what))
			if len(trees) > 1 {
				left = t.Name + ": " + left
			}
			lost = append(lost, left)
		}
	}
	if len(refused) > 0 && !o.force {
		return app.WithHint("Use --force to drop it anyway.\n"+strings.Join(lost, "\n"), "%s", strings.Join(refused, "\n"))
	}
	for _, t := range trees {
		text, err := app.DropEmptyWorktree(ctx, t)
		if err != nil {
			return err
		}
		fmt.Fprintln(o.streams.Out, "dropped the worktree "+t.Name+"\n"+text)
	}
	return nil
}
