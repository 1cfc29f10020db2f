package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"parley/config"
	"parley/internal/app"
	"parley/internal/compare"
	"parley/internal/conversation"
	"parley/internal/git"
	"parley/internal/headless"
	"parley/internal/journal"
	"parley/internal/policy"
	"parley/internal/termtext"
)

// compareOptions are the flags and arguments of compare.
type compareOptions struct {
	runOptions
	agents      []string
	check, keep string
	changes     bool
	noWorktrees bool
}

// keepBest is what --keep takes.
const keepBest = "best-check"

// compareCommand returns the command that gives one prompt to several agents.
func compareCommand(s *streams) *cobra.Command {
	o := &compareOptions{runOptions: runOptions{startOptions: startOptions{streams: s}}}
	cmd := leaf("compare -a AGENT -a AGENT [flags] PROMPT", fmt.Sprintf(`Send a prompt to several agents at once and compare what they do
compare sends a prompt to %d to %d agents at once, or to one with several models,
modes or options. Each works in a git worktree of its own, which begins at the last
commit. At the end a table says what each has done; the worktrees stay. Prompt,
rules and limits are as for 'parley run'; --max-cost is for all of them together.

With --check, a command tests what each has done, in its worktree. --keep best-check
then merges the changes of one that has passed into the working tree, uncommitted:
the one with the fewest changed lines; of equals, the first.

With --no-worktrees, also outside a git repository, all of them work in the same
directory: parley denies edits and commands, and prints the answers.

The exit codes are those of 'parley run': 0 if all have answered, otherwise that of the
first that has not. With --check it is 0 if one has passed, otherwise 14. An interrupt, or
an agent that did what a rule denies, comes first.`, compare.Least, compare.Most), o.takeCompareArgs, func(cmd *cobra.Command, _ []string) error { return o.compare(cmd) })
	cmd.Example = `  parley compare -a claude -a codex "What does this project do?"
  parley compare -a claude:model=opus -a claude:model=haiku,mode=plan -f prompt.md
  parley compare -a claude -a codex --allow edit --allow 'execute(go test *)' \
    --check "go test ./..." --keep best-check "Make the tests pass"
  parley compare -a claude -a codex --no-worktrees "What does this project do?"`
	f := cmd.Flags()
	f.StringArrayVarP(&o.agents, "agent", "a", nil, "one of the `AGENT`s, with settings behind a colon: claude:model=opus,mode=plan; repeat it")
	f.StringVar(&o.cwd, "cwd", "", "`DIR` in the repository (default: current)")
	protocolFlag(f, &o.protocol)
	f.BoolVar(&o.sandbox, "sandbox", false, "run the agents, their commands and the check in the sandbox")
	f.StringArrayVarP(&o.prompts, "prompt", "p", nil, "send this `TEXT`")
	f.StringArrayVarP(&o.files, "file", "f", nil, "read the prompt from `FILE`, - for standard input")
	o.workFlags(f)
	f.StringVar(&o.output, "output", outputText, "output `FORMAT`: text or json (a list of objects)")
	f.StringVar(&o.check, "check", "", "run this shell `COMMAND` in each worktree when its agent has ended")
	f.StringVar(&o.keep, "keep", "", "`"+keepBest+"`: merge the best of those that have passed the check")
	f.BoolVar(&o.changes, "with-changes", false, "begin with the uncommitted changes, too")
	f.BoolVar(&o.noWorktrees, "no-worktrees", false, "all work in the same directory, and change nothing")
	excludes(cmd, "no-worktrees", "check", "with-changes", "allow")
	return cmd
}

// takeCompareArgs takes the prompt, and checks it and the flags.
func (o *compareOptions) takeCompareArgs(cmd *cobra.Command, args []string) error {
	o.cmd = cmd
	if cmd.Flags().Changed("protocol") && !config.KnownProtocol(o.protocol) {
		return misused(cmd, "", "--protocol must be v1 or auto, not %q", o.protocol)
	}
	switch n := len(o.agents); {
	case n < compare.Least || n > compare.Most:
		return misused(cmd, "Example: parley compare -a claude -a codex PROMPT", "a comparison has %d to %d agents, not %d", compare.Least, compare.Most, n)
	case len(args)+len(o.prompts)+len(o.files) > 1:
		return misused(cmd, "Put the prompt in quotes.", "one prompt, not %d", len(args)+len(o.prompts)+len(o.files))
	case o.output != outputText && o.output != outputJSON:
		return misused(cmd, "", "--output must be text or json, not %q", o.output)
	case cmd.Flags().Changed("check") && strings.TrimSpace(o.check) == "":
		return misused(cmd, "", "--check has no command")
	case cmd.Flags().Changed("keep") && o.keep != keepBest:
		return misused(cmd, "", "--keep must be %s, not %q", keepBest, o.keep)
	case o.keep != "" && o.check == "":
		return misused(cmd, "", "--keep %s needs --check", keepBest)
	}
	o.prompts = slices.Concat(args, o.prompts)
	return o.checkBounds(cmd)
}

