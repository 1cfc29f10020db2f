package tab

import "parley/tui/markdown"

func init() { markdown.Unhurried() }
