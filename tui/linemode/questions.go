package linemode

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"

	"parley/acpclient"
	"parley/internal/app"
	"parley/internal/conversation"
	"parley/internal/session"
	"parley/internal/termtext"
	"parley/tui/desktop"
	"parley/tui/toolview"
)

// question is something that the user answers with a line: its Text is written, and its choices are
// numbered from 1.
type question struct {
	app.Question
	// take takes a line instead of a number. problem says why the line is not an answer.
	take func(line string) (problem string)
	// words is the label of the prompt for the answer; "" asks for a number.
	words string
	// current reports whether the text is up to date; nil means yes.
	current func() bool

	arms  <-chan time.Time // ticks when it may be answered
	armed time.Time        // when parley asked for the answer, or zero
}

// rejecting follows a choice that words may follow.
const rejecting = "; add words to say what to do instead"

// ask keeps the open question up to date, and opens the next one.
func (p *program) ask() {
	if q := p.question; q != nil {
		switch {
		case q.While != nil && !q.While():
			p.question = nil
			p.out.line("The question is closed.")
		case q.current != nil && !q.current():
			p.question = nil
			p.out.line("The question has changed.")
		}
	}
	if p.question != nil {
		return
	}
	q := p.next()
	switch {
	case q == nil:
	case p.ended && !p.opt.Terminal:
		p.out.line(q.Text)
		p.out.line("The input has ended: no answer can come.")
		p.quits = true
	default:
		p.show(q)
	}
}

// show writes a question. arm asks for the answer a moment later.
func (p *program) show(q *question) {
	p.question = q
	p.out.gap()
	p.out.line(q.Text)
	if len(q.Choices) > 0 && strings.Contains(q.Text, "\n") {
		p.out.gap()
	}
	for i, c := range q.Choices {
		line := c.Line()
		if c.Kind.Rejects() {
			line += rejecting
		}
		p.out.line(fmt.Sprintf("%d. %s", i+1, line))
	}
	q.arms, q.armed = p.opt.After(lookTime), time.Time{}
}

// next returns the next question, or nil.
func (p *program) next() *question {
	if len(p.own) > 0 {
		q := p.own[0]
		p.own = p.own[1:]
		return q
	}
	if l, open := p.live(); open {
		if q := l.ask(); q != nil {
			return q
		}
	}
	if p.again(); len(p.own) > 0 {
		return p.next()
	}
	return nil
}

// later queues a question of parley's own.
func (p *program) later(q *question) { p.own = append(p.own, q) }

// arming ticks when parley may ask for the answer. It is nil without a question, or if
// parley has asked.
func (q *question) arming() <-chan time.Time {
	if q == nil || !q.armed.IsZero() {
		return nil
	}
	return q.arms
}

// arm asks for the answer. Lines typed before do not count.
func (p *program) arm() {
	q := p.question
	if p.in.tty != nil {
		discard(p.in.tty)
	}
	for early := true; early; {
		select {
		case line, more := <-p.in.lines:
			if !more {
				p.endOfInput()
				return
			}
			p.early(line.text)
		default:
			early = false
		}
	}
	if p.opt.Terminal && !p.hinted {
		p.hinted = true
		p.out.line("What you typed before this line is not an answer.")
	}
	q.armed = time.Now()
	p.out.prompt(q.invitation())
}

// invitation asks for the answer.
func (q *question) invitation() string {
	switch n := len(q.Choices); {
	case q.words != "":
		return q.words + ": "
	case n == 1:
		return "Answer 1, or /help: "
	default:
		return fmt.Sprintf("Answer 1 to %d, or /help: ", n)
	}
}

// early handles a line typed before the question could be answered: it is a prompt, unless
// it looks like an answer.
func (p *program) early(line string) {
	line = strings.TrimSpace(line)
	if line == "" {
		return
	}
	_, open := p.live()
	if _, err := strconv.Atoi(line); err == nil || len(line) < 4 || !open {
		p.out.line("Dropped, typed before the question: " + line)
		return
	}
	p.out.line("Taken as a prompt, typed before the question: " + line)
	p.send(line)
}

