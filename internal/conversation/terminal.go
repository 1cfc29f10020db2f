package conversation

import (
	"cmp"
	"maps"
	"slices"

	"parley/acpclient"
)

// terminalKeep is how many bytes of a terminal's output are kept at least. Up to
// twice as many are kept, so that dropping some is rare.
const terminalKeep = 2 << 20

// Terminal is a command and what it printed.
type Terminal struct {
	ID      acpclient.TerminalID
	Command string
	Cwd     string
	// Own says that the agent runs the command itself and only shows it. The lines
	// of such output end with a line feed alone.
	Own bool
	// CanCancel says that the agent can end the command alone, without its turn.
	CanCancel bool
	// Personal says that the user runs the command, and not the agent; Lasts, that
	// it is a shell that stays until the session ends.
	Personal, Lasts bool
	// Hidden says that the command reads a line unseen, such as a password.
	Hidden bool
	// Exit is nil while the command runs.
	Exit *acpclient.TerminalExitStatus

	number   int // counts the terminals of the conversation
	replaced int // how often all of the output was replaced
	total    int64
	buf      []byte                   // the end of the output
	users    []interface{ changed() } // the items that show it
}

// Total is the number of bytes that were printed.
func (t *Terminal) Total() int64 { return t.total }

// Replaced counts how often the agent has replaced the whole output. A change means that
// views must redraw all of it.
func (t *Terminal) Replaced() int { return t.replaced }

// Since returns the output from an offset on, raw. If the output at the offset is
// not kept any more, it returns all that is, and whole is false. The bytes must not
// be changed.
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

// write adds output, and returns how many bytes more are kept.
func (t *Terminal) write(data []byte) int {
	before := len(t.buf)
	t.total += int64(len(data))
	t.buf = append(t.buf, data...)
	if len(t.buf) > 2*terminalKeep {
		t.dropOldest(len(t.buf) - terminalKeep)
	}
	t.changed()
	return len(t.buf) - before
}

// replace replaces all output, and returns how many bytes more are kept.
func (t *Terminal) replace(data []byte) int {
	kept := len(t.buf)
	t.buf = nil
	t.replaced++
	return t.write(data) - kept
}

// dropOldest drops n bytes from the start, and returns how many that were.
func (t *Terminal) dropOldest(n int) int {
	if n <= 0 {
		return 0
	}
	t.buf = append([]byte(nil), t.buf[n:]...)
	return n
}

// changed marks the items that show the terminal.
func (t *Terminal) changed() {
	for _, u := range t.users {
		u.changed()
	}
}

// terminalByID returns the terminal with this id, a new one if there was none.
func (c *Conversation) terminalByID(id acpclient.TerminalID) *Terminal {
	t := c.Terminals[id]
	if t == nil {
		c.terminalCount++
		t = &Terminal{ID: id, number: c.terminalCount}
		c.Terminals[id] = t
	}
	return t
}

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
	if u.Capabilities.Set {
		t.CanCancel = u.Capabilities.Value != nil && u.Capabilities.Value.Cancel != nil
	}
	t.changed()
}

// outputKeep is how many bytes of output are kept in all, of however many
// terminals; outputTail is what each keeps of its end, whatever there is of others.
const (
	outputKeep = 64 << 20
	outputTail = 4 << 10
)

// printed adds output to a terminal, and drops old output of all if that is too
// much.
func (c *Conversation) printed(t *Terminal, data []byte) {
	if c.Terminals[t.ID] != t {
		return // nobody shows it
	}
	c.outputKept += t.write(data)
	c.boundOutput()
}

// boundOutput drops old output of all terminals if that is too much. Where the ends of
// very many terminals are more than that, it looks again when a good deal has come: to
// look at all of them takes its time.
func (c *Conversation) boundOutput() {
	if c.outputKept > max(outputKeep, c.outputLeft+outputKeep/4) {
		c.trimOutput(outputKeep - outputKeep/4)
		c.outputLeft = c.outputKept
	}
}

// trimOutput drops the beginnings of outputs until size bytes are left: first of
// commands that have ended, the oldest first, then of those that run.
func (c *Conversation) trimOutput(size int) {
	for _, t := range slices.SortedFunc(maps.Values(c.Terminals), func(a, b *Terminal) int {
		switch {
		case a.Exit != nil && b.Exit == nil:
			return -1
		case a.Exit == nil && b.Exit != nil:
			return 1
		}
		return cmp.Compare(a.number, b.number)
	}) {
		over := c.outputKept - size
		if over <= 0 {
			return
		}
		c.outputKept -= t.dropOldest(min(over, len(t.buf)-outputTail))
	}
}

// ShellCommand is a command that the user runs, and not the agent: one that was
// typed behind a "!", or a shell that lasts.
type ShellCommand struct {
	revision
	// Terminal is the command, where it runs and what it prints.
	Terminal *Terminal
}

func (s *ShellCommand) Visit(v Visitor) { v.ShellCommand(s) }

// plain leaves the command out: the text may be given to an agent, which learns nothing
// of the user's own commands.
func (s *ShellCommand) plain() (side string, paragraphs []Paragraph) { return "", nil }

// terminalCreated notes a command that runs on this machine.
func (c *Conversation) terminalCreated(e TerminalCreated) {
	t := c.terminalByID(e.ID)
	t.Command, t.Cwd, t.Own = e.Command, e.Cwd, false
	t.changed()
	if !slices.Contains(c.running, t) {
		c.running = append(c.running, t)
	}
}

// Running are the commands that run on this machine, oldest first: the agent's and
// the user's own. The slice must not be changed.
func (c *Conversation) Running() []*Terminal { return c.running }

// Shell is the user's shell that lasts, nil if none runs.
func (c *Conversation) Shell() *Terminal {
	if i := slices.IndexFunc(c.running, func(t *Terminal) bool { return t.Lasts }); i >= 0 {
		return c.running[i]
	}
	return nil
}

// keepPersonal takes over what runs, and what is the user's own, from a
// transcript that is forgotten.
func (c *Conversation) keepPersonal(before *Transcript) {
	for id, t := range before.Terminals {
		if t.Personal {
			c.Terminals[id] = t
		}
	}
	c.running = slices.DeleteFunc(slices.Clone(before.running), func(t *Terminal) bool { return c.Terminals[t.ID] != t })
	c.terminalCount = before.terminalCount
	c.outputKept, c.outputLeft = 0, 0
	for _, t := range c.Terminals {
		c.outputKept += len(t.buf)
	}
}
