package tab

import (
	"parley/internal/app"
	"parley/internal/command"
	"parley/internal/conversation"
)

// askToTrustRules asks whether the project's rules apply.
func (l *live) askToTrustRules() {
	if q := app.TrustQuestion(l.Session); q != nil {
		l.ask(*q)
	}
}

// proposeRules asks which rule to save for a request.
func (q *questions) proposeRules(id int) {
	if p, is := q.Conversation.Question(id).(*conversation.Permission); is {
		if asked := command.RuleQuestion(q.program.Context, q.Session, q.Conversation, p, q.acting.Path("", q.acting.Cwd())); asked != nil {
			q.ask(*asked)
		}
	}
}
