package tab

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/safetext"
	"parley/tui/dialog"
	"parley/tui/toolface"
)

// pieceItems are what the palette has about single calls that can be cancelled.
func (t *Tab) pieceItems() []dialog.Item {
	if t.conv == nil || t.session == nil {
		return nil
	}
	var items []dialog.Item
	for i, p := range t.conv.Pieces() {
		items = append(items, dialog.Item{
			ID: fmt.Sprintf("cancel-%d", i), Title: "cancel only: " + toolface.Title(p.Call, safetext.Line),
			Do: dialog.Do(func() tea.Cmd { return t.cancelPiece(p) }),
		})
	}
	return items
}

// cancelPiece asks the agent to end one piece of its work. What comes of it the agent
// tells in the transcript.
func (t *Tab) cancelPiece(p conversation.Piece) tea.Cmd {
	s, ctx := t.session, t.program.Context
	asked := conversation.Piece{Call: &conversation.ToolCall{ID: p.Call.ID}, Terminal: p.Terminal}
	return func() tea.Msg {
		if err := s.CancelPiece(ctx, asked); err != nil {
			s.Said(acpclient.NoticeWarning, "The agent has not cancelled the call", err.Error())
		}
		return nil
	}
}
