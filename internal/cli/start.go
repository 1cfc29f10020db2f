package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"mvdan.cc/sh/v3/syntax"

	"parley/config"
	"parley/internal/app"
	"parley/internal/host"
	"parley/internal/process"
	"parley/internal/remote"
	"parley/internal/termtext"
	"parley/tui"
	"parley/tui/linemode"
)

// startOptions are the flags and arguments of starting a session.
type startOptions struct {
	streams *streams
	// screen runs the program on the screen. Tests replace it.
	screen func(context.Context, tui.Options) (tui.Left, error)
	// cmd is the command that has the flags.
	cmd *cobra.Command

	agent    string
	cwd      string // the session's directory, named by --cwd or by an argument
	addDirs  []string
	resume   string
	pick     bool   // --resume was given without an id
	choose   bool   // attach has several sessions to choose from
	board    bool   // show the board, and start no agent
	last     bool   // --continue
	prompt   string // the first prompt
	record   string // the file to record to, or ""
	sandbox  bool
	protocol string   // the version to offer to the agent
	inline   bool     // --inline
	plain    bool     // --plain
	keep     bool     // --keep
	worktree string   // the name of the git worktree to work in; "" means a new name
	running  string   // the session to attach to, or ""
	lookOn   bool     // --read-only
	command  []string // after "--"
	connect  string   // where an agent listens, instead of a command
}

// given reports whether a flag is on the command line.
func (o *startOptions) given(flag string) bool { return o.cmd != nil && o.cmd.Flags().Changed(flag) }

// startCommand returns the command that starts a session. It calls run with the parsed
// options.
func startCommand(s *streams, run func(*startOptions, context.Context) error) *cobra.Command {
	opt := &startOptions{streams: s, screen: runSupervised}
	cmd := &cobra.Command{
		Use:   "parley [DIR] [-- COMMAND ARG...]",
		Short: "A terminal client for coding agents that speak the Agent Client Protocol",
		Long: `parley starts a coding agent that speaks the Agent Client Protocol (ACP) and
shows what it does in your terminal.

Without arguments it offers the agents found on this machine and configured, and
a built-in tour. With a command after "--" it starts that agent.`,
		Example: `  parley                       choose an agent and start in this directory
  parley ~/src/project         the same, in another directory
  parley -a claude             start a known or configured agent
  parley -- my-agent --acp     start any agent by its command
  parley --connect URL         connect to an agent that listens on the network
  parley --worktree            in a new git worktree and branch, beside your own work
  parley --continue            continue the last session of this directory
  parley -a tour               the built-in tour: no account needed`,
		Args:                       opt.takeArgs,
		RunE:                       func(cmd *cobra.Command, _ []string) error { return run(opt, cmd.Context()) },
		SuggestionsMinimumDistance: 2,
	}
	f := cmd.Flags()
	f.StringVarP(&opt.agent, "agent", "a", "", "start agent `NAME`: configured, known, or \"tour\"")
	opt.sessionFlags(f)
	f.StringVar(&opt.resume, "resume", "", "resume the session with this `ID`, parley's or the agent's; without an ID, choose one")
	f.BoolVar(&opt.plain, "plain", false, "read and write lines, for screen readers and simple terminals (default if TERM is dumb)")
	f.BoolVar(&opt.keep, "keep", false, "run the session in a process of its own, which goes on when the terminal is closed")
	f.BoolVar(&opt.inline, "inline", false, "leave the conversation in the terminal's scrollback")
	f.StringVarP(&opt.prompt, "prompt", "p", "", "send this `TEXT` as the first prompt")
	f.StringVar(&opt.record, "record", "", "record the first session in this new `FILE`; 'parley replay FILE' plays it")
	excludes(cmd, "continue", "resume")
	excludes(cmd, "connect", "agent")
	excludes(cmd, "inline", "plain")
	return cmd
}

// sessionFlags adds the flags of the commands that open a session.
func (o *startOptions) sessionFlags(f *pflag.FlagSet) {
	f.StringVar(&o.connect, "connect", "", "connect to the agent at this `URL` (wss://, https://; on this machine also ws://, http://)")
	f.StringVar(&o.cwd, "cwd", "", "working `DIR` (default: current)")
	f.StringArrayVar(&o.addDirs, "add-dir", nil, "additional `DIR` of the session; may be repeated")
	protocolFlag(f, &o.protocol)
	f.BoolVar(&o.sandbox, "sandbox", false, "run the agent and its commands in the sandbox")
	f.BoolVar(&o.last, "continue", false, "continue the last session of this directory")
	f.StringVar(&o.worktree, "worktree", "", "work in a git worktree and branch of this `NAME`, new or existing; without =NAME parley invents one")
}

