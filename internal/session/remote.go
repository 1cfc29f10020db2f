package session

// Remote describes an agent on another machine, and what it may use of this one.
// Nothing is offered to it by default, because its paths and commands are mostly meant
// for its own machine.
type Remote struct {
	// Listens means that parley connects to the agent instead of starting it. When the
	// connection is lost, the agent may still be running.
	Listens bool
	// Files and Terminals offer fs/* and terminal/* of this machine.
	Files, Terminals bool
}

// listens reports whether parley connects to the agent; r may be nil.
func (r *Remote) listens() bool { return r != nil && r.Listens }

// files reports whether the agent is offered the files of this machine; r may be nil.
func (r *Remote) files() bool { return r == nil || r.Files }

// Connects reports whether the session connects to a listening agent instead of
// starting one.
func (s *Session) Connects() bool { return s.opt.Remote.listens() }
