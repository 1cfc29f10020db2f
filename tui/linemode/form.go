package linemode

import (
	"fmt"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/tui/dialog"
)

// form is a form that is being filled in, a field after the other.
type form struct {
	program *program
	dialog  *dialog.Form
	asked   *conversation.Elicitation
	field   int  // that is asked for next
	begun   bool // what the agent says about it was written
}

// next is the next question of the form, which is open: a field, or what is to be done
// with all.
func (f *form) next() *question {
	lead := ""
	if !f.begun {
		f.begun = true
		lead = fmt.Sprintf("Question: the agent wants something filled in (%d fields).\n%s\n\n", f.dialog.Fields(), f.dialog.Text())
	}
	for ; f.field < f.dialog.Fields(); f.field++ {
		text, fills := f.dialog.FieldText(f.field)
		if !fills {
			continue
		}
		at := f.field
		return f.question(&question{
			text: fmt.Sprintf("%sField %d: %s", lead, at+1, text), words: "Value, or /help",
			take: func(line string) string {
				if problem := f.dialog.FillIn(at, line); problem != "" {
					return "That cannot be sent: " + problem + "."
				}
				f.field++
				return ""
			},
		})
	}
	return f.question(&question{
		text: lead + "This would be sent:\n" + f.dialog.Summary(),
		choices: []choice{
			{line: "Accept", do: func(string) { f.answer(acpclient.ElicitAccept) }},
			{line: "Decline", do: func(string) { f.answer(acpclient.ElicitDecline) }},
			{line: "Cancel: no answer", do: func(string) { f.answer(acpclient.ElicitCancel) }},
			{line: "Begin again with the first field", do: func(string) { f.field = 0 }},
		},
	})
}

// question makes a question one of the form.
func (f *form) question(q *question) *question {
	q.open = f.open
	q.cancel = func() { f.answer(acpclient.ElicitCancel) }
	return q
}

func (f *form) open() bool { return f.dialog.Follow(f.program.conv) == dialog.Open }

// answer answers the form.
func (f *form) answer(a acpclient.ElicitationAction) {
	answer, problem := f.dialog.Respond(a)
	if problem != "" {
		f.program.out.line("It cannot be accepted: " + problem + ".")
		return // and is asked again
	}
	f.program.form = nil
	f.program.respond(answer)
}
