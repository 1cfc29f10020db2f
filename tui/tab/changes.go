package tab

import (
	tea "charm.land/bubbletea/v2"

	"parley/tui/changes"
	"parley/tui/dialog"
)

// showChanges shows what the agent has changed.
func (t *Tab) showChanges() tea.Cmd {
	switch {
	case t.session == nil:
		return nil
	case t.session.Options().Journal == nil:
		return t.say("changes are not recorded (journal = false)")
	case t.changes == nil:
		t.changes = changes.New(changes.Options{
			Context: t.program.Context, Journal: t.session.Options().Journal, Host: changesHost{t},
			Theme: t.program.Theme, Keys: t.program.Keys, Diffs: t.list.Diffs(),
		})
	}
	if !t.dialogs.Has(t.changes) {
		t.dialogs.Push(t.changes)
	}
	return t.changes.Open()
}

// changedFiles is how many files the agent is known to have changed.
func (t *Tab) changedFiles() int {
	n := len(t.conv.Files)
	if t.session != nil && t.session.Options().Journal != nil {
		n = max(n, t.session.Options().Journal.Len())
	}
	return n
}

// changesHost does what the view of the changes cannot do itself.
type changesHost struct{ t *Tab }

// Edit opens a file in the person's editor.
func (h changesHost) Edit(path string, line int) tea.Cmd { return h.t.edit(path, line) }

// Copy puts text on the clipboard.
func (h changesHost) Copy(what, text string) tea.Cmd { return h.t.copy(what, text) }

// Flash is what the tab says at this moment.
func (h changesHost) Flash() string { return h.t.flash }

// Choose opens a list above the view.
func (h changesHost) Choose(list dialog.List) {
	h.t.dialogs.Push(dialog.NewSelector(h.t.env(), list))
}

// Compose adds text to the prompt and closes the view.
func (h changesHost) Compose(text string) tea.Cmd {
	t := h.t
	t.dialogs.Close(t.changes)
	if !t.composer.Empty() {
		text = "\n\n" + text
	}
	return t.composer.Paste(text)
}
