package transcript

import "parley/tui/markdown"

func init() { markdown.Unhurried() }
