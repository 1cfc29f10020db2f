package dialog

import (
	"math"

	tea "charm.land/bubbletea/v2"

	"parley/internal/app"
	"parley/internal/termtext"
)

// New returns the dialog of a question of parley's own.
func New(env Env, q app.Question) Dialog {
	if q.Enter != nil || q.EnterHere != nil {
		return newEntry(env, q)
	}
	return newConfirm(env, q)
}

// Confirm is a question of parley's own with choices. Nothing is marked at first.
type Confirm struct {
	question
	asked app.Question
	about content
}

func newConfirm(env Env, q app.Question) *Confirm {
	d := &Confirm{question: newQuestion(env)}
	d.Set(q)
	return d
}

// Set changes what is asked.
func (d *Confirm) Set(q app.Question) {
	d.asked, d.replies = q, newReplies(nil)
	for _, c := range q.Choices {
		d.replies.list = append(d.replies.list, replyOf(d.env, c, Chosen{c}))
	}
	if q.Detail != "" {
		d.about = newBlock(func(p renderContext) []string {
			return barred(prose(q.Detail, max(1, p.width-2)), p.th.Muted, p.th)
		})
		d.scroll.Top = math.MaxInt
		return
	}
	about := column{newBlock(func(p renderContext) []string { return styled(prose(q.Text, p.width), p.th.Text) })}
	if q.Lines != nil {
		about.add(newBlock(func(p renderContext) (out []string) {
			for _, l := range q.Lines {
				out = append(out, behindBar(termtext.VisibleLine(l), p.th.Text, p)...)
			}
			return out
		}))
	}
	d.about = about
}

// renew brings it up to date: it may be over, or say something else.
func (d *Confirm) renew() (over, changed bool) {
	if d.asked.Again == nil {
		return d.asked.While != nil && !d.asked.While(), false
	}
	now := d.asked.Again()
	if now == nil || now.Words() == d.asked.Words() {
		return now == nil, false
	}
	d.Set(*now)
	return false, true
}

// Key implements [Dialog].
func (d *Confirm) Key(msg tea.KeyPressMsg) Action {
	a := d.question.Key(msg)
	if d.asked.Closed != nil && a == Action(Close{}) {
		return Act{d.asked.Closed, false}
	}
	return a
}

// View implements [Dialog].
func (d *Confirm) View(width, maxHeight int) View {
	width = min(width, widest)
	p := panel{title: termtext.Line(d.asked.Title), body: d.about}
	if d.asked.Detail != "" {
		p.asked = fixed(nil) // the text above asks
		// Keep it visible while the detail scrolls.
		p.head = append(styled(prose(d.asked.Text, inner(width, maxHeight)), d.env.Theme.Text), "")
	}
	return d.view(p, width, maxHeight)
}

// Hints implements [Dialog].
func (d *Confirm) Hints() []Hint { return d.hints("close") }
