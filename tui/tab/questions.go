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

	asking *dialog.Permission // the last permission shown, or nil
	facts  *toolview.Facts
	// answered means that a question has had an answer since the last Follow.
	answered bool
}

// Follow keeps one dialog open for the agent's questions: the one being looked at, else
// the next in its position, starting with the oldest.
func (q *questions) Follow() tea.Cmd {
	c := q.Conversation
	if !q.dialogs.Follow(c) {
		q.keepWords()
		if open := conversation.Questions[conversation.Question](&c.State); len(open) > 0 {
			next := open[0]
			if of := q.permissions(); q.asking != nil && q.asking.Position() <= len(of) {
				next = of[q.asking.Position()-1]
			}
			q.show(next)
		}
	}
	cmd := q.look()
	answered := q.answered // perhaps in another viewer
	q.answered = false
	// When an agent exits, its questions close before parley learns why: that withdraws none.
	if q.dialogs.Withdrawn() && !answered && c.Turn.Running && c.Turn.Cancelling.IsZero() && !q.Session.Disconnected() {
		cmd = tea.Batch(cmd, q.say("the agent withdrew its question"))
	}
	return cmd
}

// permissions returns the open permissions, oldest first.
func (q *questions) permissions() []*conversation.Permission {
	return conversation.Questions[*conversation.Permission](&q.Conversation.State)
}

func (q *questions) show(open conversation.Question) {
	q.dialogs.Push(conversation.Match[dialog.AgentQuestion](open, func(p *conversation.Permission) dialog.AgentQuestion {
		q.asking = dialog.NewPermission(q.env(), p, len(q.permissions()))
		q.asking.Follow(q.Conversation)
		return q.asking
	}, func(e *conversation.Elicitation) dialog.AgentQuestion {
		return dialog.NewElicitation(q.env(), e, q.Conversation.Agent.Name())
	}))
}

// Another shows the permission by positions after this one, from the last on to the first.
func (q *questions) Another(by int) tea.Cmd {
	open := q.permissions()
	if q.asking == nil || q.dialogs.Top() != q.asking || len(open) < 2 {
		return nil
	}
	q.dialogs.Pop()
	q.show(open[(q.asking.Position()-1+by+len(open))%len(open)])
	return q.look()
}

// keepWords moves the text being written to a closed permission into the draft.
func (q *questions) keepWords() {
	if q.asking != nil && !q.dialogs.Has(q.asking) {
		q.composer.AddLine(q.asking.TakeWords())
	}
	if len(q.permissions()) == 0 {
		q.asking = nil
	}
}

// RejectWith rejects a request, or cancels the turn, and sends words before the queue.
func (q *questions) RejectWith(a dialog.RejectWith) tea.Cmd {
	return act(q.ui, q.Session, session.Answer{Question: a.Question, Option: a.Option, Instead: new(prompt.New(a.Words))}, func(_ session.None, err error) tea.Cmd {
		if err != nil {
			q.composer.AddLine(a.Words)
		}
		return q.sayIf(err)
	})
}

// look looks up what the question names.
func (q *questions) look() tea.Cmd {
	if q.asking == nil || !q.dialogs.Has(q.asking) {
		return nil
	}
	return q.lookUp(q.asking.Call())
}

// lookUp looks up what a call names, in the background. It returns nil if all is known.
func (q *questions) lookUp(call *conversation.ToolCall) tea.Cmd {
	look := q.facts.Look(call)
	if look == nil {
		return nil
	}
	return inBackground(func() then {
		found := look()
		return func() tea.Cmd {
			q.facts.Add(found)
			return q.lookUp(call)
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
	for _, q := range conversation.Questions[conversation.Question](&l.Conversation.State) {
		all = append(all, conversation.Match(q, func(p *conversation.Permission) command.Asked {
			heading, _ := paths.Heading(p.Asked)
			a := command.Asked{Question: q, Title: toolview.KindOf(p.Asked.Kind).Verb + "  " + heading, About: paths.Command(p.Asked.RawInput).String()}
			if a.About == "" {
				for _, l := range paths.ShownLocations(p.Asked.Locations) {
					a.About += paths.Location(l) + "\n"
				}
			}
			return a
		}, func(e *conversation.Elicitation) command.Asked {
			words := termtext.Line(e.Request.Message)
			return command.Asked{Question: q, Title: cmp.Or(words, "The agent asks"), About: words}
		}))
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
	asking := l.questions.asking
	if p, is := q.Question.(*conversation.Permission); is && asking != nil && t.dialogs.Top() == asking && asking.Call() != p.Asked && l.Conversation.Asks(p) {
		t.dialogs.Pop()
		l.questions.show(p)
	}
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
	p, is := asked.Question.(*conversation.Permission)
	if !open || !is || !of.Conversation.Asks(p) {
		return nil
	}
	here, env := t.env(), other.env()
	env.Drafting, env.Sends, env.Edits = here.Drafting, here.Sends, here.Edits
	env.Asker = func() string { return termtext.Line(cmp.Or(other.agent().Name, other.agent().ID)) + fmt.Sprintf(", tab %d", number) }
	t.foreign = &foreignQuestion{dialog.NewPermission(env, p, len(of.questions.permissions())), t, of, asked}
	t.foreign.Foreign = true
	t.foreign.Permission.Follow(of.Conversation)
	t.dialogs.Push(t.foreign)
	return of.questions.lookUp(p.Asked)
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
	if f.Permission.Follow(f.of.Conversation) == dialog.Over || !slices.Contains(t.program.Tabs.All(), f.of.Tab) || len(f.of.Tab.Questions()) == 0 {
		t.dialogs.Withdraw(f)
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
