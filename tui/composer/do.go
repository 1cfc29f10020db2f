package composer

import (
	tea "charm.land/bubbletea/v2"

	"parley/config"
)

// Do does what the key of an action does in the prompt, and reports whether that is
// anything.
func (c *Composer) Do(action config.Action) (used bool, cmd tea.Cmd) {
	defer c.settle()
	result, cmd := c.act(action, "")
	return result.Used, cmd
}
