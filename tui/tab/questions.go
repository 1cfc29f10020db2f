package tab

import (
	"fmt"
	"os"

	tea "charm.land/bubbletea/v2"

	"parley/internal/conversation"
	"parley/internal/prompt"
	"parley/tui/desktop"
	"parley/tui/dialog"
	"parley/tui/toolview"
)

// questions shows the agent's questions one at a time. Each stays visible until it is
// answered or withdrawn, or the person looks at another.
type questions struct {
	tab *Tab

	asking  *dialog.Permission // the last permission shown, or nil
	foreign *foreignQuestion   // the last one of another tab, or nil
	reach   toolview.Reach     // resolves paths outside the session's directories
}

// SetRoots sets the directories that the session works in.
func (q *questions) SetRoots(roots []string) { q.reach = toolview.Reach{Roots: roots} }

// Reach returns the resolver of paths outside these directories.
func (q *questions) Reach() *toolview.Reach { return &q.reach }

// Follow keeps one dialog open for the agent's questions: the one being looked at, else
// the next in its position, starting with the oldest.
func (q *questions) Follow() tea.Cmd {
	c := q.tab.conv
	switch asking := q.tab.dialogs.Follow(c); {
	case asking:
	case len(c.Permissions) > 0:
		q.ended()
		at := 0
		if q.asking != nil && q.asking.Position() <= len(c.Permissions) {
			at = q.asking.Position() - 1
		}
		q.ask(at)
	case len(c.Elicitations) > 0:
		q.ended()
		q.tab.dialogs.Push(dialog.NewElicitation(q.tab.env(), c.Elicitations[0], c.Agent.Name()))
	default:
		q.ended()
	}
	cmd := q.resolvePaths()
	// The questions of an agent that goes end before it is known why it has gone.
	if q.tab.dialogs.Withdrawn() && c.Turn.Running && c.Turn.Cancelling.IsZero() && !q.tab.session.Disconnected() {
		cmd = tea.Batch(cmd, q.tab.say("the agent withdrew its question"))
	}
	return cmd
}

// ask shows one of the open permissions.
func (q *questions) ask(at int) {
	c := q.tab.conv
	q.asking = dialog.NewPermission(q.tab.env(), c.Permissions[at], len(c.Permissions))
	q.asking.Follow(c)
	q.tab.dialogs.Push(q.asking)
}

// Another shows the permission that is by positions further on.
func (q *questions) Another(by int) tea.Cmd {
	n := len(q.tab.conv.Permissions)
	if q.asking == nil || q.tab.dialogs.Top() != q.asking || n < 2 {
		return nil
	}
	at := (q.asking.Position() - 1 + by + n) % n
	q.tab.dialogs.Pop()
	q.ask(at)
	return q.resolvePaths()
}

// ended moves the text being written to a closed permission into the draft.
func (q *questions) ended() {
	if q.asking != nil && !q.tab.dialogs.Has(q.asking) {
		q.addToDraft(q.asking.TakeWords())
	}
	if len(q.tab.conv.Permissions) == 0 {
		q.asking = nil
	}
}

func (q *questions) addToDraft(words string) {
	switch {
	case words == "":
	case q.tab.composer.Empty():
		q.tab.composer.SetText(words)
	default:
		q.tab.composer.Append("\n" + words)
	}
}

// RejectWith rejects a request, or cancels the turn, and sends words before the queue.
func (q *questions) RejectWith(a dialog.RejectWith) tea.Cmd {
	if err := q.tab.session.AnswerWith(a.ID, a.Option, prompt.New(a.Words)); err != nil {
		q.addToDraft(a.Words)
		return q.tab.say(err.Error())
	}
	return nil
}

// resolvePaths resolves the paths of the question.
func (q *questions) resolvePaths() tea.Cmd {
	if q.asking == nil || !q.tab.dialogs.Has(q.asking) {
		return nil
	}
	return q.resolve(q.asking.Call())
}

// resolve resolves the paths of a call in the background. It returns nil if all are known.
func (q *questions) resolve(call *conversation.ToolCall) tea.Cmd {
	const most = 1000 // per batch
	var unknown []string
	for _, path := range toolview.NamedPaths(call) {
		if !q.reach.Known(path) && len(unknown) < most {
			unknown = append(unknown, path)
		}
	}
	if len(unknown) == 0 {
		return nil
	}
	roots := q.reach.Roots
	return inBackground(func() then {
		found := toolview.Resolve(roots, unknown)
		return func() tea.Cmd {
			q.reach.Add(found)
			if len(found) == 0 {
				return nil // nothing was resolved
			}
			return q.resolve(call)
		}
	})
}

// Edit shows text in the editor. Changes to it have no effect.
func (q *questions) Edit(text string) tea.Cmd {
	return inBackground(func() then {
		file, err := writeText(text)
		return func() tea.Cmd {
			if err != nil {
				return q.tab.say("show it in an editor: " + err.Error())
			}
			return q.open(file)
		}
	})
}

// open opens a temporary file in the editor, and removes it afterwards.
func (q *questions) open(file string) tea.Cmd {
	cmd, err := desktop.SystemEditor().Open(file, 0)
	if err != nil {
		_ = os.Remove(file)
		return q.tab.say(err.Error())
	}
	return q.tab.exec(cmd, func(err error) tea.Msg {
		if err != nil {
			err = fmt.Errorf("%s: %w", cmd.Args[0], err)
		}
		return then(func() tea.Cmd {
			q.tab.dialogs.Regain() // the last keys were for the editor
			remove := func() tea.Msg { _ = os.Remove(file); return nil }
			return tea.Batch(remove, q.tab.sayIf(err))
		})
	})
}

// writeText writes text to a temporary file that only the owner can read.
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
