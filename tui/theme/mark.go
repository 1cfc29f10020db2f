package theme

import (
	"charm.land/lipgloss/v2"

	"parley/internal/conversation"
)

// Mark is the mark of where a session stands: one cell, and another character for each, for
// those who see no colours.
func (th *Theme) Mark(s conversation.Standing) (string, lipgloss.Style) {
	switch s {
	case conversation.StandingWorking:
		return "◐", th.Info
	case conversation.StandingLimited:
		return "»", th.Muted
	case conversation.StandingAsks:
		return "?", th.Warning.Bold(true)
	case conversation.StandingDone:
		return "✓", th.Success
	case conversation.StandingFailed:
		return "✗", th.Error
	case conversation.StandingLost:
		return "†", th.Error
	}
	return "·", th.Faint
}
