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
	for i, p := range c.Operations() {
		items = append(items, dialog.Item{
			ID: fmt.Sprintf("cancel-%d", i), Title: "cancel only: " + toolview.Title(p.Call, termtext.Line),
			Do: dialog.Do(func() tea.Cmd { return cancelOperation(ctx, s, p) }),
		})
	}
	return items
}

// cancelOperation asks the agent to cancel one operation. The transcript shows the
// outcome.
func cancelOperation(ctx context.Context, s *session.Session, p conversation.Operation) tea.Cmd {
	asked := conversation.Operation{Call: &conversation.ToolCall{ID: p.Call.ID}, Terminal: p.Terminal}
	return func() tea.Msg {
		if err := s.CancelOperation(ctx, asked); err != nil {
			s.AddNotice(acpclient.NoticeWarning, "The agent did not cancel the call", err.Error())
		}
		return nil
	}
}
