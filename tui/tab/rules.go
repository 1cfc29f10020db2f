package tab

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley/internal/app"
	"parley/internal/conversation"
	"parley/internal/rules"
	"parley/internal/session"
	"parley/tui/dialog"
)

// askToTrustRules asks whether the project's rules apply.
func (l *live) askToTrustRules() {
	if q := app.TrustQuestion(l.Session); q != nil {
		l.ask(*q)
	}
}

// proposeRules opens the step that saves rules for a request.
func (q *questions) proposeRules(id int) {
	if p := permissionOf(q.Conversation, id); p != nil {
		if step := dialog.NewRuleStep(q.env(), p); step != nil {
			q.dialogs.Push(step)
		}
	}
}

// saveRules saves the chosen rules in the background, then answers their question, unless that
// has changed.
func (q *questions) saveRules(a dialog.SaveRules) tea.Cmd {
	q.dialogs.Pop()
	ctx, s := q.program.Context, q.Session
	return inBackground(func() then {
		done := "saved: " + strings.Join(a.Rules, "; ")
		if err := session.Try(ctx, s, rules.AddRules{Everywhere: a.Everywhere, Rules: slices.Clone(a.Rules)}); err != nil {
			return func() tea.Cmd { return q.say(err.Error()) }
		}
		return func() tea.Cmd {
			return act(q.ui, s, session.Answer{Question: a.Question, Option: a.Option}, func(_ session.None, err error) tea.Cmd {
				if err != nil {
					return q.say(done + ", but " + err.Error())
				}
				q.program.Guard.Settle()
				return q.say(done)
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
