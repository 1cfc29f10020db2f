package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"parley/config"
	"parley/internal/app"
	"parley/internal/conversation"
	"parley/internal/headless"
	"parley/internal/policy"
	"parley/internal/store"
)

// runOptions are the flags and arguments of run.
type runOptions struct {
	startOptions
	prompts  []string
	files    []string
	output   string
	mode     string
	options  []string
	timeout  time.Duration
	maxTurns int
	maxCost  float64

	waitForLimit bool
	allow        []string
	deny         []string
	detach       bool
}

// The output formats.
const (
	outputText   = "text"
	outputJSON   = "json"
	outputStream = "stream-json"
)

var outputs = []string{outputText, outputJSON, outputStream}

// runCommand returns the command that works with an agent without a screen.
func runCommand(s *streams) *cobra.Command {
	o := &runOptions{startOptions: startOptions{streams: s}}
	var outcomes strings.Builder
	for _, c := range headless.Outcomes {
		fmt.Fprintf(&outcomes, "\n  %2d  %s", c.Code, c.Means)
	}
	cmd := leaf("run [flags] PROMPT [-- COMMAND ARG...]", `Send a prompt to an agent and print its answer
run sends a prompt to an agent, prints the answer, and exits. The prompt is an
argument (also after -p), a file (-f) or standard input. Several are sent one after
the other, in one session.

Anything no rule allows is denied, and standard error says which flag would allow it.
Forms are declined. An agent that wants you to sign in is stopped.

With --detach, the session keeps running in a process of its own: run queues the
prompts, prints the ID of the session and exits. Questions wait for 'parley answer'
or 'parley attach'; 'parley wait' waits for the answer.`, o.takeRunArgs, func(cmd *cobra.Command, _ []string) error { return o.run(cmd) })
	cmd.Example = `  parley run -a claude "What does this project do?"
  git diff | parley run -a claude -f -
  parley run --allow edit --allow 'execute(go test *)' "Make the tests pass" -- my-agent --acp
  parley run --output json -f first.md -f second.md
  parley run --continue "And now the documentation"
  parley run --detach "Tidy up"    print the ID of a session that keeps running

Exit codes:` + outcomes.String()
	f := cmd.Flags()
	f.StringVarP(&o.agent, "agent", "a", "", "agent `NAME`: configured, known, or \"tour\"")
	o.sessionFlags(f)
	f.StringArrayVarP(&o.prompts, "prompt", "p", nil, "send this `TEXT`; may be repeated")
	f.StringArrayVarP(&o.files, "file", "f", nil, "read the prompt from `FILE`, - for standard input; may be repeated")
	o.workFlags(f)
	f.StringVar(&o.output, "output", outputText, "output `FORMAT`: text, json (one object at the end) or stream-json (one event per line)")
	f.StringVar(&o.resume, "resume", "", "resume the session with this `ID`, parley's or the agent's")
	f.IntVar(&o.maxTurns, "max-turns", 0, "send at most `N` prompts")
	f.StringVar(&o.record, "record", "", "record the session in this new `FILE`; 'parley replay FILE' plays it")
	f.BoolVar(&o.detach, "detach", false, "keep the session running, print its ID and exit")
	excludes(cmd, "detach", "output", "timeout", "max-turns", "record")
	excludes(cmd, "continue", "resume")
	excludes(cmd, "connect", "agent")
	return cmd
}

// workFlags adds the flags of the commands that work without a screen.
func (o *runOptions) workFlags(f *pflag.FlagSet) {
	f.StringVar(&o.mode, "mode", "", "mode, by `ID` or name")
	f.StringArrayVar(&o.options, "option", nil, "set an option, `ID=VALUE`; may be repeated")
	f.DurationVar(&o.timeout, "timeout", 0, "cancel after this `TIME`, such as 90s or 10m")
	f.Float64Var(&o.maxCost, "max-cost", 0, "end the turn when the session has cost `AMOUNT`, in the agent's currency")
	f.BoolVar(&o.waitForLimit, "wait-for-limit", false, "at a limit of your plan, wait until it resets and send the prompt again")
	f.StringArrayVar(&o.allow, "allow", nil, "allow by this `RULE`, such as edit or 'execute(go test *)'; none: ignore all allow rules; may be repeated")
	f.StringArrayVar(&o.deny, "deny", nil, "deny by this `RULE`; may be repeated")
}

