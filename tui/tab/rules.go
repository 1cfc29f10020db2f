package tab

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley/internal/app"
	"parley/internal/conversation"
	"parley/internal/session"
	"parley/tui/dialog"
)

// askToTrustRules asks whether the project's rules apply.
func (l *live) askToTrustRules() {
	if q := app.TrustQuestion(l.Session); q != nil {
		l.ask(l.confirmation(*q))
	}
}

// proposeRules opens the step that saves rules for a request.
func (l *live) proposeRules(id int) {
	if p := permissionOf(l.Conversation, id); p != nil {
		if step := dialog.NewRuleStep(l.env(), p); step != nil {
			l.dialogs.Push(step)
		}
	}
}

// saveRules saves the chosen rules in the background, then answers their question, unless that
// has changed.
func (l *live) saveRules(a dialog.SaveRules) tea.Cmd {
	l.dialogs.Pop()
	ctx, s := l.program.Context, l.Session
	return inBackground(func() then {
		done := "saved: " + strings.Join(a.Rules, "; ")
		if err := session.Try(ctx, s, app.AddRules{Everywhere: a.Everywhere, Rules: slices.Clone(a.Rules)}); err != nil {
			return func() tea.Cmd { return l.say(err.Error()) }
		}
		return func() tea.Cmd {
			return act(l.ui, s, session.Answer{Question: a.Question, Option: a.Option}, func(_ session.None, err error) tea.Cmd {
				if err != nil {
					return l.say(done + ", but " + err.Error())
				}
				l.program.Guard.Settle()
				return l.say(done)
			})
		}
	})
}

// permissionOf returns the open permission with an id, or nil.
func permissionOf(c *conversation.Conversation, id int) *conversation.Permission {
	i := slices.IndexFunc(c.Permissions, func(p *conversation.Permission) bool { return p.ID == id })
	if i < 0 {
		return nil
	}
	return c.Permissions[i]
}
