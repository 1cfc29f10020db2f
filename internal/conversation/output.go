package conversation

import (
	"cmp"
	"slices"
)

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
	all := make([]*Terminal, 0, len(c.Terminals))
	for _, t := range c.Terminals {
		all = append(all, t)
	}
	slices.SortFunc(all, func(a, b *Terminal) int {
		switch {
		case a.Exit != nil && b.Exit == nil:
			return -1
		case a.Exit == nil && b.Exit != nil:
			return 1
		}
		return cmp.Compare(a.number, b.number)
	})
	for _, t := range all {
		over := c.outputKept - size
		if over <= 0 {
			return
		}
		c.outputKept -= t.dropOldest(min(over, len(t.buf)-outputTail))
	}
}
