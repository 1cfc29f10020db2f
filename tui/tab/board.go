package tab

import (
	"cmp"
	"context"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"parley/internal/app"
	"parley/internal/command"
	"parley/internal/conversation"
	"parley/internal/session"
	"parley/internal/termtext"
	"parley/tui/dialog"
	"parley/tui/pages"
	"parley/tui/toolview"
)

// board is the page of all sessions in a tab. The question of its marked row lies above it on the stack of
// dialogs, and is drawn in it.
type board struct {
	*pages.Board
	t      *Tab
	peeked peeked // what was looked up last
	// forms are those that were left, by row: they keep what was written in them.
	forms map[string]*foreignQuestion
	about dialog.Dialog // the question about a limit or a budget that is asked here, nil for none
}

// peeked is a question of a session in a host that is not attached here. conv is nil until it was looked
// up.
type peeked struct {
	row   string
	asked conversation.Seen
	conv  *conversation.Conversation
	facts *toolview.Facts
}

// showsBoard reports whether the board is open.
func (t *Tab) showsBoard() bool { return t.board != nil && t.dialogs.Has(t.board.Board) }

// showBoard shows a choice that is a table on the whole screen.
func (f *front) showBoard(c command.Choice) (update func(command.Choice) bool) {
	t := f.tab
	page := pages.NewBoard(t.pageEnv(nil), c)
	t.closeBoard()
	t.board = &board{Board: page, t: t, forms: map[string]*foreignQuestion{}}
	t.dialogs.Push(page)
	return func(c command.Choice) bool {
		open := t.dialogs.Has(page)
		if open {
			page.Set(c)
		}
		return open
	}
}

// closeBoard closes the board and the question on it, if it is open.
func (t *Tab) closeBoard() {
	if t.showsBoard() {
		t.dialogs.Close(t.foreign)
		t.dialogs.Close(t.board.Board)
	}
}

// onBoard reports whether a dialog is the question that the board draws.
func (t *Tab) onBoard(d dialog.Dialog) bool {
	f, is := d.(*foreignQuestion)
	return is && f == t.foreign && f.row != "" && t.showsBoard() && t.panel.page() == dialog.Dialog(t.board.Board)
}

// follow brings the board and its question up to date.
func (b *board) follow() tea.Cmd {
	t := b.t
	b.Follow()
	marked := b.Marked()
	if f := t.foreign; f != nil && t.dialogs.Has(f) {
		switch {
		case f.over():
			if t.dialogs.Withdraw(f) {
				b.Tell("the question is gone: it was answered elsewhere, changed or withdrawn, or its session has ended")
			}
		case marked == nil || f.row != marked.ID:
			if t.dialogs.Close(f); f.permission() == nil {
				b.forms[f.row] = f
			}
		}
	}
	if b.about != nil && !t.dialogs.Has(b.about) {
		if b.about = nil; t.program.Guard.Bereft() {
			b.Tell("the question is gone: it was answered elsewhere")
		}
	}
	if t.foreign != nil && !t.dialogs.Has(t.foreign) {
		t.foreign = nil
		b.Put(nil)
	}
	if t.foreign != nil || marked == nil || t.dialogs.Top() != dialog.Dialog(b.Board) || b.Writes() {
		return nil
	}
	return b.ask(marked)
}

// ask shows the question of a row, which is looked up first if it is that of a session in a host.
func (b *board) ask(row *command.Item) tea.Cmd {
	t, o := b.t, row.Session
	if f := b.forms[row.ID]; f != nil && !f.over() {
		t.raise(f)
		return nil
	}
	for i, other := range t.program.Tabs.All() {
		l, open := other.live()
		switch {
		case other.seatID() != row.ID:
		case open && asked(l.Conversation):
			return t.askFor(l, i+1, conversation.Questions[conversation.Question](&l.Conversation.State)[0], row.ID)
		default:
			return nil
		}
	}
	switch {
	case o.Asked.ID == 0:
		return nil
	case b.peeked.row == row.ID && b.peeked.asked == o.Asked:
		return b.askPeeked(termtext.Line(o.Agent))
	}
	b.peeked = peeked{row: row.ID, asked: o.Asked}
	now, backend, ctx := b.peeked, &t.program.Backend, t.program.Context
	return inBackground(func() then {
		s, err := backend.Visit(ctx, now.row)
		if err != nil {
			return nil // its row says so
		}
		now.conv, now.facts = s.Past(), &toolview.Facts{Roots: append([]string{s.About().Cwd}, s.About().Dirs...)}
		app.Leave(ctx, s)
		if p, is := now.question().(*conversation.Permission); is {
			for look := now.facts.Look(p.Asked); look != nil; look = now.facts.Look(p.Asked) {
				now.facts.Add(look())
			}
		}
		return func() tea.Cmd {
			if b.peeked.row == now.row && b.peeked.asked == now.asked {
				b.peeked = now
			}
			return nil // the question follows
		}
	})
}

