package pages_test

import (
	"parley/tui/pages"
	"parley/tui/tab"
)

func init() { pages.TestActions = tab.Actions() }
