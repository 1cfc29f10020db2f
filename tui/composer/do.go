package composer

import (
	tea "charm.land/bubbletea/v2"

	"parley/config"
)

// Do performs an action in the prompt, and reports whether it has one.
func (c *Composer) Do(action config.Action) (used bool, cmd tea.Cmd) {
	defer c.settle()
	result, cmd := c.act(action, "")
	return result.Used, cmd
}
