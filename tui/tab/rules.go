// This file is where a person sees the rules that count in a session, saves one,
// takes one back, and says whether those of a project count.

package tab

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/internal/app"
	"parley/internal/conversation"
	"parley/internal/session"
	"parley/internal/termtext"
	"parley/tui/dialog"
)

// Host is the tab, as far as its rules need it.
type rulebookHost interface {
	// Permission is the open permission with an ID, nil if there is none.
	Permission(id int) *conversation.Permission
	// Answer answers it with an option.
	Answer(id int, option acpclient.PermissionOptionID) error
}

// Rules are the rules by which the questions of a session are judged. All methods take
// nil for one whose questions nobody judges.
type ruleDialogs struct {
	desk *desk
	host rulebookHost
	book *app.Rules
}

// Of are the rules of a session; nil if nobody judges its questions.
func ruleDialogsOf(s *session.Session, d *desk, h rulebookHost) *ruleDialogs {
	if rules := app.RulesOf(s); rules != nil {
		return &ruleDialogs{d, h, rules}
	}
	return nil
}

// AskToTrust asks whether the rules of the project count.
func (r *ruleDialogs) AskToTrust() {
	if r == nil {
		return
	}
	if q := r.book.TrustQuestion(); q != nil {
		r.desk.Ask(r.desk.Confirmation(*q))
	}
}

// Propose opens the step in which a rule is saved for what is asked.
func (r *ruleDialogs) Propose(id int) {
	if r == nil {
		return
	}
	if p := r.host.Permission(id); p != nil {
		if step := dialog.NewRuleStep(r.desk.Env(), p); step != nil {
			r.desk.Dialogs.Push(step)
		}
	}
}

// changed tells that something about the rules has changed, or why not.
func (r *ruleDialogs) changed(done string, err error) then {
	return func() tea.Cmd {
		if err != nil {
			return r.desk.Say(err.Error())
		}
		return r.desk.Say(done)
	}
}

// Save saves the rules that the person has chosen, beside the screen, and then answers
// the question that they are about.
func (r *ruleDialogs) Save(a dialog.SaveRules) tea.Cmd {
	r.desk.Dialogs.Pop()
	return beside(func() then {
		done := "saved: " + strings.Join(a.Rules, "; ")
		if err := r.book.Add(a.Everywhere, slices.Clone(a.Rules)...); err != nil {
			return r.changed(done, err)
		}
		return func() tea.Cmd { return r.saved(done, a) }
	})
}

// saved answers the question that rules were saved for, unless the agent asks about
// something else by now.
func (r *ruleDialogs) saved(done string, a dialog.SaveRules) tea.Cmd {
	p := r.host.Permission(a.ID)
	if p == nil || p.Asked != a.Call {
		return r.desk.Say(done + ". The agent has changed its question meanwhile")
	}
	if err := r.host.Answer(a.ID, a.Option); err != nil {
		return r.desk.Say(err.Error())
	}
	return r.desk.Say(done)
}

// Show lists the rules.
func (r *ruleDialogs) Show() tea.Cmd {
	return beside(func() then {
		entries, err := r.book.Entries()
		if err != nil {
			return func() tea.Cmd { return r.desk.Say(err.Error()) }
		}
		return func() tea.Cmd { r.list(entries); return nil }
	})
}

// list lists rules, below what was opened meanwhile.
func (r *ruleDialogs) list(entries []app.Rule) {
	items := make([]dialog.Item, len(entries))
	for i, e := range entries {
		items[i] = r.item(i, e)
	}
	r.desk.Dialogs.PushBelow(dialog.NewSelector(r.desk.Env(), dialog.List{
		Title: "Rules", Items: items,
		Empty: "There are no rules: everything that an agent asks is asked of you.",
	}))
}

// item is a rule in the list. Those that parley has saved can be taken back; the
// others stand in a file of the person or of the project.
func (r *ruleDialogs) item(i int, e app.Rule) dialog.Item {
	item := dialog.Item{ID: fmt.Sprint(i), Title: termtext.VisibleLine(e.Rule.String()), Group: headline(e.Scope.String())}
	switch e.Scope {
	case app.SavedEverywhere, app.SavedForProject:
		take := dialog.Do(func() tea.Cmd { r.askToTakeBack(e); return nil })
		item.Do, item.Delete = take, take
	default:
		item.Detail, item.Disabled = e.Source, true
		if !e.Counts {
			item.Detail = "does not count: the project is not trusted"
		}
	}
	return item
}

// headline is text with a capital at its beginning, as the headings of lists have it.
func headline(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// askToTakeBack asks before a rule is taken back.
func (r *ruleDialogs) askToTakeBack(e app.Rule) {
	line := e.Rule.String()
	remove := func() tea.Cmd {
		return beside(func() then {
			return r.changed("taken back: "+line, r.book.Remove(e.Scope == app.SavedEverywhere, line))
		})
	}
	r.desk.Ask(dialog.Confirmation{
		Title: "Take the rule back", Text: "The rule is " + e.Scope.String() + ". It will not count any more:", Lines: []string{line},
		Choices: []dialog.Choice{
			{Name: "Take it back", Do: dialog.Do(remove)},
			{Name: "Keep it", Do: dialog.Close{}},
		},
	})
}
