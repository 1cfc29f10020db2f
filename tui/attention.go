package tui

import (
	"context"
	"os"
	"slices"

	tea "charm.land/bubbletea/v2"

	"parley/config"
	"parley/internal/conversation"
	"parley/tui/desktop"
	"parley/tui/tab"
)

// whole is a bar that is full, in percent: one of another state shows best.
const whole = 100

// attention notifies the user of events while they look elsewhere, and shows progress
// outside the window.
type attention struct {
	config   config.Attention
	terminal desktop.Notifier
	progress bool // the terminal shows it
	// elsewhere means that the terminal has reported losing the focus.
	elsewhere bool
	seen      map[tab.ID]seen
	// done means that a turn has ended in front, and the user has pressed no key since.
	done bool
}

// seen is how a tab stood after the last message.
type seen struct {
	state conversation.Standing
	turns int // that have ended: one may begin and end within a message
}

func newAttention(c config.Attention, getenv func(string) string) attention {
	a := attention{config: c, terminal: desktop.Notifier{Getenv: getenv}, seen: map[tab.ID]seen{}}
	if a.progress = desktop.ShowsProgress(getenv); c.Progress != nil {
		a.progress = *c.Progress
	}
	return a
}

// focus takes what a message says about where the user looks. A key says it too.
func (a *attention) focus(msg tea.Msg) {
	switch msg.(type) {
	case tea.BlurMsg:
		a.elsewhere = true
	case tea.FocusMsg:
		a.elsewhere = false
	case tea.KeyPressMsg, tea.PasteMsg:
		a.elsewhere, a.done = false, false
	}
}

// wanted reports whether to notify the user now.
func (a *attention) wanted(what config.AttentionEvent) bool {
	switch a.config.When {
	case config.WhenNever:
		return false
	case config.WhenUnfocused:
		if !a.elsewhere {
			return false
		}
	}
	return slices.Contains(a.config.On, what)
}

// happened returns the event between two states of a tab, or "" if it needs no
// notification.
func happened(before, now seen) config.AttentionEvent {
	gone := func(s seen) bool {
		return s.state == conversation.StandingLost || s.state == conversation.StandingFailed
	}
	switch {
	case now.state == conversation.StandingLost && before.state != conversation.StandingLost, gone(now) && !gone(before) && now.turns == before.turns:
		return config.HappeningLost
	case now.state == conversation.StandingAsks && before.state != conversation.StandingAsks:
		return config.HappeningQuestion
	case now.turns != before.turns:
		return config.HappeningTurn
	}
	return ""
}

// attend notifies the user of changes by the last message.
func (m *Model) attend() tea.Cmd {
	a := &m.attention
	var cmds []tea.Cmd
	for _, t := range m.tabs {
		now := seen{t.State(), t.Turns()}
		before, known := a.seen[t.ID()]
		if known && now == before {
			continue
		}
		a.seen[t.ID()] = now
		if t == m.front && known && now.turns != before.turns {
			a.done = true
		}
		if what := happened(before, now); what != "" && a.wanted(what) {
			cmds = append(cmds, a.call(m.program.Context, what, desktop.Notification{Title: "parley", Text: t.Redactor().Text(eventText(what) + t.Summary().Title)}))
		}
	}
	return tea.Batch(cmds...)
}

// eventText describes an event, before the tab's title.
func eventText(what config.AttentionEvent) string {
	switch what {
	case config.HappeningQuestion:
		return "Waits for you: "
	case config.HappeningLost:
		return "The agent exited: "
	}
	return "Finished: "
}

// call notifies the user in the background.
func (a *attention) call(ctx context.Context, what config.AttentionEvent, n desktop.Notification) tea.Cmd {
	terminal, c := a.terminal, a.config
	var cmds []tea.Cmd
	if c.Notify != config.NoticeNone {
		way := desktop.NotifyMethod(c.Notify)
		if c.Notify == config.NoticeAuto {
			way = ""
		}
		cmds = append(cmds, func() tea.Msg { return tea.RawMsg{Msg: terminal.Sequence(ctx, way, n)} })
	}
	if len(c.Command) > 0 {
		cmds = append(cmds, func() tea.Msg {
			if err := desktop.RunNotifyCommand(ctx, c.Command, string(what), n); err != nil {
				return tab.ErrorMsg{Err: err}
			}
			return nil
		})
	}
	return tea.Batch(cmds...)
}

// count returns how many tabs are in a state.
func (m *Model) count(state conversation.Standing) int {
	n := 0
	for _, t := range m.tabs {
		if t.State() == state {
			n++
		}
	}
	return n
}

// works reports whether a turn is running in any tab.
func (m *Model) works() bool { return slices.ContainsFunc(m.tabs, (*tab.Tab).Works) }

// progressBar returns the terminal's progress bar, or nil.
func (m *Model) progressBar() *tea.ProgressBar {
	switch {
	case !m.attention.progress:
		return nil
	case m.count(conversation.StandingAsks) > 0:
		return tea.NewProgressBar(tea.ProgressBarWarning, whole) // paused
	case m.count(conversation.StandingLost)+m.count(conversation.StandingFailed) > 0:
		return tea.NewProgressBar(tea.ProgressBarError, whole)
	case m.works():
		return tea.NewProgressBar(tea.ProgressBarIndeterminate, 0)
	}
	return nil
}

// programStatus says what parley does, to terminals that show it: the tab in front, and of
// the others the one that matters most.
func (m *Model) programStatus() []tea.ProgramStatus {
	front := m.statusOf(m.front)
	if front.State == tea.ProgramStateIdle && m.attention.done {
		front.State = tea.ProgramStateDone
	}
	all := []tea.ProgramStatus{front}
	var worst *tab.Tab
	for _, t := range m.tabs {
		if t != m.front && (worst == nil || t.State() > worst.State()) {
			worst = t
		}
	}
	if worst != nil {
		other := m.statusOf(worst)
		other.ID = "others"
		all = append(all, other)
	}
	return all
}

// statusOf is the status of one tab, as the terminal's first record.
func (m *Model) statusOf(t *tab.Tab) tea.ProgramStatus {
	s := tea.ProgramStatus{State: tea.ProgramStateIdle, App: "parley"}
	if !m.attention.config.NoTitle {
		s.Title = t.Title()
	}
	switch t.State() {
	case conversation.StandingLost, conversation.StandingFailed:
		s.State = tea.ProgramStateError
	case conversation.StandingAsks:
		s.State, s.Kind = tea.ProgramStateBlocked, t.WaitsFor()
	case conversation.StandingWorking:
		s.State = tea.ProgramStateWorking
	case conversation.StandingDone:
		s.State = tea.ProgramStateDone
	}
	return s
}

// getenv reads the environment that the options name, else the process's.
func getenv(opt Options) func(string) string {
	if opt.Getenv != nil {
		return opt.Getenv
	}
	return os.Getenv
}