// checkBounds refuses bounds that are none.
func (o *runOptions) checkBounds(cmd *cobra.Command) error {
	switch {
	case o.timeout < 0 || cmd.Flags().Changed("timeout") && o.timeout == 0:
		return misused(cmd, "", "--timeout must be positive")
	case cmd.Flags().Changed("max-cost") && !(o.maxCost > 0 && o.maxCost <= math.MaxFloat64):
		return misused(cmd, "", "--max-cost must be above 0")
	}
	return nil
}

// takeRunArgs takes the prompt and the agent's command, and checks them and the flags.
func (o *runOptions) takeRunArgs(cmd *cobra.Command, args []string) error {
	before, err := o.takeSession(cmd, args, "parley run PROMPT -- my-agent --acp")
	if err != nil {
		return err
	}
	switch {
	case o.pick:
		return misused(cmd, "'parley sessions' lists them.", "--resume needs the ID of a session here")
	case len(before) > 1:
		return misused(cmd, "Put the prompt in quotes: "+commandLine("parley run", strings.Join(before, " ")),
			"at most one prompt, not %d: use -p or -f for others", len(before))
	case !slices.Contains(outputs, o.output):
		return misused(cmd, "", "--output must be text, json or stream-json, not %q", o.output)
	case o.maxTurns < 0 || cmd.Flags().Changed("max-turns") && o.maxTurns == 0:
		return misused(cmd, "", "--max-turns must be 1 at least")
	}
	if err := o.checkBounds(cmd); err != nil {
		return err
	}
	o.prompts = slices.Concat(before, o.prompts)
	return o.checkAgent(cmd)
}

// run sends the prompts and returns an error unless all were answered.
func (o *runOptions) run(cmd *cobra.Command) error {
	ctx, interrupts, stop := interruptible(cmd.Context())
	defer stop()
	opt, err := o.work(cmd)
	if err != nil {
		return err
	}
	opt.Interrupts = interrupts
	if o.detach {
		return o.runDetached(ctx, cmd, opt)
	}
	recording, err := app.CreateRecording(o.record) // before anything else is created
	if err != nil {
		return err
	}
	defer recording.Close()
	opt.Began = time.Now()
	early, enough := o.bounded(cmd.Context())
	defer enough()
	l, open, agent, err := o.prepare(early, cmd)
	if err != nil {
		return o.unlessLate(early, opt, err)
	}
	l.Warn = o.streams.warn
	defer l.Close()
	l.Recording = recording
	o.agent = agent.ID
	*agent = overruled(*agent, opt)
	opt.Unruled, opt.WaitsAtLimit = l.NoRules, l.WaitsAtLimit()
	if cmd.Context().Err() != nil {
		return tooEarly()
	}
	defer supervise(ctx)()
	s, err := o.begin(ctx, early, l, open, agent)
	if err != nil {
		return o.unlessLate(early, opt, err)
	}
	finish := o.write(&opt, l.Config)
	r := headless.Run(ctx, s, opt)
	err = errors.Join(o.outcome(r, *agent, s.About().Bounds), finish(r), recording.Close())
	if o.given("worktree") {
		o.tellWorktrees(context.WithoutCancel(ctx), []string{o.cwd})
	}
	return err
}

// bounded returns the context for what comes before there is a session: --timeout counts there, too.
func (o *runOptions) bounded(ctx context.Context) (context.Context, context.CancelFunc) {
	if o.timeout == 0 {
		return ctx, func() {}
	}
	return context.WithTimeoutCause(ctx, o.timeout, fmt.Errorf("timed out after %v", o.timeout))
}

// unlessLate returns an error of what comes before there is a session, or prints the result and returns the error
// of a --timeout that has expired then.
func (o *runOptions) unlessLate(early context.Context, opt headless.Options, err error) error {
	if !errors.Is(early.Err(), context.DeadlineExceeded) {
		return err
	}
	r := headless.Unstarted(headless.TimedOut, context.Cause(early))
	return errors.Join(o.outcome(r, config.Agent{}, ""), o.write(&opt, &config.Config{})(r))
}

