// Package pages has what takes the whole screen beside the transcript: the review of what
// the agent has changed, the comparison of agents, the inspector of the protocol, the help
// and the guide.
//
// A page is a table of commands, each with its hint, and a body that it draws. It never
// waits: the host does its work in the background, and then what the page does with the
// result. Not safe for concurrent use.
package pages

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"parley/config"
	"parley/internal/app"
	"parley/internal/command"
	"parley/internal/termtext"
	"parley/tui/dialog"
	"parley/tui/diffview"
	"parley/tui/list"
	"parley/tui/theme"
)

// Host does what a page cannot do itself.
type Host interface {
	// Do returns the commands that do asks for by the methods below.
	Do(do func()) tea.Cmd
	// InBackground calls do in the background, and then in the front end what it returns.
	InBackground(do func(context.Context) func())
	// Choose opens a list above the page, Ask a question.
	Choose(command.Choice) (update func(command.Choice) bool)
	Ask(app.Question)
	// ListKeys lists all keys above the page, first those of the actions that matter now.
	ListKeys(now ...config.Action)
	// Tell shows a text above the page until it is closed.
	Tell(title, text string)
	// Copy puts text on the clipboard. what names it, as in "the change".
	Copy(what, text string)
	// Edit opens a file in the user's editor, at a line from 1.
	Edit(path string, line int)
	// Compose adds text to the prompt and closes the page.
	Compose(text string)
	// Flash returns the program's current message, such as that text was copied.
	Flash() string
}

// Env is what all pages are made with.
type Env struct {
	Host  Host
	Theme *theme.Theme
	Keys  config.Keys
	// Diffs is the user's preference for diffs.
	Diffs *diffview.Preference
	// Guard, if not nil, learns which key has closed the page.
	Guard *dialog.Guard
	Now   func() time.Time
}

// page is what all pages have: an input or a message in the foot, and work in the background
// whose result counts until the page is closed.
type page struct {
	Env
	in       config.Context // of its keys
	commands func() rows
	input    *input // nil if the foot has none
	note     string // the message
	failed   bool   // the message is an error
	closing  bool
	// stray is when text was last typed that no command owns, zero if it has ended.
	stray time.Time
	// until is when the message goes by itself, zero for not before the next key.
	until time.Time
	width int // as drawn last
	// after, if not nil, follows whatever was done by a key or the mouse.
	after func()

	open context.Context // ends when the page is closed
	stop context.CancelFunc
}

func newPage(env Env, in config.Context, commands func() rows) page {
	p := page{Env: env, in: in, commands: commands}
	p.open, p.stop = context.WithCancel(context.Background())
	return p
}

// Covers marks a view that takes the whole screen.
func (p *page) Covers() {}

// SetTheme implements dialog.Dialog.
func (p *page) SetTheme(th *theme.Theme) { p.Theme = th }

// Gone resets the page after it was closed, and drops the results of its work.
func (p *page) Gone() {
	p.stop()
	p.input, p.note = nil, ""
	p.open, p.stop = context.WithCancel(context.Background())
}

// Until ends when the page is closed.
func (p *page) Until() context.Context { return p.open }

// Stop ends what waits for more. It is safe for concurrent use.
func (p *page) Stop() { p.stop() }

// act does something and returns what comes of it.
func (p *page) act(do func()) dialog.Action {
	cmd := p.Host.Do(func() {
		if do(); p.after != nil && !p.closing {
			p.after()
		}
	})
	switch {
	case p.closing:
		p.closing = false
		return dialog.Close{}
	case cmd == nil:
		return nil
	}
	return dialog.Stay(func() tea.Cmd { return cmd })
}

// close closes the page by a key.
func (p *page) close() { p.closing = true }

// later does work in the background, and then what it returns, unless the page was closed
// meanwhile.
func (p *page) later(work func(context.Context) func()) {
	open := p.open
	p.Host.InBackground(func(ctx context.Context) func() {
		then := work(ctx)
		return func() {
			if open.Err() == nil && then != nil {
				then()
			}
		}
	})
}

// latest is work that is done once at a time, and once more if it was asked for meanwhile.
type latest struct {
	under context.Context // the opening of the page in which it is under way
	again bool
}

// latest does the work that begin returns, nil for none, now or after the one that is under
// way.
func (p *page) latest(l *latest, begin func() func(context.Context) func()) {
	if l.under == p.open {
		l.again = true
		return
	}
	work := begin()
	if work == nil {
		return
	}
	l.under, l.again = p.open, false
	p.later(func(ctx context.Context) func() {
		then := work(ctx)
		return func() {
			l.under = nil
			then()
			if l.again {
				p.latest(l, begin)
			}
		}
	})
}

// input is a line to write in the foot.
type input struct {
	list.Input
	lead string // its label
	// enter and esc say what these keys do.
	enter, esc string
	// typed follows the text, which is "" after esc; done takes it after enter. Both may be nil.
	typed, done func(text string)
}

