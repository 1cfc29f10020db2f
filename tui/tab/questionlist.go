package tab

import (
	"cmp"
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

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
	if !q.Permission {
		return // they come after the permissions, one at a time
	}
	at := slices.IndexFunc(t.conv.Permissions, func(p *conversation.Permission) bool { return p.ID == q.ID })
	if asking := t.questions.asking; at >= 0 && asking != nil && t.dialogs.Top() == asking && asking.Position() != at+1 {
		t.dialogs.Pop()
		t.questions.ask(at)
	}
}

// openQuestionList lists the open questions of all tabs. Choosing one goes there.
func openQuestionList(t *Tab) tea.Cmd {
	items := func() []dialog.Item { return questionItems(t.tabs()) }
	if len(items()) == 0 {
		return t.say("no question is waiting")
	}
	t.dialogs.Push(dialog.NewFollowing(t.env(), dialog.List{
		Title: "Waiting questions", About: "enter goes to the question", Empty: "No question is waiting.",
	}, items))
	return nil
}

func questionItems(tabs Tabs) []dialog.Item {
	var items []dialog.Item
	for _, w := range tabs.Questions() {
		for _, q := range w.Questions {
			items = append(items, dialog.Item{
				ID: fmt.Sprint(w.Tab, q.Permission, q.ID), Title: q.Title, About: q.About, Group: w.Title,
				Do: dialog.Do(func() tea.Cmd { tabs.ShowQuestion(w.Tab, q); return nil }),
			})
		}
	}
	return items
}
