package tab

import (
	tea "charm.land/bubbletea/v2"

	"parley/tui/dialog"
)

// pageHost does for the pages what only the tab can do.
type pageHost struct{ *Tab }

// Edit opens a file in the person's editor.
func (h pageHost) Edit(path string, line int) tea.Cmd { return h.actions.edit(path, line) }

// Copy puts text on the clipboard.
func (h pageHost) Copy(what, text string) tea.Cmd { return h.actions.copy(what, text) }

// Flash is what the tab says at this moment.
func (h pageHost) Flash() string { return h.toast.text }

// Choose opens a list above the page.
func (h pageHost) Choose(list dialog.List) { h.choose(list) }

// Compose adds text to the prompt and closes the review.
func (h pageHost) Compose(text string) tea.Cmd {
	h.dialogs.Close(h.changes)
	if !h.composer.Empty() {
		text = "\n\n" + text
	}
	return h.composer.Paste(text)
}
