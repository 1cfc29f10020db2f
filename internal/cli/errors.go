package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"parley/config"
	"parley/internal/app"
	"parley/internal/termtext"
)

// failure is an error with an exit code.
type failure struct {
	err  error
	code int
}

func (f *failure) Error() string { return f.err.Error() }
func (f *failure) Unwrap() error { return f.err }

// misused returns the error for a wrong command line. An empty hint points at the help of
// the command.
func misused(cmd *cobra.Command, hint, format string, args ...any) error {
	if hint == "" {
		hint = fmt.Sprintf("Try '%s --help'.", cmd.CommandPath())
	}
	return &failure{app.WithHint(hint, format, args...), exitUsage}
}

// exitStatus is the exit code of a command that has already reported what went wrong.
type exitStatus int

func (s exitStatus) Error() string { return fmt.Sprintf("exit status %d", int(s)) }

// tell prints an error, with its hint below it, and returns the exit code.
func tell(to io.Writer, err error) int {
	if err == nil {
		return exitOK
	}
	if status, is := errors.AsType[exitStatus](err); is {
		return int(status)
	}
	text := err.Error()
	if errors.Is(err, context.Canceled) { // by a signal: nothing else cancels a command
		text = strings.ReplaceAll(text, context.Canceled.Error(), "interrupted")
	}
	fmt.Fprintf(to, "parley: %s\n", termtext.Block(text))
	if h, is := errors.AsType[*app.HintError](err); is && h.Hint != "" {
		fmt.Fprintln(to, termtext.Block(h.Hint))
	}
	if f, is := errors.AsType[*failure](err); is {
		return f.code
	}
	return exitError
}

// flagError explains an error that cobra found in the flags.
func flagError(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	var bare *pflag.ValueRequiredError
	var invalid *pflag.InvalidValueError
	switch {
	case errors.As(err, &unknown):
		name, hint := unknown.GetSpecifiedName(), ""
		if first := cmd.Flags().Arg(0); first != "" && !cmd.HasParent() {
			if info, err := os.Stat(first); err != nil || !info.IsDir() { // most likely an agent's command
				return misused(cmd, "Write an agent's command after --: parley -- my-agent --acp", "unknown flag %s after %q", flagName(name), first)
			}
		}
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden {
				names = append(names, f.Name)
			}
		})
		if near := config.Nearest(name, names); len(name) > 1 && near != "" {
			hint = "Did you mean " + flagName(near) + "?"
		}
		return misused(cmd, hint, "unknown flag %s", flagName(name))
	case errors.As(err, &bare):
		return misused(cmd, "", "%s needs a value", flagName(bare.GetSpecifiedName()))
	}
	if errors.As(err, &invalid) {
		return invalidValue(cmd, flagName(invalid.GetFlag().Name), invalid.GetFlag().Value.Type(), invalid.GetValue(), err)
	}
	return misused(cmd, "", "%w", err)
}

// excludes says that a flag cannot be set together with any of the others.
func excludes(cmd *cobra.Command, flag string, others ...string) {
	for _, other := range others {
		cmd.MarkFlagsMutuallyExclusive(flag, other)
	}
}

// bothSet matches cobra's error for two flags that exclude each other.
var bothSet = regexp.MustCompile(`\[(\S+) ([^ \]]+)[^\]]*\] were all set$`)

// groupError explains an error that cobra found in flags that exclude each other.
func groupError(cmd *cobra.Command, err error) error {
	if err == nil {
		return nil
	}
	if names := bothSet.FindStringSubmatch(err.Error()); names != nil {
		return misused(cmd, "", "use either --%s or --%s, not both", names[1], names[2])
	}
	return err
}

// invalidValue says what a flag of a type takes.
func invalidValue(cmd *cobra.Command, flag, kind, value string, err error) error {
	switch kind {
	case "duration":
		if _, bare := strconv.ParseFloat(value, 64); bare == nil {
			return misused(cmd, "", "%s %s needs a unit: %ss or %sm", flag, value, value, value)
		}
		return misused(cmd, "", "%s needs a time such as 90s or 10m, not %q", flag, value)
	case "int":
		return misused(cmd, "", "%s needs a whole number, not %q", flag, value)
	case "float64":
		return misused(cmd, "", "%s needs a number such as 0.5 or 20, not %q", flag, value)
	case "bool":
		return misused(cmd, "", "%s can be true or false, not %q", flag, value)
	}
	return misused(cmd, "", "%s cannot be %q: %w", flag, value, errors.Unwrap(err))
}

// flagName returns a flag as typed.
func flagName(name string) string {
	if len(name) == 1 {
		return "-" + name
	}
	return "--" + name
}

// noArguments accepts flags only. In a command with subcommands, an argument is a mistyped
// one.
func noArguments(cmd *cobra.Command, args []string) error {
	switch {
	case len(args) > 0 && cmd.HasSubCommands():
		return misused(cmd, didYouMean(cmd, args), "unknown command %q of %s", args[0], cmd.Name())
	case len(args) > 0:
		return misused(cmd, "", "%s takes no arguments, got %q", cmd.Name(), args[0])
	}
	return nil
}

// arguments accepts between least and most arguments, which the error describes.
func arguments(least, most int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) < least:
			return misused(cmd, "", "%s needs %s", cmd.CommandPath(), what)
		case len(args) > most:
			return misused(cmd, "", "%s takes only %s, got %d arguments", cmd.CommandPath(), what, len(args))
		}
		return nil
	}
}

// didYouMean returns the hint for a mistyped subcommand and its arguments, or "".
func didYouMean(cmd *cobra.Command, args []string) string {
	var names []string
	for _, c := range cmd.Commands() {
		if !c.Hidden {
			names = append(names, c.Name())
		}
	}
	near := config.Nearest(args[0], names)
	if near == "" {
		return ""
	}
	return "Did you mean: " + commandLine(cmd.CommandPath()+" "+near, args[1:]...)
}
