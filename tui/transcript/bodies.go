package transcript

import (
	"encoding/json"
	"slices"
	"strings"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/tui/markdown"
	"parley/tui/toolview"
)

// makeBodies makes the bodies of a call: what was asked about it and is not to be
// seen in it any more, the command, task list or questions of its input, each of
// its contents, and each terminal whose output came without being embedded.
func (t *toolCall) makeBodies() []body {
	maker := t.bodyMaker()
	var bodies []body
	add := func(b body) {
		if b != nil {
			bodies = append(bodies, b)
		}
	}
	replaced := toolview.Replaced(t.item)
	for i := range replaced {
		add(maker.make(&replaced[i]))
	}
	add(t.commandBody())
	if tasks := t.item.Tasks; len(tasks) > 0 {
		add(&tasksBody{tasks})
	}
	if len(maker.questions) > 0 {
		add(&questionsBody{maker.questions})
	}
	for i := range t.item.Content {
		add(maker.make(&t.item.Content[i]))
	}
	for _, term := range t.item.Terminals {
		add(maker.Terminal(term.ID))
	}
	return bodies
}

// addBodies adds the bodies of contents that have come behind all others.
func (t *toolCall) addBodies(bodies []body, content []acpclient.ToolCallContent) []body {
	maker := t.bodyMaker()
	for i := range content {
		if b := maker.make(&content[i]); b != nil {
			bodies = append(bodies, b)
		}
	}
	return bodies
}

func (t *toolCall) bodyMaker() *bodyMaker {
	m := &bodyMaker{
		call: t, kind: t.item.Kind, terminals: map[acpclient.TerminalID]body{}, questions: toolview.Questions(t.item.RawInput),
	}
	for _, term := range t.item.Terminals {
		m.terminals[term.ID] = t.screens[term]
	}
	return m
}

// commandBody is the command that the call runs, nil if its heading or one of its
// terminals shows it.
func (t *toolCall) commandBody() body {
	if t.item.Kind != acpclient.ToolExecute || t.headed {
		return nil // editors have an input of that name too
	}
	var c toolview.Command
	for _, call := range append([]*conversation.ToolCall{t.item}, t.item.Asked...) {
		if c = t.env.places.Command(call.RawInput); c.Line != "" {
			break
		}
	}
	line := strings.TrimSpace(c.Line)
	if line == "" || slices.ContainsFunc(t.item.Terminals, func(term *conversation.Terminal) bool { return term.Command != "" }) {
		return nil
	}
	if title, whole := t.env.places.Heading(t.item); whole && strings.Contains(title, line) {
		return nil
	}
	return &commandBody{c}
}

// bodyMaker makes the body of a content; it is nil if there is nothing to see.
type bodyMaker struct {
	call *toolCall
	kind acpclient.ToolKind
	// terminals are those that have no body yet.
	terminals map[acpclient.TerminalID]body
	// questions are those that have a body already.
	questions []toolview.Question
}

var _ toolview.Visitor[body] = (*bodyMaker)(nil)

func (m *bodyMaker) make(c *acpclient.ToolCallContent) body {
	b := toolview.Visit(c, m)
	if d, ok := b.(*diffBody); ok {
		d.deletes = toolview.Deletes(c, m.kind)
	}
	return b
}

func (m *bodyMaker) Block(b *acpclient.ContentBlock) body {
	switch {
	case b.Type != acpclient.ContentText:
		return &blockBody{m.call.env.places.Block(b), b}
	case !b.Annotations.ForUser() || strings.TrimSpace(b.Text) == "":
		return nil
	case len(m.call.item.Tasks) > 0 && json.Valid([]byte(b.Text)):
		return nil // the task list once more, for programs
	case m.asks(b.Text):
		return nil
	case toolview.Verbatim(m.kind, b.Text):
		return &outputBody{text: b.Text, ends: m.kind == acpclient.ToolExecute}
	}
	if env := m.call.env; env.page && toolview.DrawsWhole(m.call.item) {
		return &textBody{doc: markdown.Complete(b.Text, env.inner)}
	}
	doc := markdown.New(m.call.env.inner)
	doc.Append(b.Text)
	doc.Finish()
	return &textBody{doc: doc}
}

// asks reports that a text is one of the questions that are shown.
func (m *bodyMaker) asks(text string) bool {
	text = strings.TrimSpace(text)
	return slices.ContainsFunc(m.questions, func(q toolview.Question) bool { return q.Text == text })
}

func (m *bodyMaker) Diff(path string, before *string, after string) body {
	return newDiffBody(path, before, after, m.call.env)
}

func (m *bodyMaker) Terminal(id acpclient.TerminalID) body {
	view := m.terminals[id]
	delete(m.terminals, id)
	return view
}

func (m *bodyMaker) Unknown(label string, raw json.RawMessage) body {
	return &rawBody{label: label, data: raw}
}
