package cli

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"parley/config"
	"parley/internal/app"
	"parley/internal/policy"
	"parley/internal/rules"
	"parley/internal/termtext"
)

func rulesCommand(s *streams) *cobra.Command {
	o := &rulesOptions{streams: s}
	cmd := leaf("rules", `Show and change the permission rules
rules shows and changes the rules that answer permission requests: those of your
configuration, those that parley saved, and those of a project's
.parley/config.toml, once you trust it.

A rule has a verdict, a tool kind and a pattern in parentheses:
"allow execute(go test *)", "deny edit(vendor/**)", "allow read".
Deny beats ask, ask beats allow. Without a matching rule, parley asks.`, noArguments, func(cmd *cobra.Command, _ []string) error { return o.list() })
	cmd.PersistentFlags().StringVar(&o.cwd, "cwd", "", "project directory `DIR` (default: current)")
	cmd.AddCommand(
		leaf("list", "List all rules and where each lives", noArguments, func(*cobra.Command, []string) error { return o.list() }),
		o.testCommand(),
		o.changeCommand("add", "Save a rule, for this project or for all", (*rules.Set).Add),
		o.changeCommand("remove", "Remove a saved rule", func(b *rules.Set, everywhere bool, lines ...string) error {
			return b.Remove(everywhere, lines[0])
		}),
		o.trustCommand(),
	)
	return cmd
}

// rulesOptions are the flags of the rules commands.
type rulesOptions struct {
	streams *streams
	cwd     string

	everywhere        bool
	kind, agent, mode string
	never, forget     bool
}

// book opens the rules that apply in the directory.
func (o *rulesOptions) book() (*rules.Set, error) {
	cwd, err := app.Directory(o.cwd)
	if err != nil {
		return nil, err
	}
	cfg, err := loadConfig()
	if err != nil {
		return nil, err
	}
	agent, err := app.AgentNamed(cfg, o.agent)
	if err != nil {
		agent = config.Agent{ID: o.agent}
	}
	return rules.Open(rules.Options{Agent: agent, Cwd: cwd, Configured: app.ConfiguredRules(cfg), Store: rules.NewStore(config.StateDir()), Files: cfg.Files})
}

// list prints the rules by scope.
func (o *rulesOptions) list() error {
	b, err := o.book()
	if err != nil {
		return err
	}
	entries, err := b.Entries()
	if err != nil {
		return err
	}
	w, last := o.streams.Out, rules.Scope(-1)
	for _, e := range entries {
		if e.Scope != last {
			last = e.Scope
			heading := e.Scope.String()
			switch {
			case !e.Counts && b.Trust() == rules.Never:
				heading += ", ignored: you chose never to trust this project"
			case !e.Counts:
				heading += ", ignored: you have not trusted this project's rules, or they have changed since"
			}
			fmt.Fprintln(w, termtext.Line(heading)+":")
		}
		line := "  " + termtext.VisibleLine(e.Rule.String())
		if e.Scope == rules.Configured || e.Scope == rules.OfProject {
			line = fmt.Sprintf("%-50s  %s", line, termtext.VisibleLine(e.Source))
		}
		fmt.Fprintln(w, line)
		if why := e.Rule.Futile(); why != "" {
			fmt.Fprintln(w, "    It never allows anything: "+termtext.VisibleLine(why)+".")
		}
	}
	if len(entries) == 0 {
		fmt.Fprintln(w, "No rules: parley asks every time.")
	}
	if wrong := b.Project().Err; wrong != nil {
		return app.WithHint("Its rules are ignored until it is fixed.", "the project's configuration: %w", wrong)
	}
	return nil
}

func (o *rulesOptions) testCommand() *cobra.Command {
	cmd := leaf("test WHAT", "Show what would happen, and by which rule", arguments(1, 1, "a command or path to test"), func(_ *cobra.Command, args []string) error { return o.test(args[0]) })
	cmd.Example = `  parley rules test 'git push --force'
  parley rules test --kind edit src/main.go
  parley rules test --kind fetch https://example.com/page --agent claude --mode plan`
	f := cmd.Flags()
	f.StringVar(&o.kind, "kind", "execute", "the `KIND` of tool: "+strings.Join(policy.Kinds(), ", "))
	f.StringVar(&o.agent, "agent", "", "the `NAME` of the agent")
	f.StringVar(&o.mode, "mode", "", "the `ID` of the current mode")
	return cmd
}

func (o *rulesOptions) test(what string) error {
	call, err := policy.CallOf(o.kind, what)
	if err != nil {
		return app.WithHint("Try 'parley rules test --help'.", "%w", err)
	}
	b, err := o.book()
	if err != nil {
		return err
	}
	d, err := b.Decide(call, o.mode)
	if err != nil {
		return err
	}
	w := o.streams.Out
	switch d.Verdict {
	case policy.Allow:
		fmt.Fprintln(w, "It would be allowed.")
	case policy.Deny:
		fmt.Fprintln(w, "It would be denied.")
	default:
		fmt.Fprintln(w, "You would be asked.")
	}
	if d.Rule != nil {
		fmt.Fprintf(w, "The rule: %s (%s)\n", termtext.VisibleLine(d.Rule.String()), termtext.VisibleLine(d.Rule.Source))
	} else if d.Why == "" {
		fmt.Fprintln(w, "No rule matches.")
	}
	if d.Why != "" {
		fmt.Fprintln(w, "Why: "+termtext.VisibleLine(d.Why)+".")
	}
	return nil
}

func (o *rulesOptions) changeCommand(name, short string, change func(b *rules.Set, everywhere bool, lines ...string) error) *cobra.Command {
	cmd := leaf(name+" RULE", short, arguments(1, 1, "a rule, in quotes"), func(_ *cobra.Command, args []string) error {
		b, err := o.book()
		if err != nil {
			return err
		}
		err = change(b, o.everywhere, args[0])
		if errors.Is(err, rules.ErrNoSuchRule) {
			return app.WithHint("Try 'parley rules list'. Remove configured rules from their file; use --global for rules of all projects.", "%w", err)
		}
		return err
	})
	cmd.Example = "  parley rules " + name + " 'allow execute(go test *)'\n  parley rules " + name + " --global 'deny execute(git push *)'"
	cmd.Flags().BoolVar(&o.everywhere, "global", false, "for all projects")
	return cmd
}

func (o *rulesOptions) trustCommand() *cobra.Command {
	cmd := leaf("trust", `Trust the project's rules as they are now
trust applies the rules in the project's .parley/config.toml as they are now.
After a change you must trust them again. Look at them first:
parley rules list`, noArguments, func(cmd *cobra.Command, _ []string) error {
		b, err := o.book()
		if err != nil {
			return err
		}
		t := rules.Trusted
		switch p := b.Project(); {
		case o.never:
			t = rules.Never
		case o.forget:
			t = rules.Undecided
		case p.Err != nil:
			return fmt.Errorf("the project's configuration: %w", p.Err)
		case p.Empty():
			return fmt.Errorf("nothing to trust in %s", filepath.Join(p.Dir, config.ProjectFile))
		default:
			fmt.Fprintln(o.streams.Out, "Trusted:")
			for _, line := range app.ProjectLines(p) {
				fmt.Fprintln(o.streams.Out, "  "+termtext.VisibleLine(line))
			}
		}
		return b.SetTrust(t)
	})
	cmd.Flags().BoolVar(&o.never, "never", false, "never trust it; do not ask")
	cmd.Flags().BoolVar(&o.forget, "forget", false, "forget the decision: parley asks again")
	cmd.MarkFlagsMutuallyExclusive("never", "forget")
	return cmd
}
