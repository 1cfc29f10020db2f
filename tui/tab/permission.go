package tab

import (
	"fmt"
	"os"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/tui/composer"
	"parley/tui/dialog"
	"parley/tui/editor"
	"parley/tui/toolface"
)

// questionMsg is a message that a question of the agent has to do with.
type questionMsg interface{ take(*Tab) tea.Cmd }

// askPermission asks one of the permissions that wait.
func (t *Tab) askPermission(at int) {
	c := t.conv
	t.asking = dialog.NewPermission(t.desk.Env(), c.Permissions[at], len(c.Permissions))
	t.asking.Follow(c)
	t.dialogs.Push(t.asking)
}

// askAnother shows the permission that stands so many places further on, in place of
// the one in sight, which stays open.
func (t *Tab) askAnother(by int) tea.Cmd {
	n := len(t.conv.Permissions)
	if t.asking == nil || t.dialogs.Top() != t.asking || n < 2 {
		return nil
	}
	at := (t.asking.Place() - 1 + by + n) % n
	t.dialogs.Pop()
	t.askPermission(at)
	return t.lookWhereItLeads()
}

// ended takes over what was being written to a permission that is not open any more:
// nothing that a person has written is lost.
func (t *Tab) ended() {
	if t.asking != nil && !t.dialogs.Has(t.asking) {
		t.draft(t.asking.TakeWords())
	}
	if len(t.conv.Permissions) == 0 {
		t.asking = nil
	}
}

// draft puts words behind those of the draft.
func (t *Tab) draft(words string) {
	switch {
	case words == "":
	case t.composer.Empty():
		t.composer.SetText(words)
	default:
		t.composer.Append("\n" + words)
	}
}

// rejectionMsg is what is said to the agent when it is denied something, with the
// files that it mentions read.
type rejectionMsg struct {
	dialog.RejectWith
	prompt []acpclient.ContentBlock
}

// rejectWith reads the files that the words of a rejection mention.
func (t *Tab) rejectWith(a dialog.RejectWith) tea.Cmd {
	p, caps := composer.NewPrompt(a.Words, t.cwd), t.conv.Agent.Capabilities.PromptCapabilities
	return func() tea.Msg { return rejectionMsg{a, p.Blocks(caps)} }
}

// take rejects what was asked, or cancels the turn, and says to the agent what to do
// instead: before all that waits.
func (msg rejectionMsg) take(t *Tab) tea.Cmd {
	if err := t.session.AnswerWith(msg.ID, msg.Option, msg.prompt); err != nil {
		t.draft(msg.Words)
		return t.desk.Say(err.Error())
	}
	return nil
}

// reachMsg is where paths lead.
type reachMsg map[string]toolface.Standing

func (msg reachMsg) take(t *Tab) tea.Cmd {
	t.reach.Add(msg)
	return nil
}

// lookWhereItLeads looks, beside the screen, where the paths of the question lead; nil
// if that is known.
func (t *Tab) lookWhereItLeads() tea.Cmd {
	if t.asking == nil || !t.dialogs.Has(t.asking) {
		return nil
	}
	const most = 1000
	var unknown []string
	for _, path := range t.asking.Paths() {
		if !t.reach.Known(path) && len(unknown) < most {
			unknown = append(unknown, path)
		}
	}
	if len(unknown) == 0 {
		return nil
	}
	roots := t.reach.Roots
	return func() tea.Msg { return reachMsg(toolface.Resolve(roots, unknown)) }
}

// editedMsg says that text was looked at in the person's editor.
type editedMsg struct {
	file string
	err  error
}

// editText shows text in the person's editor. What is changed there changes nothing.
func (t *Tab) editText(text string) tea.Cmd {
	return func() tea.Msg {
		file, err := writeText(text)
		return textWrittenMsg{file, err}
	}
}

// textWrittenMsg is a file with text for the person's editor.
type textWrittenMsg struct {
	file string
	err  error
}

// take opens the file.
func (m textWrittenMsg) take(t *Tab) tea.Cmd {
	if m.err != nil {
		return t.desk.Say("show it in an editor: " + m.err.Error())
	}
	cmd, err := editor.Here().Open(m.file, 0)
	if err != nil {
		_ = os.Remove(m.file)
		return t.desk.Say(err.Error())
	}
	return t.exec(cmd, func(err error) tea.Msg {
		if err != nil {
			err = fmt.Errorf("%s: %w", cmd.Args[0], err)
		}
		return editedMsg{m.file, err}
	})
}

// take takes the file away.
func (m editedMsg) take(t *Tab) tea.Cmd {
	t.dialogs.Regain() // what was pressed at the end was the editor's
	remove := func() tea.Msg { _ = os.Remove(m.file); return nil }
	if m.err != nil {
		return tea.Batch(remove, t.desk.Say(m.err.Error()))
	}
	return remove
}

// writeText puts text into a temporary file that only its owner can read.
func writeText(text string) (name string, err error) {
	f, err := os.CreateTemp("", "parley-question-*.txt")
	if err != nil {
		return "", err
	}
	_, err = f.WriteString(text)
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		_ = os.Remove(f.Name())
		return "", err
	}
	return f.Name(), nil
}
