package tab

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/config"
	"parley/internal/command"
	"parley/tui/dialog"
)

// awaited is the user's latest action that must wait until the session is open and the agent's
// offers are known: see Waits of [command.Common].
type awaited struct {
	action   config.Action // "" if there is none
	argument string        // of its slash command
	retries  bool          // it is tried again after a pause in typing
}

func (a *awaited) set(action config.Action, argument string) {
	*a = awaited{action: action, argument: argument}
}

// cancel drops the action, and reports whether there was one.
func (a *awaited) cancel() bool {
	was := a.action != ""
	*a = awaited{}
	return was
}

// words describes the awaited action, or returns "".
func (a *awaited) words(keys config.Keys) string {
	help := keys.Binding(a.action).Help().Desc
	if help == "" {
		return ""
	}
	return "then: " + strings.ToLower(help[:1]) + help[1:]
}

// run does the action once the session is open, and drops it if there will be none. A list
// waits until no dialog is open and the user has stopped typing.
func (a *awaited) run(t *Tab) tea.Cmd {
	if a.action == "" || t.opens() {
		return nil
	}
	l, open := t.live()
	switch {
	case !open || l.Conversation.Gone():
		a.cancel()
		return nil
	case a.action != command.NextMode && (!t.dialogs.Empty() || !t.composer.Empty() || l.commands.Attached()):
		return nil
	case a.action != command.NextMode && t.program.Guard.Typing():
		if a.retries {
			return nil
		}
		a.retries = true
		return tea.Tick(dialog.QuietTime, func(time.Time) tea.Msg {
			return then(func() tea.Cmd { a.retries = false; return nil }) // Update runs it
		})
	}
	do := *a
	a.cancel()
	return t.runWith(do.action, do.argument)
}
