package tab

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley/config"
	"parley/internal/conversation"
	"parley/internal/rules"
	"parley/internal/safetext"
	"parley/tui/dialog"
	"parley/tui/toolface"
)

// book has the rules by which the session's questions are judged; nil if nobody
// judges them.
func (t *Tab) book() *rules.Book {
	if t.session == nil {
		return nil
	}
	b, _ := t.session.Options().Judge.(*rules.Book)
	return b
}

// askToTrust asks whether the rules of the project count, if it has some and the
// person has not said so of these. They do not count meanwhile.
func (t *Tab) askToTrust() {
	b := t.book()
	if b == nil || b.Trust() != rules.Undecided || len(b.Project().Rules) == 0 {
		return
	}
	var lines []string
	for _, r := range b.Project().Rules {
		lines = append(lines, r.String())
	}
	say := func(trust rules.Trust, done string) dialog.Action {
		return dialog.Do(func() tea.Cmd {
			return func() tea.Msg { return rulesSavedMsg{done: done, err: b.SetTrust(trust)} }
		})
	}
	t.desk.Ask(dialog.Confirmation{
		Title: "This project has rules of its own",
		Text: fmt.Sprintf("%s in %s says what agents may do here without a question, and what not. It counts only if you trust it:",
			filepath.ToSlash(config.ProjectFile), toolface.In("").Path(t.cwd)),
		Lines: lines,
		Choices: []dialog.Choice{
			{Name: "Trust these rules", Key: "t", Risky: true, Do: say(rules.Trusted, "the rules of the project count now")},
			{Name: "Not now", Do: dialog.Close{}},
			{Name: "Never, and do not ask again", Risky: true, Do: say(rules.Never, "the rules of the project never count")},
		},
	})
}

// permission is the open permission with an ID, nil if there is none.
func (t *Tab) permission(id int) *conversation.Permission {
	i := slices.IndexFunc(t.conv.Permissions, func(p *conversation.Permission) bool { return p.ID == id })
	if i < 0 {
		return nil
	}
	return t.conv.Permissions[i]
}

// proposeRules opens the step in which a rule is saved for what is asked.
func (t *Tab) proposeRules(id int) {
	if p := t.permission(id); p != nil && t.book() != nil {
		if step := dialog.NewRuleStep(t.desk.Env(), p); step != nil {
			t.dialogs.Push(step)
		}
	}
}

// rulesSavedMsg says that something about rules was saved, or why not. answer, if not
// nil, is the permission to be answered now.
type rulesSavedMsg struct {
	done   string
	err    error
	answer *dialog.SaveRules
}

// saveRules saves the rules that the person has chosen, beside the screen.
func (t *Tab) saveRules(a dialog.SaveRules) tea.Cmd {
	t.dialogs.Pop()
	b := t.book()
	return func() tea.Msg {
		err := b.Add(a.Everywhere, slices.Clone(a.Rules)...)
		return rulesSavedMsg{done: "saved: " + strings.Join(a.Rules, "; "), err: err, answer: &a}
	}
}

// rulesSaved tells how saving went, and answers the question that it was about, unless
// the agent asks about something else by now.
func (t *Tab) rulesSaved(msg rulesSavedMsg) tea.Cmd {
	if msg.err != nil {
		return t.desk.Say(msg.err.Error())
	}
	if a := msg.answer; a != nil {
		p := t.permission(a.ID)
		if p == nil || p.Asked != a.Call {
			return t.desk.Say(msg.done + ". The agent has changed its question meanwhile")
		}
		if err := t.session.Answer(a.ID, a.Option); err != nil {
			return t.desk.Say(err.Error())
		}
	}
	return t.desk.Say(msg.done)
}

// rulesMsg are all rules, or why they are not known.
type rulesMsg struct {
	entries []rules.Entry
	err     error
}

// showRules lists the rules.
func (t *Tab) showRules() tea.Cmd {
	b := t.book()
	return func() tea.Msg {
		entries, err := b.Entries()
		return rulesMsg{entries, err}
	}
}

func (t *Tab) rulesShown(msg rulesMsg) tea.Cmd {
	if msg.err != nil {
		return t.desk.Say(msg.err.Error())
	}
	items := make([]dialog.Item, len(msg.entries))
	for i, e := range msg.entries {
		items[i] = t.ruleItem(i, e)
	}
	t.dialogs.PushBelow(dialog.NewSelector(t.desk.Env(), dialog.List{
		Title: "Rules", Items: items,
		Empty: "There are no rules: everything that an agent asks is asked of you.",
	}))
	return nil
}

// ruleItem is a rule in the list. Those that parley has saved can be taken back; the
// others stand in a file of the person or of the project.
func (t *Tab) ruleItem(i int, e rules.Entry) dialog.Item {
	item := dialog.Item{ID: fmt.Sprint(i), Title: safetext.VisibleLine(e.Rule.String()), Group: e.Scope.String()}
	switch e.Scope {
	case rules.SavedEverywhere, rules.SavedForProject:
		take := dialog.Do(func() tea.Cmd { t.askToTakeBack(e); return nil })
		item.Do, item.Delete = take, take
	default:
		item.Detail, item.Disabled = e.Source, true
		if !e.Counts {
			item.Detail = "does not count: the project is not trusted"
		}
	}
	return item
}

// askToTakeBack asks before a rule is taken back.
func (t *Tab) askToTakeBack(e rules.Entry) {
	b, line := t.book(), e.Rule.String()
	remove := func() tea.Cmd {
		return func() tea.Msg {
			return rulesSavedMsg{done: "taken back: " + line, err: b.Remove(e.Scope == rules.SavedEverywhere, line)}
		}
	}
	t.desk.Ask(dialog.Confirmation{
		Title: "Take the rule back", Text: "The rule is " + e.Scope.String() + ". It will not count any more:", Lines: []string{line},
		Choices: []dialog.Choice{
			{Name: "Take it back", Do: dialog.Do(remove)},
			{Name: "Keep it", Do: dialog.Close{}},
		},
	})
}
