package cli

import (
	"errors"
	"fmt"
	"os/exec"
	"slices"

	"github.com/spf13/cobra"

	"parley/internal/app"
	"parley/internal/demoagent"
	"parley/internal/git"
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

// noConflict is how a merge driver exits that has not merged, and found no conflicts.
const noConflict = 129

// filterCommand runs a filter or merge driver of the user's in a sandbox. git starts it: see [git.FilterProgram].
func filterCommand(*streams) *cobra.Command {
	cmd := hidden("filter REPOSITORY [DIRECTORY...] -- COMMAND [X=VALUE...]", "Run a filter of git's in a sandbox", nil, func(cmd *cobra.Command, args []string) error {
		at := slices.Index(args, "--")
		if at < 1 || at+1 == len(args) {
			return errors.New("a filter needs a repository and a command")
		}
		command, driver := args[at+1], len(args) > at+2
		cfg, err := loadConfig()
		if err == nil {
			l := &app.Launcher{Config: cfg}
			defer l.Close()
			err = l.RunFilter(cmd.Context(), args[0], args[1:at], git.Expand(command, args[at+2:]...))
		}
		ended, ran := errors.AsType[*exec.ExitError](err)
		switch {
		case err == nil:
			return nil
		case driver && ran && ended.ExitCode() > 0 && ended.ExitCode() < 126: // so it tells of conflicts
			return exitStatus(ended.ExitCode())
		case ran:
			err = fmt.Errorf("%w\nGit may go on without a filter that fails, parley does not: correct the file, or the filter. If the sandbox is why, change sandbox_hide or sandbox_write", err)
		default:
			err = fmt.Errorf("%s: %w", command, err)
		}
		return &failure{fmt.Errorf(git.FilterFailed+"%w", err), noConflict}
	})
	cmd.DisableFlagParsing = true
	return cmd
}

// filterProcessCommand runs filters of the user's file by file, in the sandbox.
func filterProcessCommand(s *streams) *cobra.Command {
	cmd := hidden("filter-process CLEAN SMUDGE", "Run filters for git", nil, func(cmd *cobra.Command, args []string) error {
		if len(args) != 2 {
			return errors.New("it takes the commands of a filter")
		}
		return git.ServeFilter(cmd.Context(), s.In, s.Out, args[0], args[1])
	})
	cmd.DisableFlagParsing = true
	return cmd
}
