package tab

import (
	tea "charm.land/bubbletea/v2"

	"parley/internal/conversation"
	"parley/tui/dialog"
	"parley/tui/diffview"
	"parley/tui/toolview"
)

// fileList lists the files that the agent wrote through parley, with the size of each
// change. It compares them in the background.
func fileList(t *Tab) tea.Cmd {
	c := t.conv
	if c == nil {
		return nil
	}
	at := toolview.PathsIn(t.cwd)
	files := make([]conversation.FileChange, 0, len(c.Files))
	for _, f := range c.Files {
		files = append(files, *f)
	}
	return inBackground(func() then {
		items := make([]dialog.Item, 0, len(files))
		for _, f := range files {
			detail := "too large to compare"
			if !f.Dropped {
				added, removed := diffview.New(f.Path, f.Before, f.After).Stats()
				detail = toolview.Counts{Added: added, Removed: removed}.String()
			}
			if f.New {
				detail += ", new"
			}
			items = append(items, dialog.Item{
				ID: f.Path, Title: at.Path(f.Path), Detail: detail,
				Do: dialog.Do(func() tea.Cmd { return t.actions.edit(f.Path, 0) }),
			})
		}
		return func() tea.Cmd { showFiles(t, items); return nil }
	})
}

func showFiles(t *Tab, items []dialog.Item) {
	t.dialogs.PushBelow(dialog.NewSelector(t.env(), dialog.List{
		Title: "Files written", Items: items,
		Empty: "No files written through parley. The transcript shows what the agent wrote by itself.",
	}))
}
