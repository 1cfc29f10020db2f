package tab

import (
	"fmt"
	"slices"

	"parley/internal/app"
	"parley/internal/command"
	"parley/internal/conversation"
)

// showsBoard reports whether a list is open that follows what other tabs do.
func (t *Tab) showsBoard() bool { return t.following != nil && t.dialogs.Has(t.following) }

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
		Overview: t.Overview(), ID: fmt.Sprint("tab ", t.id), Place: fmt.Sprint("tab ", number), Current: t == f.tab,
		Cwd: t.cwd, Branch: t.branch, Worktree: t.worktree != nil, Running: t.Running(), Stored: t.StoredID(),
		Go: func() { f.goTo(t, nil) },
	}
	s.Title = t.label()
	switch l, open := t.live(); {
	case !open:
		s.NoSend, s.Running = notOpen+" yet", t.opening.spec.Running
	case t.stored.readOnly != "":
		s.NoSend = "this session is read-only here"
	default:
		s.Session = l.Session
	}
	for _, q := range t.Questions() {
		q.Go = func() { f.goTo(t, &q) }
		if _, is := q.Question.(*conversation.Permission); is && t != f.tab {
			q.Answer = func() { f.add(askFor(f.tab, t, number, q)) }
		}
		s.Asked = append(s.Asked, q)
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

// goTo shows a tab, and a question of it that is not nil. A tab that has nothing but the board is
// closed.
func (f *front) goTo(t *Tab, q *command.Asked) {
	f.tab.dialogs.Close(f.tab.following)
	f.tab.program.Tabs.Show(t)
	if f.tab.chooses() {
		f.add(send(Leave{f.tab.id}))
	}
	if q != nil {
		t.ShowQuestion(*q)
	}
}

// AskHere implements command.Front. The session gets a tab in the background.
func (f *front) AskHere(s app.Spec) {
	t, cmd := f.tab.program.Tabs.Open(s)
	f.tab.asking = t
	f.add(cmd)
}

// askSoon shows the question of the tab that was attached for it, as soon as it is known, and reports
// whether it has. It goes there if it can only be answered there.
func (t *Tab) askSoon() bool {
	other := t.asking
	if other == nil {
		return false
	}
	number := slices.Index(t.program.Tabs.All(), other) + 1
	l, open := other.live()
	questions := other.Questions()
	switch {
	case number == 0, !t.showsBoard(), open && len(questions) == 0 && l.Conversation.Phase == conversation.PhaseReady:
		t.asking = nil
		return false
	case len(questions) == 0:
		return false
	}
	t.asking = nil
	q := questions[0]
	if _, is := q.Question.(*conversation.Permission); is {
		_ = askFor(t, other, number, q) // its own tab resolves the paths, too
	} else {
		t.dialogs.Close(t.following)
		t.program.Tabs.Show(other)
		other.ShowQuestion(q)
	}
	return true
}
