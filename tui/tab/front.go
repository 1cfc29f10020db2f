package tab

import (
	"cmp"
	"context"
	"slices"
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
	tab        *Tab
	cmds       []tea.Cmd
	background bool // in the continuation of background work: the user may do something else by now
}

var _ command.Front = (*front)(nil)

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
func (f *front) OpenFile(path string)   { f.add(open(path, f.tab.sayIf)) }

func (f *front) Path(from, path string) string { return toolview.PathsIn(from).Path(path) }
func (f *front) Cwd() string                   { return f.tab.cwd }

func (f *front) StoredID() store.ID { return f.tab.StoredID() }

func (f *front) After(d time.Duration, do func()) {
	f.add(tea.Tick(d, func(time.Time) tea.Msg { return then(func() tea.Cmd { return f.do(do) }) }))
}

func (f *front) Ask(q app.Question) {
	f.tab.ask(q)
}

func (f *front) Choose(c command.Choice) (update func(command.Choice) bool) {
	if c.Heads != nil {
		return f.showBoard(c)
	}
	list := dialog.NewSelector(f.tab.env(), f.list(c))
	if f.background {
		f.add(f.tab.pushLate(list))
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

// list returns a choice as the screen lists it: what is behind it stays within reach.
func (f *front) list(c command.Choice) command.Choice {
	if c.Bottom {
		c.Closing = f.tab.leaving.LeaveWord()
		for _, a := range []config.Action{command.Palette, command.Help} {
			c.Keys = append(slices.Clip(c.Keys), command.Key{ID: a, Hint: string(a), Do: f.tab.here(func() tea.Cmd { return f.tab.run(a) })})
		}
	}
	return c
}

func (f *front) SaveUnsent() func() { return f.tab.drafts.saveUnsent() }

func (f *front) Backend() *app.Backend { return &f.tab.program.Backend }

func (f *front) InBackground(do func(context.Context) func()) {
	ctx := f.tab.program.Context
	f.add(inBackground(func() then {
		next := do(ctx)
		return func() tea.Cmd {
			f.background = true
			defer func() { f.background = false }()
			return f.do(next)
		}
	}))
}

func (f *front) Help() { f.ListKeys(keysNow(f.tab)...) }

// ListKeys implements pages.Host.
func (f *front) ListKeys(now ...config.Action) {
	f.tab.dialogs.Push(pages.NewHelp(f.reading(), now...))
}

func (f *front) Read(title, text string) {
	f.tab.news = f.tab.news && text != f.tab.program.News
	f.tab.dialogs.Push(pages.NewGuide(f.reading(), title, text))
}

// reading returns what documents are made with, which may be read while a question is open.
func (f *front) reading() pages.Env {
	env := f.tab.pageEnv(nil)
	env.Guard = f.tab.program.Guard
	return env
}

func (f *front) ShowCall(call *conversation.ToolCall) {
	f.tab.dialogs.Push(f.tab.reader.pager(call))
	f.add(f.tab.locate(toolview.Fragments(call.Content)))
}

func (f *front) StepIn(term *conversation.Terminal) { f.add(f.live().commands.StepIn(term)) }

func (f *front) Rename(name string) {
	if name == "" {
		f.tab.renameTab()
		return
	}
	f.add(f.tab.setName(name))
}

func (f *front) Called() (name, title string) {
	name = cmp.Or(f.tab.info.name, termtext.Line(f.tab.stored.title))
	return name, cmp.Or(name, f.tab.Title())
}

func (f *front) Quit() { f.add(f.tab.leaving.Leave()) }

func (f *front) Changes() { f.add(f.live().showChanges()) }

func (f *front) Closed() string {
	l := f.live()
	return cmp.Or(l.stored.readOnly, command.Unless(l.opening == nil, notOpen+" yet"))
}

// EditQueued implements command.Front, as NoEdit does.
func (f *front) EditQueued(id int) {
	if len(*f.Held()) > 0 {
		f.add(f.tab.prompts.takeBack(id))
		return
	}
	at := slices.IndexFunc(f.Live().Conversation.Queue, func(o conversation.QueuedPrompt) bool { return o.ID == id })
	f.add(f.live().queue.takeBack(id, at+1))
}

// Held implements command.Front.
func (f *front) Held() *app.HeldPrompts { return &f.tab.prompts.held }

func (f *front) NoEdit() string {
	return command.Unless(f.tab.composer.Empty(), "send or clear the draft first")
}

// Open implements command.Front, as OpenRemembered does.
func (f *front) Open(s app.Spec) {
	switch t := f.tab; {
	case !s.New():
		if s.Running != "" || s.Branch != 0 || s.Stored != t.StoredID() {
			f.add(send(Open{s}))
		}
	case f.live() != nil:
		f.add(t.openBeside(s))
	default:
		f.add(t.openChosen(s))
	}
}

func (f *front) OpenRemembered(info acpclient.SessionInfo) { f.add(f.live().openSession(info)) }

func (f *front) NewSession() { f.add(f.live().newSession()) }

// StartAgain asks about an agent that the user has not agreed to.
func (f *front) StartAgain() {
	switch t := f.tab; {
	case t.stored.untrusted != nil && !t.dialogs.Asks():
		f.live().askToTrustAgent()
	case t.stored.readOnly != "":
		f.Say(t.stored.readOnly)
	default:
		command.Restart(f)
	}
}

func (f *front) Detach() { f.add(f.tab.detach()) }

// Replace implements command.Front, as End does.
func (f *front) Replace(s app.Spec, create func(context.Context) (*app.Opened, error), failed func(error)) {
	f.add(f.tab.replace(&opening{Opening: app.Opening{Spec: s}, failed: failed}, create))
}

func (f *front) End(s app.Session) {
	f.add(send(endOf(s)))
	f.Detach()
}

// endOf asks to end a session in the background.
func endOf(s app.Session) End { return End{func(ctx context.Context) { app.End(ctx, s) }} }

func (f *front) SignIn() {
	l := f.live()
	l.signIn.Ask(l.SignIn(conversation.AuthRequired{}))
}

// onTab and onLive turn functions of the tab and of its session into those of a command; without a
// session the latter do nothing.
func onTab(do func(*Tab) tea.Cmd) func(command.Front) {
	return func(f command.Front) { f.(*front).add(do(f.(*front).tab)) }
}

func onLive(do func(*live) tea.Cmd) func(command.Front) {
	return onTab(func(t *Tab) tea.Cmd {
		if l, open := t.live(); open {
			return do(l)
		}
		return nil
	})
}

// ofTab and ofLive are the same of functions that say why a command cannot be done.
func ofTab(why func(*Tab) string) func(command.Front) string {
	return func(f command.Front) string { return why(f.(*front).tab) }
}

func ofLive(why func(*live) string) func(command.Front) string {
	return func(f command.Front) string { return why(f.(*front).live()) }
}
