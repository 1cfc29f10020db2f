package cli

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"mvdan.cc/sh/v3/syntax"

	"parley/config"
	"parley/internal/supervise"
	"parley/tui"
)

// startOptions are the flags and arguments of starting a session.
type startOptions struct {
	streams *streams
	// screen runs the program on the screen. Tests put their own in its place.
	screen func(context.Context, tui.Options) (tui.Left, error)
	// similar finds the subcommands whose names are like a word.
	similar func(word string) []string

	agent   string
	cwd     string // the session's directory, named by --cwd or by an argument
	asked   bool   // it was an argument
	addDirs []string
	resume  string
	pick    bool   // --resume was given without an id
	last    bool   // --continue
	prompt  string // the first one
	sandbox bool
	bounds  bool     // --sandbox was given
	command []string // behind "--"
}

// startCommand makes the command that starts a session. run does it, after flags
// and arguments are in their options.
func startCommand(s *streams, run func(*startOptions, context.Context) error) *cobra.Command {
	opt := &startOptions{streams: s, screen: runSupervised}
	cmd := &cobra.Command{
		Use:   "parley [DIR] [-- COMMAND ARG...]",
		Short: "A terminal client for coding agents that speak the Agent Client Protocol",
		Long: `parley starts a coding agent that speaks the Agent Client Protocol (ACP) and
gives you a calm place to work with it.

Without arguments it offers the agents that it finds on this machine, those of
its configuration, and a built-in tour. With a command behind "--" it starts
that as the agent at once.`,
		Example: `  parley                       choose an agent and start in this directory
  parley ~/src/project         the same, in another directory
  parley -a claude             start a known or configured agent
  parley -- my-agent --acp     start any agent by its command
  parley --continue            go on with the last session of this directory
  parley -a tour               the built-in tour: no account needed`,
		Args:                       opt.takeArgs,
		RunE:                       func(cmd *cobra.Command, _ []string) error { return run(opt, cmd.Context()) },
		SuggestionsMinimumDistance: 2,
	}
	opt.similar = cmd.SuggestionsFor
	f := cmd.Flags()
	f.StringVarP(&opt.agent, "agent", "a", "", "start the agent of this `NAME`: a configured or a known one, or \"tour\"")
	f.StringVar(&opt.cwd, "cwd", "", "the session's working directory `DIR` (default: this one)")
	f.StringArrayVar(&opt.addDirs, "add-dir", nil, "one more directory `DIR` that the session may work in; may be repeated")
	f.BoolVar(&opt.sandbox, "sandbox", false, "let the agent and its commands write in the session's directories only; fails where the system has no means to see to it")
	f.StringVar(&opt.resume, "resume", "", "go on with the session of this `ID`, parley's or the agent's own; without an ID, choose one")
	f.BoolVar(&opt.last, "continue", false, "go on with the last session of this directory")
	f.StringVar(&opt.prompt, "prompt", "", "send this `TEXT` as the first prompt, when the session is open")
	return cmd
}

// takeArgs sorts the arguments: a directory before "--", a command behind it.
func (o *startOptions) takeArgs(cmd *cobra.Command, args []string) error {
	o.bounds = cmd.Flags().Changed("sandbox")
	if err := o.checkBack(cmd); err != nil {
		return err
	}
	before := args
	if at := cmd.ArgsLenAtDash(); at >= 0 {
		before, o.command = args[:at], args[at:]
		if len(o.command) == 0 {
			return misused(cmd, "Write the agent's command there, as in: parley -- my-agent --acp", "there is no command behind --")
		}
	}
	switch {
	case len(before) > 1:
		return misused(cmd, "To start that as the agent: "+commandLine("parley", append([]string{"--"}, before...)...)+"\n"+asPrompt(strings.Join(before, " ")),
			"one directory at most, not %d: an agent's command stands behind --", len(before))
	case len(before) == 1 && o.cwd != "":
		return misused(cmd, "", "a directory and --cwd do not go together: each names the session's directory")
	case len(before) == 1:
		o.cwd, o.asked = before[0], true
	}
	if cmd.Flags().Changed("prompt") && strings.TrimSpace(o.prompt) == "" {
		return misused(cmd, "", "--prompt has no text")
	}
	if o.agent != "" && o.command != nil {
		return misused(cmd, "", "--agent and a command behind -- do not go together: each names the agent")
	}
	return nil
}