// answer handles a line as the answer to the open question.
func (p *program) answer(line typed) {
	q := p.question
	if q.armed.IsZero() || line.began.Before(q.armed) {
		p.early(line.text)
		if !q.armed.IsZero() {
			p.out.prompt(q.invitation())
		}
		return
	}
	text := strings.TrimSpace(line.text)
	if strings.HasPrefix(text, "/") && !(q.take != nil && strings.HasPrefix(text, "//")) {
		p.command(text)
		if p.question == q {
			p.out.prompt(q.invitation())
		}
		return
	}
	if problem := p.answerWith(q, text); problem != "" {
		p.out.line(problem)
		p.out.prompt(q.invitation())
	}
}

// answerWith answers with a line. problem says why it is not an answer.
func (p *program) answerWith(q *question, text string) (problem string) {
	if q.take != nil {
		if problem := q.take(text); problem != "" {
			return problem
		}
		p.question = nil
		p.take()
		return ""
	}
	number, words, _ := strings.Cut(text, " ")
	n, err := strconv.Atoi(number)
	switch words = strings.TrimSpace(words); {
	case err != nil || n < 1 || n > len(q.Choices):
		return "Not one of the choices. Nothing was answered."
	case words != "" && !q.Choices[n-1].Kind.Rejects():
		return fmt.Sprintf("%d takes no words after it. Nothing was answered.", n)
	case q.Choices[n-1].Why != "":
		return fmt.Sprintf("%d: %s. Nothing was answered.", n, q.Choices[n-1].Why)
	}
	p.question = nil
	p.give(q.Choices[n-1], words)
	p.take() // the question is closed
	return ""
}

// give carries a choice out, with the words behind it.
func (p *program) give(c app.Choice, words string) {
	switch {
	case c.Act != nil:
		l, act := p.session, c.Act
		if a, is := act.(session.Answer); is && words != "" {
			a.Instead = new(l.content(words))
			act = a
		}
		if err := session.Try(p.ctx, l.Session, act); err != nil {
			p.out.line("Not answered: " + err.Error() + ".")
		}
	case c.Here != nil:
		c.Here()
	case c.Do != nil:
		p.carriedOut(c.Do())
	}
}

// permission asks for a permission, once its paths are resolved.
func (l *live) permission(asked *conversation.Permission) *question {
	if l.looks(asked.Asked) {
		return nil
	}
	seen := asked.Seen
	q := &question{Question: toolview.PermissionQuestion(l.Conversation, asked, &l.facts)}
	text, names := q.Text, len(q.Choices)
	q.current = func() bool {
		if asked.Seen == seen || l.looks(asked.Asked) { // until then, no answer is taken
			return true
		}
		now := toolview.PermissionQuestion(l.Conversation, asked, &l.facts) // it may look as before
		if now.Text != text || len(now.Choices) != names {
			return false
		}
		if seen = asked.Seen; names > 0 {
			q.Choices = now.Choices
		}
		return true
	}
	q.Text = "Question: " + q.Title + "\n\n" + q.Text
	q.Closed = func() { session.Post(l.Session, session.Cancel{}) }
	if len(q.Choices) == 0 {
		q.Choices = []app.Choice{{Name: "Cancel the turn: the agent offers no answers", Here: q.Closed}}
	}
	return q
}

// looks looks up what a question names, in the background. It reports whether that is still going on.
func (l *live) looks(asked *conversation.ToolCall) bool {
	look := l.facts.Look(asked)
	if l.looking || look == nil {
		return l.looking
	}
	l.looking = true
	l.p.inBackground(func() func() {
		found := look()
		return func() {
			l.looking = false
			l.facts.Add(found)
		}
	})
	return true
}

// elicitation asks the user to fill in a form, or to open a URL.
func (l *live) elicitation(e *conversation.Elicitation) *question {
	if e.Request.Mode != acpclient.ElicitURL {
		if l.form == nil || l.form.Asked != e {
			l.form = &form{live: l, Form: app.NewForm(e)}
		}
		return l.form.next()
	}
	address := app.ExamineURL(e.Request.URL)
	q := l.elicits(e, address.Asked(e.Request.Message))
	if address.Opens {
		accept := app.Choice{Name: "Continue: I opened it myself", Act: app.Respond(e, acpclient.ElicitAccept, nil)}
		q.Choices = append(q.Choices, app.Choice{Name: "Open in the browser", Here: func() {
			if err := desktop.Open(address.URL); err != nil {
				l.p.out.line("Cannot open it: " + err.Error())
				return // the question is still open
			}
			l.p.give(accept, "")
		}}, accept)
	}
	q.Choices = append(q.Choices, app.Refusals(e)...)
	return q
}

