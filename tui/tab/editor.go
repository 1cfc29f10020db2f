package tab

import (
	"fmt"
	"path/filepath"

	tea "charm.land/bubbletea/v2"

	"parley/tui/desktop"
	"parley/tui/toolview"
)

// editorLeftMsg: the person has left the editor. What is shown of a file may be old.
type editorLeftMsg struct{}

// openExcerpt opens the file that an item is about in the person's editor; a
// picture or a sound is saved and shown.
func (ac *actions) openExcerpt(item toolview.Excerpt) tea.Cmd {
	t := ac.tab
	switch {
	case t.replay != nil:
		return t.say(notInReplay)
	case item.Media != nil:
		return save(t, item.Media)
	case item.Path == "":
		return t.say("this item names no file")
	}
	return ac.edit(item.Path, item.Line)
}

// edit opens a file in the person's editor, at a line if that is not 0.
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

// open opens an address or a file with the program that the person has for it.
// What goes wrong becomes a message.
func open(url string, failed func(error) tea.Msg) tea.Cmd {
	return func() tea.Msg {
		if err := desktop.Open(url); err != nil {
			return failed(err)
		}
		return nil
	}
}
