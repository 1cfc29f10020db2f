package pages

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"parley/internal/journal"
	"parley/internal/termtext"
	"parley/tui/dialog"
)

// scope is which turns are looked at: all of the session, the last one, or those
// from a turn on.
type scope struct {
	last bool
	from int // 0 is the whole session
}

// since is the first turn that is looked at, 0 for all of the session.
func (v *Review) since() int {
	if v.scope.last {
		if turns := v.journal.Turns(); len(turns) > 0 {
			return turns[len(turns)-1].Number
		}
	}
	return v.scope.from
}

// scopeWords says which turns are looked at.
func (v *Review) scopeWords() string {
	switch {
	case v.scope.last:
		return "in the last turn"
	case v.scope.from > 0:
		return "since " + v.turnWords(v.scope.from)
	}
	return "in the session"
}

// turnWords names a turn by its prompt.
func (v *Review) turnWords(number int) string {
	for _, t := range v.journal.Turns() {
		if t.Number == number && t.Prompt != "" {
			return "“" + termtext.Line(t.Prompt) + "”"
		}
	}
	return fmt.Sprintf("turn %d", number)
}

// nextScope changes between the session and the last turn.
func (v *Review) nextScope() tea.Cmd {
	return v.setScope(scope{last: !v.scope.last && v.scope.from == 0})
}

func (v *Review) setScope(s scope) tea.Cmd {
	v.scope = s
	v.list.counts = nil
	return v.refresh()
}

// chooseScope lets the person choose from which prompt on changes are looked at.
func (v *Review) chooseScope() {
	set := func(s scope) dialog.Action { return dialog.Do(func() tea.Cmd { return v.setScope(s) }) }
	items := []dialog.Item{
		{ID: "session", Title: "in the whole session", Current: v.scope == scope{}, Do: set(scope{})},
		{ID: "last", Title: "in the last turn", Current: v.scope.last, Do: set(scope{last: true})},
	}
	turns := v.journal.Turns()
	for i := len(turns) - 1; i >= 0; i-- {
		items = append(items, turnItem(turns[i], v.scope.from, set))
	}
	v.opt.Host.Choose(dialog.List{Title: "Changes", Items: items})
}

func turnItem(t journal.Turn, from int, set func(scope) dialog.Action) dialog.Item {
	title := t.Prompt
	if title == "" {
		title = "(no text)"
	}
	return dialog.Item{
		ID: fmt.Sprint(t.Number), Title: "since: " + title, Detail: t.At.Format("15:04"),
		Current: t.Number == from, Do: set(scope{from: t.Number}),
	}
}
