package dialog

import (
	"parley/acpclient"
	"parley/internal/conversation"
)

// NewElicitation shows what the agent asks for: a [Form], or a [Link] to open.
// agent is its name, as far as it is known.
func NewElicitation(env Env, e *conversation.Elicitation, agent string) Guarded {
	if agent == "" {
		agent = "The agent"
	}
	if e.Request.Mode == acpclient.ElicitURL {
		return newLink(env, e, agent)
	}
	return newForm(env, e, agent)
}

// elicit answers an elicitation.
func elicit(e *conversation.Elicitation, a acpclient.ElicitationAction, content map[string]any) Elicit {
	return Elicit{e.ID, acpclient.CreateElicitationResponse{Action: a, Content: content}}
}
