package composer

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley/internal/termtext"
)

// OwnCommand is a slash command of parley's.
type OwnCommand struct{ Name, About string }

// ownMark stands behind the name of a command of parley's.
const ownMark = "parley  "

// addOwn adds parley's own commands to those of the agent, which come first. Where both
// have one of a name, it is the agent's.
func (c *Composer) addOwn() {
	for _, o := range c.own {
		if !slices.ContainsFunc(c.commands, func(cmd command) bool { return cmd.name == o.Name }) {
			c.commands = append(c.commands, command{name: o.Name, description: o.About, own: true})
		}
	}
}

// ownLast orders the offers: those of the agent first.
func ownLast(it item) int {
	if it.own {
		return 1
	}
	return 0
}

// ownCommand is the command of parley's that a draft consists of, "" if it is none.
func (c *Composer) ownCommand(raw string) string {
	name, isCommand := strings.CutPrefix(strings.TrimSpace(raw), "/")
	for _, cmd := range c.commands {
		if isCommand && cmd.own && cmd.name == name {
			return name
		}
	}
	return ""
}

// sendOwn takes a draft that is a command of parley's.
func (c *Composer) sendOwn(name string) (Result, tea.Cmd) {
	cmd := c.keep(c.abandoned())
	c.reset()
	return Result{Used: true, Own: name}, cmd
}

// CompletesFile reports whether a file is being chosen.
func (c *Composer) CompletesFile() bool {
	return c.completion.kind == fileCompletion && c.completion.open() && len(c.completion.items) > 0
}

// Usage is how the command of the draft is used, while what stands behind its name is
// being written; "" if there is nothing to say.
func (c *Composer) Usage() string {
	name, isCommand := strings.CutPrefix(c.buf.lines[0].text, "/")
	name, _, behind := strings.Cut(name, " ")
	if !isCommand || !behind || c.search != nil {
		return ""
	}
	for _, cmd := range c.commands {
		if cmd.name == name && cmd.hint != "" {
			return "/" + name + " " + termtext.Truncate(cmd.hint, 60, "…")
		}
	}
	return ""
}

// Take takes the draft as enter does. The prompt is nil if it is none.
func (c *Composer) Take() (*Prompt, tea.Cmd) {
	defer c.settle()
	if c.search != nil {
		c.takeMatch()
	}
	r, cmd := c.send()
	return r.Prompt, cmd
}

// Load is SetText for a text that was a prompt: what it mentions is looked up.
func (c *Composer) Load(text string) tea.Cmd {
	c.SetText(text)
	defer c.settle()
	return c.lookUp()
}
