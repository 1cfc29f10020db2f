package session

// Remote says of an agent that it runs on another machine, and what it may use of this
// one. Nothing of this machine is offered to it unless that was asked for: its paths and
// commands are mostly meant for where it runs.
type Remote struct {
	// Listens says that the agent is connected to, not started. When the connection is
	// lost, the agent may still be there.
	Listens bool
	// Files and Terminals offer fs/* and terminal/* of this machine.
	Files, Terminals bool
}

// listens reports whether the agent is connected to; r may be nil.
func (r *Remote) listens() bool { return r != nil && r.Listens }

// files and terminals report what of this machine the agent is offered; r may be nil.
func (r *Remote) files() bool     { return r == nil || r.Files }
func (r *Remote) terminals() bool { return r == nil || r.Terminals }

// Connects reports whether the session connects to an agent that listens, rather than
// starting one.
func (s *Session) Connects() bool { return s.opt.Remote.listens() }
