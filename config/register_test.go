package config_test

import (
	"parley/config"
	"parley/tui/tab"
)

func init() { config.TestActions = tab.Actions() }
