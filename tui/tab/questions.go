package tab

import (
	"cmp"
	"fmt"
	"os"
	"slices"

	tea "charm.land/bubbletea/v2"

	"parley/internal/app"
	"parley/internal/command"
	"parley/internal/conversation"
	"parley/internal/prompt"
	"parley/internal/session"
	"parley/internal/termtext"
	"parley/tui/composer"
	"parley/tui/desktop"
	"parley/tui/dialog"
	"parley/tui/toolview"
)

// questions shows the agent's questions one at a time. Each stays visible until it is
// answered or withdrawn, or the user looks at another.
type questions struct {
	*ui
	*app.Live
	composer *composer.Composer

	asking  *dialog.Permission   // the last permission shown, or nil
	targets toolview.PathTargets // resolves paths outside the session's directories
	// answered means that a question has had an answer since the last Follow.
	answered bool
}

// Follow keeps one dialog open for the agent's questions: the one being looked at, else
// the next in its position, starting with the oldest.
func (q *questions) Follow() tea.Cmd {
	c := q.Conversation
	switch asking := q.dialogs.Follow(c); {
	case asking:
	case len(c.Permissions) > 0:
		q.keepWords()
		at := 0
		if q.asking != nil && q.asking.Position() <= len(c.Permissions) {
			at = q.asking.Position() - 1
		}
		q.show(at)
	case len(c.Elicitations) > 0:
		q.keepWords()
		q.dialogs.Push(dialog.NewElicitation(q.env(), c.Elicitations[0], c.Agent.Name()))
	default:
		q.keepWords()
	}
	cmd := q.resolvePaths()
	answered := q.answered // perhaps in another viewer
	q.answered = false
	// When an agent exits, its questions close before parley learns why: that withdraws none.
	if q.dialogs.Withdrawn() && !answered && c.Turn.Running && c.Turn.Cancelling.IsZero() && !q.Session.Disconnected() {
		cmd = tea.Batch(cmd, q.say("the agent withdrew its question"))
	}
	return cmd
}

func (q *questions) show(at int) {
	c := q.Conversation
	q.asking = dialog.NewPermission(q.env(), c.Permissions[at], len(c.Permissions))
	q.asking.Follow(c)
	q.dialogs.Push(q.asking)
}

// Another shows the permission by positions after this one, from the last on to the first.
func (q *questions) Another(by int) tea.Cmd {
	n := len(q.Conversation.Permissions)
	if q.asking == nil || q.dialogs.Top() != q.asking || n < 2 {
		return nil
	}
	at := (q.asking.Position() - 1 + by + n) % n
	q.dialogs.Pop()
	q.show(at)
	return q.resolvePaths()
}

// keepWords moves the text being written to a closed permission into the draft.
func (q *questions) keepWords() {
	if q.asking != nil && !q.dialogs.Has(q.asking) {
		q.composer.AddLine(q.asking.TakeWords())
	}
	if len(q.Conversation.Permissions) == 0 {
		q.asking = nil
	}
}

// RejectWith rejects a request, or cancels the turn, and sends words before the queue.
func (q *questions) RejectWith(a dialog.RejectWith) tea.Cmd {
	return act(q.ui, q.Session, session.AnswerWith{Question: a.Question, Option: a.Option, Prompt: prompt.New(a.Words)}, func(_ session.None, err error) tea.Cmd {
		if err != nil {
			q.composer.AddLine(a.Words)
		}
		return q.sayIf(err)
	})
}

// resolvePaths resolves the paths of the question.
func (q *questions) resolvePaths() tea.Cmd {
	if q.asking == nil || !q.dialogs.Has(q.asking) {
		return nil
	}
	return q.resolve(q.asking.Call())
}