// contestant is an agent of a comparison with its session.
type contestant struct {
	headless.Compared
	side    *compare.Side // nil without worktrees
	agent   config.Agent
	opt     headless.Options
	session app.Session // nil if it could not be made
}

// contest runs the contestants.
type contest struct {
	*compare.Contest
	o        *compareOptions
	launcher *app.Launcher
	all      []*contestant
	checks   context.Context // an interrupt ends it

	mu sync.Mutex // for what they have spent, and for the standard streams
}

// compare runs the comparison, and returns an error unless it has ended well.
func (o *compareOptions) compare(cmd *cobra.Command) error {
	ctx, _, stop := interruptible(cmd.Context())
	defer stop()
	opt, err := o.work(cmd)
	if err != nil {
		return err
	}
	cfg, err := o.configuration()
	if err != nil {
		return err
	}
	var entrants []compare.Entrant
	for _, word := range o.agents {
		e, err := compare.ParseEntrant(cfg, word)
		if err != nil {
			return err
		}
		entrants = append(entrants, e)
	}
	l := o.launcher(cfg)
	l.Unattended, l.MaxCost, l.WaitForLimit, l.Warn = true, o.maxCost, o.waitForLimit, o.streams.warn
	if err := o.rules(cmd, l); err != nil {
		return err
	}
	if o.noWorktrees {
		denyChanges(l)
	}
	defer l.Close()
	for i := range entrants {
		if err := l.CheckSandbox(&entrants[i].Agent); err != nil {
			return err
		}
	}
	c := &contest{o: o, launcher: l}
	for range entrants { // the system gives each the interrupts
		_, interrupts, stop := interruptible(ctx)
		defer stop()
		c.all = append(c.all, &contestant{opt: headless.Options{Interrupts: interrupts}})
	}
	c.checks, stop = signal.NotifyContext(ctx, os.Interrupt)
	defer stop()
	if cmd.Context().Err() != nil {
		return tooEarly()
	}
	defer supervise(ctx)()
	if err := c.begin(ctx, cfg, opt, entrants); err != nil {
		return err
	}
	var working sync.WaitGroup
	for _, k := range c.all {
		working.Go(func() { c.work(ctx, k) })
	}
	working.Wait()

	status := headless.Overall(c.results(), o.check != "", c.checks.Err() != nil)
	err = c.outcome(status)
	if o.keep != "" && status == headless.Answered {
		err = c.keepBest(context.WithoutCancel(ctx))
	}
	err = errors.Join(err, c.print(cfg))
	if !o.noWorktrees {
		c.tellWhere()
	}
	return err
}

// denyChanges denies all that changes files, for agents that share a directory.
func denyChanges(l *app.Launcher) {
	for _, kind := range []policy.Kind{policy.Edit, policy.Delete, policy.Move, policy.Execute} {
		l.Rules = append(l.Rules, policy.Rule{Verdict: policy.Deny, Kind: kind, Source: "--no-worktrees"})
	}
}

