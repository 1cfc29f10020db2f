package composer_test

import (
	"parley/tui/composer"
	"parley/tui/tab"
)

func init() { composer.TestActions = tab.Actions() }
