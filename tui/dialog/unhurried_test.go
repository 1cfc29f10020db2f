package dialog

import "parley/tui/markdown"

func init() { markdown.Unhurried() }