// takeSession checks the flags that choose the session and its agent and takes the
// command after "--". It returns the arguments before that. Its error shows the example.
func (o *startOptions) takeSession(cmd *cobra.Command, args []string, example string) (before []string, err error) {
	o.cmd = cmd
	o.pick = cmd.Flags().Changed("resume") && o.resume == ""
	if cmd.Flags().Changed("protocol") && !config.KnownProtocol(o.protocol) {
		return nil, misused(cmd, "", "--protocol must be v1 or auto, not %q", o.protocol)
	}
	if err := o.checkWorktree(cmd); err != nil {
		return nil, err
	}
	at := cmd.ArgsLenAtDash()
	if at < 0 {
		return args, nil
	}
	if o.command = args[at:]; len(o.command) == 0 {
		return nil, misused(cmd, "Example: "+example, "no command after --")
	}
	return args[:at], nil
}

// takeArgs takes a directory before "--" and a command after it.
func (o *startOptions) takeArgs(cmd *cobra.Command, args []string) error {
	before, err := o.takeSession(cmd, args, "parley -- my-agent --acp")
	if err != nil {
		return err
	}
	switch {
	case len(before) > 1:
		hint := didYouMean(cmd, before)
		if hint != "" {
			hint += "\n"
		}
		return misused(cmd, hint+"To start that agent: "+commandLine("parley", append([]string{"--"}, before...)...)+"\n"+asPrompt(strings.Join(before, " ")),
			"at most one directory, not %d; write an agent's command after --", len(before))
	case len(before) == 1 && o.cwd != "":
		return misused(cmd, "", "use either a directory or --cwd, not both")
	case len(before) == 1:
		o.cwd = before[0]
	}
	if err := o.checkKeep(cmd, runtime.GOOS); err != nil {
		return err
	}
	if cmd.Flags().Changed("prompt") && strings.TrimSpace(o.prompt) == "" {
		return misused(cmd, "", "--prompt has no text")
	}
	return o.checkAgent(cmd)
}

// run starts the program. It finds all mistakes before it touches the screen.
func (o *startOptions) run(ctx context.Context) error {
	cfg, err := o.configuration()
	if err != nil {
		return err
	}
	agent, err := o.named(cfg)
	if err != nil {
		return err
	}
	if o.board {
		agent = nil
	}
	recording, err := app.CreateRecording(o.record) // before anything else is created
	if err != nil {
		return err
	}
	defer recording.Close()
	if o.given("worktree") {
		if err := o.streams.needScreen(); err != nil && !o.usesLines(cfg) { // create nothing before it is needed
			return err
		}
		if err := o.enterWorktree(ctx, cfg, agent); err != nil {
			return err
		}
	}
	l := o.launcher(cfg)
	l.Recording, l.NoInspector = recording, o.usesLines(cfg)
	l.Keep = o.keeps(cfg, runtime.GOOS)
	l.Warn = o.streams.warn
	defer l.Close()
	opt := tui.Options{
		Backend: host.Keeping(l, l.Backend(), nil),
		Config:  cfg, Agent: agent, Cwd: o.cwd, Version: l.Version, Prompt: o.prompt,
	}
	opt.News = changelog
	if opt.Stored != nil {
		defer opt.Stored.Close()
	}
	opt.Pick, opt.Board = o.pick || o.choose, o.board
	if opt.Open, err = o.stored(ctx, l, opt.Stored, agent); err != nil {
		return err
	}
	if o.running != "" {
		opt.Open = &app.Spec{Running: o.running, LookOn: o.lookOn}
	}
	if opt.Open == nil && o.last { // the last session may have only a draft
		draft, _, err := l.Store.TakeDraft(o.cwd)
		if draft.Leave(); draft.View.Text() == "" {
			return errors.Join(err, o.nothingHere())
		}
	}
	if opt.Open == nil && !o.last && o.resume == "" && agent != nil {
		opt.Prompt = cmp.Or(opt.Prompt, app.FirstPrompt(*agent))
	}
	if opt.Stored != nil {
		defer pruneBeside(ctx, opt.Stored, cfg.Store)()
	}
	if err := l.CheckSandbox(opt.Agent); err != nil {
		return err
	}
	show := o.runPlain
	if !l.NoInspector {
		if err := o.streams.needScreen(); err != nil {
			return err
		}
		show = o.screen
	}
	opt.Inline = o.inline || cfg.Inline
	if o.running != "" { // before the screen takes the terminal, on which ssh may ask for a password
		c, err := host.AttachTo(ctx, host.ClientOptions{Running: o.running, ReadOnly: o.lookOn, Version: l.Version, Soon: true})
		if err != nil {
			return err
		}
		opt.Open.Attached = c
	}
	left, err := show(ctx, opt)
	reported := err != nil && errors.As(err, new(exitStatus))
	if closed := recording.Close(); closed != nil || err != nil && !reported {
		return errors.Join(err, closed)
	}
	o.tellWorktrees(ctx, left.Dirs)
	if recording.Unused() {
		fmt.Fprintln(o.streams.Err, "Nothing was recorded: no session was opened.")
	}
	for i, l := range left.Tabs {
		what := "this session"
		if i > 0 {
			what = strconv.Quote(l.Title)
		}
		for _, line := range l.Unsent {
			fmt.Fprintf(o.streams.Err, "Not confirmed by %s: %s\n", what, line)
		}
		if l.Running != "" {
			come := "To come back"
			if len(l.Unsent) > 0 {
				come = "To send what it did not get"
			}
			fmt.Fprintf(o.streams.Err, "%s keeps running. %s: %s\n", termtext.Capital(what), come, commandLine("parley attach", l.Running))
			continue
		}
		if how := o.resumeCommand(l); how != "" {
			fmt.Fprintf(o.streams.Err, "To resume %s: %s\n", what, how)
		}
	}
	return err
}