// tooEarly returns the error for an interrupt before there is a turn to cancel.
func tooEarly() error {
	return &failure{errors.New("interrupted before the prompt was sent"), headless.Cancelled.ExitCode()}
}

// prepare returns the launcher, the stored session to open, if any, and the agent. It finds
// all mistakes before the agent is started.
func (o *runOptions) prepare(ctx context.Context, cmd *cobra.Command) (*app.Launcher, *app.Spec, *config.Agent, error) {
	cfg, err := o.configuration()
	if err != nil {
		return nil, nil, nil, err
	}
	l := o.launcher(cfg)
	l.Unattended, l.MaxCost, l.WaitForLimit = !o.detach, o.maxCost, o.waitForLimit
	if err := o.rules(cmd, l); err != nil {
		return nil, nil, nil, err
	}
	agent, err := o.named(cfg)
	switch {
	case err != nil:
		return nil, nil, nil, err
	case agent == nil && !o.last && o.resume == "":
		return nil, nil, nil, o.noAgent(cmd)
	}
	if o.given("worktree") {
		if err := o.enterWorktree(ctx, cfg, agent); err != nil {
			return nil, nil, nil, err
		}
	}
	lib := store.NewLibrary(l.Store)
	defer lib.Close()
	open, err := o.stored(ctx, l, lib, agent)
	switch {
	case err != nil:
		return nil, nil, nil, err
	case open == nil && o.last:
		return nil, nil, nil, o.nothingHere()
	case open == nil && agent == nil:
		return nil, nil, nil, o.noAgent(cmd)
	case open != nil:
		if agent, err = storedAgent(l, *open); err != nil {
			return nil, nil, nil, err
		}
	}
	l.Cwd = o.cwd
	if err := l.CheckSandbox(agent); err != nil {
		l.Close()
		return nil, nil, nil, err
	}
	return l, open, agent, nil
}

// noAgent returns the error for a prompt without an agent.
func (o *runOptions) noAgent(cmd *cobra.Command) error {
	return misused(cmd, "Name one: parley run -a NAME, parley run PROMPT -- COMMAND, or default_agent in "+config.ConfigFile(),
		"no agent to send the prompt to")
}

// rules adds the rules of the command line to those of the configuration.
func (o *runOptions) rules(cmd *cobra.Command, l *app.Launcher) error {
	l.NoRules = slices.Contains(o.allow, "none")
	if l.NoRules && len(o.allow) > 1 {
		return misused(cmd, "", "use either --allow none or other --allow flags, not both")
	}
	add := func(v policy.Verdict, flag string, list []string) error {
		for _, text := range list {
			if text == "none" && v == policy.Allow {
				continue
			}
			r, err := policy.ParseFor(v, strings.TrimPrefix(text, v.String()+" "))
			if err != nil {
				return misused(cmd, "A rule is a kind of tool, with what it is about in parentheses: edit, 'execute(go test *)'.", "%s: %w", flag, err)
			}
			r.Source = flag
			l.Rules = append(l.Rules, r)
		}
		return nil
	}
	return errors.Join(add(policy.Allow, "--allow", o.allow), add(policy.Deny, "--deny", o.deny))
}

// work collects the prompts and settings.
func (o *runOptions) work(cmd *cobra.Command) (headless.Options, error) {
	opt := headless.Options{Mode: o.mode, MaxTurns: o.maxTurns, Timeout: o.timeout}
	for _, text := range o.options {
		id, value, ok := strings.Cut(text, "=")
		if !ok || id == "" {
			return opt, misused(cmd, "Example: --option model=large", "--option %q has no ID and value", text)
		}
		opt.Settings = append(opt.Settings, headless.Setting{Option: id, Value: value})
	}
	files := o.files
	if len(o.prompts) == 0 && len(files) == 0 {
		if o.streams.InTerminal {
			return opt, misused(cmd, "Example:"+strings.Split(cmd.Example, "\n")[0][1:], "no prompt")
		}
		files = []string{"-"}
	}
	opt.Prompts = append(opt.Prompts, o.prompts...)
	for _, name := range files {
		text, err := readPrompt(cmd.Context(), o.streams, name)
		if err != nil {
			return opt, err
		}
		opt.Prompts = append(opt.Prompts, text)
	}
	for _, p := range opt.Prompts {
		if strings.TrimSpace(p) == "" {
			return opt, misused(cmd, "", "the prompt is empty")
		}
	}
	return opt, nil
}