// begin makes the worktrees and the sessions. Without worktrees the sides are nil.
func (c *contest) begin(ctx context.Context, cfg *config.Config, opt headless.Options, entrants []compare.Entrant) error {
	o := c.o
	opt.Began = time.Now()
	early, enough := o.bounded(c.checks)
	defer enough()
	opt.WaitsAtLimit, opt.Unruled = c.launcher.WaitsAtLimit(), c.launcher.NoRules
	comparison := &compare.Comparison{Sides: make([]*compare.Side, len(entrants))}
	if o.noWorktrees {
		o.streams.tell("All agents work in " + termtext.Line(o.cwd) + ". parley denies edits and commands, but cannot stop an agent that does not ask")
	} else {
		var err error
		comparison, err = compare.Begin(early, compare.Options{Config: cfg, Dir: o.cwd, Prompt: opt.Prompts[0], Check: o.check, Entrants: entrants, Changes: o.changes, Tell: o.streams.tell})
		if errors.Is(err, git.ErrNoRepository) {
			return app.WithHint("'git init' makes it one; each agent works in a git worktree of its own.\n"+
				"To have them answer side by side, without changes: --no-worktrees", "%w", err)
		}
		if err != nil && errors.Is(early.Err(), context.DeadlineExceeded) {
			return &failure{context.Cause(early), headless.TimedOut.ExitCode()}
		}
		if err != nil {
			return err
		}
	}
	if comparison.Without != "" {
		o.streams.tell(comparison.Without)
	}
	c.Contest = compare.NewContest(comparison)
	c.Session = func(side int) app.Session { return c.all[side].session }
	c.Run = func(ctx context.Context, side int) (compare.Checked, error) {
		return c.launcher.RunFor(ctx, c.Sides[side].Agent, c.Sides[side].Dir, o.check, o.timeout)
	}
	names := compare.Names(entrants)
	for i, e := range entrants {
		c.all[i].Name, c.all[i].side, c.all[i].agent = names[i], comparison.Sides[i], e.Agent
	}
	if err := c.prepare(early); err != nil {
		return err
	}
	for i, e := range entrants {
		k := c.all[i]
		opt.Interrupts = k.opt.Interrupts
		k.opt = opt
		k.opt.Mode = cmp.Or(e.Mode, opt.Mode)
		k.opt.Settings = slices.DeleteFunc(slices.Clone(opt.Settings), func(s headless.Setting) bool { return e.Options[s.Option] != "" })
		for _, id := range slices.Sorted(maps.Keys(e.Options)) {
			k.opt.Settings = append(k.opt.Settings, headless.Setting{Option: id, Value: e.Options[id]})
		}
		k.agent = overruled(e.Agent, k.opt)
		dir := o.cwd
		if k.side != nil {
			dir = k.side.Dir
			k.Worktree = &headless.ComparedTree{Name: k.side.Tree.Name, Path: k.side.Tree.Path, Branch: k.side.Tree.Branch}
		}
		if errors.Is(early.Err(), context.DeadlineExceeded) { // in a worktree that is half set up
			k.Result = headless.Unstarted(headless.TimedOut, context.Cause(early))
		} else if made, err := c.launcher.Make(ctx, app.Spec{Agent: &k.agent, Cwd: dir}); err != nil {
			k.Result = headless.Unstarted(headless.AgentFailed, err)
		} else {
			k.session = made.Session
		}
		k.opt.Tell = func(line string) { c.tell(k, line) }
		if o.streams.ErrTerminal {
			k.opt.Progress = k.opt.Tell
		}
		k.opt.Spent = func(s conversation.Spent) {
			c.mu.Lock()
			defer c.mu.Unlock()
			k.Spent = s
			c.Spent(i, s)
		}
	}
	return nil
}

// prepare prepares the worktrees, all at once.
func (c *contest) prepare(ctx context.Context) error {
	var preparing sync.WaitGroup
	for _, k := range c.all {
		if k.side == nil {
			continue
		}
		preparing.Go(func() {
			tell := func(line string) { c.tell(k, line) }
			notes := c.launcher.Prepare(ctx, app.Spec{Agent: &k.agent, Cwd: k.side.Dir}, preparation(tell, true))
			c.o.streams.tellNotes(notes, tell)
		})
	}
	preparing.Wait()
	if c.checks.Err() != nil {
		c.tellWhere()
		return tooEarly()
	}
	return nil
}

// tell prints a line about a contestant on standard error.
func (c *contest) tell(k *contestant, line string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	fmt.Fprintln(c.o.streams.Err, k.Name+": "+line)
}

// work has a contestant work, and checks what it has done.
func (c *contest) work(ctx context.Context, k *contestant) {
	began, bounds := time.Now(), ""
	if k.session != nil {
		k.Result = headless.Run(ctx, k.session, k.opt)
		bounds = k.session.About().Bounds
	}
	k.Took = time.Since(began)
	if err := outcome(k.Result, k.agent, bounds, commandLine("parley", "-a", k.agent.ID)); err != nil {
		for line := range strings.Lines(err.Error()) {
			c.tell(k, termtext.Line(line))
		}
		if h, ok := errors.AsType[*app.HintError](err); ok && h.Hint != "" {
			c.tellEnd(k, h.Hint)
		}
	} else {
		c.tell(k, "answered")
	}
	if k.side == nil || k.session == nil {
		return
	}
	side := slices.Index(c.Sides, k.side)
	changed, err := k.side.Changed(context.WithoutCancel(ctx))
	if err != nil {
		c.tell(k, "cannot read its changes: "+termtext.Line(err.Error()))
		return
	}
	c.States[side].Changed = changed
	k.Changed = changed.Tally()
	if c.o.check == "" || !ended(k.Result) || c.checks.Err() != nil {
		return
	}
	check, err := c.Test(c.checks, side)
	switch {
	case c.checks.Err() != nil:
		c.tell(k, "the check was interrupted")
		return
	case err != nil:
		c.tell(k, "the check did not run: "+termtext.Line(err.Error()))
		return
	}
	k.Check = &check
	if check.Passed {
		c.tell(k, "passed the check")
		return
	}
	c.tell(k, "failed the check: "+termtext.Line(check.Why))
	c.tellEnd(k, check.Output)
}

