package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"parley/acpclient"
	"parley/config"
	"parley/internal/conversation"
	"parley/internal/git"
	"parley/internal/session"
	"parley/internal/store"
	"parley/tui"
	"parley/tui/tab"
)

// reopen reads a stored session and makes the session that goes on with it. If nothing
// can, the session is one to be read.
func (l *launcher) reopen(ctx context.Context, o tab.Open) (*tab.Reopened, error) {
	log, locked := l.store.Continue(o.ID) // first, so that nothing is written after it was read
	r, err := l.read(ctx, o)
	if err != nil {
		if log != nil {
			err = errors.Join(err, log.Close())
		}
		return nil, err
	}
	if r.ReadOnly == nil && locked != nil {
		r.ReadOnly = locked
	}
	m := r.Transcript.Meta
	if r.ReadOnly == nil {
		r.Session, r.ReadOnly = l.goOn(r, log)
		log = nil
	}
	if r.ReadOnly == nil {
		return r, nil
	}
	if log != nil {
		if err := log.Close(); err != nil {
			return nil, err
		}
	}
	r.Session, err = session.NewSession(session.Options{
		Cwd:     m.Cwd,
		Machine: func(session.Witness, session.Asker) (session.Machine, error) { return idleMachine{}, nil },
	})
	return r, err
}

// idleMachine is the machine of a session that is only read: there is no agent that
// could ask anything of it.
type idleMachine struct{ session.Machine }

func (idleMachine) EndTerminals() {}
func (idleMachine) Close()        {}

// read reads a stored session, and finds out what could go on with it.
func (l *launcher) read(ctx context.Context, o tab.Open) (*tab.Reopened, error) {
	t, err := l.store.Read(ctx, o.ID)
	if err != nil {
		return nil, err
	}
	r := &tab.Reopened{Transcript: t}
	if r.View, err = l.store.View(o.ID); err != nil {
		r.View = store.View{} // a draft that cannot be read keeps nobody from going on
	}
	r.Agent, r.ReadOnly = l.agentOf(t.Meta, o)
	if m := t.Meta; m.Worktree != "" && git.WorktreeGone(m.Cwd) {
		r.ReadOnly = fmt.Errorf("its worktree %s is gone. If the branch %s is still there, 'parley --worktree=%s' in %s makes it again",
			m.Cwd, m.Worktree, git.WorktreeName(m.Worktree), m.From)
	}
	if r.ReadOnly == nil {
		for _, dir := range append([]string{t.Meta.Cwd}, t.Meta.Dirs...) {
			if _, err := directory(dir); err != nil {
				r.ReadOnly = err
			}
		}
	}
	return r, nil
}

// agentOf is the agent that goes on with a stored session. The error says why there is
// none, or that the person is to be asked first.
func (l *launcher) agentOf(m store.Meta, o tab.Open) (config.Agent, error) {
	switch {
	case o.Agent != nil:
		return *o.Agent, nil
	case len(m.Command) == 0:
		return agentNamed(l.config, m.Agent)
	}
	a := agentOfWords(m.Agent, m.Command)
	if !o.Trusted && !slices.Equal(m.Command, l.command) {
		return a, mistrusted(a)
	}
	return a, nil
}

// mistrusted says that the person has not agreed to the agent of a stored session.
func mistrusted(a config.Agent) *tab.MistrustedError {
	if a.Address != "" {
		return &tab.MistrustedError{Listens: a.Listens()}
	}
	return &tab.MistrustedError{Command: strings.Join(a.Words(), " ")}
}

// goOn makes the session that goes on with a stored one in its log, which is the
// session's from then on. If there is an error, the log is closed.
func (l *launcher) goOn(r *tab.Reopened, log *store.Log) (*session.Session, error) {
	t := r.Transcript
	if err := log.Append(t.Ending); err != nil {
		return nil, errors.Join(err, log.Close())
	}
	m := t.Meta
	c := t.Conversation
	opt := session.Options{
		Keeper: l.record(m, log), Cwd: m.Cwd, AdditionalDirectories: m.Dirs,
		ResumeID: c.ID, Kept: c.ID != "", Queue: c.Queue, LastNumber: t.LastNumber,
	}
	var before []conversation.Event
	if l.recorder != nil {
		var err error
		if before, err = storedEvents(l.store, m.ID); err != nil {
			opt.Keeper.Close()
			return nil, err
		}
	}
	s, err := l.session(r.Agent, opt, before)
	if err != nil {
		opt.Keeper.Close()
	}
	return s, err
}

