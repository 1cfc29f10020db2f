package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"parley/config"
	"parley/internal/app"
	"parley/internal/termtext"
)

// configShowOptions are the flags of showing the configuration.
type configShowOptions struct {
	streams *streams
	all     bool
	agent   string
	sandbox string // what --sandbox says, "" if it is not given
}

// configShowCommand shows the configuration that counts.
func configShowCommand(s *streams) *cobra.Command {
	opt := &configShowOptions{streams: s}
	var sandbox bool
	cmd := &cobra.Command{
		Use:   "show",
		Short: "Show every setting and where it comes from",
		Long: `show prints each setting and where it comes from: the file, an environment
variable, a flag, or the default. Secret values are hidden. --agent and --sandbox
show what parley would use with them.`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if f := cmd.Flags().Lookup("sandbox"); f != nil && f.Changed {
				opt.sandbox = fmt.Sprint(sandbox)
			}
			return opt.run()
		},
	}
	f := cmd.Flags()
	f.BoolVar(&opt.all, "all", false, "include default keys")
	f.StringVarP(&opt.agent, "agent", "a", "", "as with this agent, by `NAME`")
	f.BoolVar(&sandbox, "sandbox", false, "as with --sandbox, or --sandbox=false")
	return cmd
}

func (o *configShowOptions) run() error {
	path := config.ConfigFile()
	settings, err := config.Settings(path)
	if err != nil {
		return app.WithHint("To fix it: parley config edit", "%w", err)
	}
	if o.agent != "" {
		cfg, err := config.Load(path)
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
		fmt.Fprintf(o.streams.Out, "# and %d keys as they are by default: parley config show --all\n", left)
	}
	return nil
}

// counts is the value of a setting, and where it comes from.
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
