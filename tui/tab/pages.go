package tab

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"parley/config"
	"parley/internal/app"
	"parley/internal/command"
	"parley/internal/conversation"
	"parley/internal/termtext"
	"parley/tui/dialog"
	"parley/tui/diffview"
	"parley/tui/pages"
	"parley/tui/theme"
	"parley/tui/transcript"
)

// showChanges opens the review of the agent's changes.
func (l *live) showChanges() tea.Cmd {
	if l.changes == nil {
		l.changes = pages.NewReview(l.pageEnv(l.reader.list.Diffs()), l.Session)
	}
	l.changes.SetTheme(l.program.Theme)
	if !l.dialogs.Has(l.changes) {
		l.dialogs.Push(l.changes)
	}
	return l.changes.Open()
}

// changedFiles returns how many files the agent is known to have changed.
func (l *live) changedFiles() int {
	if j := l.Session.Journal(); j != nil {
		return j.Files
	}
	return len(l.Conversation.Files)
}

// sawChanges reports whether the review has files that may have been changed by the user.
func (l *live) sawChanges() bool {
	j := l.Session.Journal()
	return j != nil && j.Seen
}

// inspect opens the protocol inspector.
func (l *live) inspect() tea.Cmd {
	ring := l.Session.Ring()
	switch {
	case ring == nil:
		return l.say("no agent has been started here")
	case l.inspector == nil || l.inspector.Ring() != ring:
		l.inspector = pages.NewInspector(l.pageEnv(nil), pages.InspectorOptions{
			Ring: ring, Dir: l.cwd, Now: l.program.Now,
			Version: func() int { return int(l.Conversation.Agent.Protocol) },
		})
	}
	l.inspector.SetTheme(l.program.Theme)
	if l.dialogs.Has(l.inspector) {
		return nil
	}
	l.dialogs.Push(l.inspector)
	return l.inspector.Open()
}

// pageEnv returns what pages are made with.
func (t *Tab) pageEnv(diffs *diffview.Preference) pages.Env {
	return pages.Env{Host: t.acting, Theme: t.program.Theme, Keys: t.program.Keys, Diffs: diffs, Now: t.now}
}

// Do implements pages.Host, as the methods below and others of the front end do.
func (f *front) Do(do func()) tea.Cmd { return f.do(do) }

func (f *front) Edit(path string, line int) { f.add(f.tab.edit(path, line)) }

func (f *front) Flash() string { return f.tab.toast.current() }

// Compose adds text to the prompt and closes the review.
func (f *front) Compose(text string) {
	f.tab.dialogs.Close(f.live().changes)
	if !f.tab.composer.Empty() {
		text = "\n\n" + text
	}
	f.add(f.tab.composer.Paste(text))
}

// ShowAside implements command.Front.
func (f *front) ShowAside(a *app.Aside) {
	t := f.tab
	var d *pages.Aside
	d = pages.NewAside(f.reading(), a, func(answer string) {
		t.dialogs.Close(d)
		if !t.composer.Empty() {
			answer = "\n\n" + answer
		}
		f.add(t.composer.Paste(answer))
	}, func() {
		command.Get(f, "no tab: ", a.Keep, func(s app.Spec) {
			t.dialogs.Close(d)
			f.Open(s)
		})
	})
	t.dialogs.Push(d)
	f.add(d.Open())
}

// TellNews announces a new version of parley until the user has seen the news or sent a
// prompt.
func (t *Tab) TellNews() { t.news = true }

// panStep is how many cells unwrapped lines move to the side.
const panStep = 20

// pager shows one item on the whole screen, as a dialog.
type pager struct {
	reader
	title string
	about dialog.Dialog // the question that it belongs to, or nil
}

var _ dialog.Dialog = (*pager)(nil)

// pager shows an item as the list does.
func (r *reader) pager(item conversation.Item) *pager { return r.pagerOf(item, nil, nil) }

// pagerOf shows the call of a question. head draws the lines above its contents.
func (r *reader) pagerOf(item conversation.Item, head func(width int, th *theme.Theme) []string, question dialog.Dialog) *pager {
	p := &pager{title: transcript.Title(item), about: question, reader: reader{
		ui: r.ui, list: r.list.PageOf(item, head), commands: r.commands, edit: r.edit, message: r.message, lendMouse: r.lendMouse,
	}}
	if head != nil {
		p.title = "Permission: " + p.title
	}
	return p
}

// About implements dialog.Attached.
func (p *pager) About() dialog.Dialog { return p.about }

// SetTheme implements dialog.Dialog, as the methods below do.
func (p *pager) SetTheme(th *theme.Theme) { p.list.SetTheme(th) }

// Key scrolls, searches and copies.
func (p *pager) Key(k tea.KeyPressMsg) dialog.Action {
	keys, name := p.program.Keys, k.String()
	if p.find.open {
		if cmd, taken := p.findKey(k); taken {
			return stay(cmd)
		}
	}
	if keys.Match(command.Cancel, name) && p.list.Spanning() {
		p.list.ClearSpan()
		return nil
	}
	if row := pagerRows().Pressed(keys, name, config.ContextPager, config.ContextTranscript, config.ContextPrompt); row != nil {
		if row.Do == nil { // it has no meaning here
			return nil
		}
		return row.Do(p)
	}
	if row := transcriptRows().Pressed(keys, name, config.ContextTranscript); row != nil {
		return stay(row.Do(&p.reader))
	}
	p.scroll(name)
	return nil
}

