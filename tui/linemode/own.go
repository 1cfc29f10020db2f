package linemode

import (
	"slices"

	"parley/internal/conversation"
	"parley/internal/session"
	"parley/internal/termtext"
)

// The size of the terminal in which a command of the person's runs: what it prints is
// read line by line, and not drawn.
const commandCols, commandRows = 80, 24

// run runs a command of the person's own. Its output is written as it comes.
func (p *program) run(line string) {
	switch {
	case line == "":
		p.out.line("Which command? /run COMMAND, or !COMMAND.")
		return
	case p.session == nil:
		p.out.line("Start an agent first.")
		return
	}
	s := p.session
	p.beside(func() func() {
		_, err := s.StartShell(session.ShellSpec{Line: line, Cols: commandCols, Rows: commandRows})
		return func() {
			if err != nil {
				p.out.line("Cannot run the command: " + err.Error())
			}
			p.take()
		}
	})
}

// lastCommand is the newest command of the person's own, nil if there was none.
func (p *program) lastCommand() *conversation.Terminal {
	for _, item := range slices.Backward(p.conv.Items) {
		if c, ok := item.(*conversation.ShellCommand); ok {
			return c.Terminal
		}
	}
	return nil
}

// running is the newest command of the person's that runs, nil if none does.
func (p *program) running() *conversation.Terminal {
	for _, term := range slices.Backward(p.conv.Running()) {
		if term.Personal {
			return term
		}
	}
	return nil
}

// typeInto types a line into the command that runs.
func (p *program) typeInto(line string) {
	term := p.running()
	if term == nil {
		p.out.line("No command is running.")
		return
	}
	if err := p.session.TypeInto(term.ID, []byte(line+"\r")); err != nil {
		p.out.line("Cannot type that: " + err.Error())
	}
}

// endCommand ends the command that runs.
func (p *program) endCommand() {
	term := p.running()
	if term == nil {
		p.out.line("No command is running.")
		return
	}
	s := p.session
	p.beside(func() func() {
		err := s.EndTerminal(term.ID)
		return func() {
			if err != nil {
				p.out.line("Cannot stop the command: " + err.Error())
			}
		}
	})
}

// addOutput adds to the next prompt what the last command has printed, or takes it away
// again.
func (p *program) addOutput() {
	switch last := p.lastCommand(); {
	case last == nil:
		p.out.line("No output to add: run !COMMAND first.")
	case p.adds == last:
		p.adds = nil
		p.out.line("Removed the output from your next prompt.")
	default:
		p.adds = last
		p.out.line("The output of " + termtext.VisibleLine(last.Command) + " goes with your next prompt. /add again removes it.")
	}
}
