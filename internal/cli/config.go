package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"parley/config"
	"parley/internal/app"
	"parley/internal/termtext"
	"parley/tui/desktop"
	"parley/tui/tab"
)

func configCommand(s *streams) *cobra.Command {
	show := configShowCommand(s)
	cmd := leaf("config", `Show, edit and check the configuration
config shows and changes parley's configuration. Without a command it shows the
values and where each comes from.`, noArguments, show.RunE)
	cmd.AddCommand(show, configEditCommand(s), configPathCommand(s), configCheckCommand(s))
	return cmd
}

// loadConfig reads the configuration of the user.
func loadConfig() (*config.Config, error) { return config.Load(config.ConfigFile(), tab.Actions()) }

func configPathCommand(s *streams) *cobra.Command {
	return leaf("path", "Print the path of the configuration file, which may not exist", noArguments, func(*cobra.Command, []string) error {
		_, err := fmt.Fprintln(s.Out, config.ConfigFile())
		return err
	})
}

// mistakesOf prints the errors of the configuration, one per line, each beginning with
// file, line and column for editors. It returns the line of the first error, or 0.
func mistakesOf(s *streams, err error) (line int) {
	fmt.Fprintln(s.Err, termtext.Block(err.Error()))
	if first, is := errors.AsType[*config.Error](err); is {
		return first.Line
	}
	return 0
}

// configShowOptions are the flags of showing the configuration.
type configShowOptions struct {
	streams *streams
	all     bool
	agent   string
	sandbox string // the value of --sandbox, or ""
}

func configShowCommand(s *streams) *cobra.Command {
	opt := &configShowOptions{streams: s}
	var sandbox bool
	cmd := leaf("show", `Show every setting and where it comes from
show prints each setting and where it comes from: the file, a choice in parley, an
environment variable, a flag, or the default. Secret values are hidden. --agent and --sandbox
show what parley would use with them.`, noArguments, func(cmd *cobra.Command, _ []string) error {
		if f := cmd.Flags().Lookup("sandbox"); f != nil && f.Changed {
			opt.sandbox = fmt.Sprint(sandbox)
		}
		return opt.run()
	})
	f := cmd.Flags()
	f.BoolVar(&opt.all, "all", false, "include default keys")
	f.StringVarP(&opt.agent, "agent", "a", "", "as with this agent, by `NAME`")
	f.BoolVar(&sandbox, "sandbox", false, "as with --sandbox, or --sandbox=false")
	return cmd
}

func (o *configShowOptions) run() error {
	path := config.ConfigFile()
	settings, err := config.Settings(path, tab.Actions())
	if err != nil {
		return app.WithHint("To fix it: parley config edit", "%w", err)
	}
	if o.agent != "" {
		cfg, err := config.Load(path, tab.Actions())
		if err != nil {
			return err
		}
		if _, err := app.AgentNamed(cfg, o.agent); err != nil {
			return err
		}
	}
	out := o.streams.Out
	head := "# " + path
	if _, err := os.Stat(path); err != nil {
		head += ": not found; create it with: parley config edit"
	}
	fmt.Fprintln(out, head)
	return o.print(settings, filepath.Base(path))
}

// print prints the settings, one on a line.
func (o *configShowOptions) print(settings []config.Setting, file string) error {
	var lines, origins []string
	column, left := 0, 0
	for _, s := range settings {
		if s.Default && strings.HasPrefix(s.Key, "keys.") && !o.all {
			left++
			continue
		}
		value, origin := o.counts(s, file)
		line := s.Key + " = " + value
		lines, origins = append(lines, line), append(origins, origin)
		const widest = 48
		if w := termtext.Width(line); w <= widest {
			column = max(column, w)
		}
	}
	for i, line := range lines {
		pad := strings.Repeat(" ", max(0, column-termtext.Width(line)))
		if _, err := fmt.Fprintln(o.streams.Out, line+pad+"  # "+origins[i]); err != nil {
			return err
		}
	}
	if left > 0 {
		fmt.Fprintf(o.streams.Out, "# and %d default keys: parley config show --all\n", left)
	}
	return nil
}

