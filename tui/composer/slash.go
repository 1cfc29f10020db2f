package composer

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley/internal/termtext"
)

// OwnCommand is one of parley's slash commands.
type OwnCommand struct{ Name, About string }

// ownMark follows the name of one of parley's commands.
const ownMark = "parley  "

// addOwn adds parley's commands after those of the agent. An agent's command hides
// parley's with the same name.
func (c *Composer) addOwn() {
	for _, o := range c.own {
		if !slices.ContainsFunc(c.commands, func(cmd command) bool { return cmd.name == o.Name }) {
			c.commands = append(c.commands, command{name: o.Name, description: o.About, own: true})
		}
	}
}

// ownCommand returns parley's command that a draft consists of, or "".
func (c *Composer) ownCommand(raw string) string {
	name, isCommand := strings.CutPrefix(strings.TrimSpace(raw), "/")
	for _, cmd := range c.commands {
		if isCommand && cmd.own && cmd.name == name {
			return name
		}
	}
	return ""
}

// CompletesFile reports whether a file is being chosen.
func (c *Composer) CompletesFile() bool {
	return c.completion.kind == fileCompletion && c.completion.open() && len(c.completion.items) > 0
}

// Usage returns the usage of the draft's command while its arguments are being typed,
// or "".
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

// Take takes the draft as enter does. The prompt is nil if there is none.
func (c *Composer) Take() (*Prompt, tea.Cmd) {
	defer c.settle()
	if c.search != nil {
		c.takeMatch()
	}
	r, cmd := c.send()
	return r.Prompt, cmd
}

// Load is SetText for a text that was a prompt: its mentions are looked up.
func (c *Composer) Load(text string) tea.Cmd {
	c.SetText(text)
	defer c.settle()
	return c.lookUp()
}
