package tui

import (
	"slices"

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
func (m *Model) showFiles() tea.Cmd {
	if m.conv == nil {
		return nil
	}
	at := toolface.In(m.cwd)
	files := make([]conversation.FileChange, 0, len(m.conv.Files))
	for _, f := range m.conv.Files {
		files = append(files, *f)
	}
	return func() tea.Msg {
		items := make(filesMsg, 0, len(files))
		for _, f := range files {
			added, removed := diffview.New(f.Path, f.Before, f.After).Stats()
			detail := toolface.Counts{Added: added, Removed: removed}.String()
			if f.Before == nil {
				detail += ", new"
			}
			items = append(items, dialog.Item{
				ID: f.Path, Title: at.Path(f.Path), Detail: detail,
				Do: dialog.Choose{List: choiceFile, ID: f.Path},
			})
		}
		return items
	}
}

func (m *Model) filesShown(items filesMsg) {
	d := dialog.NewSelector(m.env(), dialog.List{
		Name: choiceFiles, Title: "Files written", Items: items,
		Empty: "The agent has written no file through parley. What it writes by itself stands in its tool calls.",
	})
	if _, asked := m.top().(dialog.Guarded); asked {
		m.dialogs = slices.Insert(m.dialogs, len(m.dialogs)-1, dialog.Dialog(d)) // below the question
		return
	}
	m.push(d)
}
