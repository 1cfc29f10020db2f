package tab

import (
	"cmp"
	"fmt"
	"os"
	"slices"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/config"
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
	d := conversation.Match[dialog.AgentQuestion](open, func(p *conversation.Permission) dialog.AgentQuestion {
		q.asking = dialog.NewPermission(q.env(), p, len(q.permissions()))
		q.asking.Follow(q.Conversation)
		return q.asking
	}, func(e *conversation.Elicitation) dialog.AgentQuestion {
		return dialog.NewElicitation(q.env(), e, q.Conversation.Agent.Name())
	})
	if t := q.acting.tab; t.showsBoard() { // which has it, too
		q.dialogs.PushUnder(t.board.Board, d)
	} else {
		q.dialogs.Push(d)
	}
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

// asked reports whether a question of the tab's agent is open.
func (t *Tab) asked() bool {
	l, open := t.live()
	return open && asked(l.Conversation)
}

// title sums up the oldest question.
func (q *questions) title() string {
	return conversation.Match(conversation.Questions[conversation.Question](&q.Conversation.State)[0], func(p *conversation.Permission) string {
		heading, _ := toolview.PathsIn(q.acting.Cwd()).Heading(p.Asked)
		return toolview.KindOf(p.Asked.Kind).Verb + "  " + heading
	}, func(e *conversation.Elicitation) string {
		return cmp.Or(termtext.Line(e.Request.Message), "The agent asks")
	})
}

// showPermission brings an open question into view, in front of the agent's others. It takes
// no key until it has been seen, like any question that appears.
func (t *Tab) showPermission(p *conversation.Permission) {
	l, open := t.live()
	if !open {
		return
	}
	if l.reader.Reads() {
		l.reader.Unfocus()
	}
	asking := l.questions.asking
	if asking != nil && t.dialogs.Top() == asking && asking.Call() != p.Asked && l.Conversation.Asks(p) {
		t.dialogs.Pop()
		l.questions.show(p)
	}
}

// foreignQuestion is a question of another session, answered in this tab by the same rules. Anything but
// an answer is done in its own tab.
type foreignQuestion struct {
	dialog.AgentQuestion
	in   *Tab // where it is shown
	conv *conversation.Conversation
	gone func() bool // the session cannot be asked any more
	// do does an action of the dialog in the session.
	do func(dialog.Action) tea.Cmd
	// row is the row of the board that shows it, "" elsewhere. inside means that it has all keys there;
	// otherwise those that move, go there and close are the board's.
	row    string
	inside bool

	env   dialog.Env
	asker string
}

// askFor shows a question of the tab of a session, which has a number.
func (t *Tab) askFor(of *live, number int, asked conversation.Question, row string) tea.Cmd {
	if !of.Conversation.Asks(asked) {
		return nil
	}
	p, _ := asked.(*conversation.Permission)
	env, other := of.env(), of.Tab
	name := termtext.Line(cmp.Or(other.agent().Name, other.agent().ID))
	t.showForeign(&foreignQuestion{in: t, row: row, conv: of.Conversation, gone: func() bool {
		return !slices.Contains(t.program.Tabs.All(), other) || !other.asked()
	}, do: func(a dialog.Action) tea.Cmd {
		if _, is := answerOf(a); !is && p != nil {
			t.program.Tabs.Show(other)
			other.showPermission(p)
		}
		return other.panel.do(a)
	}}, env, asked, fmt.Sprintf("%s, tab %d", name, number))
	if p == nil {
		return nil
	}
	return of.questions.lookUp(p.Asked)
}

// showForeign shows a question of another session.
func (t *Tab) showForeign(f *foreignQuestion, env dialog.Env, asked conversation.Question, asker string) {
	here := t.env()
	env.Drafting, env.Press, env.Sends, env.Edits, env.Asker, env.Foreign = here.Drafting, here.Press, here.Sends, here.Edits, func() string { return asker }, true
	f.env, f.asker = env, asker
	f.AgentQuestion = conversation.Match[dialog.AgentQuestion](asked, func(p *conversation.Permission) dialog.AgentQuestion {
		return dialog.NewPermission(env, p, len(f.open()))
	}, func(e *conversation.Elicitation) dialog.AgentQuestion { return dialog.NewElicitation(env, e, asker) })
	f.AgentQuestion.Follow(f.conv)
	t.raise(f)
}

// raise puts a question of another session on top.
func (t *Tab) raise(f *foreignQuestion) {
	f.Unmark()
	f.inside = false
	if t.foreign = f; f.row != "" {
		t.board.Put(f)
	}
	t.dialogs.Push(f)
}

// open returns the open permissions of the session.
func (f *foreignQuestion) open() []*conversation.Permission {
	return conversation.Questions[*conversation.Permission](&f.conv.State)
}

// permission returns it as a permission, nil if it is none.
func (f *foreignQuestion) permission() *dialog.Permission {
	p, _ := f.AgentQuestion.(*dialog.Permission)
	return p
}

// another shows another permission of the session on the board.
func (f *foreignQuestion) another(by int) tea.Cmd {
	open, next := f.open(), *f
	f.in.dialogs.Close(f)
	f.in.showForeign(&next, f.env, open[(f.permission().Position()-1+by+len(open))%len(open)], f.asker)
	return nil
}

// answerOf returns the act of a dialog's action that answers a question.
func answerOf(a dialog.Action) (act session.Act[session.None], is bool) {
	switch a := a.(type) {
	case dialog.Answer:
		return a.Act, true
	case dialog.RejectWith:
		return session.Answer{Question: a.Question, Option: a.Option, Instead: new(prompt.New(a.Words))}, true
	}
	return nil, false
}

// over reports whether the question is closed.
func (f *foreignQuestion) over() bool {
	return f.gone() || f.AgentQuestion.Follow(f.conv) == dialog.Over
}

// FollowOthers brings what is shown of other tabs up to date: parley's own questions, the board, and a
// question of another tab, which is closed once it is over. It reports whether there is any.
func (t *Tab) FollowOthers() (cmd tea.Cmd, is bool) {
	renewed := t.dialogs.Renew()
	if back := t.back; back != nil && t.State() != conversation.StandingAsks {
		t.back = nil
		return t.address(t.acting.do(back)), true
	}
	if t.showsBoard() {
		return t.address(t.acting.do(func() { t.acting.add(t.board.follow()) })), true
	}
	f := t.foreign
	if f == nil || !t.dialogs.Has(f) {
		t.foreign = nil
		return nil, renewed
	}
	if f.over() {
		t.dialogs.Withdraw(f)
		t.composer.AddLine(f.TakeWords())
	}
	return nil, true
}

// Follow does nothing, unlike that of the question: FollowOthers closes it.
func (*foreignQuestion) Follow() {}

// Key implements [dialog.Dialog]. On the board a key of an answer gives it the keys.
func (f *foreignQuestion) Key(k tea.KeyPressMsg) dialog.Action {
	name, keys := k.String(), f.in.program.Keys
	switch {
	case f.row == "" || f.inside:
		return f.redirect(f.AgentQuestion.Key(k))
	case f.in.board.Writes():
		f.in.program.Guard.Typed()
		return dialog.NotTaken{}
	case keys.Match(command.DialogNext, name) && (f.permission() == nil || len(f.open()) < 2):
		a := f.Begin()
		f.inside = f.Marked()
		return a
	}
	for _, a := range []config.Action{command.DialogUp, command.DialogDown, command.DialogAccept, command.DialogClose, command.DialogDelete, command.DialogSend, command.DialogDetach, command.Board} {
		if in, _ := keys.Action(config.ContextDialog, name); in == a || a == command.Board && keys.Match(a, name) {
			return dialog.NotTaken{}
		}
	}
	a := f.redirect(f.AgentQuestion.Key(k))
	f.inside = f.Marked()
	return a
}

// Due implements [dialog.Guarded].
func (f *foreignQuestion) Due() dialog.Action { return f.redirect(f.AgentQuestion.Due()) }

// Mouse implements [dialog.Dialog].
func (f *foreignQuestion) Mouse(m tea.MouseMsg, x, y int) dialog.Action {
	a := f.redirect(f.AgentQuestion.Mouse(m, x, y))
	f.inside = f.inside || f.Marked()
	return a
}

// Hints implements [dialog.Dialog].
func (f *foreignQuestion) Hints() []dialog.Hint {
	switch {
	case f.row == "" || f.inside:
		return f.AgentQuestion.Hints()
	case f.in.ArmsIn() > 0 || f.in.board.Writes():
		return f.in.board.Hints()
	}
	return append([]dialog.Hint{{Key: f.in.keyOf(command.DialogNext), Text: "answer"}}, f.in.board.Hints()...)
}

// leave returns the keys to what is behind the question.
func (f *foreignQuestion) leave() dialog.Action {
	if f.row == "" {
		f.in.composer.AddLine(f.TakeWords())
		return dialog.Close{}
	}
	f.Unmark()
	f.inside = false
	return nil
}

// redirect turns an action for the question's tab into one for this tab.
func (f *foreignQuestion) redirect(a dialog.Action) dialog.Action {
	switch a := a.(type) {
	case nil, dialog.NotTaken, dialog.Copy:
		return a
	case dialog.CancelTurn, dialog.Close:
		return f.leave()
	case dialog.Another:
		return dialog.Stay(func() tea.Cmd { return f.another(a.By) })
	case dialog.OpenURL:
		accept := session.Answer{Question: a.Question, Form: &acpclient.CreateElicitationResponse{Action: acpclient.ElicitAccept}}
		return dialog.Stay(func() tea.Cmd { return tea.Batch(f.do(dialog.Answer{Act: accept}), open(a.URL, f.in.sayIf)) })
	default:
		if _, is := answerOf(a); is {
			return dialog.Stay(func() tea.Cmd { return f.do(a) })
		}
		return dialog.Act{Do: f.in.here(func() tea.Cmd {
			f.in.closeBoard()
			return f.do(a)
		})}
	}
}
