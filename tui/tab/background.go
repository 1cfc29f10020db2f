package tab

import (
	"cmp"
	"context"
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/internal/conversation"
	"parley/internal/session"
	"parley/internal/termtext"
	"parley/tui/dialog"
	"parley/tui/toolview"
)

const nothingInBackground = "nothing works in the background"

// openBackground lists the background work. Choosing an item opens it: a subagent's
// transcript, or the command.
func openBackground(l *live) tea.Cmd {
	l.dialogs.Push(dialog.NewFollowing(l.env(), dialog.List{
		Title: "In the background", Empty: "Nothing works in the background any more.", Choosing: "open", Deleting: "stop",
	}, l.backgroundItems))
	return nil
}

// backgroundItems returns an item for each thing that works in the background.
func (l *live) backgroundItems() []dialog.Item {
	var items []dialog.Item
	for _, b := range l.Conversation.Background() {
		switch {
		case b.Call != nil:
			items = append(items, l.backgroundCall(b.Call))
		case b.Task != nil:
			items = append(items, l.backgroundTask(b.Task))
		default:
			items = append(items, l.backgroundCommand(b.Terminal))
		}
	}
	return items
}

// worked says how long something has worked, "" if that is not known.
func (l *live) worked(c *conversation.Clock) string {
	took := c.Worked(l.program.Now())
	if took < time.Second {
		return ""
	}
	return toolview.Elapsed(took)
}

func (l *live) backgroundCall(call *conversation.ToolCall) dialog.Item {
	item := dialog.Item{
		ID: "call " + string(call.ID), Group: "Subagents", Title: toolview.Title(call, termtext.Line), Detail: l.worked(&call.Clock),
		Do: dialog.Do(func() tea.Cmd { l.dialogs.Push(l.reader.pager(call)); return nil }),
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
		item.Delete = dialog.Stay(func() tea.Cmd { return l.cancelOperation(conversation.Operation{Call: call}) })
	} else {
		item.Delete = dialog.Stay(func() tea.Cmd { return l.say("the agent cannot stop it alone: cancel the turn") })
	}
	return item
}

func (l *live) backgroundTask(task *conversation.AsyncTask) dialog.Item {
	title := termtext.Line(cmp.Or(task.Name, task.Description, task.ID))
	item := dialog.Item{
		ID: "task " + task.ID, Group: "Tasks of the agent", Title: title, About: termtext.Line(task.Description), Detail: termtext.Line(task.Type),
		Do: dialog.Stay(func() tea.Cmd { return l.say("the agent shows nothing of this task") }),
	}
	s := l.Session
	item.Delete = dialog.Stay(func() tea.Cmd {
		if !task.CanStop {
			return l.say("the agent cannot stop this task")
		}
		return l.stopping(title, func(ctx context.Context) error { return session.Try(ctx, s, session.StopTask{ID: task.ID}) })
	})
	return item
}

func (l *live) backgroundCommand(term *conversation.Terminal) dialog.Item {
	whose := "run by the agent"
	if term.Personal {
		whose = "yours"
	}
	item := dialog.Item{
		ID: "command " + string(term.ID), Group: "Commands", Title: termtext.Line(term.Command), Detail: whose,
		Do: dialog.Do(func() tea.Cmd { return l.commands.StepIn(term) }),
	}
	if term.Own && term.CanCancel {
		item.Delete = dialog.Stay(func() tea.Cmd {
			return l.cancelOperation(conversation.Operation{Call: &conversation.ToolCall{}, Terminal: term.ID})
		})
	} else {
		item.Delete = dialog.Do(func() tea.Cmd { return l.commands.EndCommand(term) })
	}
	return item
}

// stopping stops something in the background, and says if that fails.
func (l *live) stopping(title string, stop func(context.Context) error) tea.Cmd {
	ctx := l.program.Context
	return inBackground(func() then {
		if err := stop(ctx); err != nil {
			return func() tea.Cmd { return l.say(fmt.Sprintf("%s: %s", title, termtext.Line(err.Error()))) }
		}
		return nil
	})
}
