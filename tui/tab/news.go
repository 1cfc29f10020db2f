package tab

import (
	"parley/config"
	"parley/tui/pages"
)

// TellNews says quietly that parley is a newer one than the time before, until the
// person has seen what is new or goes to work.
func (t *Tab) TellNews() { t.news = true }

// newsWords are the words for it, "" if there is nothing to tell.
func (v *view) newsWords() string {
	t := v.tab
	if !t.news {
		return ""
	}
	return "parley is now " + t.program.Version + ": " + t.keyOf(config.ActionNews) + " shows what is new"
}

// showNews shows what has changed from version to version.
func (ac *actions) showNews() {
	t := ac.tab
	t.news = false
	t.dialogs.Push(pages.NewGuide(t.env(), "What is new", t.program.Changes))
}
