package linemode

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"parley/acpclient"
	"parley/internal/app"
	"parley/internal/termtext"
	"parley/tui/desktop"
	"parley/tui/dialog"
	"parley/tui/toolview"
)

// question is something that waits for a line of the person.
type question struct {
	// text is what is asked, and choices what can be answered with, by their numbers
	// from 1 on.
	text    string
	choices []choice
	// take takes any other line; nil takes none. problem says why it is no answer.
	take func(line string) (problem string)
	// words invite to answer; "" does so with the numbers.
	words string
	// open reports whether it still waits, and current whether what it says still
	// holds. Nil is always.
	open, current func() bool
	// cancel leaves it unanswered; nil if that cannot be.
	cancel func()

	arms  <-chan time.Time // when it was in sight for long enough
	armed time.Time        // when the answer was asked for; zero while it was not
}

// choice is one answer. words says that words may follow its number.
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
			p.out.line("The question is not open any more.")
		case q.current != nil && !q.current():
			p.question = nil
			p.out.line("What is asked about has changed.")
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
		p.out.line("The input has ended, and nobody can answer.")
		p.over = true
	default:
		p.show(q)
	}
}

// show writes a question. It is answered from a moment later on.
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
	q.arms, q.armed = p.opt.After(dialog.LookTime), time.Time{}
}

// next is the question that is to be asked next, nil if there is none.
func (p *program) next() *question {
	if len(p.own) > 0 {
		q := p.own[0]
		p.own = p.own[1:]
		return q
	}
	if p.form != nil && !p.form.open() {
		p.form = nil
	}
	switch {
	case p.session == nil:
	case len(p.conv.Permissions) > 0:
		return p.permission()
	case p.form != nil:
		return p.form.next()
	case len(p.conv.Elicitations) > 0:
		return p.elicitation()
	case p.signIn != nil && p.signIn.Trying == nil:
		return p.askToSignIn()
	}
	return nil
}

// later asks a question of parley's own, when no other is open.
func (p *program) later(q *question) { p.own = append(p.own, q) }

// arming tells when the answer is to be asked for; nil if there is no question, or it
// was.
func (q *question) arming() <-chan time.Time {
	if q == nil || !q.armed.IsZero() {
		return nil
	}
	return q.arms
}

// arm asks for the answer. What was typed before that is none.
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
		p.out.line("What was typed before this line is no answer.")
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

// early takes a line that came before a question could be answered: a prompt, unless it
// looks like an answer.
func (p *program) early(line string) {
	line = strings.TrimSpace(line)
	if line == "" {
		return
	}
	if _, err := strconv.Atoi(line); err == nil || len(line) < 4 || p.session == nil {
		p.out.line("Dropped, because it was typed before the question could be read: " + line)
		return
	}
	p.out.line("Taken as a prompt, because it was typed before the question could be read: " + line)
	p.send(line)
}

// answer takes a line as the answer to the open question.
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

// answerWith answers with a line. problem says why it is no answer.
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
	case err != nil || n < 1 || n > len(q.choices):
		return "That is none of the numbers. Nothing was answered."
	case words != "" && !q.choices[n-1].words:
		return fmt.Sprintf("No words may follow the number %d. Nothing was answered.", n)
	}
	p.question = nil
	q.choices[n-1].do(words)
	p.take() // the question is no longer open
	return ""
}

// permission asks the first of the permissions that wait. Where its paths lead is looked
// up before that.
func (p *program) permission() *question {
	asked := p.conv.Permissions[0]
	d := dialog.NewPermission(p.env(), asked, len(p.conv.Permissions))
	d.Follow(p.conv)
	if p.looks(d) {
		return nil
	}
	text := "Question: may the agent do this?"
	if asked.File != nil {
		text = "Question of parley: may the agent do this?"
	}
	about := d.Text()
	text += "\n\n" + about
	if why := d.Why(); why != "" {
		text += "\n\nNo rule answers: " + why
	}
	version := asked.Asked.Version()
	q := &question{
		text:   text,
		open:   func() bool { return d.Follow(p.conv) == dialog.Open },
		cancel: func() { p.session.Cancel() },
		current: func() bool {
			if v := asked.Asked.Version(); v != version {
				version = v
				return d.Text() == about
			}
			return true
		},
	}
	for _, r := range d.Replies() {
		answer, _ := r.Do.(dialog.Answer)
		line, rejects := r.Line(), d.Rejects(answer.Option)
		if rejects {
			line += "; words behind the number say what to do instead"
		}
		q.choices = append(q.choices, choice{line: line, words: rejects, do: func(words string) { p.decide(answer, words) }})
	}
	if len(q.choices) == 0 {
		q.choices = []choice{{line: "Cancel the turn: the agent offers nothing to answer with", do: func(string) { p.session.Cancel() }}}
	}
	return q
}

