package tab

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"parley/internal/app/command"
)

// ShowBoard lists all sessions that run.
func (t *Tab) ShowBoard() tea.Cmd { return t.address(t.front(command.ShowBoard)) }

// ShowsBoard reports whether a list is open that follows what other tabs do.
func (t *Tab) ShowsBoard() bool { return t.following != nil && t.dialogs.Has(t.following) }

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
		s.NoSend = notOpen + " yet"
	case t.stored.readOnly != "":
		s.NoSend = "this session is read-only here"
	case l.Conversation.Gone():
		s.NoSend = "its agent has exited: go there to restart it"
	default:
		s.Session = l.Session
	}
	for _, q := range t.Questions() {
		asked := command.Asked{ID: fmt.Sprint(q.Permission, q.ID), Title: q.Title, About: q.About, Go: func() { f.goTo(t, &q) }}
		if q.Permission && t != f.tab {
			asked.Answer = func() { f.add(askFor(f.tab, t, number, q)) }
		}
		s.Asked = append(s.Asked, asked)
	}
	s.Detach = func() { f.leave(t) }
	s.End = func() {
		if l, open := t.live(); open {
			f.add(send(endOf(l.Session)))
		}
		f.leave(t)
	}
	return s
}

// goTo shows a tab, and a question of it that is not nil.
func (f *front) goTo(t *Tab, q *Question) {
	f.tab.dialogs.Close(f.tab.following)
	f.tab.program.Tabs.Show(t)
	if q != nil {
		t.ShowQuestion(*q)
	}
}

// leave closes a tab, or quits if that is the only one.
func (f *front) leave(t *Tab) {
	if f.tab.program.Tabs.Alone() {
		f.add(send(Quit{Sure: true}))
		return
	}
	f.add(f.tab.program.Tabs.CloseTab(t))
}
