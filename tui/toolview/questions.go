package toolview

import (
	"encoding/json"

	"parley/internal/termtext"
)

// Question is a question to the user in the raw input of a call. Its texts have no
// newlines, and every character is visible.
type Question struct {
	Header, Text string
	Options      []QuestionOption
	// Multiple allows several options.
	Multiple bool
}

// QuestionOption is one answer.
type QuestionOption struct{ Label, About string }

// Line returns the question on one line.
func (q Question) Line() string {
	if q.Header != "" && q.Header != q.Text {
		return q.Header + ": " + q.Text
	}
	return q.Text
}

// Line returns the option on one line.
func (o QuestionOption) Line() string {
	if o.About != "" {
		return o.Label + ": " + o.About
	}
	return o.Label
}

// Questions finds the questions in the raw input of a tool call, nil if there are none:
// agents have a tool that asks, and some send it as a permission request.
func Questions(rawInput json.RawMessage) []Question {
	var in struct{ Questions []json.RawMessage }
	if json.Unmarshal(rawInput, &in) != nil {
		return nil
	}
	var questions []Question
	for _, raw := range in.Questions {
		if q := question(raw); q.Text != "" || len(q.Options) > 0 {
			questions = append(questions, q)
		}
	}
	return questions
}

// question decodes a question: a string, or an object.
func question(raw json.RawMessage) Question {
	if s := decoded[string](raw); s != "" {
		return Question{Text: termtext.VisibleLine(s)}
	}
	fields := decoded[map[string]json.RawMessage](raw)
	q := Question{
		Header: firstText(fields, "header", "title"), Text: firstText(fields, "question", "text", "prompt"),
		Multiple: decoded[bool](fields["multiSelect"]) || decoded[bool](fields["multiple"]),
	}
	for _, o := range decoded[[]json.RawMessage](fields["options"]) {
		if option := questionOption(o); option.Label != "" {
			q.Options = append(q.Options, option)
		}
	}
	return q
}

// firstText returns the first of some fields that has text.
func firstText(fields map[string]json.RawMessage, names ...string) string {
	for _, name := range names {
		if s := decoded[string](fields[name]); s != "" {
			return termtext.VisibleLine(s)
		}
	}
	return ""
}

// questionOption decodes an option: a string, or an object with a label.
func questionOption(raw json.RawMessage) QuestionOption {
	if s := decoded[string](raw); s != "" {
		return QuestionOption{Label: termtext.VisibleLine(s)}
	}
	fields := decoded[map[string]json.RawMessage](raw)
	return QuestionOption{Label: firstText(fields, "label", "title", "name", "value"), About: firstText(fields, "description", "about")}
}