// ended reports whether the agent has ended its turn by itself.
func ended(r *headless.Result) bool {
	return len(r.Turns) > 0 && r.StopReason != "" && r.Status != headless.Cancelled && r.Status != headless.AgentFailed
}

// tellEnd prints the last lines of an output.
func (c *contest) tellEnd(k *contestant, output string) {
	const most = 10
	output = strings.TrimSpace(output)
	if output == "" {
		return
	}
	lines := strings.Split(output, "\n")
	for _, line := range lines[max(0, len(lines)-most):] {
		c.tell(k, "  "+termtext.Line(line))
	}
}

// results returns what the contestants have done.
func (c *contest) results() (all []headless.Compared) {
	for _, k := range c.all {
		all = append(all, k.Compared)
	}
	return all
}

// outcome returns the error for the status of the comparison.
func (c *contest) outcome(s headless.Status) error {
	switch s {
	case headless.Answered:
		return nil
	case headless.CheckFailed:
		return &failure{errors.New("no agent has passed the check"), s.ExitCode()}
	case headless.Cancelled:
		return &failure{errors.New("interrupted"), s.ExitCode()}
	}
	var names []string
	for _, k := range c.all {
		if k.Status == s {
			names = append(names, k.Name)
		}
	}
	return &failure{fmt.Errorf("%s: %s", strings.ReplaceAll(string(s), "_", " "), strings.Join(names, ", ")), s.ExitCode()}
}

// keepBest merges the best of those that have passed the check into the working tree.
func (c *contest) keepBest(ctx context.Context) error {
	best := headless.Best(c.results())
	if best < 0 {
		return &failure{errors.New("nothing was merged: those that have passed the check changed nothing"), headless.CheckFailed.ExitCode()}
	}
	k, changed := c.all[best], c.States[best].Changed
	if changed.More > 0 {
		return app.WithHint(compare.TooMany(k.side.Tree), "nothing was merged: %s has changed %d files", k.Name, k.Changed.Files)
	}
	into := c.Journal(c.launcher)
	writes, err := into.Writes(k.agent)
	if err != nil {
		return err
	}
	judged, err := c.Judge(ctx, writes, changed, changed.All())
	if err != nil {
		return err
	}
	if len(judged.Why) > 0 {
		c.tell(k, "not merged, because a write to it would be asked about: "+strings.Join(judged.Why, ", ")+". In parley, /compare takes it")
	}
	if len(judged.Denied) > 0 {
		c.tell(k, "not merged, because a rule denies it: "+strings.Join(judged.Denied, ", "))
	}
	if len(judged.Free) == 0 && len(judged.Why)+len(judged.Denied) > 0 {
		return fmt.Errorf("nothing was merged of %s: all that it has changed would be asked about or is denied", k.Name)
	}
	done, err := c.Keep(ctx, into, k.side, changed, judged.Free)
	switch {
	case errors.Is(err, journal.ErrNothing):
		c.tell(k, "is the best, and its changes are in the working tree already")
	case err != nil:
		return fmt.Errorf("%s of %s: %w", journal.Outcome("merged", err), k.Name, err)
	default:
		k.Kept = true
		c.tell(k, "is the best: merged "+termtext.Count(len(done.Files), "file")+" into "+termtext.Line(c.Dir)+", uncommitted")
	}
	return nil
}

// print prints the results in the chosen format.
func (c *contest) print(cfg *config.Config) error {
	s, all := c.o.streams, c.results()
	if c.o.output == outputJSON {
		b, err := headless.ComparedJSON(all)
		if err == nil {
			_, err = s.Out.Write(b)
		}
		return err
	}
	if c.o.noWorktrees {
		draw := markdownWriter(s, cfg)
		for _, r := range all {
			if err := draw("# " + r.Name + "\n\n" + cmp.Or(strings.TrimSpace(r.Text), "("+termtext.Line(r.Message)+")") + "\n"); err != nil {
				return err
			}
		}
	}
	_, err := fmt.Fprintln(s.Out, strings.Join(headless.ComparedTable(all), "\n"))
	return err
}

// tellWhere says how to go on with the worktrees.
func (c *contest) tellWhere() {
	first := c.Sides[0].Tree
	what, verbs := "see, merge or drop", "diff|merge|drop"
	if first.Into == "" { // it has no branch to merge into
		what, verbs = "see or drop", "diff|drop"
	}
	var args []string
	if here, err := app.Directory(""); err != nil || here != c.Dir {
		args = []string{"--cwd", c.Dir}
	}
	fmt.Fprintf(c.o.streams.Err, "The worktrees are in %s. In parley, /compare shows them side by side, and keeps what you choose.\n"+
		"To %s one: %s\nTo drop all: %s\n", termtext.Line(filepath.Dir(first.Path)), what,
		commandLine("parley worktree "+verbs+" NAME", args...), commandLine("parley worktree drop "+c.Name, args...))
}
