// Package cli is parley's command line: commands, flags, errors, exit codes.
//
// Each command and its subcommands share a file: a function returns the [cobra.Command] for
// the process's streams, and one line in subcommands adds it. A command with many options
// keeps them in a struct whose run method does the work, so that a test can call it without
// a command line.
package cli

import (
	"context"
	"io"
	"log"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"parley/internal/git"
	"parley/internal/process"
	"parley/internal/tmux"
)

// Exit codes.
const (
	exitOK    = 0
	exitError = 1 // something could not be done
	exitUsage = 2 // the command line itself is wrong
)

// garbagePercent replaces Go's default GOGC of 100, with which a long session peaks 4 MB
// higher and takes no measurably less CPU.
const garbagePercent = 65

// Main runs parley with the process's arguments and streams and returns its exit code.
// SIGINT, SIGTERM and SIGHUP end it. changes is the changelog, in Markdown.
func Main(changes string) int {
	tmux.Show()
	for _, name := range surroundings {
		_ = os.Unsetenv(name)
	}
	changelog = changes
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(garbagePercent)
	}
	if self, err := os.Executable(); err == nil && runtime.GOOS != "windows" { // without a sandbox there, and with another shell
		git.FilterProgram = self
	}
	return process.Supervise(func() int {
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
		defer stop()
		return run(ctx, systemStreams(), os.Args[1:])
	})
}

// surroundings are the environment variables by which Claude Code, or an editor it is connected to,
// marks the programs inside it. An agent that finds them believes it runs there too, and may refuse to.
var surroundings = []string{"CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SSE_PORT"}

var changelog string

// run runs parley with the arguments after the program's name and returns the exit code.
// Errors go to the error stream. Cancelling ctx ends everything that runs.
func run(ctx context.Context, s *streams, args []string) int {
	log.SetOutput(io.Discard) // net/http logs errors that it also returns
	root := rootCommand(s)
	root.SetArgs(bareFlags(args))
	cmd, err := root.ExecuteContextC(ctx)
	return tell(s.Err, groupError(cmd, err))
}

// interruptible returns a context that an interrupt does not end: the first one cancels the turn
// and lets the agent end it. SIGTERM and SIGHUP end it.
func interruptible(ctx context.Context) (context.Context, <-chan os.Signal, func()) {
	interrupts := make(chan os.Signal, 2)
	signal.Notify(interrupts, os.Interrupt)
	ctx, stop := signal.NotifyContext(context.WithoutCancel(ctx), syscall.SIGTERM, syscall.SIGHUP)
	return ctx, interrupts, func() {
		stop()
		signal.Stop(interrupts)
	}
}

// supervise watches the processes that start from now on; end ends those that are left.
func supervise(ctx context.Context) (end func()) {
	supervision := process.BeginSupervision(ctx)
	supervision.Watch()
	return supervision.End
}

// leaf returns a command. Its text is a line for the list of commands, then the help.
func leaf(use, text string, args cobra.PositionalArgs, run func(*cobra.Command, []string) error) *cobra.Command {
	short, long, _ := strings.Cut(text, "\n")
	return &cobra.Command{Use: use, Short: short, Long: long, Args: args, RunE: run}
}

// hidden returns a command that parley runs itself, and the help leaves out.
func hidden(use, short string, args cobra.PositionalArgs, run func(*cobra.Command, []string) error) *cobra.Command {
	cmd := leaf(use, short, args, run)
	cmd.Hidden = true
	return cmd
}

// subcommands are the constructors of parley's commands, in the order of the help.
var subcommands = []func(*streams) *cobra.Command{
	runCommand,
	compareCommand,
	attachCommand,
	boardCommand,
	waitCommand,
	sendCommand,
	answerCommand,
	serveCommand,
	agentsCommand,
	sessionsCommand,
	worktreeCommand,
	doctorCommand,
	replayCommand,
	guideCommand,
	configCommand,
	rulesCommand,
	versionCommand,
	demoAgentCommand,
	sandboxedCommand,
	filterCommand,
	filterProcessCommand,
	hostCommand,
	relayCommand,
}

// Command returns the command line for programs that describe it, such as the manual page
// generator. To run it, call [Main].
func Command() *cobra.Command { return rootCommand(systemStreams()) }

// rootCommand returns the command parley, which starts a session unless it has a subcommand.
func rootCommand(s *streams) *cobra.Command {
	cmd := startCommand(s, (*startOptions).run)
	version, start := cmd.Flags().BoolP("version", "v", false, "print the version"), cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if *version {
			return printVersion(s)
		}
		return start(cmd, args)
	}
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	cmd.SetIn(s.In)
	cmd.SetOut(s.Out)
	cmd.SetErr(s.Err)
	cmd.SetFlagErrorFunc(flagError)
	for _, command := range subcommands {
		cmd.AddCommand(command(s))
	}
	cmd.InitDefaultCompletionCmd()
	complete(cmd)
	return cmd
}
