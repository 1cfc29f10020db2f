package tab

import (
	"cmp"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/internal/app"
	"parley/internal/conversation"
	"parley/internal/session"
	"parley/internal/termtext"
	"parley/tui/dialog"
	"parley/tui/toolview"
)

const nothingInBackground = "nothing works in the background"

// background lists what works in the background.
type background struct {
	*ui
	*app.Live
	commands *commands
	reader   *transcriptReader
}

// openBackground opens the list. Choosing an item opens it: a subagent's transcript, or the
// command.
func openBackground(l *live) tea.Cmd {
	b := background{l.ui, l.Live, &l.commands, l.reader}
	l.dialogs.Push(dialog.NewFollowing(l.env(), dialog.List{
		Title: "In the background", Empty: "Nothing works in the background any more.", Choosing: "open", Deleting: "stop",
	}, b.items))
	return nil
}

// items returns an item for each thing that works in the background.
func (b background) items() []dialog.Item {
	var items []dialog.Item
	for _, w := range b.Conversation.Background() {
		switch {
		case w.Call != nil:
			items = append(items, b.call(w.Call))
		case w.Task != nil:
			items = append(items, b.task(w.Task))
		default:
			items = append(items, b.command(w.Terminal))
		}
	}
	return items
}

// worked says how long something has worked, "" if that is not known.
func (b background) worked(c *conversation.Clock) string {
	took := c.Worked(b.program.Now())
	if took < time.Second {
		return ""
	}
	return toolview.Elapsed(took)
}

func (b background) call(call *conversation.ToolCall) dialog.Item {
	item := dialog.Item{
		ID: "call " + string(call.ID), Group: "Subagents", Title: toolview.Title(call, termtext.Line), Detail: b.worked(&call.Clock),
		Do: dialog.Do(func() tea.Cmd { b.dialogs.Push(b.reader.pager(call)); return nil }),
	}
	if s := call.Subagent; s == nil {
		item.Group = "Calls"
	} else {
		item.About = termtext.Line(s.Description)
		if s.Waits || call.Waits() {
			item.Detail = "waits for you"
		}
	}
	if call.CanCancel {
		item.Delete = dialog.Stay(func() tea.Cmd { return b.cancelOperation(b.Session, conversation.Operation{Call: call}) })
	} else {
		item.Delete = dialog.Stay(func() tea.Cmd { return b.say("the agent cannot stop it alone: cancel the turn") })
	}
	return item
}

func (b background) task(task *conversation.AsyncTask) dialog.Item {
	title := termtext.Line(cmp.Or(task.Name, task.Description, task.ID))
	item := dialog.Item{
		ID: "task " + task.ID, Group: "Tasks of the agent", Title: title, About: termtext.Line(task.Description), Detail: termtext.Line(task.Type),
		Do: dialog.Stay(func() tea.Cmd { return b.say("the agent shows nothing of this task") }),
	}
	item.Delete = dialog.Stay(func() tea.Cmd {
		if !task.CanStop {
			return b.say("the agent cannot stop this task")
		}
		return act(b.ui, b.Session, session.StopTask{ID: task.ID}, func(_ session.None, err error) tea.Cmd {
			if err == nil {
				return nil
			}
			return b.say(title + ": " + termtext.Line(err.Error()))
		})
	})
	return item
}

func (b background) command(term *conversation.Terminal) dialog.Item {
	whose := "run by the agent"
	if term.Personal {
		whose = "yours"
	}
	item := dialog.Item{
		ID: "command " + string(term.ID), Group: "Commands", Title: termtext.Line(term.Command), Detail: whose,
		Do: dialog.Do(func() tea.Cmd { return b.commands.StepIn(term) }),
	}
	if term.Own && term.CanCancel {
		item.Delete = dialog.Stay(func() tea.Cmd {
			return b.cancelOperation(b.Session, conversation.Operation{Call: &conversation.ToolCall{}, Terminal: term.ID})
		})
	} else {
		item.Delete = dialog.Do(func() tea.Cmd { return b.commands.EndCommand(term) })
	}
	return item
}

// cancelOperation asks the agent to cancel one operation. The transcript shows the outcome.
func (u *ui) cancelOperation(s session.Doer, p conversation.Operation) tea.Cmd {
	return act(u, s, session.CancelOf(p), func(_ session.None, err error) tea.Cmd {
		if err != nil {
			session.Post(s, session.AddNotice{Severity: acpclient.NoticeWarning, Title: "The agent did not cancel the call", Detail: err.Error()})
		}
		return nil
	})
}
