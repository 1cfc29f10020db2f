// This file is what a person does with the commands that run in a session, their own
// and those of the agent: run one, step into it and type, end it, and add what it has
// printed to the prompt.

package tab

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/config"
	"parley/internal/conversation"
	"parley/internal/session"
	"parley/tui/composer"
	"parley/tui/dialog"
	"parley/tui/toolview"
	"parley/tui/transcript"
)

// commands are the commands of a tab, and the one into which the person has stepped.
type commands struct {
	tab *Tab

	attached      *attachedCommand     // the command that has the keys, nil if none has
	pendingShell  acpclient.TerminalID // the shell to step into as soon as it is known, "" if none
	width, height int                  // of the screen
}

// Run runs a line that the person has typed behind a "!". An empty one steps
// into the shell that lasts.
func (c *commands) Run(line string) tea.Cmd {
	machine := c.tab.session
	if machine == nil {
		return c.tab.say("commands can be run once there is an agent")
	}
	c.tab.list.Bottom()
	if line == "" {
		if shell := c.tab.conv.Shell(); shell != nil {
			return c.StepIn(shell)
		}
	}
	spec := session.ShellSpec{Line: line, Cols: c.tab.list.TerminalWidth(), Rows: transcript.TerminalRows}
	if line == "" {
		spec.Cols, spec.Rows = attachedSize(c.width, c.height)
	}
	return inBackground(func() then {
		id, err := machine.StartShell(spec)
		return func() tea.Cmd { return c.started(id, line == "", err) }
	})
}

// started steps into a shell that has just been started, if it is the one that lasts.
func (c *commands) started(id acpclient.TerminalID, lasts bool, err error) tea.Cmd {
	if err != nil {
		return c.tab.say(err.Error())
	}
	if lasts {
		c.pendingShell = id
	}
	return c.enter()
}

// enter steps into the shell that was asked for, as soon as it is known.
func (c *commands) enter() tea.Cmd {
	conv := c.tab.conv
	if c.pendingShell == "" || conv == nil || conv.Terminals[c.pendingShell] == nil {
		return nil
	}
	term := conv.Terminals[c.pendingShell]
	c.pendingShell = ""
	if c.attached != nil || !c.tab.dialogs.Empty() && !c.tab.dialogs.Asks() {
		return nil // something else was opened meanwhile
	}
	return c.StepIn(term)
}

// Ended says how a command of the person's has ended, and leaves the shell
// that lasts when it has.
func (c *commands) Ended(id acpclient.TerminalID) tea.Cmd {
	term := c.tab.conv.Terminals[id]
	in := c.attached != nil && c.attached.term == term
	switch {
	case term == nil || !term.Personal:
		return nil
	case in && term.Lasts:
		c.stepOut("")
		return c.tab.say("your shell has ended")
	case in:
		return nil // the frame says it
	}
	words := composer.ShortCommand(term) + ": " + toolview.Ended(term.Exit)
	if c.Last() == term {
		words += "  " + c.tab.keyOf(config.ActionAddOutput) + " adds its output to the prompt"
	}
	return c.tab.say(words)
}

// StepIntoRunning steps into the command that runs. If there are several, the person
// chooses.
func (c *commands) StepIntoRunning() tea.Cmd {
	conv := c.tab.conv
	if conv == nil {
		return nil
	}
	running := conv.Running()
	switch len(running) {
	case 0:
		return c.tab.say("no command runs: \"!\" and a command runs one, \"!\" alone opens your shell")
	case 1:
		return c.StepIn(running[0])
	}
	var items []dialog.Item
	for _, term := range slices.Backward(running) {
		whose := "run by the agent"
		if term.Personal {
			whose = "yours"
		}
		items = append(items, dialog.Item{
			ID: string(term.ID), Title: term.Command, Detail: whose,
			Do: dialog.Do(func() tea.Cmd { return c.StepIn(term) }),
		})
	}
	c.tab.choose(dialog.List{Title: "Step into a command", Items: items})
	return nil
}

// EndCommand ends a command that runs: the person's own at once, the agent's if the
// person is sure.
func (c *commands) EndCommand(term *conversation.Terminal) tea.Cmd {
	switch {
	case term == nil:
		return c.tab.say("there is no command in this item")
	case term.Own:
		return c.tab.say("the agent runs this command itself: cancel the turn to end it")
	case term.Exit != nil:
		return c.tab.say("the command has ended")
	case term.Personal:
		return c.kill(term)
	}
	c.tab.dialogs.Push(dialog.NewSelector(c.tab.env(), dialog.List{Title: "End the agent's command?", Items: []dialog.Item{
		{ID: "run", Title: "Let it run", About: term.Command, Do: dialog.Close{}},
		{ID: "end", Title: "End it", About: term.Command, Do: dialog.Do(func() tea.Cmd { return c.kill(term) })},
	}}))
	return nil
}

// kill ends a command. It takes as long as the command does to end.
func (c *commands) kill(term *conversation.Terminal) tea.Cmd {
	machine := c.tab.session
	return inBackground(func() then {
		if err := machine.EndTerminal(term.ID); err != nil {
			return func() tea.Cmd { return c.tab.say(err.Error()) }
		}
		return nil
	})
}

// Last is the last command of the person's, nil if there was none.
func (c *commands) Last() *conversation.Terminal {
	conv := c.tab.conv
	if conv == nil {
		return nil
	}
	for _, item := range slices.Backward(conv.Items) {
		if own, ok := item.(*conversation.ShellCommand); ok {
			return own.Terminal
		}
	}
	return nil
}

// AddOutput adds to the prompt what a command of the person's has printed, or takes
// it away again.
func (c *commands) AddOutput(term *conversation.Terminal) tea.Cmd {
	if term == nil || !term.Personal {
		return c.tab.say("you have run no command: \"!\" and a command runs one")
	}
	if !c.attach(term) {
		return c.tab.say("the output is not in the prompt any more")
	}
	return nil
}

// attach adds the output of a command to the prompt, or takes it away again. It reports
// whether it is there now.
func (c *commands) attach(term *conversation.Terminal) bool {
	added := c.tab.composer.Attach(composer.OutputAttachment(term))
	c.tab.reader.Blur()
	return added
}
