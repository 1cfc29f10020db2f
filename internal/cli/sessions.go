package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"parley/config"
	"parley/internal/app"
	"parley/internal/store"
)

// sessionsCommand is about the sessions that parley keeps.
func sessionsCommand(s *streams) *cobra.Command {
	list := sessionsListCommand(s)
	cmd := &cobra.Command{
		Use:   "sessions",
		Short: "List, show, export, search, rename and delete sessions",
		Long: `sessions manages the stored sessions. Without a command it lists those of this
directory. Name a session by its ID or the beginning of it.`,
		Args: noArguments,
		RunE: list.RunE,
	}
	for _, command := range []*cobra.Command{
		list, sessionsShowCommand(s), sessionsExportCommand(s), sessionsSearchCommand(s), sessionsRenameCommand(s), sessionsDeleteCommand(s), sessionsPruneCommand(s),
	} {
		cmd.AddCommand(command)
	}
	cmd.Flags().AddFlagSet(list.Flags())
	return cmd
}

// openLibrary is what is stored, with the configuration that says how much.
func openLibrary() (*store.Library, *config.Config, error) {
	cfg, err := config.Load(config.ConfigFile())
	if err != nil {
		return nil, nil, err
	}
	// Where nothing is stored any more, what was stored before can be read.
	return store.NewLibrary(store.New(app.StoreDir())), cfg, nil
}

// storedSession is the session that an argument names.
func storedSession(lib *store.Library, word string) (store.ID, error) {
	id, err := lib.Resolve(word)
	return id, explained(err)
}

// explained is an error of the store with what to do about it.
func explained(err error) error {
	var several *store.AmbiguousError
	switch {
	case errors.As(err, &several):
		return app.WithHint("Give more of the ID: "+string(several.IDs[0])+" is one of them.", "%w", err)
	case errors.Is(err, store.ErrNotStored):
		return app.WithHint("'parley sessions list --all' lists them.", "%w", err)
	case errors.Is(err, store.ErrInUse):
		return app.WithHint("Close it first: it is open in another parley or tab.", "%w", err)
	}
	return err
}

// oneSession accepts the id of a session.
func oneSession(cmd *cobra.Command, args []string) error {
	if len(args) != 1 {
		return misused(cmd, "", "%s takes a session ID, got %d arguments", cmd.Name(), len(args))
	}
	return nil
}

// sessionsRenameCommand gives a session a title.
func sessionsRenameCommand(s *streams) *cobra.Command {
	return &cobra.Command{
		Use:   "rename ID TITLE",
		Short: "Rename a session; an empty title restores its own",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 2 {
				return misused(cmd, "Quote a title of several words.", "rename takes an ID and a title, got %d arguments", len(args))
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			lib, _, err := openLibrary()
			if err != nil {
				return err
			}
			id, err := storedSession(lib, args[0])
			if err != nil {
				return err
			}
			return explained(lib.Rename(id, args[1]))
		},
	}
}

// sessionsDeleteCommand deletes sessions.
func sessionsDeleteCommand(s *streams) *cobra.Command {
	return &cobra.Command{
		Use:   "delete ID...",
		Short: "Delete sessions from parley, not from the agent",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return misused(cmd, "", "delete takes session IDs")
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			lib, _, err := openLibrary()
			if err != nil {
				return err
			}
			ids := make([]store.ID, len(args))
			for i, word := range args { // all are known before one is deleted
				if ids[i], err = storedSession(lib, word); err != nil {
					return err
				}
			}
			for _, id := range ids {
				if err := lib.Delete(id); err != nil {
					return explained(err)
				}
				fmt.Fprintln(s.Out, "deleted "+string(id))
			}
			return nil
		},
	}
}
