package cli

import (
	"github.com/spf13/cobra"
)

// subcommands make parley's commands, in the order of the help.
var subcommands = []func(*streams) *cobra.Command{
	runCommand,
	agentsCommand,
	sessionsCommand,
	worktreeCommand,
	doctorCommand,
	replayCommand,
	guideCommand,
	configCommand,
	rulesCommand,
	completionCommand,
	versionCommand,
	demoAgentCommand,
	sandboxedCommand,
}

// Command is parley's command line, for programs that describe it: the manual pages
// are made from it. It is not meant to be run; see [Main].
func Command() *cobra.Command { return rootCommand(systemStreams()) }

// rootCommand is parley itself: without a subcommand it starts a session.
func rootCommand(s *streams) *cobra.Command {
	cmd := startCommand(s, (*startOptions).run)
	cmd.Version = currentVersion()
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	cmd.SetIn(s.In)
	cmd.SetOut(s.Out)
	cmd.SetErr(s.Err)
	cmd.SetVersionTemplate("parley {{.Version}}\n")
	cmd.SetFlagErrorFunc(flagError)
	for _, command := range subcommands {
		cmd.AddCommand(command(s))
	}
	complete(cmd)
	return cmd
}
