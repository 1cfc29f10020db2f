package cli

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"parley/config"
	"parley/internal/session"
	"parley/internal/store"
	"parley/tui/tab"
)

// backFlags defines the flags that go on with a session.
func (o *runOptions) backFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.resume, "resume", "", "go on with the session of this `ID`, parley's or the agent's own")
	f.BoolVar(&o.last, "continue", false, "go on with the last session of this directory")
}

// checkRunBack finds what is wrong with these flags.
func (o *runOptions) checkRunBack(cmd *cobra.Command) error {
	if err := o.checkBack(cmd); err != nil {
		return err
	}
	if o.pick {
		return misused(cmd, "'parley sessions' lists those that there are.", "--resume needs the ID of a session here")
	}
	return nil
}

// stored finds the stored session to go on with, "" if there is none, and the agent that
// does: the one that was named, else the session's own.
func (o *runOptions) stored(ctx context.Context, l *launcher, agent *config.Agent) (store.ID, *config.Agent, error) {
	switch {
	case !o.last && o.resume == "":
		return "", agent, nil
	case l.store == nil && o.last:
		return "", nil, notStored()
	case l.store == nil:
		return "", agent, nil
	}
	named := agent
	if o.agent == "" && o.words() == nil { // the default one, which the session need not have
		named = nil
	}
	lib := store.NewLibrary(l.store)
	defer lib.Close()
	id, err := o.storedID(ctx, lib, named)
	switch {
	case err != nil:
		return "", nil, err
	case id == "" && o.last:
		return "", nil, o.nothingHere()
	case id == "":
		return "", agent, nil
	}
	m, err := l.store.Meta(id)
	if err != nil {
		return "", nil, err
	}
	own, err := l.agentOf(m, tab.Open{ID: id, Agent: named})
	var mistrusted *tab.MistrustedError
	if errors.As(err, &mistrusted) {
		return "", nil, distrusted(mistrusted)
	}
	l.resume = ""
	return id, &own, err
}

// distrusted is the error of a session whose agent nobody has agreed to, where nobody can be
// asked.
func distrusted(e *tab.MistrustedError) error {
	if e.Listens != "" {
		return hinted("Name it once more, if you trust it: --connect "+e.Listens,
			"the agent of this session was named by --connect, and is not connected to unasked")
	}
	return hinted("Name it once more, if you trust it, behind --: "+e.Command,
		"the agent of this session was a command of the command line, and is not started unasked")
}

// begin makes the session: a stored one that goes on in its log, or another.
func (o *runOptions) begin(ctx context.Context, l *launcher, id store.ID, agent *config.Agent) (*session.Session, error) {
	if id == "" {
		return l.start(*agent)
	}
	log, err := l.store.Continue(id) // first, so that nothing is written after it was read
	if err != nil {
		return nil, err
	}
	r, err := l.read(ctx, tab.Open{ID: id, Agent: agent})
	if err == nil {
		err = r.ReadOnly
	}
	if err != nil {
		return nil, errors.Join(err, log.Close())
	}
	return l.goOn(r, log)
}
