package linemode

import (
	"cmp"
	"fmt"
	"slices"
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

// question is something that the user answers with a line.
type question struct {
	// text is the question, and choices are its answers, numbered from 1.
	text    string
	choices []choice
	// take takes a line instead of a number. problem says why the line is not an answer.
	take func(line string) (problem string)
	// words is the label of the prompt for the answer; "" asks for a number.
	words string
	// open reports whether the question still needs an answer, current whether its text is up
	// to date. Nil means yes.
	open, current func() bool
	// cancel closes the question without an answer; nil if that is impossible.
	cancel func()

	arms  <-chan time.Time // ticks when it may be answered
	armed time.Time        // when parley asked for the answer, or zero
}

// choice is an answer. words means that words may follow its number.
type choice struct {
	line  string
	words bool
	do    func(words string)
}

// ask keeps the open question up to date, and opens the next one.
func (p *program) ask() {
	if q := p.question; q != nil {
		switch {
		case q.open != nil && !q.open():
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
		p.out.line(q.text)
		p.out.line("The input has ended: nobody can answer.")
		p.over = true
	default:
		p.show(q)
	}
}

// show writes a question. arm asks for the answer a moment later.
func (p *program) show(q *question) {
	p.question = q
	p.out.gap()
	p.out.line(q.text)
	if len(q.choices) > 0 && strings.Contains(q.text, "\n") {
		p.out.gap()
	}
	for i, c := range q.choices {
		p.out.line(fmt.Sprintf("%d. %s", i+1, c.line))
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
	if q := p.state.ask(); q != nil {
		return q
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
	switch n := len(q.choices); {
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
	p.state.send(line)
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
		p.state.take()
		return ""
	}
	number, words, _ := strings.Cut(text, " ")
	n, err := strconv.Atoi(number)
	switch words = strings.TrimSpace(words); {
	case err != nil || n < 1 || n > len(q.choices):
		return "Not one of the choices. Nothing was answered."
	case words != "" && !q.choices[n-1].words:
		return fmt.Sprintf("%d takes no words after it. Nothing was answered.", n)
	}
	p.question = nil
	q.choices[n-1].do(words)
	p.state.take() // the question is closed
	return ""
}

// permission asks for the first open permission, once its paths are resolved.
func (l *live) permission() *question {
	asked := l.Conversation.Permissions[0]
	if l.looks(asked.Asked) {
		return nil
	}
	text := "Question: may the agent do this?"
	if asked.File != nil {
		text = "parley asks: may the agent do this?"
	}
	text += "\n\n" + l.permissionText(asked)
	seen := asked.Seen
	q := &question{
		text:    text,
		open:    func() bool { return slices.Contains(l.Conversation.Permissions, asked) },
		cancel:  func() { session.Post(l.Session, session.Cancel{}) },
		current: func() bool { return asked.Seen == seen },
	}
	for _, a := range app.PermissionAnswers(asked.Options) {
		line, rejects := a.Line(), a.Kind.Rejects()
		if rejects {
			line += "; add words to say what to do instead"
		}
		q.choices = append(q.choices, choice{line: line, words: rejects, do: func(words string) {
			var err error
			if words == "" {
				err = session.Try(l.p.ctx, l.Session, session.Answer{Question: seen, Option: a.Option})
			} else {
				err = session.Try(l.p.ctx, l.Session, session.AnswerWith{Question: seen, Option: a.Option, Prompt: l.content(words)})
			}
			l.p.answered(err)
		}})
	}
	if len(q.choices) == 0 {
		q.choices = []choice{{line: "Cancel the turn: the agent offers no answers", do: func(string) { session.Post(l.Session, session.Cancel{}) }}}
	}
	return q
}

// answered says why an answer does not count, if it does not.
func (p *program) answered(err error) {
	if err != nil {
		p.out.line("Not answered: " + err.Error() + ".")
	}
}

// permissionText returns what a permission asks about.
func (l *live) permissionText(asked *conversation.Permission) string {
	return permissionText(l.Conversation, asked, &l.targets, &l.positions)
}

func permissionText(c *conversation.Conversation, asked *conversation.Permission, targets *toolview.PathTargets, at *toolview.DiffPositions) string {
	by := toolview.AskerOf(c, asked.ToolCall)
	return toolview.AskedText(toolview.PathsIn(c.Cwd).Asked(asked, by, targets, at))
}

// looks resolves the paths of a question and compares its changes with the files, in the
// background. It reports whether that is still going on.
func (l *live) looks(asked *conversation.ToolCall) bool {
	if l.looking {
		return true
	}
	const most = 1000
	unknown := slices.DeleteFunc(toolview.NamedPaths(asked), l.targets.Known)
	var changes []toolview.Fragment
	if l.compared != asked {
		changes = toolview.Creations(asked.Content)
	}
	if len(unknown) == 0 && len(changes) == 0 {
		return false
	}
	unknown = unknown[:min(len(unknown), most)]
	roots := l.targets.Roots
	l.looking = true
	l.p.inBackground(func() func() {
		found, positions := toolview.Resolve(roots, unknown), toolview.FindPositions(roots[0], changes)
		for _, path := range unknown {
			if _, ok := found[path]; !ok { // the session has no directories
				if found == nil {
					found = map[string]toolview.Target{}
				}
				found[path] = toolview.Target{}
			}
		}
		return func() {
			l.looking = false
			l.targets.Add(found)
			l.positions.Add(positions)
			l.compared = asked
		}
	})
	return true
}

// elicitation asks the user to fill in a form, or to open a URL.
func (l *live) elicitation() *question {
	e := l.Conversation.Elicitations[0]
	if e.Request.Mode != acpclient.ElicitURL {
		l.form = &form{live: l, Form: app.NewForm(e)}
		return l.form.next()
	}
	respond := func(a acpclient.ElicitationAction) {
		l.p.answered(session.Try(l.p.ctx, l.Session, session.AnswerElicitation{Question: e.Seen, Response: acpclient.CreateElicitationResponse{Action: a}}))
	}
	address := app.ExamineURL(e.Request.URL)
	q := &question{
		text:   address.Asked(e.Request.Message),
		open:   func() bool { return slices.Contains(l.Conversation.Elicitations, e) },
		cancel: func() { respond(acpclient.ElicitCancel) },
	}
	if address.Opens {
		q.choices = append(q.choices,
			choice{line: "Open in the browser", do: func(string) {
				if err := desktop.Open(address.URL); err != nil {
					l.p.out.line("Cannot open it: " + err.Error())
					return // the question is still open
				}
				respond(acpclient.ElicitAccept)
			}},
			choice{line: "Continue: I opened it myself", do: func(string) { respond(acpclient.ElicitAccept) }})
	}
	q.choices = append(q.choices,
		choice{line: "Decline", do: func(string) { respond(acpclient.ElicitDecline) }},
		choice{line: "Cancel: no answer", do: func(string) { respond(acpclient.ElicitCancel) }})
	return q
}

// numbered returns parley's own question with numbered choices.
func (p *program) numbered(q app.Question) *question {
	lines := []string{"parley asks: " + q.Title, q.Text, ""}
	for _, l := range q.Lines {
		lines = append(lines, termtext.VisibleLine(l))
	}
	shown := &question{text: strings.Join(lines, "\n") + "\n", open: q.While}
	for _, c := range q.Choices {
		shown.choices = append(shown.choices, choice{line: c.Line(), do: func(string) {
			switch {
			case c.Here != nil:
				c.Here()
			case c.Do != nil:
				p.carriedOut(c.Do())
			}
		}})
	}
	if q.Enter != nil || q.EnterHere != nil {
		shown.words = q.Hint
		shown.take = func(line string) string {
			if line = cmp.Or(line, q.Entered); q.Enter != nil {
				p.carriedOut(q.Enter(line))
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
		return f.question(&question{
			text: fmt.Sprintf("%sField %d: %s", lead, at+1, text), words: "Value, or /help",
			take: func(line string) string {
				if problem := f.Fields[at].FillIn(line); problem != "" {
					return "Cannot send that: " + problem + "."
				}
				f.field++
				return ""
			},
		})
	}
	q := &question{text: "The agent asks:\n" + f.Message(), choices: []choice{
		{line: "Accept", do: func(string) { f.answer(acpclient.ElicitAccept) }},
		{line: "Decline", do: func(string) { f.answer(acpclient.ElicitDecline) }},
		{line: "Cancel: no answer", do: func(string) { f.answer(acpclient.ElicitCancel) }},
	}}
	if len(f.Fields) > 0 {
		q.text = lead + "This will be sent:\n" + f.Summary()
		q.choices = append(q.choices, choice{line: "Start over", do: func(string) { f.field = 0 }})
	}
	return f.question(q)
}

// question ties a question to the form.
func (f *form) question(q *question) *question {
	q.open = f.open
	q.cancel = func() { f.answer(acpclient.ElicitCancel) }
	return q
}

func (f *form) open() bool { return slices.Contains(f.live.Conversation.Elicitations, f.Asked) }

// answer answers the form.
func (f *form) answer(a acpclient.ElicitationAction) {
	response := acpclient.CreateElicitationResponse{Action: a}
	if a == acpclient.ElicitAccept {
		content, invalid, problem := f.Content()
		if invalid >= 0 && problem == "" {
			_, _, problem = f.Fields[invalid].Value()
			problem = f.Fields[invalid].Label() + ": " + problem
		}
		if problem != "" {
			f.live.p.out.line("It cannot be accepted: " + problem + ".")
			return // the form asks again
		}
		response.Content = content
	}
	f.live.form = nil
	f.live.p.answered(session.Try(f.live.p.ctx, f.live.Session, session.AnswerElicitation{Question: f.Asked.Seen, Response: response}))
}
