package conversation

import "parley/acpclient"

// shownTerminal is a terminal that the agent runs itself and shows. One that runs on
// this machine is not for the agent to speak of: it gets one of its own, which no
// item shows.
func (c *Conversation) shownTerminal(id acpclient.TerminalID) *Terminal {
	t, known := c.Terminals[id]
	switch {
	case !known:
		t = c.terminalByID(id)
		t.Own = true
	case t.Exit == nil && !t.Own && t.Command == "" && !t.Personal:
		t.Own = true // a call has named it before
	case !t.Own:
		return &Terminal{ID: id, Own: true}
	}
	return t
}

// applyTerminalUpdate changes a terminal of the agent's.
func (c *Conversation) applyTerminalUpdate(u *acpclient.TerminalUpdate) {
	t := c.shownTerminal(u.TerminalID)
	field(&t.Command, u.Command)
	field(&t.Cwd, u.Cwd)
	if u.Output.Set {
		var data []byte
		if u.Output.Value != nil {
			data = u.Output.Value.Data
		}
		if more := t.replace(data); c.Terminals[t.ID] == t {
			c.outputKept += more
			c.boundOutput()
		}
	}
	if u.ExitStatus.Set {
		t.Exit = u.ExitStatus.Value
	}
	if u.Size.Set {
		t.Cols, t.Rows = 0, 0
		if s := u.Size.Value; s != nil {
			t.Cols, t.Rows = int(s.Cols), int(s.Rows)
		}
	}
	if u.Capabilities.Set {
		t.CanCancel = u.Capabilities.Value != nil && u.Capabilities.Value.Cancel != nil
	}
	t.changed()
}