// writeLine shows an input with a text. hint is shown while it has none.
func (p *page) writeLine(in input, hint, text string) {
	p.input = &in
	p.input.Hint = hint
	p.input.Set(text)
}

// writingKey handles a key for the input, and reports whether it is one.
func (p *page) writingKey(k tea.KeyPressMsg) bool {
	in, name := p.input, k.String()
	switch {
	case p.Keys.Match(command.DialogClose, name):
		p.input = nil
		in.Set("")
	case p.Keys.Match(command.DialogAccept, name):
		if p.input = nil; in.done != nil {
			in.done(in.Text())
		}
		return true
	case !in.Key(k):
		return false
	}
	if in.typed != nil {
		in.typed(in.Text())
	}
	return true
}

// Paste implements dialog.Dialog.
func (p *page) Paste(text string) dialog.Action {
	if p.input == nil {
		return nil
	}
	return p.act(func() {
		if p.input.Paste(text); p.input.typed != nil {
			p.input.typed(p.input.Text())
		}
	})
}

// hintTime is how long a hint about a key is shown.
const hintTime = 3 * time.Second

// drawMsg has the page drawn again.
type drawMsg struct{}

// say shows a message until the next key.
func (p *page) say(words string) {
	p.note, p.failed, p.until = termtext.Line(words), false, time.Time{}
}

// fail shows an error until the next key.
func (p *page) fail(words string) {
	p.say(words)
	p.failed = true
}

// keyOf returns the first key of a command.
func (p *page) keyOf(a config.Action) string { return cmp.Or(p.Keys.First(a), string(a)) }

// does is what a command of a page does. hint says so in the line of hints, "" if it is not
// worth one now; neighbours with the same hint share it.
type does struct {
	do   func()
	hint func() string
}

type rows = command.Rows[does]

// quiet has no hint.
func quiet(do func()) does { return does{do: do} }

// always has a hint at all times.
func always(do func(), hint string) does { return does{do, func() string { return hint }} }

// when has a hint while something is so.
func when(is func() bool, do func(), hint string) does { return either(is, do, hint, "") }

// either has one hint while something is so, and another while it is not.
func either(is func() bool, do func(), hint, otherwise string) does {
	return does{do, func() string {
		if is() {
			return hint
		}
		return otherwise
	}}
}

// moving are the commands that move by lines and pages. height is that of a page.
func moving(move func(by int), height func() int) rows {
	const farthest = 1 << 30
	by := func(n int) does { return quiet(func() { move(n) }) }
	part := func(n, of int) does { return quiet(func() { move(n * max(1, (height()-1)/of)) }) }
	return rows{
		{ID: command.Next, Do: by(1)},
		{ID: command.Previous, Do: by(-1)},
		{ID: command.LineDown, Do: by(1)},
		{ID: command.LineUp, Do: by(-1)},
		{ID: "first", Do: by(-farthest)},
		{ID: "last", Do: by(farthest)},
		{ID: "half_page_down", Do: part(1, 2)},
		{ID: "half_page_up", Do: part(-1, 2)},
		{ID: "page_down", Do: part(1, 1)},
		{ID: "page_up", Do: part(-1, 1)},
	}
}

// Key implements dialog.Dialog: it does what a key does in the foot, or by the commands.
func (p *page) Key(k tea.KeyPressMsg) dialog.Action {
	if p.input != nil {
		return p.act(func() { p.writingKey(k) })
	}
	name := k.String()
	row := p.commands().Pressed(p.Keys, name, p.in, config.ContextTranscript, config.ContextPrompt)
	of, _ := p.Keys.Action(config.ContextPrompt, name)
	before := p.until
	if p.isStray(name, row != nil || of == command.Palette || of == command.Help) {
		if p.until == before {
			return nil
		}
		return dialog.Stay(func() tea.Cmd { return tea.Tick(hintTime, func(time.Time) tea.Msg { return drawMsg{} }) })
	}
	switch p.note = ""; {
	case row != nil:
	case of == command.Palette:
		return p.act(p.palette)
	case of == command.Help:
		return p.act(func() { p.Host.ListKeys(p.now()...) })
	default:
		return dialog.NotTaken{}
	}
	a := p.act(row.Do.do)
	if _, closes := a.(dialog.Close); closes && p.Guard != nil {
		p.Guard.Ended(name)
	}
	return a
}

// now returns the page's own actions that matter now, as its hints do.
func (p *page) now() (list []config.Action) {
	for _, r := range p.commands() {
		if r.Do.hint != nil && r.Do.hint() != "" {
			list = append(list, r.ID)
		}
	}
	return list
}

// palette lists the page's commands, to choose one.
func (p *page) palette() {
	var items []command.Item
	for _, r := range p.commands() {
		if r.Help == "" || closes(r.ID) {
			continue
		}
		it := command.Item{ID: string(r.ID), Title: r.Help, Words: r.Words, Key: p.Keys.First(r.ID), Do: func() {
			if r.Do.do(); p.after != nil {
				p.after()
			}
		}}
		if r.Do.hint != nil && r.Do.hint() == "" {
			it.Dim, it.Do = true, func() { p.say("not here: " + r.Help) }
		}
		items = append(items, it)
	}
	p.Host.Choose(command.Choice{Title: "Commands of this page", Items: items, Filter: true, Empty: "Close the page for other commands."})
}

