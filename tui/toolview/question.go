package toolview

import (
	"encoding/json"

	"parley/internal/app"
	"parley/internal/termtext"
)

// Question is a question to the user in the raw input of a call. Its texts have no
// newlines, and every character is visible.
type Question struct {
	Text string
	// Line is the text behind its heading, if it has one.
	Line string
	// Options are the answers, with what is said about them.
	Options []string
	// Multiple allows several options.
	Multiple bool
}

// Questions finds the questions in the raw input of a tool call, nil if there are none:
// agents have a tool that asks, and some send it as a permission request.
func Questions(rawInput json.RawMessage) []Question {
	var questions []Question
	for _, raw := range app.Decoded[struct{ Questions []json.RawMessage }](rawInput).Questions {
		text, line := labelled(raw, []string{"header", "title"}, []string{"question", "text", "prompt"})
		fields := app.Decoded[map[string]json.RawMessage](raw)
		q := Question{Text: text, Line: line, Multiple: app.Decoded[bool](fields["multiSelect"]) || app.Decoded[bool](fields["multiple"])}
		for _, o := range app.Decoded[[]json.RawMessage](fields["options"]) {
			if _, option := labelled(o, []string{"label", "title", "name", "value"}, []string{"description", "about"}); option != "" {
				q.Options = append(q.Options, option)
			}
		}
		if q.Line != "" || len(q.Options) > 0 {
			questions = append(questions, q)
		}
	}
	return questions
}

// labelled decodes a string, or an object with a label and a text under one of some names; line is
// both.
func labelled(raw json.RawMessage, labels, names []string) (text, line string) {
	if s := app.Decoded[string](raw); s != "" {
		return termtext.VisibleLine(s), termtext.VisibleLine(s)
	}
	first := func(keys []string) string {
		if all := texts(raw, keys); len(all) > 0 {
			return termtext.VisibleLine(all[0])
		}
		return ""
	}
	label, text := first(labels), first(names)
	switch {
	case label == "", label == text:
		return text, text
	case text == "":
		return text, label
	}
	return text, label + ": " + text
}
