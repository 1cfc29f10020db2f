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

// ruleDialogs shows, saves and removes the rules of a session, and asks whether a
// project's rules apply. Its methods accept a nil receiver if the session has no rules.
type ruleDialogs struct{ live *live }

// rules returns the dialogs for the session's rules, or nil if it has none.
func (l *live) rules() *ruleDialogs {
	if l.Session.About().Ruled {
		return &ruleDialogs{l}
	}
	return nil
}

// AskToTrust asks whether the project's rules apply.
func (r *ruleDialogs) AskToTrust() {
	if r == nil {
		return
	}
	if q := app.TrustQuestion(r.live.Session); q != nil {
		r.live.tab.ask(r.live.tab.confirmation(*q))
	}
}

// Propose opens the step that saves a rule for a request.
func (r *ruleDialogs) Propose(id int) {
	if r == nil {
		return
	}
	if p := permissionOf(r.live.conv, id); p != nil {
		if step := dialog.NewRuleStep(r.live.tab.env(), p); step != nil {
			r.live.tab.dialogs.Push(step)
		}
	}
}

// Save saves the chosen rules in the background, then answers their question, unless that
// has changed.
func (r *ruleDialogs) Save(a dialog.SaveRules) tea.Cmd {
	r.live.tab.dialogs.Pop()
	ctx, s := r.live.tab.program.Context, r.live.Session
	return inBackground(func() then {
		done := "saved: " + strings.Join(a.Rules, "; ")
		if err := session.Try(ctx, s, app.AddRules{Everywhere: a.Everywhere, Rules: slices.Clone(a.Rules)}); err != nil {
			return func() tea.Cmd { return r.live.tab.say(err.Error()) }
		}
		return func() tea.Cmd {
			return act(r.live.tab.ui, s, session.Answer{Question: a.Question, Option: a.Option}, func(_ session.None, err error) tea.Cmd {
				if err != nil {
					return r.live.tab.say(done + ", but " + err.Error())
				}
				r.live.tab.program.Guard.Settle()
				return r.live.tab.say(done)
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