// decide gives the answer to a permission.
func (p *program) decide(a dialog.Answer, words string) {
	var err error
	if words == "" {
		err = p.session.Answer(a.ID, a.Option)
	} else {
		err = p.session.AnswerWith(a.ID, a.Option, p.blocks(words))
	}
	if err != nil {
		p.out.line("Not answered: " + err.Error())
	}
}

// looks reports whether it is being looked up where the paths of a question lead, and
// begins with that.
func (p *program) looks(d *dialog.Permission) bool {
	if p.looking {
		return true
	}
	const most = 1000
	unknown := slices.DeleteFunc(d.Paths(), p.reach.Known)
	if len(unknown) == 0 {
		return false
	}
	unknown = unknown[:min(len(unknown), most)]
	s, roots := p.session, p.reach.Roots
	p.looking = true
	p.beside(func() func() {
		found := toolview.Resolve(roots, unknown)
		for _, path := range unknown {
			if _, ok := found[path]; !ok { // there are no directories to look in
				if found == nil {
					found = map[string]toolview.Target{}
				}
				found[path] = toolview.Target{}
			}
		}
		return func() {
			p.looking = false
			if p.session == s { // else it is about the directories of another session
				p.reach.Add(found)
			}
		}
	})
	return true
}

// elicitation asks for what the agent wants to have filled in, or opened.
func (p *program) elicitation() *question {
	e := p.conv.Elicitations[0]
	name := p.conv.Agent.Name()
	switch d := dialog.NewElicitation(p.env(), e, name).(type) {
	case *dialog.Form:
		p.form = &form{program: p, dialog: d, asked: e}
		return p.form.next()
	case *dialog.Link:
		q := &question{
			text: d.Text(),
			open: func() bool { return d.Follow(p.conv) == dialog.Open },
			cancel: func() {
				p.respond(dialog.Elicit{ID: e.ID, Response: acpclient.CreateElicitationResponse{Action: acpclient.ElicitCancel}})
			},
		}
		for _, r := range d.Replies() {
			q.choices = append(q.choices, choice{line: r.Line(), do: func(string) { p.visit(r.Do) }})
		}
		return q
	}
	return nil
}

// visit opens an address, or answers that it was, or was not, opened.
func (p *program) visit(a dialog.Action) {
	switch a := a.(type) {
	case dialog.Elicit:
		p.respond(a)
	case dialog.OpenURL:
		if err := desktop.Open(a.URL); err != nil {
			p.out.line("It could not be opened: " + err.Error())
			return // the question is still open
		}
		p.respond(dialog.Elicit{ID: a.ID, Response: acpclient.CreateElicitationResponse{Action: acpclient.ElicitAccept}})
	}
}

func (p *program) respond(a dialog.Elicit) { p.session.AnswerElicitation(a.ID, a.Response) }

// numbered shows a question of parley's own as lines.
func (p *program) numbered(q app.Question) *question {
	lines := []string{"Question of parley: " + q.Title, q.Text, ""}
	for _, l := range q.Lines {
		lines = append(lines, termtext.VisibleLine(l))
	}
	shown := confirm(strings.Join(lines, "\n") + "\n")
	for _, c := range q.Choices {
		shown.choices = append(shown.choices, choice{line: c.Name, do: func(string) {
			if c.Do == nil {
				return
			}
			said, err := c.Do()
			if err != nil {
				said = err.Error()
			}
			p.out.line(strings.ToUpper(said[:1]) + said[1:] + ".")
		}})
	}
	return shown
}

// confirm asks a question of parley's own.
func confirm(text string, choices ...choice) *question {
	return &question{text: text, choices: choices}
}
