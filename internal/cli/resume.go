package cli

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"mvdan.cc/sh/v3/syntax"

	"parley/config"
	"parley/internal/app"
	"parley/internal/doctor"
	"parley/internal/store"
)

// bareFlags gives --resume, --worktree and doctor's --prompt a value if they have none,
// because pflag has no optional values in a separate argument. The word after --worktree is
// never its value: it could be the prompt.
func bareFlags(args []string) []string {
	out := make([]string, 0, len(args))
	for i, arg := range args {
		if arg == "--" {
			return append(out, args[i:]...)
		}
		last := i+1 == len(args) || strings.HasPrefix(args[i+1], "-")
		switch {
		case arg == "--resume" && last:
			arg = "--resume="
		case arg == "--worktree":
			arg = "--worktree="
		case arg == "--prompt" && last && args[0] == "doctor":
			arg = "--prompt=" + doctor.ScriptedPrompt
		}
		out = append(out, arg)
	}
	return out
}

// stored returns the stored session that the flags name, or nil if they name none, or one
// that only the agent stores. agent comes from the flags or the configuration.
func (o *startOptions) stored(ctx context.Context, l *app.Launcher, lib *store.Library, agent *config.Agent) (*app.Spec, error) {
	switch {
	case l.Store == nil && (o.last || o.pick):
		return nil, app.WithHint("Remove store = false from "+config.ConfigFile()+", or name one of the agent's sessions with --resume=ID.", "no sessions are stored")
	case l.Store == nil || !o.last && o.resume == "":
		return nil, nil
	case o.agent == "" && o.words() == nil:
		agent = nil // the session may have another agent than the default
	}
	var id store.ID
	var err error
	if o.last {
		id, err = app.LastStored(ctx, lib, o.cwd, agent)
	} else {
		id, err = app.StoredNamed(ctx, lib, o.resume, agent)
	}
	if err != nil || id == "" {
		return nil, explained(err)
	}
	l.Resume = ""
	return &app.Spec{Stored: id, Agent: agent, Last: o.last}, nil
}

// nothingHere returns the error for --continue in a directory without sessions.
func (o *startOptions) nothingHere() error {
	return app.WithHint("'parley --resume' lists those of other directories.", "no session of %s to continue", filepath.Clean(o.cwd))
}

// pruneAfter delays pruning, so that it does not slow down the first frames.
const pruneAfter = 5 * time.Second

// pruneBeside deletes sessions beyond the configured limits in the background until stop is
// called. It drops errors: parley tries again the next day, and 'parley sessions prune'
// reports them.
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

// storedAgent returns the agent that continues a stored session. It fails for an agent
// that needs consent, because no user is there to ask.
func storedAgent(l *app.Launcher, s app.Spec) (*config.Agent, error) {
	m, err := l.Store.Meta(s.Stored)
	if err != nil {
		return nil, err
	}
	a, err := l.StoredAgent(m, s)
	var untrusted *app.UntrustedError
	switch {
	case !errors.As(err, &untrusted):
		return &a, err
	case untrusted.Listens != "":
		return nil, app.WithHint("If you trust it, repeat: --connect "+untrusted.Listens,
			"parley does not reconnect by itself to an agent named by --connect")
	}
	return nil, app.WithHint("If you trust it, repeat its command: "+untrusted.Command,
		"parley does not start an agent named on the command line by itself")
}

// begin continues a stored session, or starts a new one if open is nil. early bounds what comes before.
func (o *runOptions) begin(ctx, early context.Context, l *app.Launcher, open *app.Spec, agent *config.Agent) (app.Session, error) {
	s := app.Spec{Agent: agent}
	if open != nil {
		s.Stored = open.Stored
	}
	preparing, stop := signal.NotifyContext(early, os.Interrupt)
	defer stop()
	o.streams.tellNotes(l.Prepare(preparing, s, preparation(o.streams.tell, true)), o.streams.tell)
	if preparing.Err() != nil {
		return nil, tooEarly()
	}
	made, err := l.Make(ctx, s)
	if err != nil {
		return nil, err
	}
	if made.ReadOnly != nil {
		made.Session.Close(ctx)
	}
	return made.Session, made.ReadOnly
}

// resumeCommand returns the command line that resumes a session, or "".
func (o *startOptions) resumeCommand(left app.Left) string {
	named := left.Agent.Source != "" // else it comes from a command line, maybe an earlier one
	another := !named && !slices.Equal(left.Agent.Words(), o.words())
	if left.Stored != "" && (left.Session == "" || left.Cwd != o.cwd || another) {
		return "parley --resume=" + string(left.Stored)
	}
	if left.Session == "" || another || left.Agent.ID == app.TourID { // the tour's project is gone
		return ""
	}
	session, err := syntax.Quote(string(left.Session), syntax.LangPOSIX)
	if err != nil {
		return "" // cannot be typed
	}
	var args []string
	if here, err := app.Directory(""); err != nil || here != o.cwd {
		args = append(args, "--cwd", o.cwd)
	}
	switch {
	case named:
		args = append(args, "-a", left.Agent.ID)
	case o.connect != "":
		args = append(args, o.connectShown()...)
	default:
		args = append(append(args, "--"), o.command...)
	}
	return commandLine("parley --resume="+session, args...)
}

// commandLine appends the arguments, quoted for a shell, to the beginning of a command. It
// returns "" if an argument cannot be typed.
func commandLine(beginning string, args ...string) string {
	words := []string{beginning}
	for _, a := range args {
		quoted, err := syntax.Quote(a, syntax.LangPOSIX)
		if err != nil {
			return ""
		}
		words = append(words, quoted)
	}
	return strings.Join(words, " ")
}
