package transcript

import (
	"cmp"
	"strings"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/termtext"
	"parley/tui/toolview"
)

// elicitation draws an answered elicitation with its answer.
type elicitation struct {
	base
	item *conversation.Elicitation
}

// Elicitation implements conversation.Visitor.
func (m *maker) Elicitation(i *conversation.Elicitation) { m.made = &elicitation{item: i} }

func (e *elicitation) draw(s *sheet, _, width int) {
	th := e.env.theme
	s.wrap(cmp.Or(strings.TrimSpace(e.item.Request.Message), "The agent asked for input"), width, th.Text)
	if url := e.item.Request.URL; url != "" {
		s.wrap(termtext.VisibleLine(url), width, th.Muted)
	}
	if words := e.outcome(); words != "" {
		s.add(th.Faint.Render(words))
	}
	for _, a := range e.item.Answers {
		s.wrap(answerInWords(a), width, th.User)
	}
}

// answerInWords returns a field and its value.
func answerInWords(a conversation.FieldAnswer) string {
	value := a.Value
	if a.Secret {
		value = "(not shown: it may be secret)"
	}
	return a.Field + ": " + value
}

// outcome says how the elicitation ended, "" if the answers show it.
func (e *elicitation) outcome() string {
	switch {
	case e.item.Action == acpclient.ElicitDecline:
		return "you declined"
	case e.item.Completed:
		return "you went there, and the agent says it is done"
	case e.item.Request.Mode == acpclient.ElicitURL:
		return "you went there"
	case len(e.item.Answers) == 0:
		return "you accepted"
	}
	return ""
}

func (e *elicitation) mark() string { return e.env.theme.Accent.Render("?") }

func (e *elicitation) excerpt() toolview.Excerpt {
	lines := []string{strings.TrimSpace(e.item.Request.Message)}
	for _, a := range e.item.Answers {
		lines = append(lines, answerInWords(a))
	}
	return toolview.Excerpt{Text: strings.Join(lines, "\n")}
}