// question returns the question, nil if it is not known.
func (k *peeked) question() conversation.Question {
	if k.conv == nil {
		return nil
	}
	q := k.conv.Question(k.asked.ID)
	if q == nil || q.Now() != k.asked {
		return nil
	}
	return q
}

// askPeeked shows the question that was looked up.
func (b *board) askPeeked(agent string) tea.Cmd {
	t, of := b.t, b.peeked
	asked := of.question()
	if asked == nil {
		return nil
	}
	env := t.env()
	env.Cwd, env.Facts = of.facts.Roots[0], of.facts
	gone := func() bool {
		it := b.Item(of.row)
		return it == nil || it.Session.Asked != of.asked
	}
	t.showForeign(&foreignQuestion{in: t, row: of.row, conv: of.conv, gone: gone, do: func(a dialog.Action) tea.Cmd {
		act, is := answerOf(a)
		if !is {
			b.Item(of.row).Do()
			return nil
		}
		backend := &t.program.Backend
		return t.carryOut("Answer the question", func() (app.Outcome, error) {
			ctx, cancel := context.WithTimeout(t.program.Context, app.StopTime)
			defer cancel()
			s, err := backend.Visit(ctx, of.row)
			if err != nil {
				return app.Outcome{}, err
			}
			defer app.Leave(ctx, s)
			return app.Outcome{}, session.Try(ctx, s, act)
		})
	}}, env, asked, agent)
	return nil
}

// seatID identifies the row of a tab on the board.
func (t *Tab) seatID() string { return cmp.Or(t.Running(), fmt.Sprint("tab ", t.id)) }

// Seats implements command.Front: all tabs but those without an agent.
func (f *front) Seats() []command.Seat {
	var seats []command.Seat
	for i, t := range f.tab.program.Tabs.All() {
		if !t.chooses() && !t.replays() {
			seats = append(seats, f.seat(t, i+1))
		}
	}
	return seats
}

// seat returns a tab as the board lists it.
func (f *front) seat(t *Tab, number int) command.Seat {
	s := command.Seat{
		Overview: t.Overview(), ID: t.seatID(), Place: fmt.Sprint("tab ", number), Current: t == f.tab,
		Cwd: t.cwd, Branch: t.branch, Worktree: t.worktree != nil, Running: t.Running(), Stored: t.StoredID(),
		Comparison: t.note.Comparison, Prompt: t.note.Prompt,
		Go: func() { f.goTo(t) },
	}
	s.Title = t.label()
	switch l, open := t.live(); {
	case !open:
		s.NoSend, s.Running = notOpen+" yet", t.opening.Spec.Running
	case t.stored.readOnly != "":
		s.NoSend = "this session is read-only here"
	default:
		s.Session = l.Session
	}
	if t.asked() {
		l, _ := t.live()
		s.Question = l.questions.title()
		if open := l.questions.permissions(); len(open) > 0 && t != f.tab {
			s.Answer = func() {
				if l, is := t.live(); is {
					f.add(f.tab.askFor(l, number, open[0], ""))
				}
			}
		}
	}
	switch l, open := t.live(); {
	case open && s.NoSend == "" && (s.AtLimit || s.OverBudget):
		s.Answer = func() { f.askAbout(l) }
	case s.Standing == conversation.StandingAsks && s.Answer == nil:
		s.Answer = func() { f.visit(t) }
	}
	s.Detach = func() { f.add(t.detach()) }
	s.End = func() {
		if l, open := t.live(); open {
			f.add(send(endOf(l.Session)))
		}
		f.add(t.detach())
	}
	return s
}

// askAbout asks here about the limit or the budget of a session.
func (f *front) askAbout(l *live) {
	question := func() *app.Question {
		switch {
		case l.Conversation.Limit == nil && l.compared != nil:
			return l.compared.budgetQuestion()
		case l.Conversation.Limit == nil:
			return l.BudgetQuestion()
		}
		return app.LimitQuestion(l.Session, l.Conversation, l.program.Now(), func() {
			f.goTo(l.Tab)
			f.add(l.address(l.run(command.HandOver)))
		})
	}
	q := question()
	if q == nil {
		return
	}
	q.While = func() bool { return l.Conversation.Stuck() && question() != nil }
	if d := f.tab.ask(*q); f.tab.showsBoard() {
		f.tab.board.about = d
	}
}

// visit goes to a tab that asks, and back to the page once it asks nothing more.
func (f *front) visit(t *Tab) {
	from := f.tab
	if t == from && from.showsBoard() {
		from.closeBoard()
		t.back = func() { command.ShowBoard(f) }
		return
	}
	from.program.Tabs.Show(t)
	t.back = func() { from.program.Tabs.Show(from) }
}

// goTo shows a tab. One that has nothing but the board is closed.
func (f *front) goTo(t *Tab) {
	f.tab.closeBoard()
	f.tab.program.Tabs.Show(t)
	if f.tab.chooses() {
		f.add(send(Leave{f.tab.id}))
	}
}