// closes reports whether an action closes a page, or what is open in it.
func closes(a config.Action) bool { return strings.HasSuffix(string(a), "_close") }

// isStray reports whether a key belongs to text that is typed where there is no prompt. Such text
// begins with a character that no command owns, and ends with enter, esc or a pause: what it is made
// of presses no key of the page.
func (p *page) isStray(name string, owned bool) bool {
	goes := p.Now().Sub(p.stray) < dialog.ReplaceTime
	ends := p.Keys.Match(command.DialogAccept, name) || p.Keys.Match(command.DialogClose, name)
	switch {
	case goes && ends:
		p.stray, p.note = time.Time{}, ""
		return true
	case goes && (config.Types(name) || name == "backspace"), config.Types(name) && !owned:
		p.stray = p.Now()
		if !goes {
			p.say(config.ShownKey(name) + " does nothing here: this page has no prompt")
			p.until = p.stray.Add(hintTime)
		}
		return true
	}
	p.stray = time.Time{}
	return false
}

// Hints implements dialog.Dialog. What leads out comes last, where it is never cut off.
func (p *page) Hints() []dialog.Hint {
	h := dialog.HintList{Keys: p.Keys}
	if p.input != nil {
		h.Add(command.DialogAccept, p.input.enter)
		h.Add(command.DialogClose, p.input.esc)
		return h.List
	}
	var words string
	var same []config.Action
	all := slices.Clone(p.commands())
	slices.SortStableFunc(all, func(a, b command.Row[does]) int {
		switch {
		case closes(a.ID) == closes(b.ID):
			return 0
		case closes(b.ID):
			return -1
		}
		return 1
	})
	for i, r := range all {
		next := ""
		if r.Do.hint != nil {
			next = r.Do.hint()
		}
		if next != words {
			h.AddAll(words, same...)
			words, same = next, nil
		}
		if same = append(same, r.ID); words == "" {
			same = nil
		}
		if i == len(all)-1 {
			h.AddAll(words, same...)
		}
	}
	return h.List
}

// headLines is the number of lines above the body.
const headLines = 2

// bodyHeight returns the height of a page's body, bodyLine the line of the body that a line of the
// page is, negative in the head.
func bodyHeight(height int) int { return max(1, height-headLines-1) }
func bodyLine(y int) int        { return y - headLines }

// margin is the width left of a body, in cells.
const margin = 2

// head draws the head: title and about on the left, and right, which is already styled.
func (p *page) head(title, about, right string, width int) string {
	left := "  " + p.Theme.DialogTitle.Render(title)
	if about != "" {
		left += "  " + p.Theme.Muted.Render(about)
	}
	if right != "" {
		right += " "
	}
	return termtext.JoinSides(left, right, width)
}

// draw draws a page: the head, the line below it, the body, and in the foot the input, or a
// message, or else idle.
func (p *page) draw(head, below string, body []string, idle string, style lipgloss.Style, width, height int) dialog.View {
	lines := append(append(make([]string, 0, height), head, below), body...)
	for len(lines) < headLines+bodyHeight(height) {
		lines = append(lines, "")
	}
	foot, column := p.foot(idle, style, width)
	lines = append(lines, foot)
	v := dialog.View{Lines: lines[:min(len(lines), height)]}
	if column >= 0 && len(lines) <= height {
		v.Cursor = tea.NewCursor(column, len(lines)-1)
	}
	return v
}

// foot draws the last line. column is the cursor's, -1 for none.
func (p *page) foot(idle string, style lipgloss.Style, width int) (line string, column int) {
	if in := p.input; in != nil {
		lead := termtext.Truncate("  "+in.lead, max(0, width/2), "…") + " "
		text, at := in.Draw(max(1, width-termtext.Width(lead)-1), p.Theme)
		return p.Theme.Accent.Render(lead) + text, termtext.Width(lead) + at
	}
	if !p.until.IsZero() && (width != p.width || !p.Now().Before(p.until)) {
		p.say("")
	}
	p.width = width
	if flash := p.Host.Flash(); flash != "" {
		idle, style = flash, p.Theme.Text
	}
	if p.note != "" {
		idle, style = p.note, p.Theme.Text
		if p.failed {
			style = p.Theme.Error
		}
	}
	return "  " + style.Render(termtext.Truncate(idle, max(0, width-3), "…")), -1
}

// beside joins two columns, the left one of a width, with a bar between them.
func beside(left, right []string, width int, bar string) []string {
	out := make([]string, max(len(left), len(right)))
	for i := range out {
		var l, r string
		if i < len(left) {
			l = left[i]
		}
		if i < len(right) {
			r = right[i]
		}
		out[i] = l + strings.Repeat(" ", max(0, width-termtext.Width(l))) + bar + r
	}
	return out
}
