package composer

import (
	"strings"
	"unicode"

	tea "charm.land/bubbletea/v2"

	"parley/internal/termtext"
)

// OwnCommand is one of parley's slash commands.
type OwnCommand struct {
	Name, About string
	// Alias says that it is another name of a command: it is offered only once typed.
	Alias bool
}

// ownMark follows the name of one of parley's commands.
const ownMark = "parley  "

// withOwn returns the commands with parley's after those of the agent. An agent's
// command hides parley's with the same name.
func (l commands) withOwn(own []OwnCommand) commands {
	for _, o := range own {
		if _, known := l.find(o.Name); !known {
			l = append(l, command{name: o.Name, description: o.About, own: true, alias: o.Alias})
		}
	}
	return l
}

// listed returns how many commands there are, without other names of the same.
func (l commands) listed() int {
	n := 0
	for _, cmd := range l {
		if !cmd.alias {
			n++
		}
	}
	return n
}

// ownOf returns parley's command in a draft, and its argument; or "".
func (l commands) ownOf(raw string) (name, argument string) {
	text, command := strings.CutPrefix(strings.TrimRight(raw, " \t\n"), "/")
	name, argument, _ = strings.Cut(text, " ")
	if cmd, _ := l.find(name); command && cmd.own {
		return name, strings.TrimSpace(argument)
	}
	return "", ""
}

// unknownIn returns the name of the command that a draft begins with, if neither the agent
// nor parley has it, or "". A path is no command, nor is anything after a space.
func (l commands) unknownIn(raw string) string {
	if !strings.HasPrefix(raw, "/") {
		return ""
	}
	name := strings.Fields(raw)[0][1:]
	strange := func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("-_:", r)
	}
	if _, known := l.find(name); known || name == "" || strings.ContainsFunc(name, strange) {
		return ""
	}
	return name
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

// Take takes the draft as enter does.
func (c *Composer) Take() (Result, tea.Cmd) {
	defer c.settle()
	if c.search != nil {
		c.takeMatch()
	}
	return c.send()
}

// Load is SetText for a text that was a prompt: its mentions are looked up.
func (c *Composer) Load(text string) tea.Cmd {
	c.SetText(text)
	defer c.settle()
	return c.lookUp()
}

// commandMark begins a draft that is a command of the user's instead of a prompt.
const commandMark = "!"

// IsCommand reports whether the draft is a command of the user's: it begins with "!". A
// space before that makes it a prompt.
func (c *Composer) IsCommand() bool {
	return c.search == nil && strings.HasPrefix(c.buf.lines[0].text, commandMark)
}

// IsShell reports whether the draft is "!" alone, which means the user's shell.
func (c *Composer) IsShell() bool {
	return c.IsCommand() && strings.TrimSpace(c.buf.raw()) == commandMark
}

// commandHighlights adds the highlights of a command line to its chips: the text
// between them has a colour of its own.
func commandHighlights(chips []highlight, from, to int) []highlight {
	var list []highlight
	for _, ch := range chips {
		if ch.from > from {
			list = append(list, highlight{from, ch.from, markShell})
		}
		list = append(list, ch)
		from = ch.to
	}
	if from < to {
		list = append(list, highlight{from, to, markShell})
	}
	return list
}
