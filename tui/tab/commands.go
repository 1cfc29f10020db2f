package tab

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/config"
	"parley/internal/conversation"
	"parley/internal/session"
	"parley/tui/dialog"
	"parley/tui/toolview"
	"parley/tui/transcript"
)

// commands runs, ends and attaches to commands of the session, the person's and the
// agent's, and adds their output to the prompt.
type commands struct {
	tab *Tab

	attached      *attachedCommand     // the command with the keys, or nil
	pendingShell  acpclient.TerminalID // the shell to step into once its terminal exists, or ""
	width, height int                  // of the screen
}

// Run runs a line typed after "!". An empty line steps into the persistent shell.
func (c *commands) Run(line string) tea.Cmd {
	machine := c.tab.session
	if machine == nil {
		return c.tab.say("start an agent first")
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

// started steps into the persistent shell after it has started.
func (c *commands) started(id acpclient.TerminalID, lasts bool, err error) tea.Cmd {
	if err != nil {
		return c.tab.say(err.Error())
	}
	if lasts {
		c.pendingShell = id
	}
	return c.enter()
}

// enter steps into the pending shell once its terminal exists.
func (c *commands) enter() tea.Cmd {
	conv := c.tab.conv
	if c.pendingShell == "" || conv == nil || conv.Terminals[c.pendingShell] == nil {
		return nil
	}
	term := conv.Terminals[c.pendingShell]
	c.pendingShell = ""
	if c.attached != nil || !c.tab.dialogs.Empty() && !c.tab.dialogs.Asks() {
		return nil // the person has opened something else
	}
	return c.StepIn(term)
}

// Ended reports how the person's command has ended, and steps out of the persistent shell.
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
	words := toolview.ShortCommand(term) + ": " + toolview.Ended(term.Exit)
	if c.Last() == term {
		words += "  " + c.tab.keyOf(config.ActionAddOutput) + " adds its output to the prompt"
	}
	return c.tab.say(words)
}

// StepIntoRunning steps into the running command, or lists several to choose from.
func (c *commands) StepIntoRunning() tea.Cmd {
	conv := c.tab.conv
	if conv == nil {
		return nil
	}
	running := conv.Running()
	switch len(running) {
	case 0:
		words := "no command is running: type ! and a command, or ! alone for your shell"
		return c.tab.sayWhile(words, func() bool { return len(conv.Running()) == 0 })
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

// EndCommand ends a running command: the person's own at once, the agent's after a
// confirmation.
func (c *commands) EndCommand(term *conversation.Terminal) tea.Cmd {
	switch {
	case term == nil:
		return c.tab.say("this item has no command")
	case term.Own:
		return c.tab.say("the agent runs this command itself: cancel the turn to stop it")
	case term.Exit != nil:
		return c.tab.say("the command has ended")
	case term.Personal:
		return c.kill(term)
	}
	c.tab.dialogs.Push(dialog.NewSelector(c.tab.env(), dialog.List{Title: "Stop the agent's command?", Items: []dialog.Item{
		{ID: "run", Title: "Keep it running", About: term.Command, Do: dialog.Close{}},
		{ID: "end", Title: "Stop it", About: term.Command, Do: dialog.Do(func() tea.Cmd { return c.kill(term) })},
	}}))
	return nil
}

// kill ends a command and waits for it in the background.
func (c *commands) kill(term *conversation.Terminal) tea.Cmd {
	machine := c.tab.session
	return inBackground(func() then {
		if err := machine.EndTerminal(term.ID); err != nil {
			return func() tea.Cmd { return c.tab.say(err.Error()) }
		}
		return nil
	})
}

// Last returns the person's last command, or nil.
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

// AddOutput adds the output of a personal command to the prompt, or removes it.
func (c *commands) AddOutput(term *conversation.Terminal) tea.Cmd {
	if term == nil || !term.Personal {
		return c.tab.say("no output to add: type ! and a command first")
	}
	if !c.attach(term) {
		return c.tab.say("the output is no longer in the prompt")
	}
	return nil
}

// attach toggles the command's output in the prompt, and reports whether it is now there.
func (c *commands) attach(term *conversation.Terminal) bool {
	added := c.tab.composer.Attach(toolview.OutputAttachment(term))
	c.tab.reader.Blur()
	return added
}
