package app

import (
	"cmp"
	"fmt"
	"strings"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/session"
	"parley/internal/termtext"
)

// Question is something that parley asks the user. Each front end shows it in its own way,
// such as a dialog or numbered lines.
type Question struct {
	Title string
	Text  string
	// Lines are shown unchanged below the text. They may be untrusted text.
	Lines []string
	// Detail is untrusted text, such as a program's stderr, shown from its end.
	Detail  string
	Choices []Choice
	// Enter, if not nil, accepts a line of text, by Submit, in place of a choice, and so does EnterHere, in the
	// front end; see [Choice]. Hint describes the line, and Entered is its initial text.
	Enter         func(text string) (Outcome, error)
	EnterHere     func(text string)
	Hint, Entered string
	// While reports whether the question still makes sense; nil means always. Again, if not nil, returns the
	// question as it is now, where its words are about what may change, nil if it makes no sense any more.
	While func() bool
	Again func() *Question
	// Closed, if not nil, is called when the question is closed without an answer.
	Closed func()
}

// Submit carries out a line of text. If that fails, it is to be asked again, with that text.
func (q Question) Submit(text string) (Outcome, error) {
	out, err := q.Enter(text)
	if err != nil {
		q.Entered = text
		out.Ask = &q
	}
	return out, err
}

// Words are all that it says.
func (q *Question) Words() string {
	words := append([]string{q.Title, q.Text}, q.Lines...)
	for _, c := range q.Choices {
		words = append(words, c.Line())
	}
	return strings.Join(words, "\n")
}

// Outcome is the consequence of an answer.
type Outcome struct {
	// Say is what to tell the user, or "".
	Say string
	// Ask is the next question, or nil.
	Ask *Question
}

// Choice is one answer to a question.
type Choice struct {
	Name string
	// More distinguishes choices of the same name. If Warns is set, it begins with what the choice does,
	// since the name does not say so plainly. The rest may be untrusted text.
	More  string
	Warns bool
	// Key is its letter key, or "".
	Key string
	// Kind is the kind of an agent's option; FirstOfKind means that no earlier one has it.
	Kind        acpclient.PermissionOptionKind
	FirstOfKind bool
	// Risky marks a choice that ends or loses something: only the key that accepts gives it.
	Risky bool
	// Rule marks a choice that saves a rule of parley's.
	Rule bool
	// Why says why it is not available, "" if it is.
	Why string
	// Stays means that the question stays open.
	Stays bool
	// Do carries the choice out. It may be slow; nil does nothing. Here does so in the front end
	// instead, and must not be slow.
	Do   func() (Outcome, error)
	Here func()
	// Act answers a question of the agent.
	Act session.Act[session.None]
}

// Line returns the choice as a line.
func (c Choice) Line() string {
	if more := cmp.Or(c.Why, c.More); more != "" {
		return c.Name + " (" + more + ")"
	}
	return c.Name
}

// UndoSeenQuestion asks whether to undo a file's changes that parley did not see the agent
// make.
func UndoSeenQuestion(name string, undo func() (Outcome, error)) Question {
	return Question{
		Title: "Undo a change that may be your own?",
		Text:  "The file changed during a turn, and parley did not see the agent write it:",
		Lines: []string{name},
		Choices: []Choice{
			{Name: "Leave it", Key: "l"},
			{Name: "Undo it", Key: "u", Risky: true, Do: undo},
		},
	}
}

// HintError is an error with a hint on what the user can do.
type HintError struct {
	Err  error
	Hint string
}

func (e *HintError) Error() string { return e.Err.Error() }
func (e *HintError) Unwrap() error { return e.Err }

// WithHint returns a formatted error with a hint.
func WithHint(hint, format string, args ...any) error {
	return &HintError{Err: fmt.Errorf(format, args...), Hint: hint}
}

// PermissionChoices returns all options of a permission, in the agent's order, with sanitised texts.
func PermissionChoices(p *conversation.Permission) []Choice {
	kinds := map[acpclient.PermissionOptionKind]bool{}
	names := map[string]int{}
	for _, o := range p.Options {
		names[termtext.VisibleLine(o.Name)]++
	}
	list := make([]Choice, len(p.Options))
	for i, o := range p.Options {
		c := Choice{Name: termtext.VisibleLine(o.Name), Kind: o.Kind, FirstOfKind: !kinds[o.Kind], Act: session.Answer{Question: p.Seen, Option: o.OptionID}}
		kinds[o.Kind] = true
		if c.Name == "" || names[c.Name] > 1 {
			c.More = termtext.VisibleLine(string(o.OptionID))
		}
		if c.Name == "" {
			c.Name = "unnamed option"
		}
		if names[c.Name] > 1 || !conversation.PlainOption(o) {
			c.More, c.Warns = strings.TrimSpace(conversation.OptionEffect(o)+"  "+c.More), true
		}
		list[i] = c
	}
	return list
}

// Respond returns the act that answers an elicitation.
func Respond(e *conversation.Elicitation, a acpclient.ElicitationAction, content map[string]any) session.Answer {
	return session.Answer{Question: e.Seen, Form: &acpclient.CreateElicitationResponse{Action: a, Content: content}}
}

// Refusals returns the choices that give an elicitation nothing.
func Refusals(e *conversation.Elicitation) []Choice {
	return []Choice{
		{Name: "Decline", Act: Respond(e, acpclient.ElicitDecline, nil)},
		{Name: "Cancel: no answer", Act: Respond(e, acpclient.ElicitCancel, nil)},
	}
}
