package tab

import (
	"cmp"
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"parley/config"
	"parley/internal/conversation"
	"parley/internal/termtext"
	"parley/tui/dialog"
	"parley/tui/toolview"
)

// Question is an open question of an agent.
type Question struct {
	// ID is the number of the permission or elicitation in its session.
	ID         int
	Permission bool
	// Title says in a line what is asked, About in full which command or files it is about.
	Title, About string
}

// Questions returns the open questions of the tab's agent, the oldest first.
func (t *Tab) Questions() []Question {
	if t.replay != nil || !waits(t.conv) {
		return nil
	}
	var all []Question
	paths := toolview.PathsIn(t.cwd)
	for _, p := range t.conv.Permissions {
		all = append(all, permissionQuestion(p, paths))
	}
	for _, e := range t.conv.Elicitations {
		words := termtext.Line(e.Request.Message)
		all = append(all, Question{ID: e.ID, Title: cmp.Or(words, "The agent asks"), About: words})
	}
	return all
}

func permissionQuestion(p *conversation.Permission, paths toolview.Paths) Question {
	heading, _ := paths.Heading(p.Asked)
	q := Question{ID: p.ID, Permission: true, Title: toolview.KindOf(p.Asked.Kind).Verb + "  " + heading}
	if q.About = paths.Command(p.Asked.RawInput).Line; q.About == "" {
		for _, l := range paths.ShownLocations(p.Asked.Locations) {
			q.About += paths.Location(l) + "\n"
		}
	}
	return q
}

// ShowQuestion brings an open question into view, in front of the agent's others. It takes
// no key until it has been seen, like any question that appears.
func (t *Tab) ShowQuestion(q Question) {
	if t.reader != nil && t.reader.Reads() {
		t.reader.Unfocus()
	}
	at := t.permission(q)
	if asking := t.questions.asking; at >= 0 && asking != nil && t.dialogs.Top() == asking && asking.Position() != at+1 {
		t.dialogs.Pop()
		t.questions.ask(at)
	}
}

// permission returns the index of an open permission, -1 if it is none: other questions
// come after the permissions, one at a time.
func (t *Tab) permission(q Question) int {
	return slices.IndexFunc(t.conv.Permissions, func(p *conversation.Permission) bool { return q.Permission && p.ID == q.ID })
}

// openQuestionList lists the open questions of all tabs. Choosing one goes there; a
// permission can also be answered above the list.
func openQuestionList(t *Tab) tea.Cmd {
	items := func() []dialog.Item { return questionItems(t.tabs()) }
	if len(items()) == 0 {
		return t.sayWhile("no question is waiting", func() bool { return len(items()) == 0 })
	}
	t.dialogs.Push(dialog.NewFollowing(t.env(), dialog.List{
		Title: "Waiting questions", Empty: "No question is waiting.", Choosing: "go there",
		Keys: []dialog.ItemKey{{Action: config.ActionDialogNext, Hint: "answer here", Do: func(it dialog.Item) dialog.Action {
			for _, w := range t.tabs().Questions() {
				for _, q := range w.Questions {
					if q.Permission && w.Tab != t && questionID(w.Tab, q) == it.ID {
						return dialog.Stay(func() tea.Cmd { return t.questions.askFor(w, q) })
					}
				}
			}
			return it.Do
		}}},
	}, items))
	return nil
}

func questionID(t *Tab, q Question) string { return fmt.Sprint(t.ID(), q.Permission, q.ID) }

func questionItems(tabs Tabs) []dialog.Item {
	var items []dialog.Item
	for _, w := range tabs.Questions() {
		for _, q := range w.Questions {
			items = append(items, dialog.Item{
				ID: questionID(w.Tab, q), Title: q.Title, About: q.About, Group: fmt.Sprintf("tab %d: %s", w.Number, w.Title),
				Do: dialog.Do(func() tea.Cmd { tabs.ShowQuestion(w.Tab, q); return nil }),
			})
		}
	}
	return items
}

// foreignQuestion is a permission of another tab, answered in this one. It obeys the same
// rules as in its own tab; what is more than an answer is done there.
type foreignQuestion struct {
	*dialog.Permission
	in *Tab // where it is shown
	of *Tab // whose agent asks
	q  Question
}

// askFor shows a permission of another tab.
func (q *questions) askFor(w TabQuestions, asked Question) tea.Cmd {
	of := w.Tab
	at := of.permission(asked)
	if at < 0 {
		return nil
	}
	here, env := q.tab.env(), of.env()
	env.Drafting, env.Edits = here.Drafting, here.Edits
	p := of.conv.Permissions[at]
	q.foreign = &foreignQuestion{dialog.NewPermission(env, p, len(of.conv.Permissions)), q.tab, of, asked}
	q.foreign.Of = fmt.Sprint("tab ", w.Number)
	q.foreign.Permission.Follow(of.conv)
	q.tab.dialogs.Push(q.foreign)
	return of.questions.resolve(p.Asked)
}

// FollowOthers closes the question of another tab that is shown here once it is over, and
// reports whether there was one.
func (t *Tab) FollowOthers() bool {
	f := t.questions.foreign
	if f == nil || !t.dialogs.Has(f) {
		t.questions.foreign = nil
		return false
	}
	if f.Permission.Follow(f.of.conv) == dialog.Over || !f.there() {
		t.dialogs.Close(f)
		t.questions.addToDraft(f.TakeWords())
	}
	return true
}

// there reports whether the tab and its question are still open.
func (f *foreignQuestion) there() bool {
	return slices.ContainsFunc(f.in.tabs().Questions(), func(w TabQuestions) bool {
		return w.Tab == f.of && slices.ContainsFunc(w.Questions, func(q Question) bool { return q.Permission && q.ID == f.q.ID })
	})
}

// Follow hides that of the permission: it is over when FollowOthers says so.
func (*foreignQuestion) Follow() {}

// Key implements [dialog.Dialog].
func (f *foreignQuestion) Key(k tea.KeyPressMsg) dialog.Action { return f.act(f.Permission.Key(k)) }

// Mouse implements [dialog.Dialog].
func (f *foreignQuestion) Mouse(m tea.MouseMsg, x, y int) dialog.Action {
	return f.act(f.Permission.Mouse(m, x, y))
}

// act turns an action for the question's tab into one for this tab.
func (f *foreignQuestion) act(a dialog.Action) dialog.Action {
	switch a := a.(type) {
	case nil, dialog.NotTaken:
		return a
	case dialog.CancelTurn:
		f.in.questions.addToDraft(f.TakeWords())
		return dialog.Close{}
	case dialog.Answer, dialog.RejectWith:
		return dialog.Stay(func() tea.Cmd { return f.of.panel.do(a) })
	default:
		return dialog.Do(func() tea.Cmd {
			f.in.tabs().ShowQuestion(f.of, f.q)
			return f.of.panel.do(a)
		})
	}
}
