package app

import (
	"cmp"
	"context"
	"time"

	"parley/acpclient"
	"parley/config"
	"parley/internal/store"
	"parley/internal/termtext"
)

// HostSpec tells a host which session to make. The host is another parley process, which reads
// the configuration itself.
type HostSpec struct {
	// ID identifies the session among the running ones.
	ID string `json:"id"`
	// Agent is the name of a configured or known agent, or Words its command or URL.
	Agent     string    `json:"agent"`
	Words     []string  `json:"words,omitempty"`
	Dirs      []string  `json:"dirs,omitempty"`
	Spec      Spec      `json:"spec"`
	Overrides Overrides `json:"overrides"`
}

// HostSpec tells a host to make a session with an agent, as the launcher would make it. Its
// directory must be known.
func (l *Launcher) HostSpec(a config.Agent, s Spec) HostSpec {
	s.Session = l.first(s)
	return HostSpec{Agent: a.ID, Words: givenCommand(a), Dirs: l.Dirs, Spec: s, Overrides: l.Overrides}
}

// Launcher returns a launcher that makes the session. Close it after the session has ended.
func (h *HostSpec) Launcher(cfg *config.Config, version string) *Launcher {
	return &Launcher{Config: cfg, Version: version, Cwd: h.Spec.Cwd, Dirs: h.Dirs, Store: StoreOf(cfg), Overrides: h.Overrides}
}

// Make makes the session.
func (h *HostSpec) Make(ctx context.Context, l *Launcher) (*Opened, error) {
	var a config.Agent
	var err error
	if h.Words != nil {
		a = AgentOf(h.Agent, h.Words)
	} else if a, err = AgentNamed(l.Config, h.Agent); err != nil {
		return nil, err
	}
	h.Spec.Agent = &a
	o, err := l.Make(ctx, h.Spec)
	if err == nil && o.ReadOnly != nil {
		o.Session.Close(ctx)
		return nil, o.ReadOnly
	}
	return o, err
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
	// Comparison is the comparison of agents that the worktree was made for, and Prompt what that asks,
	// as noted with the worktree; "" for none.
	Comparison string `json:"comparison,omitempty"`
	Prompt     string `json:"prompt,omitempty"`
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
func (r Running) Name() string { return cmp.Or(Title(r.Title), r.ID) }

// State says in a few words what the session is doing.
func (r Running) State() string { return cmp.Or(r.Silent, r.Overview.State()) }

// RunningQuestion asks whether to attach to a session that another parley started in this
// directory; nil if there is none.
func RunningQuestion(all []Running, cwd string, open func(...Spec)) *Question {
	var here []Choice
	for _, r := range all {
		if r.Cwd == cwd && !r.Own && len(here) < mostUnended {
			here = append(here, Choice{Name: r.Name(), More: r.State() + " · " + termtext.Line(r.Agent), Here: func() { open(Spec{Stored: r.Stored, Running: r.ID}) }})
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
