package tab

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"parley/internal/conversation"
	"parley/tui/dialog"
	"parley/tui/toolface"
)

// host is the tab as its parts see it. Each of them says in an interface of its own what
// it needs of it.
type host struct{ *Tab }

// Edit opens a file in the person's editor.
func (h host) Edit(path string, line int) tea.Cmd { return h.edit(path, line) }

// Copy puts text on the clipboard.
func (h host) Copy(what, text string) tea.Cmd { return h.copy(what, text) }

// Flash is what the tab says at this moment.
func (h host) Flash() string { return h.desk.Said() }

// Choose opens a list above the view.
func (h host) Choose(list dialog.List) {
	h.desk.List(list)
}

// Compose adds text to the prompt and closes the view.
func (h host) Compose(text string) tea.Cmd {
	h.dialogs.Close(h.changes)
	if !h.composer.Empty() {
		text = "\n\n" + text
	}
	return h.composer.Paste(text)
}

// Shared reports whether another tab has the same directory.
func (h host) Shared() bool { return h.row().Shared() }

// ShowCall shows a tool call on the whole screen.
func (h host) ShowCall(call *conversation.ToolCall) tea.Cmd {
	h.dialogs.Push(newPager(h.Tab, call, nil))
	return h.locate(toolface.Fragments(call.Content))
}

// Opener opens a session with the tab's agent in another directory, in a tab of its own.
func (h host) Opener() func(dir string) tea.Cmd {
	agent, row := h.agent, h.row()
	return func(dir string) tea.Cmd { return row.OpenIn(agent, dir) }
}

// LetGo says why nothing can be sent any more. What it returns ends the agent.
func (h host) LetGo(why string) (end func(context.Context)) {
	h.back.readOnly = why
	return h.session.Close
}

// WayOut is the answer that leaves what has come to an end.
func (h host) WayOut(key string) dialog.Choice { return h.wayOut(key) }
