package tab

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/internal/termtext"
)

// toastTime is how long a toast is shown.
const toastTime = 3 * time.Second

// toast is a short message above the prompt.
type toast struct {
	text  string // "" if none
	count int    // number of the latest toast, the only one to clear
	// holds, if not nil, reports whether the text is still true.
	holds func() bool
}

// say shows a toast.
func (u *ui) say(words string) tea.Cmd { return u.sayWhile(words, nil) }

// sayWhile shows a toast for as long as it holds, but no longer than others.
func (u *ui) sayWhile(words string, holds func() bool) tea.Cmd {
	u.toast.text = termtext.Line(words) // it may contain the agent's text
	u.toast.holds = holds
	u.toast.count++
	n := u.toast.count
	return tea.Tick(toastTime, func(time.Time) tea.Msg {
		return then(func() tea.Cmd {
			if n == u.toast.count {
				u.toast.text = ""
			}
			return nil
		})
	})
}

// working does what takes its time in the background, and shows the words until that is done, or what it told
// last.
func (t *Tab) working(words string, do func(tell func(string)) then) tea.Cmd {
	works, told := true, make(chan string)
	say := func(words string) { _ = t.sayWhile(words, func() bool { return works }) } // without its time
	say(words)
	var hear func() tea.Cmd
	hear = func() tea.Cmd {
		return inBackground(func() then {
			words, tells := <-told
			return func() tea.Cmd {
				if !tells || !works {
					return nil
				}
				say(words)
				return hear()
			}
		})
	}
	return tea.Batch(hear(), inBackground(func() then {
		next := do(func(words string) {
			select {
			case told <- words:
			case <-t.program.Context.Done():
			}
		})
		close(told)
		return func() tea.Cmd {
			works = false
			return next()
		}
	}))
}

// current returns the text of a toast that is still true, or "".
func (t *toast) current() string {
	if t.holds != nil && !t.holds() {
		t.text, t.holds = "", nil
	}
	return t.text
}

// sayIf shows an error, if any, as a toast.
func (u *ui) sayIf(err error) tea.Cmd {
	if err == nil {
		return nil
	}
	return u.say(err.Error())
}
