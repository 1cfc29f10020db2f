package tab

import (
	"context"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/internal/app"
	"parley/internal/app/command"
	"parley/internal/conversation"
	"parley/tui/dialog"
	"parley/tui/pages"
)

// front is the tab, as commands of all front ends use it. It collects what they do.
type front struct {
	tab  *Tab
	cmds []tea.Cmd
}

var _ command.Front = (*front)(nil)

// do returns what do does.
func (f *front) do(do func()) tea.Cmd {
	f.cmds = nil
	do()
	return tea.Batch(f.cmds...)
}

func (f *front) add(cmd tea.Cmd) { f.cmds = append(f.cmds, cmd) }

func (f *front) live() *live {
	l, _ := f.tab.live()
	return l
}

// Live implements command.Front, as the methods below do.
func (f *front) Live() *app.Live {
	if l := f.live(); l != nil {
		return l.Live
	}
	return nil
}

func (f *front) Say(words string)   { f.add(f.tab.say(words)) }
func (f *front) Ask(q app.Question) { f.tab.ask(f.tab.confirmation(q)) }

func (f *front) Choose(c command.Choice) {
	list := dialog.List{Title: c.Title, Empty: c.Empty}
	for i, it := range c.Items {
		item := dialog.Item{ID: strconv.Itoa(i), Title: it.Label, Group: capital(it.Group), Detail: it.Why, Disabled: it.Why != ""}
		if it.Do != nil {
			item.Do = dialog.Do(func() tea.Cmd { return f.do(it.Do) })
		}
		if it.Deletes {
			item.Delete = item.Do
		}
		list.Items = append(list.Items, item)
	}
	f.tab.dialogs.PushBelow(dialog.NewSelector(f.tab.env(), list))
}

func (f *front) Beside(do func(context.Context) func()) {
	ctx := f.tab.program.Context
	f.add(inBackground(func() then {
		next := do(ctx)
		return func() tea.Cmd { return f.do(next) }
	}))
}

func (f *front) Help() { f.tab.dialogs.Push(pages.NewHelp(f.tab.env(), keysNow(f.tab)...)) }
func (f *front) Quit() { f.add(f.tab.leaving.Leave()) }

func (f *front) Categories(_, none string, of ...acpclient.ConfigCategory) {
	f.add(categoryList(f.live(), none, of...))
}

func (f *front) Options(string) {
	f.tab.dialogs.Push(dialog.NewOptions(f.tab.env(), f.live().Conversation))
}

func (f *front) Changes(string) { f.add(f.live().showChanges()) }

func (f *front) NoChanges() string {
	return unless(f.live().Session.Journal() != nil, f.live().noReview())
}

func (f *front) Rewind(string)    { f.add(f.live().listPrompts()) }
func (f *front) NoRewind() string { return f.live().noRewind() }
func (f *front) Queue(string)     { f.add(f.live().queue.Show()) }
func (f *front) Sessions(string)  { f.add(openSessionList(f.tab)) }
func (f *front) NewSession()      { f.add(f.live().newSession()) }
func (f *front) NewAgent()        { f.add(f.live().chooseAnother()) }
func (f *front) StartAgain()      { f.add(f.live().startAgain()) }
func (f *front) Detach()          { f.add(f.tab.detach()) }
func (f *front) NoDetach() string { return f.live().notKept() }
func (f *front) Export(string)    { f.live().export() }

func (f *front) SignIn() {
	l := f.live()
	l.signIn.Ask(l.SignIn(conversation.AuthRequired{}))
}

// sharedRows are the commands that all front ends have, as those of the prompt.
func sharedRows() command.Rows[behaviour] {
	var rows command.Rows[behaviour]
	for _, r := range command.Commands() {
		in := unlessReplaying
		switch s := r.Do; {
		case s.Session:
			in = inSession
		case s.Replay:
			in = inAll
		}
		b := behaviour{in: in, beside: r.Do.Beside, waits: r.Do.Waits, do: func(t *Tab) tea.Cmd {
			f := &front{tab: t}
			return f.do(func() { r.Do.Do(f, "") })
		}}
		if r.Do.Why != nil {
			b.unready = func(l *live) string { return r.Do.Why(&front{tab: l.tab}) }
		}
		rows = append(rows, command.Row[behaviour]{ID: r.ID, Keys: r.Keys, Bare: r.Bare, Help: r.Help, Words: r.Words, Slash: r.Slash, Do: b})
	}
	return rows
}

// capital returns a text with a capital letter at the beginning.
func capital(text string) string {
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:]
}
