package tab

import (
	tea "charm.land/bubbletea/v2"

	"parley/tui/dialog"
	"parley/tui/pages"
)

// showChanges opens the review of the agent's changes.
func (ac *actions) showChanges() tea.Cmd {
	t := ac.tab
	switch {
	case t.session == nil:
		return nil
	case t.session.Options().Journal == nil:
		return t.say(ac.noReview())
	case t.changes == nil:
		t.changes = pages.NewReview(pages.ChangesOptions{
			Context: t.program.Context, Journal: t.session.Options().Journal, Host: pageHost{t},
			Theme: t.program.Theme, Keys: t.program.Keys, Diffs: t.list.Diffs(),
		})
	}
	if !t.dialogs.Has(t.changes) {
		t.dialogs.Push(t.changes)
	}
	return t.changes.Open()
}

// changedFiles returns how many files the agent is known to have changed.
func (v *view) changedFiles() int {
	t := v.tab
	n := len(t.conv.Files)
	if t.session != nil && t.session.Options().Journal != nil {
		n = max(n, t.session.Options().Journal.Len())
	}
	return n
}

// inspect opens the protocol inspector.
func (ac *actions) inspect() tea.Cmd {
	t := ac.tab
	if t.session == nil {
		return t.say("there is no agent yet")
	}
	ring := t.session.Options().Ring
	switch {
	case ring == nil:
		return t.say("no agent has been started here")
	case t.inspector == nil || t.inspector.Ring() != ring:
		t.inspector = pages.NewInspector(pages.InspectorOptions{
			Context: t.program.Context, Ring: ring, Host: pageHost{t},
			Theme: t.program.Theme, Keys: t.program.Keys, Dir: t.cwd, Now: t.program.Now,
			Version: func() int { return int(t.conv.Agent.Protocol) },
		})
	}
	if !t.dialogs.Has(t.inspector) {
		t.inspector.Close() // the stack may have closed it
		t.dialogs.Push(t.inspector)
	}
	return t.inspector.Open()
}

// pageHost implements what pages need from the tab.
type pageHost struct{ *Tab }

// Edit opens a file in the editor.
func (h pageHost) Edit(path string, line int) tea.Cmd { return h.actions.edit(path, line) }

// Copy puts text on the clipboard.
func (h pageHost) Copy(what, text string) tea.Cmd { return h.actions.copy(what, text) }

// Flash returns the current toast, or "".
func (h pageHost) Flash() string { return h.toast.current() }

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

// TellNews announces a new version of parley until the person has seen the news or sent a
// prompt.
func (t *Tab) TellNews() { t.news = true }

// newsWords returns the announcement of a new version, or "".
func (v *view) newsWords() string {
	t := v.tab
	if !t.news {
		return ""
	}
	return "parley is now " + t.program.Version + ": /news shows what is new"
}

// showNews opens the changelog.
func (ac *actions) showNews() {
	t := ac.tab
	t.news = false
	t.dialogs.Push(pages.NewGuide(t.env(), "What is new", t.program.Changes))
}