// resolve resolves the paths of a call in the background. It returns nil if all are known.
func (q *questions) resolve(call *conversation.ToolCall) tea.Cmd {
	const most = 1000 // per batch
	var unknown []string
	for _, path := range toolview.NamedPaths(call) {
		if !q.targets.Known(path) && len(unknown) < most {
			unknown = append(unknown, path)
		}
	}
	if len(unknown) == 0 {
		return nil
	}
	roots := q.targets.Roots
	return inBackground(func() then {
		found := toolview.Resolve(roots, unknown)
		return func() tea.Cmd {
			q.targets.Add(found)
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
		file, err := desktop.TempFile("parley-question-*.txt", text)
		return func() tea.Cmd {
			if err != nil {
				return q.say("show it in an editor: " + err.Error())
			}
			return q.runEditor(file, 0, func() tea.Cmd {
				q.dialogs.Regain() // the last keys were for the editor
				return bestEffort(func() error { return os.Remove(file) })
			})
		}
	})
}

// Questions returns the open questions of the tab's agent, the oldest first.
func (t *Tab) Questions() []command.Asked {
	l, open := t.live()
	if !open || !asked(l.Conversation) {
		return nil
	}
	var all []command.Asked
	paths := toolview.PathsIn(t.cwd)
	for _, p := range l.Conversation.Permissions {
		heading, _ := paths.Heading(p.Asked)
		q := command.Asked{ID: p.ID, Permission: true, Title: toolview.KindOf(p.Asked.Kind).Verb + "  " + heading, About: paths.Command(p.Asked.RawInput).Line}
		if q.About == "" {
			for _, l := range paths.ShownLocations(p.Asked.Locations) {
				q.About += paths.Location(l) + "\n"
			}
		}
		all = append(all, q)
	}
	for _, e := range l.Conversation.Elicitations {
		words := termtext.Line(e.Request.Message)
		all = append(all, command.Asked{ID: e.ID, Title: cmp.Or(words, "The agent asks"), About: words})
	}
	return all
}

// ShowQuestion brings an open question into view, in front of the agent's others. It takes
// no key until it has been seen, like any question that appears.
func (t *Tab) ShowQuestion(q command.Asked) {
	l, open := t.live()
	if !open {
		return
	}
	if l.reader.Reads() {
		l.reader.Unfocus()
	}
	at := l.questions.indexOf(q)
	if asking := l.questions.asking; at >= 0 && asking != nil && t.dialogs.Top() == asking && asking.Position() != at+1 {
		t.dialogs.Pop()
		l.questions.show(at)
	}
}

// indexOf returns the index of an open permission, -1 for any other question.
func (q *questions) indexOf(of command.Asked) int {
	return slices.IndexFunc(q.Conversation.Permissions, func(p *conversation.Permission) bool { return of.Permission && p.ID == of.ID })
}

// foreignQuestion is a permission of another tab, answered in this one by the same rules.
// Anything but an answer is done in its own tab.
type foreignQuestion struct {
	*dialog.Permission
	in *Tab  // where it is shown
	of *live // the session whose agent asks
	q  command.Asked
}

// askFor shows a permission of another tab, which has a number.
func askFor(t, other *Tab, number int, asked command.Asked) tea.Cmd {
	of, open := other.live()
	if !open {
		return nil
	}
	at := of.questions.indexOf(asked)
	if at < 0 {
		return nil
	}
	here, env := t.env(), other.env()
	env.Drafting, env.Edits = here.Drafting, here.Edits
	p := of.Conversation.Permissions[at]
	t.foreign = &foreignQuestion{dialog.NewPermission(env, p, len(of.Conversation.Permissions)), t, of, asked}
	t.foreign.Of = fmt.Sprint("tab ", number)
	t.foreign.Permission.Follow(of.Conversation)
	t.dialogs.Push(t.foreign)
	return of.questions.resolve(p.Asked)
}

// FollowOthers shows a question of another tab that was asked for, closes one that is shown here
// once it is over, and reports whether there was one.
func (t *Tab) FollowOthers() bool {
	if t.askSoon() {
		return true
	}
	f := t.foreign
	if f == nil || !t.dialogs.Has(f) {
		t.foreign = nil
		return false
	}
	if f.Permission.Follow(f.of.Conversation) == dialog.Over || !slices.Contains(t.program.Tabs.All(), f.of.Tab) ||
		!slices.ContainsFunc(f.of.Tab.Questions(), func(q command.Asked) bool { return q.Permission && q.ID == f.q.ID }) {
		t.dialogs.Close(f)
		t.composer.AddLine(f.TakeWords())
	}
	return true
}

// Follow does nothing, unlike that of the permission: FollowOthers closes the question.
func (*foreignQuestion) Follow() {}

// Key implements [dialog.Dialog].
func (f *foreignQuestion) Key(k tea.KeyPressMsg) dialog.Action {
	return f.redirect(f.Permission.Key(k))
}

// Due implements [dialog.Guarded].
func (f *foreignQuestion) Due() dialog.Action { return f.redirect(f.Permission.Due()) }

// Mouse implements [dialog.Dialog].
func (f *foreignQuestion) Mouse(m tea.MouseMsg, x, y int) dialog.Action {
	return f.redirect(f.Permission.Mouse(m, x, y))
}

// redirect turns an action for the question's tab into one for this tab.
func (f *foreignQuestion) redirect(a dialog.Action) dialog.Action {
	switch a := a.(type) {
	case nil, dialog.NotTaken:
		return a
	case dialog.CancelTurn:
		f.in.composer.AddLine(f.TakeWords())
		return dialog.Close{}
	case dialog.Answer, dialog.RejectWith:
		return dialog.Stay(func() tea.Cmd { return f.of.Tab.panel.do(a) })
	default:
		return dialog.Act{Do: f.in.here(func() tea.Cmd {
			f.in.program.Tabs.Show(f.of.Tab)
			f.of.Tab.ShowQuestion(f.q)
			return f.of.Tab.panel.do(a)
		})}
	}
}