// run starts the program. Everything that can be wrong is found before the screen
// is touched.
func (o *startOptions) run(ctx context.Context) error {
	if err := o.directories(); err != nil {
		return err
	}
	cfg, err := config.Load(config.ConfigFile())
	if err != nil {
		return err
	}
	l := &launcher{config: cfg, cwd: o.cwd, addDirs: o.addDirs, command: o.command, resume: o.resume, store: storeOf(cfg)}
	if o.bounds {
		l.sandbox = &o.sandbox
	}
	defer l.cleanUp()
	opt := tui.Options{Config: cfg, Cwd: o.cwd, Version: currentVersion(), Start: l.start, Prompt: o.prompt}
	opt.Offered = func() ([]config.Agent, error) { return offered(cfg) }
	if opt.Agent, err = o.named(cfg); err != nil {
		return err
	}
	if err := o.back(ctx, l, &opt); err != nil {
		return err
	}
	if opt.Stored != nil {
		defer opt.Stored.Close()
		defer pruneBeside(ctx, opt.Stored, cfg.Store)()
	}
	if opt.Agent == nil {
		if opt.Agents, err = offered(cfg); err != nil {
			return err
		}
	}
	if err := l.canBound(opt.Agent); err != nil {
		return err
	}
	if err := o.streams.needScreen(); err != nil {
		return err
	}
	left, err := o.screen(ctx, opt)
	if err != nil {
		return err
	}
	if how := o.resumeCommand(left); how != "" {
		fmt.Fprintln(o.streams.Err, "To go on with this session: "+how)
	}
	return nil
}

// runSupervised runs the program on the screen, and ends all that it leaves behind.
// That nobody could do so if the program were killed is no reason not to run it.
func runSupervised(ctx context.Context, opt tui.Options) (tui.Left, error) {
	end, _ := supervise.Begin(ctx)
	defer end()
	return tui.Run(ctx, opt)
}

// directories makes the directories' paths absolute, and checks that they are
// there.
func (o *startOptions) directories() error {
	cwd, err := directory(o.cwd)
	switch {
	case err != nil && o.asked:
		return hinted(o.meant(o.cwd)+asPrompt(o.cwd), "%w", err)
	case err != nil:
		return fmt.Errorf("--cwd: %w", err)
	}
	o.cwd = cwd
	for i, dir := range o.addDirs {
		if o.addDirs[i], err = directory(dir); err != nil {
			return fmt.Errorf("--add-dir: %w", err)
		}
	}
	return nil
}

// directory is the absolute path of a directory that is there.
func directory(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("the directory %s: %w", dir, err)
	}
	info, err := os.Stat(abs)
	switch {
	case os.IsNotExist(err):
		return "", fmt.Errorf("there is no directory %s", abs)
	case err != nil:
		return "", fmt.Errorf("look at the directory: %w", err)
	case !info.IsDir():
		return "", fmt.Errorf("%s is not a directory", abs)
	}
	return abs, nil
}

// asPrompt is a hint for arguments that may have been meant as a prompt.
func asPrompt(text string) string {
	if _, err := syntax.Quote(text, syntax.LangPOSIX); err != nil {
		text = "TEXT" // nobody could type it
	}
	return "To send it as a prompt and print the answer: " + commandLine("parley run", text) + "\n" +
		"To send it on the screen: " + commandLine("parley --prompt", text)
}

// meant is a hint for an argument that is no directory: what else it is the name
// of, and how that is started; "" if it is nothing else.
func (o *startOptions) meant(word string) string {
	cfg, err := config.Load(config.ConfigFile())
	if err != nil {
		cfg = config.Default() // the directory is to be put right first
	}
	if _, err := agentNamed(cfg, word); err == nil {
		return "To start that agent: " + commandLine("parley", "-a", word) + "\n"
	}
	if near := o.similar(word); len(near) > 0 {
		return "Did you mean: " + commandLine("parley", near[0]) + "\n"
	}
	if _, err := exec.LookPath(word); err == nil {
		return "To start that program as the agent: " + commandLine("parley", "--", word) + "\n"
	}
	return ""
}
