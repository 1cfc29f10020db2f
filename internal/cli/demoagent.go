package cli

import (
	"github.com/spf13/cobra"

	"parley/internal/demoagent"
	"parley/internal/sandbox"
)

// demoAgentCommand runs the built-in agent. parley starts it for the tour.
func demoAgentCommand(s *streams) *cobra.Command {
	return &cobra.Command{
		Use:    "demo-agent",
		Short:  "Run the built-in agent on stdin and stdout",
		Hidden: true,
		Args:   noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if code := demoagent.Run(cmd.Context(), s.In, s.Out, s.Err, demoagent.DelayFromEnv()); code != 0 {
				return exitStatus(code)
			}
			return nil
		},
	}
}

// sandboxedCommand replaces parley with a program in a sandbox, on systems where a process
// must confine itself.
func sandboxedCommand(*streams) *cobra.Command {
	return &cobra.Command{
		Use:                "sandboxed BOUNDS PROGRAM [ARG...]",
		Short:              "Run a program in a sandbox",
		Hidden:             true,
		DisableFlagParsing: true,
		RunE:               func(_ *cobra.Command, args []string) error { return sandbox.Enter(args) },
	}
}
