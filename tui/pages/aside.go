package pages

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"parley/config"
	"parley/internal/app"
	"parley/internal/termtext"
	"parley/tui/dialog"
	"parley/tui/markdown"
	"parley/tui/theme"
)

// Aside shows the answer to a question that was asked aside, as it comes, below the transcript.
// Closing it ends the question.
type Aside struct {
	text
	page   page // not embedded, because it does not take the whole screen
	aside  *app.Aside
	answer app.AsideAnswer
	doc    *markdown.Document
	keep   func(answer string)
	open   func()
}

var _ dialog.Dialog = (*Aside)(nil)

// NewAside shows a question. keep puts the answer into the draft and open opens it as a tab; both
// close the dialog.
func NewAside(env Env, a *app.Aside, keep func(string), open func()) *Aside {
	d := &Aside{aside: a, doc: markdown.New(env.Theme), keep: keep, open: open}
	d.page = newPage(env, config.ContextAside, d.table)
	return d
}

// AsideGroup adds the commands of an answer to a group.
func AsideGroup(g config.Group) config.Group { return new(Aside).table().Group(g) }

// Open begins to follow the answer.
func (d *Aside) Open() tea.Cmd { return d.page.Host.Do(d.follow) }

func (d *Aside) follow() {
	d.page.later(func(ctx context.Context) func() {
		now := d.aside.Next(ctx)
		return func() {
			d.answer = now
			if now.Text != "" {
				d.doc.SetText(termtext.Block(now.Text))
			}
			if d.changed(); !now.Done {
				d.follow()
			}
		}
	})
}

// table has the commands of an answer.
func (d *Aside) table() rows {
	has := func() bool { return d.answer.Done && d.answer.Text != "" }
	whole := func(do func()) func() {
		return func() {
			if !has() {
				d.page.say("the answer is not complete")
				return
			}
			do()
		}
	}
	return append(rows{
		{ID: "aside_keep", Keys: "k", Help: "Add the answer to the draft", Do: when(has, whole(func() { d.keep(d.answer.Text) }), "to the draft")},
		{ID: "aside_tab", Keys: "t", Help: "Open it as a tab", Do: when(has, whole(func() { d.open() }), "as a tab")},
		{ID: "page_down", Do: when(d.Scrolls, func() { d.Page(1) }, "scroll")},
		{ID: "aside_close", Keys: "q esc", Help: "Close it", Do: always(d.page.close, "close")},
	}, moving(d.By, func() int { return d.Height })...)
}

// Gone ends the question when the dialog is closed.
func (d *Aside) Gone() {
	d.aside.Stop()
	d.page.Gone()
}

// SetTheme implements dialog.Dialog, as the methods below do.
func (d *Aside) SetTheme(th *theme.Theme) {
	d.page.SetTheme(th)
	was := d.doc.Text()
	d.doc = markdown.New(th)
	d.doc.SetText(was)
}

func (d *Aside) Key(k tea.KeyPressMsg) dialog.Action { return d.page.Key(k) }
func (d *Aside) Paste(string) dialog.Action          { return nil }
func (d *Aside) Hints() []dialog.Hint                { return d.page.Hints() }

func (d *Aside) Mouse(msg tea.MouseMsg, _, _ int) dialog.Action {
	if m, is := msg.(tea.MouseWheelMsg); is {
		d.Wheel(m)
	}
	return nil
}

func (d *Aside) whole(width int) (lines []string) {
	for i := range d.doc.Len() {
		lines = append(lines, d.doc.Lines(i, width)...)
	}
	for _, r := range d.answer.Rejected {
		lines = append(lines, d.page.Theme.Muted.Render(termtext.Truncate("rejected: "+r, width, "…")))
	}
	return lines
}

func (d *Aside) View(width, height int) dialog.View {
	th := d.page.Theme
	d.lay(max(1, min(width-2*margin, widestText)), th, d.whole)
	height = min(height, headLines+1+max(1, len(d.lines)))
	idle, style := d.answer.Words, th.Muted
	if err := d.answer.Err; err != nil {
		idle, style = termtext.Line(err.Error()), th.Error
	}
	body := beside(nil, d.text.draw(bodyHeight(height)), margin, "")
	return d.page.draw(d.page.head("Aside", termtext.Line(d.aside.Question), d.hidden(), width), "", body, idle, style, width, height)
}
