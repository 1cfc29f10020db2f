package tab

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley/internal/app"
	"parley/internal/conversation"
	"parley/internal/session"
	"parley/internal/termtext"
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

// changed reports that a rule was changed, or the error.
func (r *ruleDialogs) changed(done string, err error) then {
	return func() tea.Cmd {
		if err != nil {
			return r.live.tab.say(err.Error())
		}
		return r.live.tab.say(done)
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
			return r.changed(done, err)
		}
		return func() tea.Cmd {
			return act(r.live.tab, s, session.Answer{Question: a.Question, Option: a.Option}, func(_ session.None, err error) tea.Cmd {
				if err != nil {
					return r.live.tab.say(done + ", but " + err.Error())
				}
				r.live.tab.program.Guard.Settle()
				return r.live.tab.say(done)
			})
		}
	})
}

// Show lists the rules.
func (r *ruleDialogs) Show() tea.Cmd {
	ctx, s := r.live.tab.program.Context, r.live.Session
	return inBackground(func() then {
		entries, err := session.Do(ctx, s, app.ListRules{})
		if err != nil {
			return func() tea.Cmd { return r.live.tab.say(err.Error()) }
		}
		return func() tea.Cmd {
			items := make([]dialog.Item, len(entries))
			for i, e := range entries {
				items[i] = r.item(i, e)
			}
			r.live.tab.dialogs.PushBelow(dialog.NewSelector(r.live.tab.env(), dialog.List{
				Title: "Rules", Items: items,
				Empty: "No rules: parley asks you every time.",
			}))
			return nil
		}
	})
}

// item returns the item of a rule. Only rules that parley saved can be removed; the others
// are in files of the user or project.
func (r *ruleDialogs) item(i int, e app.Rule) dialog.Item {
	scope := e.Scope.String()
	item := dialog.Item{ID: fmt.Sprint(i), Title: termtext.VisibleLine(e.Rule.String()), Group: strings.ToUpper(scope[:1]) + scope[1:]}
	switch e.Scope {
	case app.SavedEverywhere, app.SavedForProject:
		take := dialog.Do(func() tea.Cmd { r.askToTakeBack(e); return nil })
		item.Do, item.Delete = take, take
	default:
		item.Detail, item.Disabled = e.Source, true
		if !e.Counts {
			item.Detail = "ignored: the project is not trusted"
		}
	}
	return item
}

// askToTakeBack asks before it removes a rule.
func (r *ruleDialogs) askToTakeBack(e app.Rule) {
	line := e.Rule.String()
	ctx, s := r.live.tab.program.Context, r.live.Session
	remove := func() tea.Cmd {
		return inBackground(func() then {
			return r.changed("removed: "+line, session.Try(ctx, s, app.RemoveRule{Everywhere: e.Scope == app.SavedEverywhere, Rule: line}))
		})
	}
	r.live.tab.ask(dialog.Confirmation{
		Title: "Remove the rule", Text: "The rule is " + e.Scope.String() + ". It will no longer apply:", Lines: []string{line},
		Choices: []dialog.Choice{
			{Name: "Remove it", Do: dialog.Do(remove)},
			{Name: "Keep it", Do: dialog.Close{}},
		},
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
