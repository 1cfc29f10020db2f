package conversation

import (
	"slices"

	"parley/acpclient"
)

// terminalKeep is how many bytes of a terminal's output are kept at least. Up to twice as many
// are kept, so that dropping output is rare.
const terminalKeep = 2 << 20

// The State takes nothing from these.
func (FileWritten) fold(*State)    {}
func (ShellStarted) fold(*State)   {}
func (TerminalOutput) fold(*State) {}
func (TerminalHidden) fold(*State) {}

// Terminal is a command and its output.
type Terminal struct {
	ID      acpclient.TerminalID
	Command string
	Cwd     string
	// Own means that the agent runs the command itself and only shows it. Lines of such output
	// end with a bare line feed.
	Own bool
	// CanCancel means that the agent can end the command without ending its turn.
	CanCancel bool
	// Personal means that the user runs the command; Lasts, that it is a shell that stays
	// until the session ends.
	Personal, Lasts bool
	// Hidden means that the command reads without echo, as for a password.
	Hidden bool
	// Exit is nil while the command runs.
	Exit *acpclient.TerminalExitStatus

	replaced int // how often the whole output was replaced
	total    int64
	buf      []byte                   // the end of the output
	users    []interface{ changed() } // the items that show it
}

// Total returns the number of bytes printed.
func (t *Terminal) Total() int64 { return t.total }

// Replaced counts how often the agent has replaced the whole output. If it changes, views must
// redraw everything.
func (t *Terminal) Replaced() int { return t.replaced }

// Since returns the raw output from an offset on. If output at the offset has been dropped, it
// returns all that is kept, and whole is false. Do not modify the bytes.
func (t *Terminal) Since(offset int64) (data []byte, whole bool) {
	start := t.total - int64(len(t.buf))
	if offset < start {
		return t.buf, false
	}
	return t.buf[min(offset-start, int64(len(t.buf))):], true
}

func (t *Terminal) exited(s acpclient.TerminalExitStatus) {
	t.Exit = &s
	t.changed()
}

func (t *Terminal) write(data []byte) {
	t.total += int64(len(data))
	t.buf = append(t.buf, data...)
	if len(t.buf) > 2*terminalKeep {
		t.dropOldest(len(t.buf) - terminalKeep)
	}
	t.changed()
}

// dropOldest drops up to n bytes from the start.
func (t *Terminal) dropOldest(n int) {
	if n > 0 {
		t.buf = append([]byte(nil), t.buf[n:]...)
	}
}

func (t *Terminal) weigh() int { return len(t.buf) }

func (t *Terminal) leaveOut(bytes int, e effort) {
	tail := outputTail
	if e.small {
		tail = lightest
	}
	if t.Exit != nil || e.hard {
		t.dropOldest(min(bytes, len(t.buf)-tail))
	}
}

// changed marks the items that show the terminal as changed.
func (t *Terminal) changed() {
	for _, u := range t.users {
		u.changed()
	}
}

// terminalByID returns the terminal with this id, creating it if needed.
func (c *Conversation) terminalByID(id acpclient.TerminalID) *Terminal {
	t := c.Terminals[id]
	if t == nil {
		t = &Terminal{ID: id}
		c.Terminals[id] = t
		c.heldOutput.add(t)
	}
	return t
}

// shownTerminal returns a terminal that the agent runs itself and shows. The agent must not
// redefine one that runs on this machine: it gets a separate one, which no item shows.
func (c *Conversation) shownTerminal(id acpclient.TerminalID) *Terminal {
	t, known := c.Terminals[id]
	switch {
	case !known:
		t = c.terminalByID(id)
		t.Own = true
	case t.Exit == nil && !t.Own && t.Command == "" && !t.Personal:
		t.Own = true // a call named it earlier
	case !t.Own:
		return &Terminal{ID: id, Own: true}
	}
	return t
}

// applyTerminalUpdate updates a terminal that the agent runs.
func (c *Conversation) applyTerminalUpdate(u *acpclient.TerminalUpdate) {
	t := c.shownTerminal(u.TerminalID)
	field(&t.Command, u.Command)
	field(&t.Cwd, u.Cwd)
	if u.Output.Set {
		var data []byte
		if u.Output.Value != nil {
			data = u.Output.Value.Data
		}
		t.buf = nil
		t.replaced++
		t.write(data)
	}
	if u.ExitStatus.Set {
		t.Exit = u.ExitStatus.Value
	}
	if u.Capabilities.Set {
		t.CanCancel = u.Capabilities.Value != nil && u.Capabilities.Value.Cancel != nil
	}
	t.changed()
}

// outputKeep is how many bytes of output all terminals keep, at most a quarter more; outputTail is
// how much of its end each terminal keeps, unless there are too many.
const (
	outputKeep = 48 << 20
	outputTail = 4 << 10
)

// printed adds output to a terminal.
func (c *Conversation) printed(t *Terminal, data []byte) {
	if c.Terminals[t.ID] == t { // else no item shows it
		t.write(data)
	}
}

// ShellCommand is a command of the user's: one typed after "!", or a lasting shell.
type ShellCommand struct {
	revision
	Terminal *Terminal
}

func (s *ShellCommand) Visit(v Visitor) { v.ShellCommand(s) }

// terminalCreated records a command that runs on this machine.
func (c *Conversation) terminalCreated(e TerminalCreated) {
	t := c.terminalByID(e.ID)
	t.Command, t.Cwd, t.Own = e.Command, e.Cwd, false
	t.changed()
	if !slices.Contains(c.running, t) {
		c.running = append(c.running, t)
	}
}

// Running returns the commands on this machine, oldest first: the agent's and the user's. Do
// not modify the slice.
func (c *Conversation) Running() []*Terminal { return c.running }

// Shell returns the user's lasting shell, nil if none runs.
func (c *Conversation) Shell() *Terminal {
	if i := slices.IndexFunc(c.running, func(t *Terminal) bool { return t.Lasts }); i >= 0 {
		return c.running[i]
	}
	return nil
}

// LastCommand returns the user's last command, nil if there is none.
func (c *Conversation) LastCommand() *Terminal {
	for _, item := range slices.Backward(c.Items) {
		if own, is := item.(*ShellCommand); is {
			return own.Terminal
		}
	}
	return nil
}

// keepPersonal takes over running terminals, and the user's own, from a transcript that is
// being cleared.
func (c *Conversation) keepPersonal(before *Transcript) {
	for id, t := range before.Terminals {
		if t.Personal {
			c.Terminals[id] = t
		}
	}
	c.running = slices.DeleteFunc(slices.Clone(before.running), func(t *Terminal) bool { return c.Terminals[t.ID] != t })
	c.heldOutput = before.heldOutput
	c.heldOutput.items = slices.DeleteFunc(slices.Clone(c.heldOutput.items), func(i reducible) bool { return c.Terminals[i.(*Terminal).ID] != i })
}