// stay wraps a command, which may be nil, as an action that keeps the pager open.
func stay(cmd tea.Cmd) dialog.Action {
	if cmd == nil {
		return nil
	}
	return dialog.Stay(func() tea.Cmd { return cmd })
}

// pagerRows are the commands of the pager; what moves by items in the transcript moves by lines
// here. It has the other commands of the transcript, too.
func pagerRows() command.Rows[func(*pager) dialog.Action] {
	just := func(do func(*pager)) func(*pager) dialog.Action {
		return func(p *pager) dialog.Action { do(p); return nil }
	}
	pan := func(by int) func(*pager) dialog.Action { return just(func(p *pager) { p.list.Pan(by) }) }
	line := func(by int) func(*pager) dialog.Action { return just(func(p *pager) { p.line(by) }) }
	return command.Rows[func(*pager) dialog.Action]{
		{ID: command.PagerClose, Keys: "q esc f", Help: "Close it", Do: func(*pager) dialog.Action { return dialog.Close{} }},
		{ID: command.PagerWrap, Keys: "w", Help: "Toggle line wrapping", Do: just(func(p *pager) { p.list.ToggleWrap() })},
		{ID: "pager_left", Keys: "left h", Help: "Scroll left", Do: pan(-panStep)},
		{ID: "pager_right", Keys: "right l", Help: "Scroll right", Do: pan(panStep)},
		{ID: command.Next, Do: line(1)},
		{ID: command.Previous, Do: line(-1)},
		{ID: "first", Do: just(func(p *pager) { p.list.Top() })},
		{ID: "last", Do: just(func(p *pager) { p.list.Bottom() })},
		{ID: command.Expand, Do: just(func(p *pager) { p.list.Page(1) })},
		{ID: command.Mark, Do: just((*pager).mark)},
		{ID: command.ItemShow},
		{ID: command.StepIn},
		{ID: command.EndCommand},
		{ID: command.ItemAdd},
		{ID: command.FocusPrompt},
		{ID: command.Find, Do: just(func(p *pager) { p.startFinding() })},
		{ID: command.LendMouse, Do: just(func(p *pager) { p.lendMouse() })},
	}
}

// line moves by lines, or the end of the marked text.
func (p *pager) line(by int) {
	if p.list.Spanning() {
		p.list.MoveSpan(by)
	} else {
		p.list.Scroll(by)
	}
}

// mark marks a line, or goes to the other end of the marked text.
func (p *pager) mark() {
	if p.list.Spanning() {
		p.list.SpanItem()
	} else {
		p.list.SpanLine(0)
	}
}

// Paste pastes into the find field.
func (p *pager) Paste(text string) dialog.Action {
	if !p.find.writing {
		return nil
	}
	return stay(p.reader.Paste(text))
}

// Mouse scrolls and marks.
func (p *pager) Mouse(msg tea.MouseMsg, x, y int) dialog.Action {
	return stay(p.reader.Mouse(msg, x, y-1))
}

// View draws the title, the item, and the message line. Hints are drawn below it.
func (p *pager) View(width, height int) dialog.View {
	th := p.program.Theme
	p.rows = max(1, height-2) // without title and message line
	p.list.SetSize(width, p.rows)
	p.list.SetNow(p.now())
	left := "  " + th.DialogTitle.Render(p.title)
	lines := append([]string{termtext.JoinSides(left, p.state()+" ", width)}, p.list.Lines()...)
	said, column := p.messageLine("", "", width)
	lines = append(lines, said)
	v := dialog.View{Lines: lines[:min(len(lines), height)]}
	if column >= 0 && len(lines) <= height {
		v.Cursor = tea.NewCursor(column, len(lines)-1)
	}
	return v
}

// state returns how lines are drawn, and the position in the item.
func (p *pager) state() string {
	th := p.program.Theme
	words := fmt.Sprintf("%d%%", p.list.Percent())
	switch end := p.list.AtEnd(); {
	case end && p.list.AtTop():
		words = "" // all of it is visible
	case end:
		words = "end"
	}
	if !p.list.Wraps() {
		words = "lines not wrapped  " + words
	}
	return th.Muted.Render(words)
}

func (p *pager) Hints() []dialog.Hint {
	h := dialog.HintList{Keys: p.program.Keys}
	if p.find.writing {
		return p.findHints(h)
	}
	if p.list.Spanning() {
		h.Add(command.Copy, "copy")
		h.AddAll("extend", command.Next, command.Previous)
		h.Add(command.Mark, "other end")
		h.Add(command.Cancel, "end")
		return h.List
	}
	h.Add(command.PagerClose, "close")
	if p.find.open {
		h.Add(command.FindNext, "next")
		h.Add(command.FindPrev, "previous")
	} else {
		h.Add(command.Search, "find")
	}
	if h.Add(command.PagerWrap, "wrap"); !p.list.Wraps() {
		h.List = append(h.List, dialog.Hint{Key: "←→", Text: "sideways"})
	}
	h.Add(command.Copy, "copy")
	if p.list.HasDiff() {
		h.Add(command.DiffContext, "context")
		h.Add(command.DiffSplit, "side by side")
	}
	h.Add(command.Mark, "mark")
	h.Add(command.Open, "open")
	return h.List
}

// Covers marks the pager as a full-screen page.
func (p *pager) Covers() {}
