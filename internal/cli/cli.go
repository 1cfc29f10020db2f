// Package cli is parley's command line: commands, flags, exit codes.
package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/spf13/cobra"

	"parley/internal/safetext"
)

// version is set when parley is built by its Makefile.
var version = ""

// Version is parley's version, as the build knows it.
func Version() string {
	if version != "" {
		return version
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return "dev"
}

// Exit codes.
const (
	exitOK    = 0
	exitError = 1
	exitUsage = 2
)

// usageError is an error of the command line itself.
type usageError struct{ err error }

func (e usageError) Error() string { return e.err.Error() }
func (e usageError) Unwrap() error { return e.err }

// exitStatus is an error that was told already.
type exitStatus int

func (s exitStatus) Error() string { return fmt.Sprintf("exit status %d", int(s)) }

// Main runs parley with the arguments of the process and returns its exit code.
func Main() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	root := rootCommand()
	err := root.ExecuteContext(ctx)
	var status exitStatus
	var usage usageError
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &status):
		return int(status)
	case errors.As(err, &usage):
		fmt.Fprintf(os.Stderr, "parley: %s\nTry 'parley --help'.\n", safetext.Block(err.Error()))
		return exitUsage
	}
	fmt.Fprintf(os.Stderr, "parley: %s\n", safetext.Block(err.Error()))
	return exitError
}

func rootCommand() *cobra.Command {
	opt := &startOptions{}
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
  parley -a tour               the built-in tour: no account needed`,
		Version:       Version(),
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          opt.takeArgs,
		RunE:          func(cmd *cobra.Command, _ []string) error { return opt.run(cmd.Context()) },
	}
	cmd.SetVersionTemplate("parley {{.Version}}\n")
	cmd.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError{err} })
	f := cmd.Flags()
	f.StringVarP(&opt.agent, "agent", "a", "", "start this agent: a configured or known name, or \"tour\"")
	f.StringVar(&opt.cwd, "cwd", "", "the session's working directory (default: this one)")
	f.StringArrayVar(&opt.addDirs, "add-dir", nil, "one more directory that the session may work in; may be repeated")
	f.StringVar(&opt.resume, "resume", "", "open this session of the agent instead of a new one")
	cmd.CompletionOptions.HiddenDefaultCmd = true
	cmd.AddCommand(demoAgentCommand())
	return cmd
}
