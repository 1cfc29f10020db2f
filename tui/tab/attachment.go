package tab

import (
	"fmt"
	"os"
	"path/filepath"

	tea "charm.land/bubbletea/v2"

	"parley/tui/toolface"
)

// savedMsg says where something was saved, or why not.
type savedMsg struct {
	path string
	open bool
	err  error
}

// save writes media to a file of its own.
func save(media *toolface.Media) tea.Cmd {
	return func() tea.Msg {
		data, err := media.Bytes()
		if err != nil {
			return savedMsg{err: err}
		}
		dir, err := os.MkdirTemp("", "parley-content-")
		if err != nil {
			return savedMsg{err: fmt.Errorf("save the content: %w", err)}
		}
		path := filepath.Join(dir, "content"+media.Ext)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			return savedMsg{err: fmt.Errorf("save the content: %w", err)}
		}
		return savedMsg{path: path, open: media.Opens}
	}
}

// saved tells where the content is, and shows it.
func (t *Tab) saved(msg savedMsg) tea.Cmd {
	if msg.err != nil {
		return t.desk.Say(msg.err.Error())
	}
	cmd := t.desk.Say("saved as " + msg.path)
	if msg.open {
		cmd = tea.Batch(cmd, open(msg.path, func(err error) tea.Msg { return ErrorMsg{Err: err} }))
	}
	return cmd
}
