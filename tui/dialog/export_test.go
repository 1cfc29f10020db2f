package dialog

import "parley/config"

// TestActions are the actions of the program, which this package cannot import.
var TestActions *config.Actions
