package dialog

import (
	"slices"

	"parley/acpclient"
	"parley/internal/conversation"
)

// NewElicitation shows a request for input: a [Form], or a [Link] to open. agent is the
// agent's name, or "".
func NewElicitation(env Env, e *conversation.Elicitation, agent string) AgentQuestion {
	if agent == "" {
		agent = "The agent"
	}
	if e.Request.Mode == acpclient.ElicitURL {
		return NewLink(env, e, agent)
	}
	return newForm(env, e, agent)
}

// isOpen reports whether an elicitation awaits an answer.
func isOpen(c *conversation.Conversation, asked *conversation.Elicitation) bool {
	return slices.ContainsFunc(c.Elicitations, func(e *conversation.Elicitation) bool { return e.ID == asked.ID })
}

func response(e *conversation.Elicitation, a acpclient.ElicitationAction, content map[string]any) Elicit {
	return Elicit{e.ID, acpclient.CreateElicitationResponse{Action: a, Content: content}}
}
