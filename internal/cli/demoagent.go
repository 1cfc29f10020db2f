package cli

import (
	"errors"
	"os"
	"os/exec"

	"github.com/spf13/cobra"

	"parley/internal/app"
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

// filterCommand runs a filter or merge driver of the user's in a sandbox. git starts it.
func filterCommand(s *streams) *cobra.Command {
	return hidden("filter [DIRECTORY...]", "Run a filter of git's in a sandbox", nil, func(cmd *cobra.Command, write []string) error {
		cfg, err := loadConfig()
		if err != nil {
			return err
		}
		l := &app.Launcher{Config: cfg}
		defer l.Close()
		err = l.RunFilter(cmd.Context(), write, os.NewFile(3, "command"))
		if ended, ok := errors.AsType[*exec.ExitError](err); ok { // it has said why
			return exitStatus(max(ended.ExitCode(), exitError))
		}
		return err
	})
}
