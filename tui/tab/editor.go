package tab

import (
	"fmt"
	"path/filepath"

	tea "charm.land/bubbletea/v2"

	"parley/tui/desktop"
	"parley/tui/toolview"
)

// editorLeftMsg means that the editor has exited. Shown file contents may be stale.
type editorLeftMsg struct{}

// openExcerpt opens an item's file in the editor; it saves and opens images and audio.
func (ac *actions) openExcerpt(item toolview.Excerpt) tea.Cmd {
	t := ac.tab
	switch {
	case t.replay != nil:
		return t.say(notInReplay)
	case item.Media != nil:
		return save(t, item.Media)
	case item.Path == "":
		return t.say("this item has no file")
	}
	return ac.edit(item.Path, item.Line)
}

// edit opens a file in the editor, at a line unless that is 0.
func (ac *actions) edit(path string, line int) tea.Cmd {
	t := ac.tab
	if !filepath.IsAbs(path) {
		path = filepath.Join(t.cwd, path)
	}
	cmd, err := desktop.SystemEditor().Open(path, line)
	if err != nil {
		return t.say(err.Error())
	}
	return t.exec(cmd, func(err error) tea.Msg {
		if err != nil {
			return ErrorMsg{Err: fmt.Errorf("%s: %w", cmd.Args[0], err)}
		}
		return editorLeftMsg{}
	})
}

// open opens a URL or file with the desktop's program. failed turns an error into a
// message.
func open(url string, failed func(error) tea.Msg) tea.Cmd {
	return func() tea.Msg {
		if err := desktop.Open(url); err != nil {
			return failed(err)
		}
		return nil
	}
}
