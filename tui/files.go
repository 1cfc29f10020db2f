package tui

import (
	"fmt"
	"path/filepath"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley/tui/dialog"
	"parley/tui/diffview"
)

// showFiles lists the files that the agent wrote through parley, whatever its
// tool calls say, and how much of each changed over the session.
func (m *Model) showFiles() tea.Cmd {
	if m.conv == nil {
		return nil
	}
	var items []dialog.Item
	for _, f := range m.conv.Files {
		added, removed := diffview.New(f.Path, f.Before, f.After).Stats()
		detail := fmt.Sprintf("+%d −%d", added, removed)
		if f.Before == nil {
			detail += ", new"
		}
		items = append(items, dialog.Item{
			ID: f.Path, Title: inside(m.cwd, f.Path), Detail: detail,
			Do: dialog.Choose{List: choiceFile, ID: f.Path},
		})
	}
	m.push(dialog.NewSelector(m.env(), dialog.List{
		Name: choiceFiles, Title: "Files written", Items: items,
		Empty: "The agent has written no file through parley. What it writes by itself stands in its tool calls.",
	}))
	return nil
}

// inside is a path as seen from a directory that it is in, else the path.
func inside(dir, path string) string {
	rel, err := filepath.Rel(dir, path)
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return path
	}
	return rel
}
