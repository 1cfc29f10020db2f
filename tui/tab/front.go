package tab

import (
	"cmp"
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/config"
	"parley/internal/app"
	"parley/internal/command"
	"parley/internal/conversation"
	"parley/internal/store"
	"parley/internal/termtext"
	"parley/tui/dialog"
	"parley/tui/pages"
	"parley/tui/toolview"
)

// front is the tab, as commands of all front ends use it. It collects what they do.
type front struct {
	tab  *Tab
	cmds []tea.Cmd
	late bool // in the continuation of background work: the user may do something else by now
}

var _ command.Front = (*front)(nil)

// asFront returns what do does in this front end.
func (t *Tab) asFront(do func(command.Front)) tea.Cmd {
	return t.acting.do(func() { do(t.acting) })
}

// do returns what do does.
func (f *front) do(do func()) tea.Cmd {
	outer := f.cmds
	f.cmds = nil
	do()
	cmd := tea.Batch(f.cmds...)
	f.cmds = outer
	return cmd
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

func (f *front) Say(words string)                         { f.add(f.tab.say(words)) }
func (f *front) SayWhile(words string, holds func() bool) { f.add(f.tab.sayWhile(words, holds)) }
func (f *front) KeyOf(a config.Action) string             { return keyOrPalette(f.tab.program.Keys, a) }

func (f *front) Tell(title, text string) { f.tab.tell(title, termtext.Block(text)) }

func (f *front) Copy(what, text string) { f.add(f.tab.copy(what, text)) }

func (f *front) Path(from, path string) string { return toolview.PathsIn(from).Path(path) }
func (f *front) Cwd() string                   { return f.tab.cwd }

func (f *front) StoredID() store.ID { return f.tab.StoredID() }

func (f *front) After(d time.Duration, do func()) {
	f.add(tea.Tick(d, func(time.Time) tea.Msg { return then(func() tea.Cmd { return f.do(do) }) }))
}

func (f *front) Ask(q app.Question) {
	if q.Enter != nil {
		f.tab.enter(q)
		return
	}
	f.tab.ask(f.tab.confirmation(q))
}

func (f *front) Choose(c command.Choice) (update func(command.Choice) bool) {
	shown := f.list(c)
	list := dialog.NewSelector(f.tab.env(), shown)
	if c.Now != nil {
		list = dialog.NewFollowing(f.tab.env(), shown, func() []dialog.Item { return f.items(c.Now()) })
		f.tab.following = list
	}
	if f.late {
		f.tab.dialogs.PushBelow(list)
	} else {
		f.tab.dialogs.Push(list)
	}
	return func(c command.Choice) bool {
		open := f.tab.dialogs.Has(list)
		switch {
		case c.Title == "":
			f.tab.dialogs.Close(list)
		case open:
			list.SetList(f.list(c))
		}
		return open
	}
}

// list returns a choice as a list.
func (f *front) list(c command.Choice) dialog.List {
	list := dialog.List{Title: c.Title, About: c.About, Empty: c.Empty, Loading: c.Loading, Slow: c.Slow, Filter: c.Filter, Space: c.Space, Marked: c.Marked, Instead: f.action(c.Left, false), Choosing: c.Choosing, Deleting: c.Deleting, Closing: c.Closing, Gone: c.Gone, Items: f.items(c.Items)}
	if c.Stop != nil {
		list.Instead = f.action(c.Stop, true)
	}
	if c.Bottom {
		list.Closing = f.tab.leaving.LeaveWord()
		for _, row := range []struct {
			a    config.Action
			hint string
		}{{command.Palette, "palette"}, {command.Help, "help"}} {
			list.Keys = append(list.Keys, dialog.ItemKey{Action: row.a, Hint: row.hint, Do: func(dialog.Item) dialog.Action {
				return dialog.Stay(func() tea.Cmd { return f.tab.run(row.a) })
			}})
		}
	}
	now := func() []command.Item {
		if c.Now != nil {
			return c.Now()
		}
		return c.Items
	}
	if c.Search != nil {
		list.Search = func(words string) tea.Cmd { return f.do(func() { c.Search(words) }) }
	}
	if c.Wider != nil {
		list.Wider, list.WiderHint = f.action(c.Wider, true), c.WiderHint
	}
	for i, k := range c.Keys {
		list.Keys = append(list.Keys, dialog.ItemKey{Action: k.ID, Hint: k.Hint, Do: func(marked dialog.Item) dialog.Action {
			for _, it := range now() {
				if it.ID == marked.ID && i < len(it.Also) {
					return f.action(it.Also[i], !k.Closes)
				}
			}
			return nil
		}})
	}
	return list
}

func (f *front) items(all []command.Item) []dialog.Item {
	items := make([]dialog.Item, len(all))
	for i, it := range all {
		items[i] = dialog.Item{
			ID: it.ID, Title: it.Title, Words: it.Words, Detail: cmp.Or(it.Why, dialog.SessionItem("", it.Used, f.tab.program.Now(), it.Detail).Detail), Group: it.Group, About: it.About, Found: it.Found,
			Columns: it.Columns, Standing: it.Standing, Aside: it.Aside,
			Current: it.Current, Pending: it.Pending, Dim: it.Dim, Disabled: it.Why != "", Do: f.action(it.Do, it.Stays),
		}
		if it.Do == nil {
			items[i].Do = f.action(it.Open, true)
		}
		if items[i].Delete = f.action(it.Delete, true); it.Deletes {
			items[i].Delete = items[i].Do
		}
	}
	return items
}

// action returns what an item does, nil for nothing. stays means that the list stays.
func (f *front) action(do func(), stays bool) dialog.Action {
	switch {
	case do == nil:
		return nil
	case stays:
		return dialog.Stay(func() tea.Cmd { return f.do(do) })
	}
	return dialog.Do(func() tea.Cmd { return f.do(do) })
}

func (f *front) Backend() *app.Backend { return &f.tab.program.Backend }

func (f *front) InBackground(do func(context.Context) func()) {
	ctx := f.tab.program.Context
	f.add(inBackground(func() then {
		next := do(ctx)
		return func() tea.Cmd {
			f.late = true
			defer func() { f.late = false }()
			return f.do(next)
		}
	}))
}

func (f *front) Help() { f.tab.dialogs.Push(pages.NewHelp(f.tab.env(), keysNow(f.tab)...)) }

func (f *front) Read(title, text string) {
	f.tab.news = f.tab.news && text != f.tab.program.News
	f.tab.dialogs.Push(pages.NewGuide(f.tab.env(), title, text))
}

func (f *front) ShowCall(call *conversation.ToolCall) {
	if r, ok := f.tab.state.transcript(); ok {
		f.tab.dialogs.Push(r.reader.pager(call))
	}
	f.add(f.tab.diffPositions.Locate(f.tab.cwd, toolview.Fragments(call.Content)))
}

func (f *front) StepIn(term *conversation.Terminal) { f.add(f.live().commands.StepIn(term)) }

func (f *front) Rename(name string) {
	if name == "" {
		f.tab.renameTab()
		return
	}
	f.add(f.tab.setName(name))
}

func (f *front) Quit() { f.add(f.tab.leaving.Leave()) }

func (f *front) Changes() { f.add(f.live().showChanges()) }

func (f *front) Closed() string {
	l := f.live()
	return cmp.Or(l.tab.stored.readOnly, command.Unless(!l.reopens(), notOpen+" yet"))
}

// EditQueued implements command.Front, as NoEdit does.
func (f *front) EditQueued(id, at int) { f.add(f.live().queue.takeBack(id, at)) }

func (f *front) NoEdit() string {
	return command.Unless(f.tab.composer.Empty(), "send or clear the draft first")
}

// Open implements command.Front, as OpenRemembered does.
func (f *front) Open(o app.Open) {
	if o.Running != "" || o.ID != f.tab.StoredID() {
		f.add(send(Open{o}))
	}
}
func (f *front) OpenRemembered(info acpclient.SessionInfo) { f.add(f.live().openSession(info)) }

func (f *front) NewSession() { f.add(f.live().newSession()) }
func (f *front) StartAgain() { f.add(f.live().startAgain()) }
func (f *front) Detach()     { f.add(f.tab.detach()) }

// Start begins it beside the session, if there is one.
func (f *front) Start(a config.Agent) {
	if f.live() != nil {
		f.add(f.tab.openBeside(a))
		return
	}
	f.add(f.tab.startChosen(a))
}

// Reopen implements command.Front, as End does.
func (f *front) Reopen(o app.Open, open func(context.Context, app.Open) (*app.Reopened, error)) {
	f.add(f.tab.reopenWith(o, open))
}

func (f *front) End(s app.Session) {
	f.add(send(endOf(s)))
	f.Detach()
}

// endOf asks to end a session in the background.
func endOf(s app.Session) End { return End{func(ctx context.Context) { app.End(ctx, s) }} }

func (f *front) Export() { f.live().export() }

func (f *front) SignIn() {
	l := f.live()
	l.signIn.Ask(l.SignIn(conversation.AuthRequired{}))
}

// commonCommand is what a command of all front ends does, as one of the prompt.
func commonCommand(c command.Common) promptCommand {
	p := promptCommand{in: unlessReplaying, atQuestion: c.AtQuestion, waits: c.Waits, do: func(t *Tab) tea.Cmd { return t.front(c.Do) }}
	switch {
	case c.Session:
		p.in = inSession
	case c.Replay:
		p.in = inAll
	}
	if c.With != nil {
		p.with = func(t *Tab, words string) tea.Cmd { return t.front(func(f command.Front) { c.With(f, words) }) }
	}
	if c.Why != nil {
		p.unready = func(l *live) string { return c.Why(l.tab.acting) }
	}
	return p
}
