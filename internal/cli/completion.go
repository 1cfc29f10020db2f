package cli

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"parley/config"
	"parley/internal/app"
	"parley/internal/git"
	"parley/internal/host"
	"parley/internal/policy"
	"parley/internal/rules"
	"parley/internal/store"
	"parley/internal/termtext"
)

// argumentsOf completes the arguments of commands, by their path below parley. Shells
// complete files for the arguments of other commands.
var argumentsOf = map[string]cobra.CompletionFunc{
	"agents info":     agentNames,
	"agents login":    agentNames,
	"agents logout":   agentNames,
	"agents remove":   agentNames,
	"sessions show":   storedSessions,
	"sessions export": storedSessions,
	"sessions rename": storedSessions,
	"sessions delete": storedSessions,
	"sessions end":    runningSessions,
	"attach":          runningSessions,
	"wait":            runningSessions,
	"send":            runningSessions,
	"answer":          runningSessions,
	"replay":          storedSessions,
	"rules remove":    savedRules,
	"worktree diff":   worktrees,
	"worktree merge":  worktrees,
	"worktree drop":   worktrees,
}

// valuesOf completes the values of flags: of a flag of every command ("--cwd"), or of a
// flag of one command ("run --output").
var valuesOf = map[string]cobra.CompletionFunc{
	"--agent":                  agentNames,
	"--cwd":                    directories,
	"--add-dir":                directories,
	"--resume":                 storedSessions,
	"--worktree":               worktrees,
	"rules test --kind":        oneOf(policy.Kinds()...),
	"run --output":             oneOf(outputs...),
	"compare --output":         oneOf(outputText, outputJSON),
	"compare --keep":           oneOf(keepBest),
	"wait --output":            oneOf(outputText, outputJSON),
	"replay --output":          oneOf(outputs...),
	"replay --speed":           oneOf("0.5", "1", "2", "4", "max"),
	"sessions export --format": oneOf("md", "json", "html"),
}

// complete sets the completions of a command and its subcommands.
func complete(cmd *cobra.Command) {
	_, name, _ := strings.Cut(cmd.CommandPath(), " ")
	if name == "completion" { // cobra's, which prints the script for a shell
		cmd.Args, cmd.RunE = noArguments, func(cmd *cobra.Command, _ []string) error {
			return misused(cmd, "", "%s needs the name of a shell", cmd.CommandPath())
		}
	}
	if f := argumentsOf[name]; f != nil {
		cmd.ValidArgsFunction = f
	}
	cmd.LocalFlags().VisitAll(func(flag *pflag.Flag) {
		for _, key := range []string{"--" + flag.Name, name + " --" + flag.Name} {
			if f := valuesOf[key]; f != nil {
				_ = cmd.RegisterFlagCompletionFunc(flag.Name, f) // fails only for unknown flags
			}
		}
	})
	for _, below := range cmd.Commands() {
		complete(below)
	}
}

// oneOf completes one of these words.
func oneOf(words ...string) cobra.CompletionFunc {
	return cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp)
}

// directories completes directories.
func directories(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveFilterDirs
}

// agentNames completes the agents that can be started here.
func agentNames(_ *cobra.Command, _ []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
	cfg, err := loadConfig()
	if err != nil {
		cfg = config.Default(nil) // parley reports it at the next start
	}
	agents, err := app.Available(cfg)
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	var out []cobra.Completion
	for _, a := range agents {
		out = completion(out, begun, a.ID, a.Name)
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}

// storedSessions completes the ids of stored sessions, latest first. replay takes a file
// too.
func storedSessions(cmd *cobra.Command, _ []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
	rest := cobra.ShellCompDirectiveNoFileComp
	if cmd.Name() == "replay" {
		rest = cobra.ShellCompDirectiveDefault
	}
	lib, _, err := openLibrary()
	if err != nil {
		return nil, rest
	}
	defer lib.Close()
	list, err := lib.List(cmd.Context(), store.Query{})
	if err != nil {
		return nil, rest
	}
	var out []cobra.Completion
	for _, s := range list {
		out = completion(out, begun, string(s.ID), s.Name())
	}
	return out, rest | cobra.ShellCompDirectiveKeepOrder
}

// runningSessions completes the ids of the sessions that keep running, the one that was
// busy last first.
func runningSessions(cmd *cobra.Command, args []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
	const rest = cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
	list, err := host.List(cmd.Context())
	if err != nil || len(args) > 0 && cmd.Name() != "end" {
		return nil, rest
	}
	var out []cobra.Completion
	for _, s := range list {
		out = completion(out, begun, s.ID, s.Name()+" ("+s.State()+")")
	}
	return out, rest
}

// savedRules completes the saved rules of the project or, with --global, those of all
// projects.
func savedRules(cmd *cobra.Command, _ []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
	cwd, _ := cmd.Flags().GetString("cwd")
	everywhere, _ := cmd.Flags().GetBool("global")
	b, err := (&rulesOptions{cwd: cwd}).book()
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	entries, _ := b.Entries()
	scope := rules.SavedForProject
	if everywhere {
		scope = rules.SavedEverywhere
	}
	var out []cobra.Completion
	for _, e := range entries {
		if e.Scope == scope {
			out = completion(out, begun, e.Rule.String(), "")
		}
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}

// worktrees completes the names of the worktrees made by parley.
func worktrees(cmd *cobra.Command, _ []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
	cwd, _ := cmd.Flags().GetString("cwd")
	dir, err := app.Directory(cwd)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	trees, _ := git.Worktrees(cmd.Context(), dir)
	var out []cobra.Completion
	for _, t := range trees {
		out = completion(out, begun, t.Name, "")
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}

// completion appends a word and its description if the word begins with what was typed. It
// sanitises both, because the shell shows them.
func completion(out []cobra.Completion, begun, word, about string) []cobra.Completion {
	if !strings.HasPrefix(word, begun) || word == "" || termtext.Line(word) != word {
		return out
	}
	return append(out, cobra.CompletionWithDesc(word, termtext.Line(about)))
}
