package cli

import (
	"github.com/spf13/cobra"

	"parley/internal/demoagent"
	"parley/internal/sandbox"
)

// demoAgentCommand runs the built-in agent. parley starts it for the tour.
func demoAgentCommand(s *streams) *cobra.Command {
	return hidden("demo-agent", "Run the built-in agent on stdin and stdout", noArguments, func(cmd *cobra.Command, _ []string) error {
		if code := demoagent.Run(cmd.Context(), s.In, s.Out, s.Err, demoagent.DelayFromEnv()); code != 0 {
			return exitStatus(code)
		}
		return nil
	})
}

// sandboxedCommand replaces parley with a program in a sandbox, on systems where a process
// must confine itself.
func sandboxedCommand(*streams) *cobra.Command {
	cmd := hidden("sandboxed BOUNDS PROGRAM [ARG...]", "Run a program in a sandbox", nil, func(_ *cobra.Command, args []string) error { return sandbox.Enter(args) })
	cmd.DisableFlagParsing = true
	return cmd
}
