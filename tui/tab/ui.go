package tab

import (
	"os/exec"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/internal/app"
	"parley/internal/command"
	"parley/internal/session"
	"parley/internal/termtext"
	"parley/tui/dialog"
	"parley/tui/screen"
)

// ui is how a tab and its parts talk to the user, in toasts and dialogs, and to the program.
type ui struct {
	id      ID
	program Program
	dialogs *dialog.Stack
	toast   toast
	area    layout // of the last drawing, for the mouse
	// now returns the displayed time.
	now func() time.Time
	// env returns what dialogs are created with.
	env func() dialog.Env
	// acting is the tab as commands of all front ends use it.
	acting *front

	requeue int // queue position, from 1, of the prompt being edited, or 0
}

// front does what is the same in all front ends.
func (u *ui) front(do func(command.Front)) tea.Cmd {
	return u.acting.do(func() { do(u.acting) })
}

// Do does a command of all front ends in the tab.
func (t *Tab) Do(do func(command.Front)) tea.Cmd { return t.address(t.front(do)) }

// here turns a function of the screen into one of a question or choice.
func (u *ui) here(do func() tea.Cmd) func() { return func() { u.acting.add(do()) } }

// ask asks a question of parley's own.
func (u *ui) ask(q app.Question) dialog.Dialog {
	d := dialog.New(u.env(), q)
	u.dialogs.Push(d)
	return d
}

// pushLate opens a dialog that the user asked for earlier: behind a question that is open, which it says.
func (u *ui) pushLate(d dialog.Dialog) tea.Cmd {
	if u.dialogs.PushBelow(d); u.dialogs.Top() == d {
		return nil
	}
	return u.say("it opens behind the question: answer that first")
}

// tell shows a message until it is closed.
func (u *ui) tell(title, text string) {
	u.ask(app.Question{Title: title, Text: text, Choices: []app.Choice{{Name: "Close"}}})
}

// failed shows an error until it is closed. title says what did not happen.
func (u *ui) failed(title string, err error) then {
	return func() tea.Cmd {
		u.tell(title, termtext.Block(err.Error()))
		return nil
	}
}

// choose opens a list.
func (u *ui) choose(c command.Choice) *dialog.Selector {
	s := dialog.NewSelector(u.env(), c)
	u.dialogs.Push(s)
	return s
}

// exec runs a program of the user's on the terminal: see [ui.lend].
func (u *ui) exec(c *exec.Cmd, done tea.ExecCallback) tea.Cmd {
	return u.lend(screen.Command{Cmd: c}, done)
}

// lend lends the terminal. The message of done goes to this tab.
func (u *ui) lend(to screen.Borrower, done tea.ExecCallback) tea.Cmd {
	return send(Exec{to, func(err error) tea.Msg { return addressed(u.id, done(err)) }})
}

// act does an act and calls next with the result: at once for a session in this process,
// otherwise when the answer arrives. Update never waits for another process.
func act[R any](u *ui, s session.Doer, a session.Act[R], next func(R, error) tea.Cmd) tea.Cmd {
	return u.front(func(f command.Front) {
		command.Act(f, s, a, func(r R, err error) { u.acting.add(next(r, err)) })
	})
}

// try does an act and says if it fails.
func (u *ui) try(s session.Doer, a session.Act[session.None]) tea.Cmd {
	return act(u, s, a, func(_ session.None, err error) tea.Cmd { return u.sayIf(err) })
}
