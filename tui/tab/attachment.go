package tab

import (
	"fmt"
	"os"
	"path/filepath"

	tea "charm.land/bubbletea/v2"

	"parley/tui/toolview"
)

// save writes media to a new file, reports its path and opens it.
func save(t *Tab, media *toolview.Media) tea.Cmd {
	return inBackground(func() then {
		path, err := write(media)
		return func() tea.Cmd {
			if err != nil {
				return t.say(err.Error())
			}
			cmd := t.say("saved as " + path)
			if media.Opens {
				cmd = tea.Batch(cmd, open(path, func(err error) tea.Msg { return ErrorMsg{Err: err} }))
			}
			return cmd
		}
	})
}

// write writes media to a file in a new temporary directory.
func write(media *toolview.Media) (path string, err error) {
	data, err := media.Bytes()
	if err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp("", "parley-content-")
	if err != nil {
		return "", fmt.Errorf("save the content: %w", err)
	}
	path = filepath.Join(dir, "content"+media.Ext)
	if err := os.WriteFile(path, data, 0o600); err != nil {
		return "", fmt.Errorf("save the content: %w", err)
	}
	return path, nil
}
