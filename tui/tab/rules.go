package tab

import (
	"slices"

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
	if p := permissionOf(q.Conversation, id); p != nil {
		if asked := command.RuleQuestion(q.program.Context, q.Session, q.Conversation, p, q.acting.Path("", q.acting.Cwd())); asked != nil {
			q.ask(*asked)
		}
	}
}

// permissionOf returns the open permission with an id, or nil.
func permissionOf(c *conversation.Conversation, id int) *conversation.Permission {
	i := slices.IndexFunc(c.Permissions, func(p *conversation.Permission) bool { return p.ID == id })
	if i < 0 {
		return nil
	}
	return c.Permissions[i]
}
