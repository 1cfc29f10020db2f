package linemode

import (
	"fmt"
	"slices"

	"parley/acpclient"
	"parley/internal/app"
)

// form is a form that is filled in field by field.
type form struct {
	program *program
	*app.Form
	field int  // the next one to ask for
	begun bool // the agent's message was written
}

// next returns the next question of the open form: a field, or whether to send all.
func (f *form) next() *question {
	lead := ""
	if !f.begun {
		f.begun = true
		lead = fmt.Sprintf("Question: the agent wants something filled in (%d fields).\n%s\n\n", len(f.Fields), f.Message())
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
	q := &question{text: "Question of the agent:\n" + f.Message(), choices: []choice{
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

func (f *form) open() bool { return slices.Contains(f.program.conv.Elicitations, f.Asked) }

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
			f.program.out.line("It cannot be accepted: " + problem + ".")
			return // and is asked again
		}
		response.Content = content
	}
	f.program.form = nil
	f.program.session.AnswerElicitation(f.Asked.ID, response)
}