// counts returns the value of a setting and where it comes from.
func (o *configShowOptions) counts(s config.Setting, file string) (value, origin string) {
	switch {
	case s.Key == "default_agent" && o.agent != "":
		return fmt.Sprintf("%q", o.agent), "flag --agent"
	case s.Key == "sandbox" && o.sandbox != "":
		return o.sandbox, "flag --sandbox"
	case s.Line > 0:
		origin = fmt.Sprintf("%s:%d", file, s.Line)
	case s.Default:
		return s.Value, "default"
	case s.Saved:
		origin = "chosen in parley"
	}
	if s.Variable == "" {
		return s.Value, origin
	}
	origin = strings.TrimPrefix(origin+", environment", ", ")
	switch _, set := os.LookupEnv(s.Variable); {
	case !set:
		origin += ", which is not set"
	case s.Line == 0:
		origin += " " + s.Variable
	}
	return s.Value, origin
}

func configCheckCommand(s *streams) *cobra.Command {
	return leaf("check [FILE]", `Check the configuration
check reads the configuration, or another FILE, and reports each mistake with
file, line and column. The exit code is 1 if there is one.`, arguments(0, 1, "one file"), func(_ *cobra.Command, args []string) error {
		path := config.ConfigFile()
		if len(args) == 1 {
			path = args[0]
		}
		outcome := path + ": no mistakes"
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			if len(args) == 1 {
				return fmt.Errorf("there is no file %s", path)
			}
			outcome = "There is no file " + path + ": parley uses the defaults. Create one with: parley config edit"
		}
		cfg, err := config.Load(path, tab.Actions())
		if err != nil {
			mistakesOf(s, err)
			return exitStatus(exitError)
		}
		if text := cfg.Ineffective(runtime.GOOS); text != "" {
			outcome += "\n" + text
		}
		_, err = fmt.Fprintln(s.Out, outcome)
		return err
	})
}

func configEditCommand(s *streams) *cobra.Command {
	return leaf("edit", `Edit the configuration in $EDITOR, then check it
edit opens the configuration file in $VISUAL or $EDITOR, then checks it. A new
file starts as the example, which explains every setting.`, noArguments, func(*cobra.Command, []string) error { return editConfig(s) })
}

// editConfig opens the editor until the configuration is valid or the user gives up.
func editConfig(s *streams) error {
	path := config.ConfigFile()
	if _, err := desktop.SystemEditor().Words(); err != nil {
		return app.WithHint("Or edit the file yourself: "+path, "%w", err)
	}
	if err := config.MakeFile(path, tab.Actions()); err != nil {
		return err
	}
	answers := bufio.NewReader(s.In)
	for line := 0; ; {
		if err := openEditor(s, path, line); err != nil {
			return err
		}
		_, wrong := config.Load(path, tab.Actions())
		if wrong == nil {
			return nil
		}
		line = mistakesOf(s, wrong)
		fmt.Fprint(s.Err, "Edit it again? [Y/n] ")
		answer, err := answers.ReadString('\n')
		if answer = strings.ToLower(strings.TrimSpace(answer)); err != nil && answer == "" || strings.HasPrefix(answer, "n") {
			return app.WithHint("parley does not start until it is fixed: parley config edit", "the configuration still has mistakes")
		}
	}
}

// openEditor runs the user's editor and waits for it.
func openEditor(s *streams, path string, line int) error {
	cmd, err := desktop.SystemEditor().Open(path, line)
	if err != nil {
		return err
	}
	// The editor must not read answers piped into parley.
	if s.InTerminal {
		cmd.Stdin = s.In
	}
	cmd.Stdout, cmd.Stderr = s.Out, s.Err
	if err := cmd.Run(); err != nil {
		return app.WithHint("Set $EDITOR, or edit the file yourself: "+path, "the editor %s: %w", cmd.Args[0], err)
	}
	return nil
}