// elicits returns a question about an elicitation, without choices.
func (l *live) elicits(e *conversation.Elicitation, text string) *question {
	return &question{Question: app.Question{
		Text: text, While: func() bool { return l.Conversation.Asks(e) },
		Closed: func() { l.p.give(app.Choice{Act: app.Respond(e, acpclient.ElicitCancel, nil)}, "") },
	}}
}

// numbered returns parley's own question with numbered choices.
func (p *program) numbered(q app.Question) *question {
	lines := []string{"parley asks: " + q.Title, q.Text, ""}
	for _, l := range q.Lines {
		lines = append(lines, termtext.VisibleLine(l))
	}
	was := q.Words()
	q.Text = strings.Join(lines, "\n") + "\n"
	shown := &question{Question: q}
	if q.Again != nil {
		shown.While = func() bool { return q.Again() != nil }
		shown.current = func() bool {
			now := q.Again()
			if now.Words() == was {
				return true
			}
			p.later(p.numbered(*now))
			return false
		}
	}
	if q.Enter != nil || q.EnterHere != nil {
		shown.words = q.Hint
		if q.Closed == nil {
			shown.Closed = func() {}
		}
		shown.take = func(line string) string {
			if line = cmp.Or(line, q.Entered); q.Enter != nil {
				p.carriedOut(q.Submit(line))
			} else {
				q.EnterHere(line)
			}
			return ""
		}
	}
	return shown
}

// carriedOut reports the outcome of an answer, and asks the next question.
func (p *program) carriedOut(out app.Outcome, err error) {
	if err != nil {
		out.Say = err.Error()
	}
	if out.Say != "" {
		p.out.line(termtext.Capital(out.Say) + ".")
	}
	if out.Ask != nil {
		p.later(p.numbered(*out.Ask))
	}
}

// form asks for the fields of a form one by one.
type form struct {
	live *live
	*app.Form
	field int  // the next one to ask for
	begun bool // the agent's message was written
}

// next returns the next question of the form: a field, or whether to send it.
func (f *form) next() *question {
	lead := ""
	if !f.begun {
		f.begun = true
		lead = fmt.Sprintf("Question: the agent asks you to fill in a form (%s).\n%s\n\n", termtext.Count(len(f.Fields), "field"), f.Message())
	}
	for ; f.field < len(f.Fields); f.field++ {
		text, fills := f.Fields[f.field].Prompt()
		if !fills {
			continue
		}
		at := f.field
		q := f.live.elicits(f.Asked, fmt.Sprintf("%sField %d: %s", lead, at+1, text))
		q.words, q.take = "Value, or /help", func(line string) string {
			if problem := f.Fields[at].FillIn(line); problem != "" {
				return "Cannot send that: " + problem + "."
			}
			f.field++
			return ""
		}
		return q
	}
	q := f.live.elicits(f.Asked, "The agent asks:\n"+f.Message())
	q.Choices = append([]app.Choice{{Name: "Accept", Here: f.accept}}, app.Refusals(f.Asked)...)
	if len(f.Fields) > 0 {
		q.Text = lead + "This will be sent:\n" + f.Summary()
		q.Choices = append(q.Choices, app.Choice{Name: "Start over", Here: func() { f.field = 0 }})
	}
	return q
}

// accept sends the form, or says why it cannot be sent: it asks again then.
func (f *form) accept() {
	content, invalid, problem := f.Content()
	if invalid >= 0 && problem == "" {
		_, _, problem = f.Fields[invalid].Value()
		problem = f.Fields[invalid].Label() + ": " + problem
	}
	if problem != "" {
		f.live.p.out.line("It cannot be accepted: " + problem + ".")
		return
	}
	f.live.p.give(app.Choice{Act: app.Respond(f.Asked, acpclient.ElicitAccept, content)}, "")
}
