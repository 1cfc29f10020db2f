package tab

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/config"
	"parley/internal/conversation"
	"parley/internal/safetext"
	"parley/internal/session"
	"parley/tui/composer"
	"parley/tui/dialog"
	"parley/tui/toolface"
	"parley/tui/transcript"
)

// mostOutput is how many bytes of what a command has printed go with a prompt: its
// end.
const mostOutput = 64 << 10

// shellMsg is a command of the person's that was started, or why it was not.
type shellMsg struct {
	id    acpclient.TerminalID
	lasts bool
	err   error
}

// runCommand runs a line that the person has typed behind a "!". An empty one steps
// into the shell that lasts.
func (t *Tab) runCommand(line string) tea.Cmd {
	if t.session == nil {
		return t.desk.Say("commands can be run once there is an agent")
	}
	t.list.Bottom()
	if line == "" {
		if shell := t.conv.Shell(); shell != nil {
			return t.stepIn(shell)
		}
	}
	spec := session.ShellSpec{Line: line, Cols: t.list.TerminalWidth(), Rows: transcript.TerminalRows}
	if line == "" {
		spec.Cols, spec.Rows = insideSize(t.width, t.height)
	}
	s := t.session
	return func() tea.Msg {
		id, err := s.StartShell(spec)
		return shellMsg{id, line == "", err}
	}
}

// shellStarted steps into a shell that has just been started.
func (t *Tab) shellStarted(msg shellMsg) tea.Cmd {
	if msg.err != nil {
		return t.desk.Say(msg.err.Error())
	}
	if msg.lasts {
		t.entering = msg.id
	}
	return t.enterShell()
}

// enterShell steps into the shell that was asked for, as soon as it is known.
func (t *Tab) enterShell() tea.Cmd {
	term := t.conv.Terminals[t.entering]
	if t.entering == "" || term == nil {
		return nil
	}
	t.entering = ""
	if t.inside != nil || !t.dialogs.Empty() && !t.dialogs.Asks() {
		return nil // something else was opened meanwhile
	}
	return t.stepIn(term)
}

// terminalEnded says how a command of the person's has ended, and leaves the shell
// that lasts when it has.
func (t *Tab) terminalEnded(id acpclient.TerminalID) tea.Cmd {
	term := t.conv.Terminals[id]
	in := t.inside != nil && t.inside.term == term
	switch {
	case term == nil || !term.Personal:
		return nil
	case in && term.Lasts:
		t.stepOut("")
		return t.desk.Say("your shell has ended")
	case in:
		return nil // the frame says it
	}
	words := shortCommand(term) + ": " + toolface.Ended(term.Exit)
	if t.lastOwn() == term {
		words += "  " + t.desk.Key(config.ActionAddOutput) + " adds its output to the prompt"
	}
	return t.desk.Say(words)
}

// shortCommand is the beginning of a command's line.
func shortCommand(term *conversation.Terminal) string {
	const most = 32
	line := []rune(safetext.VisibleLine(term.Command))
	if len(line) > most {
		return string(line[:most]) + "…"
	}
	return string(line)
}

// stepIntoRunning steps into the command that runs. If there are several, the person
// chooses.
func (t *Tab) stepIntoRunning() tea.Cmd {
	if t.conv == nil {
		return nil
	}
	running := t.conv.Running()
	switch len(running) {
	case 0:
		return t.desk.Say("no command runs: \"!\" and a command runs one, \"!\" alone opens your shell")
	case 1:
		return t.stepIn(running[0])
	}
	var items []dialog.Item
	for _, term := range slices.Backward(running) {
		whose := "run by the agent"
		if term.Personal {
			whose = "yours"
		}
		items = append(items, dialog.Item{
			ID: string(term.ID), Title: term.Command, Detail: whose,
			Do: dialog.Do(func() tea.Cmd { return t.stepIn(term) }),
		})
	}
	t.desk.List(dialog.List{Title: "Step into a command", Items: items})
	return nil
}

// endCommand ends a command that runs: the person's own at once, the agent's if the
// person is sure.
func (t *Tab) endCommand(term *conversation.Terminal) tea.Cmd {
	switch {
	case term == nil:
		return t.desk.Say("there is no command in this item")
	case term.Own:
		return t.desk.Say("the agent runs this command itself: cancel the turn to end it")
	case term.Exit != nil:
		return t.desk.Say("the command has ended")
	case term.Personal:
		return t.kill(term)
	}
	t.dialogs.Push(dialog.NewSelector(t.desk.Env(), dialog.List{Title: "End the agent's command?", Items: []dialog.Item{
		{ID: "run", Title: "Let it run", About: term.Command, Do: dialog.Close{}},
		{ID: "end", Title: "End it", About: term.Command, Do: dialog.Do(func() tea.Cmd { return t.kill(term) })},
	}}))
	return nil
}

// kill ends a command. It takes as long as the command does to end.
func (t *Tab) kill(term *conversation.Terminal) tea.Cmd {
	s := t.session
	return func() tea.Msg {
		if err := s.EndTerminal(term.ID); err != nil {
			return ErrorMsg{err}
		}
		return nil
	}
}

// lastOwn is the last command of the person's, nil if there was none.
func (t *Tab) lastOwn() *conversation.Terminal {
	if t.conv == nil {
		return nil
	}
	for _, item := range slices.Backward(t.conv.Items) {
		if own, ok := item.(*conversation.ShellCommand); ok {
			return own.Terminal
		}
	}
	return nil
}

// addOutput adds to the prompt what a command of the person's has printed, or takes
// it away again.
func (t *Tab) addOutput(term *conversation.Terminal) tea.Cmd {
	if term == nil || !term.Personal {
		return t.desk.Say("you have run no command: \"!\" and a command runs one")
	}
	text, state := toolface.Printed(term), toolface.Ended(term.Exit)
	if cut := len(text) - mostOutput; cut > 0 {
		text = strings.ToValidUTF8(text[cut:], "")
		if _, rest, whole := strings.Cut(text, "\n"); whole {
			text = rest
		}
		text = "[the beginning is left out]\n" + text
	}
	lines := strings.Count(text, "\n")
	if text != "" {
		lines++
	}
	words := "lines"
	if lines == 1 {
		words = "line"
	}
	added := t.composer.Attach(composer.Attachment{
		Label: fmt.Sprintf("output of $ %s: %d %s, %s", shortCommand(term), lines, words, safetext.Line(state)),
		URI:   toolface.OutputURI(term),
		Text:  fmt.Sprintf("$ %s\n%s\n[%s]", term.Command, text, state),
	})
	if t.transcriptFocused() {
		t.unfocus(t.reader)
	}
	if !added {
		return t.desk.Say("the output is not in the prompt any more")
	}
	return nil
}
