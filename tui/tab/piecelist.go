package tab

import (
	"context"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/session"
	"parley/internal/termtext"
	"parley/tui/dialog"
	"parley/tui/toolview"
)

// pieceItems returns the palette items that cancel single calls.
func pieceItems(ctx context.Context, c *conversation.Conversation, s *session.Session) []dialog.Item {
	var items []dialog.Item
	for i, p := range c.Pieces() {
		items = append(items, dialog.Item{
			ID: fmt.Sprintf("cancel-%d", i), Title: "cancel only: " + toolview.Title(p.Call, termtext.Line),
			Do: dialog.Do(func() tea.Cmd { return cancelPiece(ctx, s, p) }),
		})
	}
	return items
}

// cancelPiece asks the agent to cancel one piece of its work. The transcript shows the
// outcome.
func cancelPiece(ctx context.Context, s *session.Session, p conversation.Piece) tea.Cmd {
	asked := conversation.Piece{Call: &conversation.ToolCall{ID: p.Call.ID}, Terminal: p.Terminal}
	return func() tea.Msg {
		if err := s.CancelPiece(ctx, asked); err != nil {
			s.AddNotice(acpclient.NoticeWarning, "The agent has not cancelled the call", err.Error())
		}
		return nil
	}
}
