package command

import (
	"cmp"
	"strings"
	"time"

	"parley/acpclient"
	"parley/internal/app"
	"parley/internal/conversation"
	"parley/internal/session"
	"parley/internal/termtext"
)

// chooseBackground lists what works in the background. Choosing an item opens it: a subagent's
// transcript, or the command.
func chooseBackground(f Front) {
	l := f.Live()
	f.Choose(Choice{
		Title: "In the background", Empty: "Nothing works in the background any more.", Choosing: "open", Deleting: "stop",
		Now: func() []Item { return backgroundItems(f, l) },
	})
}

// backgroundItems returns an item for each thing that works in the background.
func backgroundItems(f Front, l *app.Live) (items []Item) {
	for _, w := range l.Conversation.Background() {
		switch {
		case w.Call != nil:
			items = append(items, callItem(f, w.Call))
		case w.Task != nil:
			items = append(items, taskItem(f, w.Task))
		default:
			items = append(items, commandItem(f, w.Terminal))
		}
	}
	return items
}

func callItem(f Front, call *conversation.ToolCall) Item {
	it := Item{
		ID: "call " + string(call.ID), Group: "Subagents", Title: cmp.Or(strings.TrimSpace(call.Title), call.Name, "subagent (no title)"),
		Do: func() { f.ShowCall(call) },
	}
	if took := call.Worked(time.Now()); took >= time.Second {
		it.Detail = termtext.Elapsed(took)
	}
	if s := call.Subagent; s == nil {
		it.Group = "Calls"
	} else {
		it.About = s.Description
		if s.Waits || call.Waits() {
			it.Detail = "waits for you"
		}
	}
	it.Delete = func() { f.Say("the agent cannot stop it alone: cancel the turn") }
	if call.CanCancel {
		it.Delete = func() { CancelOperation(f, conversation.Operation{Call: call}) }
	}
	return it
}

func taskItem(f Front, task *conversation.AsyncTask) Item {
	title := cmp.Or(task.Name, task.Description, task.ID)
	return Item{
		ID: "task " + task.ID, Group: "Tasks of the agent", Title: title, About: task.Description, Detail: task.Type, Stays: true,
		Do: func() { f.Say("the agent shows nothing of this task") },
		Delete: func() {
			if !task.CanStop {
				f.Say("the agent cannot stop this task")
				return
			}
			Try(f, f.Live().Session, session.StopTask{ID: task.ID}, termtext.Line(title)+": ")
		},
	}
}

func commandItem(f Front, term *conversation.Terminal) Item {
	whose := "run by the agent"
	if term.Personal {
		whose = "yours"
	}
	it := Item{
		ID: "command " + string(term.ID), Group: "Commands", Title: term.Command, Detail: whose,
		Do:     func() { f.StepIn(term) },
		Delete: func() { StopCommand(f, term) },
	}
	if term.Own && term.CanCancel {
		it.Delete = func() {
			CancelOperation(f, conversation.Operation{Call: &conversation.ToolCall{}, Terminal: term.ID})
		}
	}
	return it
}

// CancelOperation asks the agent to cancel one operation. The transcript shows the outcome.
func CancelOperation(f Front, p conversation.Operation) {
	Act(f, f.Live().Session, session.CancelOf(p), func(_ session.None, err error) {
		if err != nil {
			session.Post(f.Live().Session, session.AddNotice{Severity: acpclient.NoticeWarning, Title: "The agent did not cancel the call", Detail: err.Error()})
		}
	})
}

// StopCommand ends a running command: the user's own at once, the agent's after a confirmation. A
// nil terminal is that of an item without a command.
func StopCommand(f Front, term *conversation.Terminal) {
	switch {
	case term == nil:
		f.Say("this item has no command")
	case term.Own:
		f.Say("the agent runs this command itself: cancel the turn to stop it")
	case term.Exit != nil:
		f.Say("the command has ended")
	case term.Personal:
		Try(f, f.Live().Session, session.EndTerminal{ID: term.ID}, "")
	default:
		f.Choose(Choice{Title: "Stop the agent's command?", Ask: "Stop the agent's command?", Items: []Item{
			{ID: "run", Title: "Keep it running", About: term.Command, Do: func() {}},
			{ID: "end", Title: "Stop it", About: term.Command, Do: func() { Try(f, f.Live().Session, session.EndTerminal{ID: term.ID}, "") }},
		}})
	}
}
