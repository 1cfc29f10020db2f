package tab

import (
	"fmt"

	tea "charm.land/bubbletea/v2"
)

// copyItem puts the text of the selected item on the clipboard.
func (t *Tab) copyItem() tea.Cmd {
	text := t.list.Excerpt().Text
	if text == "" {
		return t.say("there is nothing to copy in this item")
	}
	return tea.Batch(send(Copy{text}), t.say(fmt.Sprintf("copied %d characters", len([]rune(text)))))
}
