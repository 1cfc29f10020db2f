package conversation

import (
	"encoding/json"
	"strconv"
	"strings"

	"parley/acpclient"
)

// askedQuestion is one of the questions in a permission request of qwen-code.
type askedQuestion struct {
	Header   string `json:"header"`
	Question string `json:"question"`
	Options  acpclient.List[struct {
		Label       string `json:"label"`
		Description string `json:"description"`
	}] `json:"options"`
	MultiSelect bool `json:"multiSelect"`
}

// ownAnswer is appended to the name of a question's field for the field that takes an
// answer in the person's own words.
const ownAnswer = "_other"

// Form is the form that a permission request stands for, nil if it is an ordinary
// request. [FormAnswers] makes the answers of what was filled in.
func (q Quirks) Form(r *acpclient.RequestPermissionRequest) *acpclient.CreateElicitationRequest {
	if !q.QuestionsInPermissions {
		return nil
	}
	if kind, _ := acpclient.MetaValue[string](r.ToolCall.Meta, "qwenInteractionKind"); kind != "user_question" {
		return nil
	}
	questions, ok := acpclient.MetaValue[[]json.RawMessage](r.ToolCall.Meta, "qwenQuestions")
	if !ok {
		questions, _ = acpclient.MetaValue[[]json.RawMessage](r.ToolCall.RawInput, "questions")
	}
	form := &acpclient.CreateElicitationRequest{
		Mode: acpclient.ElicitForm, SessionID: r.SessionID, ToolCallID: r.ToolCall.ToolCallID,
		RequestedSchema: &acpclient.ElicitationSchema{Type: "object"},
	}
	var message string
	for i, raw := range questions {
		var asked askedQuestion
		if acpclient.Unmarshal(raw, &asked) != nil || asked.Header+asked.Question == "" {
			continue // the others keep their indices
		}
		message = asked.Question
		form.RequestedSchema.Properties = append(form.RequestedSchema.Properties, asked.fields(strconv.Itoa(i))...)
	}
	switch {
	case len(form.RequestedSchema.Properties) == 0:
		return nil
	case len(questions) > 1:
		message = "Please answer these questions."
	default:
		form.RequestedSchema.Properties[0].Schema.Description = "" // it is the message
	}
	form.Message = message
	return form
}

// fields are the choice of an answer to the question, and a field for another one.
func (a *askedQuestion) fields(name string) []acpclient.ElicitationProperty {
	choice := acpclient.ElicitationPropertySchema{Type: acpclient.PropertyString, Title: a.Header, Description: a.Question}
	var options []acpclient.EnumOption
	for _, o := range a.Options {
		if o.Label != "" {
			options = append(options, acpclient.EnumOption{Const: o.Label, Title: o.Label, Description: o.Description})
		}
	}
	switch {
	case len(options) == 0:
		return []acpclient.ElicitationProperty{{Name: name, Schema: choice}}
	case a.MultiSelect:
		choice.Type, choice.Items = acpclient.PropertyArray, &acpclient.MultiSelectItems{AnyOf: options}
	default:
		choice.OneOf = options
	}
	other := acpclient.ElicitationPropertySchema{Type: acpclient.PropertyString, Title: "Other", Description: "Your own answer (optional)"}
	return []acpclient.ElicitationProperty{{Name: name, Schema: choice}, {Name: name + ownAnswer, Schema: other}}
}

// FormAnswers are the answers to the questions of a [Quirks.Form], by the index of the
// question. Questions without an answer are left out.
func FormAnswers(form *acpclient.CreateElicitationRequest, content map[string]any) map[string]string {
	answers := map[string]string{}
	for _, p := range form.RequestedSchema.Properties {
		var given string
		switch v := content[p.Name].(type) {
		case string:
			given = v
		case []string:
			given = strings.Join(v, ", ")
		}
		if given == "" {
			continue
		}
		index := strings.TrimSuffix(p.Name, ownAnswer)
		if before := answers[index]; before != "" {
			given = before + ", " + given
		}
		answers[index] = given
	}
	return answers
}
