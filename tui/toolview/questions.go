package toolview

import (
	"encoding/json"

	"parley/internal/termtext"
)

// Question is a question to the person that stands in the raw input of a call.
// Nothing in it has a newline, and every character can be seen.
type Question struct {
	Header, Text string
	Options      []QuestionOption
	// Multiple says that several options may be chosen.
	Multiple bool
}

// QuestionOption is one answer to choose.
type QuestionOption struct{ Label, About string }

// Line is the question in one line.
func (q Question) Line() string {
	if q.Header != "" && q.Header != q.Text {
		return q.Header + ": " + q.Text
	}
	return q.Text
}

// Line is the option in one line.
func (o QuestionOption) Line() string {
	if o.About != "" {
		return o.Label + ": " + o.About
	}
	return o.Label
}

// Questions finds the questions in the raw input of a tool call: agents have a
// tool that asks, and some send it as a permission request. It is nil if there are
// none.
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

// firstText is the first of some fields that has text.
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
