package tab

import (
	tea "charm.land/bubbletea/v2"

	"parley/internal/conversation"
	"parley/tui/dialog"
	"parley/tui/diffview"
	"parley/tui/toolface"
)

// filesMsg are the files that the agent wrote, as a list.
type filesMsg []dialog.Item

// showFiles lists the files that the agent wrote through parley, whatever its
// tool calls say, and how much of each changed over the session. Comparing them
// takes its time, beside the screen.
func (t *Tab) showFiles() tea.Cmd {
	if t.conv == nil {
		return nil
	}
	at := toolface.In(t.cwd)
	files := make([]conversation.FileChange, 0, len(t.conv.Files))
	for _, f := range t.conv.Files {
		files = append(files, *f)
	}
	return func() tea.Msg {
		items := make(filesMsg, 0, len(files))
		for _, f := range files {
			detail := "too large to compare"
			if !f.Dropped {
				added, removed := diffview.New(f.Path, f.Before, f.After).Stats()
				detail = toolface.Counts{Added: added, Removed: removed}.String()
			}
			if f.New {
				detail += ", new"
			}
			items = append(items, dialog.Item{
				ID: f.Path, Title: at.Path(f.Path), Detail: detail,
				Do: dialog.Do(func() tea.Cmd { return t.edit(f.Path, 0) }),
			})
		}
		return items
	}
}

func (t *Tab) filesShown(items filesMsg) {
	t.dialogs.PushBelow(dialog.NewSelector(t.desk.Env(), dialog.List{
		Title: "Files written", Items: items,
		Empty: "The agent has written no file through parley. What it writes by itself stands in its tool calls.",
	}))
}
