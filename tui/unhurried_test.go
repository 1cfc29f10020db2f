package tui

import "parley/tui/markdown"

func init() { markdown.Unhurried() }
