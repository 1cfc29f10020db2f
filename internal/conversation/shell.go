package conversation

import (
	"slices"
	"time"
)

// ShellCommand is a command that the person runs, and not the agent: one that was
// typed behind a "!", or a shell that lasts.
type ShellCommand struct {
	revision
	// Terminal is the command, where it runs and what it prints.
	Terminal *Terminal
	Started  time.Time
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
// the person's own. The slice must not be changed.
func (c *Conversation) Running() []*Terminal { return c.running }

// Shell is the person's shell that lasts, nil if none runs.
func (c *Conversation) Shell() *Terminal {
	for _, t := range c.running {
		if t.Lasts {
			return t
		}
	}
	return nil
}

// keepPersonal takes over what runs, and what is the person's own, from a
// conversation that is forgotten.
func (c *Conversation) keepPersonal(before *Conversation) {
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
