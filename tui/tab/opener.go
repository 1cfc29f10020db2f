package tab

import (
	tea "charm.land/bubbletea/v2"

	"parley/tui/desktop"
)

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
