package cli

import (
	"github.com/spf13/cobra"

	"parley/internal/demoagent"
	"parley/internal/sandbox"
)

// demoAgentCommand runs the built-in agent. parley starts it for the tour; tests give it a
// script.
func demoAgentCommand(s *streams) *cobra.Command {
	opt := demoagent.Options{In: s.In, Out: s.Out, Err: s.Err}
	cmd := &cobra.Command{
		Use:    "demo-agent",
		Short:  "Run the built-in agent on stdin and stdout",
		Hidden: true,
		Args:   noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if code := demoagent.Run(cmd.Context(), opt); code != 0 {
				return exitStatus(code)
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&opt.Script, "script", "", "play the protocol steps of this file")
	cmd.Flags().BoolVar(&opt.SignIn, "sign-in", false, "pretend to sign in, and end")
	cmd.Flags().StringVar(&opt.Log, "log", "", "append every line received to this file")
	return cmd
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