// bareResume gives --resume and --worktree an empty value where they have none: flags
// cannot do both, take a value and do without. A word behind --worktree is never its
// value: it could be the prompt.
func bareResume(args []string) []string {
	out := make([]string, 0, len(args))
	for i, arg := range args {
		if arg == "--" {
			return append(out, args[i:]...)
		}
		if arg == "--resume" && (i+1 == len(args) || strings.HasPrefix(args[i+1], "-")) {
			arg = "--resume="
		}
		if arg == "--worktree" {
			arg = "--worktree="
		}
		out = append(out, arg)
	}
	return out
}

// checkBack finds contradictions among the flags that go on with a session.
func (o *startOptions) checkBack(cmd *cobra.Command) error {
	o.pick = cmd.Flags().Changed("resume") && o.resume == ""
	if o.last && (o.pick || o.resume != "") {
		return misused(cmd, "", "--continue and --resume do not go together: each names a session")
	}
	return nil
}

// back says to the screen what is stored, and what to begin with of that. A session that
// is not stored may still be known to the agent.
func (o *startOptions) back(ctx context.Context, l *launcher, opt *tui.Options) error {
	if l.store == nil {
		if o.last || o.pick {
			return notStored()
		}
		return nil
	}
	opt.Stored, opt.Reopen, opt.Pick = store.NewLibrary(l.store), l.reopen, o.pick
	if !o.last && o.resume == "" {
		return nil
	}
	var agent *config.Agent
	if o.agent != "" || o.words() != nil { // another one may be the default
		agent = opt.Agent
	}
	id, err := o.storedID(ctx, opt.Stored, agent)
	switch {
	case err != nil:
		return err
	case id != "":
		opt.Open = &tab.Open{ID: id, Agent: agent, Last: o.last}
		l.resume = ""
	case o.last:
		if draft, err := l.store.Draft(o.cwd); err != nil || draft == "" {
			return errors.Join(err, o.nothingHere())
		} // else a new session is what was begun last
	}
	return nil
}

// nothingHere is the error of going on with the last session where there is none.
func (o *startOptions) nothingHere() error {
	return hinted("'parley --resume' lists those of other directories.", "there is no session of %s to continue", filepath.Clean(o.cwd))
}

// notStored is the error of going on with a stored session where none are.
func notStored() error {
	return hinted("Take store = false out of "+config.ConfigFile()+", or name a session of the agent's with --resume=ID.", "no sessions are stored")
}

// storedID finds the stored session that is meant; "" is none.
func (o *startOptions) storedID(ctx context.Context, lib *store.Library, agent *config.Agent) (store.ID, error) {
	q := store.Query{Limit: 1}
	if agent != nil {
		q.Agent = agent.ID
	}
	if o.last {
		q.Cwd = o.cwd
	} else {
		q.All, q.Session = true, acpclient.SessionID(o.resume)
	}
	list, err := lib.List(ctx, q)
	switch {
	case err != nil:
		return "", err
	case len(list) > 0:
		return list[0].ID, nil
	case o.last:
		return "", nil
	}
	id, err := lib.Resolve(o.resume)
	var several *store.AmbiguousError
	switch {
	case err == nil, errors.As(err, &several) && agent == nil:
		return id, explained(err)
	case errors.As(err, &several), errors.Is(err, store.ErrNotStored):
		return "", nil // it is the agent's alone
	}
	return "", err
}

// pruneAfter is when a start that draws the first frames is over.
const pruneAfter = 5 * time.Second

// pruneBeside deletes, beside what runs, what the configuration does not want to keep,
// and returns what ends that. It is no trouble of the person's if it goes wrong: parley
// does it again tomorrow, and 'parley sessions prune' says what is wrong.
func pruneBeside(ctx context.Context, lib *store.Library, bounds config.Store) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	timer := time.AfterFunc(pruneAfter, func() {
		_ = lib.PruneDaily(ctx, store.Bounds{Age: bounds.Age, Bytes: bounds.Bytes}, time.Now())
	})
	return func() {
		timer.Stop()
		cancel()
	}
}
