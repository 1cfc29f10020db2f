package tab

import (
	"cmp"
	"context"
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/internal/conversation"
	"parley/internal/termtext"
	"parley/tui/dialog"
	"parley/tui/toolview"
)

const nothingInBackground = "nothing works in the background"

// openBackground lists what works beside the turn. Choosing an item opens it: a subagent's
// transcript, or the command.
func openBackground(t *Tab) tea.Cmd {
	t.dialogs.Push(dialog.NewFollowing(t.env(), dialog.List{
		Title: "In the background", Empty: "Nothing works in the background any more.", Choosing: "open", Deleting: "stop",
	}, t.backgroundItems))
	return nil
}

// backgroundItems returns an item for each thing that works in the background.
func (t *Tab) backgroundItems() []dialog.Item {
	var items []dialog.Item
	for _, b := range t.conv().Background() {
		switch {
		case b.Call != nil:
			items = append(items, t.backgroundCall(b.Call))
		case b.Task != nil:
			items = append(items, t.backgroundTask(b.Task))
		default:
			items = append(items, t.backgroundCommand(b.Terminal))
		}
	}
	return items
}

// worked says how long something has worked, "" if that is not known.
func (t *Tab) worked(c *conversation.Clock) string {
	took := c.Worked(t.program.Now())
	if took < time.Second {
		return ""
	}
	return toolview.Elapsed(took)
}

func (t *Tab) backgroundCall(call *conversation.ToolCall) dialog.Item {
	item := dialog.Item{
		ID: "call " + string(call.ID), Group: "Subagents", Title: toolview.Title(call, termtext.Line), Detail: t.worked(&call.Clock),
		Do: dialog.Do(func() tea.Cmd { t.dialogs.Push(newPager(t, call)); return nil }),
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
		item.Delete = dialog.Stay(func() tea.Cmd { return t.cancelOperation(conversation.Operation{Call: call}) })
	} else {
		item.Delete = dialog.Stay(func() tea.Cmd { return t.say("the agent cannot stop it alone: cancel the turn") })
	}
	return item
}

func (t *Tab) backgroundTask(task *conversation.AsyncTask) dialog.Item {
	title := termtext.Line(cmp.Or(task.Name, task.Description, task.ID))
	item := dialog.Item{
		ID: "task " + task.ID, Group: "Tasks of the agent", Title: title, About: termtext.Line(task.Description), Detail: termtext.Line(task.Type),
		Do: dialog.Stay(func() tea.Cmd { return t.say("the agent shows nothing of this task") }),
	}
	s := t.session()
	item.Delete = dialog.Stay(func() tea.Cmd {
		if !task.CanStop {
			return t.say("the agent cannot stop this task")
		}
		return t.stopping(title, func(ctx context.Context) error { return s.StopTask(ctx, task.ID) })
	})
	return item
}

func (t *Tab) backgroundCommand(term *conversation.Terminal) dialog.Item {
	whose := "run by the agent"
	if term.Personal {
		whose = "yours"
	}
	item := dialog.Item{
		ID: "command " + string(term.ID), Group: "Commands", Title: termtext.Line(term.Command), Detail: whose,
		Do: dialog.Do(func() tea.Cmd { return t.commands.StepIn(term) }),
	}
	if term.Own && term.CanCancel {
		item.Delete = dialog.Stay(func() tea.Cmd {
			return t.cancelOperation(conversation.Operation{Call: &conversation.ToolCall{}, Terminal: term.ID})
		})
	} else {
		item.Delete = dialog.Do(func() tea.Cmd { return t.commands.EndCommand(term) })
	}
	return item
}

// stopping stops something in the background, and says if that fails.
func (t *Tab) stopping(title string, stop func(context.Context) error) tea.Cmd {
	ctx := t.program.Context
	return inBackground(func() then {
		if err := stop(ctx); err != nil {
			return func() tea.Cmd { return t.say(fmt.Sprintf("%s: %s", title, termtext.Line(err.Error()))) }
		}
		return nil
	})
}
