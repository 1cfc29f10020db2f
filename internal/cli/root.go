package cli

import (
	"github.com/spf13/cobra"
)

// subcommands make parley's commands, in the order of the help.
var subcommands = []func(*streams) *cobra.Command{
	runCommand,
	sessionsCommand,
	guideCommand,
	rulesCommand,
	demoAgentCommand,
	sandboxedCommand,
}

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
	cmd.CompletionOptions.HiddenDefaultCmd = true
	for _, command := range subcommands {
		cmd.AddCommand(command(s))
	}
	return cmd
}