// launcher returns a launcher configured by the flags.
func (o *startOptions) launcher(cfg *config.Config) *app.Launcher {
	l := &app.Launcher{
		Config: cfg, Version: currentVersion(), Cwd: o.cwd, Dirs: o.addDirs, Command: o.words(), Resume: o.resume,
		Store: app.StoreOf(cfg), Overrides: app.Overrides{Protocol: o.protocol},
	}
	if o.given("sandbox") {
		l.Sandbox = &o.sandbox
	}
	return l
}

// runSupervised runs the program on the screen and ends the processes it leaves behind.
func runSupervised(ctx context.Context, opt tui.Options) (tui.Left, error) {
	supervision := process.BeginSupervision(ctx)
	defer supervision.End()
	opt.Shown = supervision.Watch
	return tui.Run(ctx, opt)
}

// configuration loads it, once the paths of the directories are absolute and known to exist.
func (o *startOptions) configuration() (*config.Config, error) {
	cwd, err := app.Directory(o.cwd)
	switch {
	case err != nil && o.cwd != "" && !o.given("cwd"):
		hint := o.meant(o.cwd)
		if !isPath(o.cwd) {
			hint += asPrompt(o.cwd)
		}
		return nil, app.WithHint(strings.TrimSuffix(hint, "\n"), "%w", err)
	case err != nil && o.cwd != "":
		return nil, fmt.Errorf("--cwd: %w", err)
	case err != nil:
		return nil, err
	}
	o.cwd = cwd
	for i, dir := range o.addDirs {
		if o.addDirs[i], err = app.Directory(dir); err != nil {
			return nil, fmt.Errorf("--add-dir: %w", err)
		}
	}
	return loadConfig()
}

// isPath reports whether an argument can only be meant as a path.
func isPath(word string) bool {
	return filepath.IsAbs(word) || strings.ContainsRune(word, filepath.Separator) && !strings.ContainsAny(word, " \n")
}

// asPrompt returns the hint for arguments that may be meant as a prompt.
func asPrompt(text string) string {
	if _, err := syntax.Quote(text, syntax.LangPOSIX); err != nil {
		text = "TEXT" // it cannot be typed
	}
	return "To send it as a prompt and print the answer: " + commandLine("parley run", text) + "\n" +
		"To send it on the screen: " + commandLine("parley --prompt", text)
}

// meant returns the hint for an argument that is not a directory: what else it names and
// how to start that; "" if nothing.
func (o *startOptions) meant(word string) string {
	if remote.IsURL(word) {
		return "To connect to that agent: " + commandLine("parley", "--connect", word) + "\n"
	}
	cfg, err := loadConfig()
	if err != nil {
		cfg = config.Default(nil) // report the wrong directory first
	}
	if _, err := app.AgentNamed(cfg, word); err == nil {
		return "To start that agent: " + commandLine("parley", "-a", word) + "\n"
	}
	if near := o.cmd.SuggestionsFor(word); len(near) > 0 {
		return "Did you mean: " + commandLine("parley", near[0]) + "\n"
	}
	if _, err := exec.LookPath(word); err == nil {
		return "To start that agent: " + commandLine("parley", "--", word) + "\n"
	}
	return ""
}

