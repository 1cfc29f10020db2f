package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"parley/acpclient"
	"parley/config"
	"parley/internal/conversation"
	"parley/internal/policy"
	"parley/internal/store"
	"parley/internal/termtext"
)

// Kept tells a host which session to run. The host is another parley process, which reads the
// configuration itself.
type Kept struct {
	// ID identifies the session among the running ones.
	ID string `json:"id"`
	// Agent is the name of a configured or known agent, or Words its command or URL.
	Agent string   `json:"agent"`
	Words []string `json:"words,omitempty"`
	Cwd   string   `json:"cwd"`
	Dirs  []string `json:"dirs,omitempty"`
	// Session is opened instead of a new one; or Stored is continued; or Branch is made.
	Session acpclient.SessionID `json:"session,omitempty"`
	Stored  store.ID            `json:"stored,omitempty"`
	Branch  *KeptBranch         `json:"branch,omitempty"`

	Sandbox  *bool         `json:"sandbox,omitempty"`
	Protocol string        `json:"protocol,omitempty"`
	Rules    []policy.Rule `json:"rules,omitempty"`
	NoRules  bool          `json:"noRules,omitempty"`
	MaxCost  float64       `json:"maxCost,omitempty"`

	WaitForLimit bool `json:"waitForLimit,omitempty"`
}

// KeptBranch says how to branch a stored session: see [Launcher.Branch].
type KeptBranch struct {
	Stored store.ID `json:"stored"`
	Prompt int      `json:"prompt"`
	Cwd    string   `json:"cwd,omitempty"`

	HandOver bool `json:"handOver,omitempty"`
}

// Kept describes for a host the session that the launcher would make.
func (l *Launcher) Kept(a config.Agent, cwd string) Kept {
	k := Kept{
		Agent: a.ID, Cwd: cwd, Dirs: l.Dirs,
		Sandbox: l.Sandbox, Protocol: l.Protocol, Rules: l.Rules, NoRules: l.NoRules, MaxCost: l.MaxCost, WaitForLimit: l.WaitForLimit,
	}
	if a.Source == "" { // from the command line
		k.Words = a.Words()
	}
	return k
}

// KeptFirst describes for a host the session that [Launcher.Start] would make, including what
// the command line says about the first one.
func (l *Launcher) KeptFirst(a config.Agent) Kept {
	k := l.Kept(a, l.Cwd)
	k.Session = l.first()
	return k
}

// Launcher returns a launcher that makes the session. Close it after the session has ended.
func (k *Kept) Launcher(cfg *config.Config, version string) *Launcher {
	return &Launcher{
		Config: cfg, Version: version, Cwd: k.Cwd, Dirs: k.Dirs, Command: k.Words, Store: StoreOf(cfg),
		Sandbox: k.Sandbox, Protocol: k.Protocol, Rules: k.Rules, NoRules: k.NoRules, MaxCost: k.MaxCost, WaitForLimit: k.WaitForLimit,
	}
}

// Made is a session that a host runs, with its initial state.
type Made struct {
	Agent   config.Agent
	Session Session
	// Before are the past events of the stored session that it continues.
	Before []conversation.Event
	// Earlier is sent with the first prompt: see [Branched].
	Earlier string
}

// Make makes the session. It may be slow.
func (k *Kept) Make(ctx context.Context, l *Launcher) (*Made, error) {
	m := &Made{}
	var err error
	if k.Words != nil {
		m.Agent = AgentOf(k.Agent, k.Words)
	} else if m.Agent, err = AgentNamed(l.Config, k.Agent); err != nil {
		return nil, err
	}
	switch {
	case k.Stored != "", k.Branch != nil:
		if l.Store == nil {
			return nil, errors.New("no sessions are stored")
		}
		return m, k.reopen(ctx, l, m)
	case k.Session != "":
		m.Session, err = l.Load(m.Agent, acpclient.SessionInfo{SessionID: k.Session, Cwd: k.Cwd})
	default:
		m.Session, err = l.Start(m.Agent)
	}
	return m, err
}

// reopen makes a session that continues or branches a stored one.
func (k *Kept) reopen(ctx context.Context, l *Launcher, m *Made) error {
	var r *Reopened
	if b := k.Branch; b != nil {
		branched, err := l.Branch(ctx, Open{ID: b.Stored, Agent: &m.Agent, HandOver: b.HandOver}, b.Prompt, b.Cwd)
		if err != nil {
			return err
		}
		r, m.Earlier = branched.Reopened, branched.Earlier
	} else {
		var err error
		if r, err = l.Reopen(ctx, Open{ID: k.Stored, Agent: &m.Agent}); err != nil {
			return err
		}
	}
	if r.ReadOnly != nil {
		r.Session.Close(ctx)
		return r.ReadOnly
	}
	m.Session = r.Session
	for e, err := range l.Store.Past(r.Transcript.Meta.ID) {
		if err != nil {
			m.Session.Close(ctx)
			return fmt.Errorf("read what was said before: %w", err)
		}
		m.Before = append(m.Before, e)
	}
	return nil
}

// Running is a session that runs in a host.
type Running struct {
	Overview
	ID      string              `json:"id"`
	PID     int                 `json:"pid"`
	Stored  store.ID            `json:"stored,omitempty"`
	Session acpclient.SessionID `json:"session,omitempty"`
	Cwd     string              `json:"cwd"`
	// Branch is the git branch of Cwd, "" if there is none. Worktree means that Cwd is a worktree
	// for sessions.
	Branch   string `json:"branch,omitempty"`
	Worktree bool   `json:"worktree,omitempty"`
	// Silent is why its host does not answer, "" if it does: it is stopped or busy, or refuses
	// this parley.
	Silent string `json:"silent,omitempty"`
	// Own means that this parley process started it.
	Own bool `json:"-"`
	// Viewers names the attached viewers.
	Viewers []string `json:"viewers,omitempty"`
	// Active is when something last happened.
	Active time.Time `json:"since"`
}

// Name returns the session's display name.
func (r Running) Name() string { return cmp.Or(shortTitle(r.Title), r.ID) }

// State says in a few words what the session is doing.
func (r Running) State() string { return cmp.Or(r.Silent, r.Overview.State()) }

// RunningQuestion asks whether to attach to a session that another parley started in this
// directory; nil if there is none.
func RunningQuestion(all []Running, cwd string) *Question {
	var here []Choice
	for _, r := range all {
		if r.Cwd == cwd && !r.Own && len(here) < mostUnended {
			here = append(here, Choice{Name: r.Name(), More: r.State() + " · " + termtext.Line(r.Agent), Open: []Open{{ID: r.Stored, Running: r.ID}}})
		}
	}
	q := &Question{Title: "Sessions run in this directory", Text: "Attach to one:", Choices: append(here, Choice{Name: "Start a new one"})}
	switch len(here) {
	case 0:
		return nil
	case 1:
		q.Title, q.Text, q.Lines = "A session runs in this directory", "", []string{here[0].Name, here[0].More}
		q.Choices[0].Name, q.Choices[0].More = "Attach to it", ""
	}
	return q
}
