package command

import (
	"slices"
	"strings"

	"parley/config"
)

// Row is a command: its name, keys and words, and what it does. A view looks its keys up in
// the rows that it has; palette, help, hints, slash commands and the configuration come from
// the same rows. F is a function on the view.
//
// A row without Help is a command of another view, for which this one has its own function.
type Row[F any] struct {
	// ID names the command in [keys].
	ID config.Action
	// Keys are the default keys, separated by spaces. Bare means that they may type text: they
	// count only while nothing else was typed.
	Keys string
	Bare bool
	// Help describes the command in a few words.
	Help string
	// Words are further words to find it with, separated by spaces. Typing the whole first one
	// finds it before all others.
	Words string
	// Slash are the names of its slash command, separated by spaces: its own, then those that
	// other clients have for it, which are offered once typed.
	Slash string
	// Absent is why the palette does not list it, "" if it does.
	Absent string
	Do     F
}

// Rows are the commands of a view, in the order of the help.
type Rows[F any] []Row[F]

// Map returns the rows with other functions.
func Map[F, G any](rows Rows[F], do func(F) G) Rows[G] {
	all := make(Rows[G], len(rows))
	for i, r := range rows {
		all[i] = Row[G]{r.ID, r.Keys, r.Bare, r.Help, r.Words, r.Slash, r.Absent, do(r.Do)}
	}
	return all
}

// Named returns the row of a command, nil if there is none.
func (rows Rows[F]) Named(id config.Action) *Row[F] {
	i := slices.IndexFunc(rows, func(r Row[F]) bool { return r.ID == id })
	if i < 0 {
		return nil
	}
	return &rows[i]
}

// Pressed returns the row of a key, nil if there is none. The first of the contexts in which
// the key has a command decides.
func (rows Rows[F]) Pressed(keys config.Keys, name string, in ...config.Context) *Row[F] {
	for _, context := range in {
		if id, bound := keys.Action(context, name); bound {
			return rows.Named(id)
		}
	}
	return nil
}

// Group adds the commands to a group of the configuration.
func (rows Rows[F]) Group(g config.Group) config.Group {
	for _, r := range rows {
		if r.Help != "" {
			g.Actions = append(g.Actions, config.ActionInfo{
				Action: r.ID, Context: g.Context, Help: r.Help, Keys: strings.Fields(r.Keys), Words: r.Words, Bare: r.Bare,
			})
		}
	}
	return g
}