// readPrompt reads a prompt from a file or standard input.
func readPrompt(ctx context.Context, s *streams, name string) (string, error) {
	text, err := readOrEnd(ctx, func() ([]byte, error) {
		if name == "-" {
			return io.ReadAll(s.In)
		}
		return os.ReadFile(name)
	})
	switch {
	case err != nil && err == ctx.Err():
		return "", tooEarly()
	case err != nil:
		return "", fmt.Errorf("read the prompt: %w", err)
	}
	return strings.TrimRight(string(text), "\r\n"), nil
}

// readOrEnd returns what read does, or the error of ctx at once when that ends; a blocked read
// then lasts until parley exits.
func readOrEnd[T any](ctx context.Context, read func() (T, error)) (got T, err error) {
	done := make(chan struct{})
	var value T
	var failed error
	go func() {
		defer close(done)
		value, failed = read()
	}()
	select {
	case <-done:
		return value, failed
	case <-ctx.Done():
		return got, ctx.Err()
	}
}

// write makes opt print the output in the chosen format; finish prints the rest.
func (o *runOptions) write(opt *headless.Options, cfg *config.Config) (finish func(*headless.Result) error) {
	s := o.streams
	opt.Tell = s.tell
	if s.ErrTerminal {
		opt.Progress = func(line string) { fmt.Fprintln(s.Err, line) }
	}
	bytes := func(b []byte, err error) error {
		if err == nil {
			_, err = s.Out.Write(b)
		}
		return err
	}
	switch o.output {
	case outputJSON:
		return func(r *headless.Result) error { return bytes(r.JSON()) }
	case outputStream:
		opt.Event = func(e conversation.Event) error { return bytes(headless.Line(e)) }
		return func(r *headless.Result) error { return bytes(r.Line()) }
	}
	draw := markdownWriter(s, cfg)
	first := true
	opt.Answer = func(text string) error {
		if !first {
			if _, err := fmt.Fprintln(s.Out); err != nil {
				return err
			}
		}
		first = false
		return draw(text)
	}
	return func(*headless.Result) error { return nil }
}

// outcome returns the error for a result, or nil if all prompts were answered. bounds names
// what confines the agent; "" if nothing does.
func (o *runOptions) outcome(r *headless.Result, a config.Agent, bounds string) error {
	signIn := commandLine("parley", append([]string{"--"}, o.command...)...)
	switch {
	case o.connect != "":
		signIn = commandLine("parley", o.connectShown()...)
	case o.command == nil:
		signIn = commandLine("parley", "-a", o.agent)
	}
	return outcome(r, a, bounds, signIn)
}

// outcome is that of a result. signIn is the command with which one signs in.
func outcome(r *headless.Result, a config.Agent, bounds, signIn string) error {
	if r.Status == headless.Answered {
		return nil
	}
	hint := ""
	switch {
	case r.Status == headless.AgentFailed:
		if hint = strings.TrimRight(r.Stderr, "\n"); hint == "" && a.Usable(exec.LookPath) != nil {
			hint = a.InstallText()
		}
	case r.Status == headless.Bypassed && bounds == "":
		hint = "--sandbox confines what an agent can do without asking."
	case r.Status == headless.SignInNeeded:
		hint = "Sign in on the screen: " + signIn
	}
	return &failure{app.WithHint(hint, "%s", r.Message), r.Status.ExitCode()}
}

// overruled removes the configured settings that the command line overrides.
func overruled(a config.Agent, opt headless.Options) config.Agent {
	if opt.Mode != "" {
		a.Mode = ""
	}
	a.Options = maps.Clone(a.Options)
	for _, s := range opt.Settings {
		delete(a.Options, s.Option)
	}
	return a
}
