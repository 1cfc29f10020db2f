package app

import (
	"slices"
	"strings"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/termtext"
)

// Form is a form of the agent that is being filled in.
type Form struct {
	Asked  *conversation.Elicitation
	Fields []*FormField
}

// NewForm returns the form that an elicitation asks for, with its defaults.
func NewForm(asked *conversation.Elicitation) *Form {
	f := &Form{Asked: asked}
	s := asked.Request.RequestedSchema
	if s == nil {
		return f
	}
	for i := range s.Properties {
		p := &s.Properties[i]
		f.Fields = append(f.Fields, newFormField(p, slices.Contains(s.Required, p.Name)))
	}
	for _, name := range s.Required {
		if !slices.ContainsFunc(f.Fields, func(f *FormField) bool { return f.Name == name }) {
			// The schema requires it and does not describe it.
			missing := &acpclient.ElicitationProperty{Name: name, Schema: acpclient.ElicitationPropertySchema{Raw: []byte("null")}}
			f.Fields = append(f.Fields, newFormField(missing, true))
		}
	}
	return f
}

// Message returns the agent's message.
func (f *Form) Message() string {
	lines := []string{termtext.Block(strings.TrimSpace(f.Asked.Request.Message))}
	if s := f.Asked.Request.RequestedSchema; s != nil && strings.TrimSpace(s.Description) != "" {
		lines = append(lines, termtext.Block(strings.TrimSpace(s.Description)))
	}
	return strings.Join(lines, "\n")
}

// Summary lists the fields and their values, a line each.
func (f *Form) Summary() string {
	var lines []string
	for _, field := range f.Fields {
		value := field.Words()
		if value == "" {
			value = "left out"
		}
		lines = append(lines, field.Label()+": "+value)
	}
	return strings.Join(lines, "\n")
}

// ChoosesNothing reports whether the form has choices and none of them is taken.
func (f *Form) ChoosesNothing() bool {
	some := false
	for _, field := range f.Fields {
		if len(field.Choices) > 0 && !field.Unchosen() {
			return false
		}
		some = some || field.Unchosen()
	}
	return some
}

// Content returns the values of the fields. problem says why the form cannot be accepted;
// invalid is the index of the field to correct, -1 if none can be.
func (f *Form) Content() (content map[string]any, invalid int, problem string) {
	invalid = -1
	if m := f.Asked.Request.Mode; m != acpclient.ElicitForm && m != "" {
		return nil, invalid, "parley does not support this kind of form (" + termtext.VisibleLine(string(m)) + "), so it cannot be accepted"
	}
	content = map[string]any{}
	for i, field := range f.Fields {
		v, set, why := field.Value()
		switch {
		case why != "" && field.Kind == OtherField:
			problem = "cannot accept this: " + field.Label() + " is required, but parley does not support its type"
		case why != "" && invalid < 0:
			invalid = i
		case set:
			content[field.Name] = v
		}
	}
	return content, invalid, problem
}
