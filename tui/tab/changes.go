package tab

import (
	tea "charm.land/bubbletea/v2"

	"parley/tui/pages"
)

// showChanges shows what the agent has changed.
func (ac *actions) showChanges() tea.Cmd {
	t := ac.tab
	switch {
	case t.session == nil:
		return nil
	case t.session.Options().Journal == nil && t.back.readOnly != "":
		return t.say("what was changed cannot be reviewed here: the session is only read")
	case t.session.Options().Journal == nil:
		return t.say("changes are not recorded (journal = false)")
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

// changedFiles is how many files the agent is known to have changed.
func (v *view) changedFiles() int {
	t := v.tab
	n := len(t.conv.Files)
	if t.session != nil && t.session.Options().Journal != nil {
		n = max(n, t.session.Options().Journal.Len())
	}
	return n
}
