package dialog_test

import (
	"parley/tui/dialog"
	"parley/tui/tab"
)

func init() { dialog.TestActions = tab.Actions() }
