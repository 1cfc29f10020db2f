package composer

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley/internal/termtext"
)

// OwnCommand is one of parley's slash commands.
type OwnCommand struct{ Name, About string }

// ownMark follows the name of one of parley's commands.
const ownMark = "parley  "

// withOwn returns the commands with parley's after those of the agent. An agent's
// command hides parley's with the same name.
func (l commands) withOwn(own []OwnCommand) commands {
	for _, o := range own {
		if _, known := l.find(o.Name); !known {
			l = append(l, command{name: o.Name, description: o.About, own: true})
		}
	}
	return l
}

// ownOf returns parley's command that a draft consists of, or "".
func (l commands) ownOf(raw string) string {
	name, isCommand := strings.CutPrefix(strings.TrimSpace(raw), "/")
	if cmd, _ := l.find(name); isCommand && cmd.own {
		return name
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
