package dialog

import (
	"math"

	"parley/internal/termtext"
)

// Choice is one answer to a [Confirmation].
type Choice struct {
	Name string
	// Key answers with it at once; it may be empty.
	Key string
	// Risky choices end or lose something.
	// They take two keys: one marks, and the key that accepts gives.
	Risky bool
	Do    Action
}

// Confirmation is a small question of parley's own.
type Confirmation struct {
	Title, Text string
	// Detail is text from outside, such as the end of a program's stderr. Its
	// last lines are seen first.
	Detail string
	// Lines are shown below the text, each of them whole, every character visible:
	// they are what the person decides on, and must have been seen.
	Lines   []string
	Choices []Choice
}

// Confirm asks a [Confirmation]. No choice is marked until an arrow marks one.
type Confirm struct {
	question
	asked Confirmation
	about content
}

// NewConfirm makes the dialog that asks a question.
func NewConfirm(env Env, q Confirmation) *Confirm {
	d := &Confirm{question: newQuestion(env), asked: q}
	for _, c := range q.Choices {
		a := reply{icon: "•", name: termtext.Line(c.Name), action: c.Do}
		if c.Risky {
			a.tone, a.grave = bad, true
		}
		if c.Key != "" {
			a.keys = []string{c.Key}
		}
		d.replies.list = append(d.replies.list, a)
	}
	if q.Detail == "" && q.Lines != nil {
		d.about = linesBelow(q.Text, q.Lines)
	} else if q.Detail == "" {
		d.about = newBlock(func(p paper) []string { return styled(prose(q.Text, p.width), p.th.Text) })
	} else {
		d.about = newBlock(func(p paper) []string {
			lines := prose(q.Detail, max(1, p.width-2))
			for i, l := range lines {
				lines[i] = p.th.CodeBar.Render("│ ") + p.th.Muted.Render(l)
			}
			return lines
		})
		d.scroll.Top = math.MaxInt
	}
	return d
}

// linesBelow is a text, and lines that must all have been seen.
func linesBelow(text string, lines []string) content {
	about := column{newBlock(func(p paper) []string { return styled(prose(text, p.width), p.th.Text) }), gap{}}
	for _, l := range lines {
		about = append(about, newBlock(func(p paper) []string {
			out := exact(termtext.VisibleLine(l), max(1, p.width-2))
			for i := range out {
				out[i] = p.th.CodeBar.Render("│ ") + p.th.Text.Render(out[i])
			}
			return out
		}))
	}
	return about
}

// View implements [Dialog].
func (d *Confirm) View(width, maxHeight int) View {
	width = atMost(width)
	p := panel{title: termtext.Line(d.asked.Title), body: d.about}
	if d.asked.Detail != "" {
		p.asked = fixed(nil) // the text above asks
		// It stays in view while the detail is scrolled.
		p.head = append(styled(prose(d.asked.Text, inner(width, maxHeight)), d.env.Theme.Text), "")
	}
	return d.view(p, width, maxHeight)
}

// Hints implements [Dialog].
func (d *Confirm) Hints() []Hint { return d.hints("close") }
