package conversation

import (
	"fmt"
	"regexp"
	"strings"

	"parley/acpclient"
)

// Elicitation is a question of the agent for input. While it is open it stands in
// [Conversation.Elicitations], and once it is answered among the items.
type Elicitation struct {
	revision
	ID      int
	Request *acpclient.CreateElicitationRequest
	// Completed says that what the agent asked to be done at an address was done.
	Completed bool
	// Action is what the person did with it, "" while it is open, and Answers is
	// what they filled in.
	Action  acpclient.ElicitationAction
	Answers []FieldAnswer

	holds []*ToolCall // the calls that wait for the answer
}

func (e *Elicitation) Visit(v Visitor) { v.Elicitation(e) }

func (e *Elicitation) plain() (side string, paragraphs []Paragraph) {
	return "", []Paragraph{{Text: e.Request.Message + " " + string(e.Action)}}
}

// FieldAnswer is what a person filled into a field of a form, in words. Neither
// is fit to be drawn.
type FieldAnswer struct {
	Field string `json:"field"`
	Value string `json:"value,omitempty"`
	// Secret says that the value is not kept, because it may be a secret.
	Secret bool `json:"secret,omitempty"`
}

// AnswersTo puts the content of an answer into words, for those fields that were
// filled in. Values of fields that ask for a secret are left out.
func AnswersTo(r *acpclient.CreateElicitationRequest, content map[string]any) []FieldAnswer {
	if r.RequestedSchema == nil {
		return nil
	}
	var answers []FieldAnswer
	for i := range r.RequestedSchema.Properties {
		p := &r.RequestedSchema.Properties[i]
		value, filled := content[p.Name]
		if !filled {
			continue
		}
		a := FieldAnswer{Field: p.Schema.Title, Secret: p.Schema.Format == "password" || secretField.MatchString(p.Name) || secretField.MatchString(p.Schema.Title)}
		if strings.TrimSpace(a.Field) == "" {
			a.Field = p.Name
		}
		if !a.Secret {
			a.Value = valueInWords(&p.Schema, value)
		}
		answers = append(answers, a)
	}
	return answers
}

// secretField are words that fields for secrets are called by.
var secretField = regexp.MustCompile(`(?i)pass(word|wd|phrase|code)|secret|token|credential|(api|access|private)[-_ ]?key|\b(pin|otp|key)\b`)

// valueInWords is a value by its title, if it was one of several to choose from.
func valueInWords(schema *acpclient.ElicitationPropertySchema, value any) string {
	switch v := value.(type) {
	case string:
		for _, o := range schema.Choices() {
			if o.Const == v {
				return o.Title
			}
		}
		return v
	case bool:
		if v {
			return "yes"
		}
		return "no"
	case []string:
		words := make([]string, len(v))
		for i := range v {
			words[i] = valueInWords(schema, v[i])
		}
		return strings.Join(words, ", ")
	}
	return fmt.Sprint(value)
}

// applyElicitationClosed takes a question off the list; one that was answered stays
// in the transcript. The agent may still have to say that the person has done what
// they were asked at an address.
func (c *Conversation) applyElicitationClosed(e ElicitationClosed) {
	for i, q := range c.Elicitations {
		if q.ID != e.ID {
			continue
		}
		c.Elicitations = append(c.Elicitations[:i:i], c.Elicitations[i+1:]...)
		q.Action, q.Answers = e.Action, e.Answers
		q.changed()
		if q.Request.Mode == acpclient.ElicitURL && e.Action == acpclient.ElicitAccept {
			c.visits = append(c.visits, q)
		}
		if e.Action != acpclient.ElicitCancel {
			c.closeMessage()
			c.addItem(q)
		}
		c.release(q.holds, e.At)
		return
	}
}