// named returns the agent that the command line or the configuration names, or nil.
func (o *startOptions) named(cfg *config.Config) (*config.Agent, error) {
	name := cmp.Or(o.agent, cfg.DefaultAgent)
	switch {
	case o.words() != nil:
		a := app.AgentOf("", o.words())
		return &a, nil
	case name == "":
		return nil, nil
	}
	a, err := app.AgentNamed(cfg, name)
	if err != nil {
		return nil, err
	}
	return &a, nil
}

// checkAgent refuses flags that name two agents.
func (o *startOptions) checkAgent(cmd *cobra.Command) error {
	switch {
	case o.agent != "" && o.command != nil:
		return misused(cmd, "", "use either --agent or a command after --, not both")
	case o.connect != "" && o.command != nil:
		return misused(cmd, "", "use either --connect or a command after --, not both")
	case remote.IsURL(o.agent):
		return misused(cmd, "To connect to it: "+commandLine(cmd.CommandPath(), "--connect", o.agent), "--agent takes a name, but %s is a URL", o.agent)
	case cmd.Flags().Changed("connect"):
		if _, err := remote.New(remote.Options{URL: o.connect}); err != nil {
			return misused(cmd, "Set headers and other options in the configuration: [agents.NAME], with url = \"…\".", "--connect: %w", err)
		}
	}
	return nil
}

// connectShown returns --connect and its value for display. It hides the query, which may
// be secret.
func (o *startOptions) connectShown() []string {
	address := config.Agent{Address: o.connect}.Listens()
	if strings.ContainsAny(o.connect, "?#") {
		address += "?…"
	}
	return []string{"--connect", address}
}

// words returns the agent's command or URL from the command line, or nil.
func (o *startOptions) words() []string {
	if o.connect != "" {
		return []string{o.connect}
	}
	return o.command
}

// protocolFlag adds --protocol, which takeSession checks.
func protocolFlag(f *pflag.FlagSet, to *string) {
	f.StringVar(to, "protocol", "", "protocol `VERSION`: \"v1\", or \"auto\" for the newest that the agent supports (default: as configured, else v1)")
}

// usesLines reports whether parley writes lines of text instead of drawing a screen:
// --plain decides, else the configuration, a dumb terminal, or the environment variable
// ACCESSIBLE, a convention of programs built with huh.
func (o *startOptions) usesLines(cfg *config.Config) bool {
	if o.given("plain") {
		return o.plain
	}
	return cfg.Plain || os.Getenv("TERM") == "dumb" || os.Getenv("ACCESSIBLE") != ""
}

// checkKeep refuses --keep on a system, a value of runtime.GOOS, that cannot keep sessions.
func (o *startOptions) checkKeep(cmd *cobra.Command, system string) error {
	if o.keep && !config.KeepsSessions(system) {
		return misused(cmd, "", "--keep is not available on Windows")
	}
	return nil
}

// keeps reports whether sessions are kept on a system: --keep decides, else the
// configuration.
func (o *startOptions) keeps(cfg *config.Config, system string) bool {
	if o.given("keep") {
		return o.keep
	}
	return cfg.Host.Keep && config.KeepsSessions(system)
}

// runPlain runs the program with lines of text.
func (o *startOptions) runPlain(ctx context.Context, opt tui.Options) (tui.Left, error) {
	continued := make(chan os.Signal, 1)
	notifyContinued(continued)
	defer signal.Stop(continued)
	before := ctx
	ctx, interrupts, stop := interruptible(before)
	defer stop()
	if before.Err() != nil {
		return tui.Left{}, errors.New("interrupted")
	}
	defer supervise(ctx)()
	s := o.streams
	left, err := linemode.Run(ctx, linemode.Options{
		Backend: opt.Backend, Agent: opt.Agent, Open: opt.Open, Pick: opt.Pick,
		Prompt: opt.Prompt, Cwd: opt.Cwd, Version: opt.Version,
		In: s.In, Out: s.Out, Terminal: s.InTerminal, Interrupts: interrupts, Continued: continued,
	})
	if err != nil {
		return tui.Left{}, err
	}
	if left.Unstarted { // already reported
		err = exitStatus(exitError)
	}
	if left.Cwd == "" { // there was no session
		return tui.Left{}, err
	}
	return tui.Left{Tabs: []app.Left{left.Left}, Dirs: []string{left.Cwd}}, err
}
