package headless

import (
	"bytes"
	"encoding/json"
	"slices"

	"parley/internal/conversation"
	"parley/internal/termtext"
)

// Line is an event as a line of JSON, with its end: the line that
// [conversation.Encode] makes of it, in which control and format characters are
// escaped. It can be shown on a terminal, and decoded by [conversation.Decode].
func Line(e conversation.Event) ([]byte, error) {
	line, err := conversation.Encode(e)
	if err != nil {
		return nil, err
	}
	return append(termtext.JSON(line), '\n'), nil
}

// resultEvent is the name of the last line of a stream, which is no event of the
// session.
const resultEvent = "run_ended"

// clean returns the result without control characters and hidden ones in its texts.
func (r *Result) clean() *Result {
	c := *r
	c.Message, c.Text, c.Stderr = termtext.Block(r.Message), termtext.Block(r.Text), termtext.Block(r.Stderr)
	c.Agent = AgentInfo{termtext.Line(r.Agent.Name), termtext.Line(r.Agent.Version)}
	c.Turns, c.ToolCalls, c.Denied = slices.Clone(r.Turns), slices.Clone(r.ToolCalls), slices.Clone(r.Denied)
	for i := range c.Turns {
		c.Turns[i].Text = termtext.Block(c.Turns[i].Text)
	}
	for i := range c.ToolCalls {
		c.ToolCalls[i].Title = termtext.Line(c.ToolCalls[i].Title)
	}
	for i := range c.Denied {
		c.Denied[i].Title = termtext.Line(c.Denied[i].Title)
	}
	return &c
}

// Line is the result as the last line of a stream of events, with its end. It looks
// like an event, and is none: [conversation.Decode] says that it does not know it.
func (r *Result) Line() ([]byte, error) {
	return marshal(struct {
		Version int     `json:"v"`
		Event   string  `json:"event"`
		Data    *Result `json:"data"`
	}{conversation.CodecVersion, resultEvent, r.clean()}, "")
}

// JSON is the result as an object that people can read, with a line end.
func (r *Result) JSON() ([]byte, error) { return marshal(r.clean(), "  ") }

func marshal(v any, indent string) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", indent)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	out := termtext.JSON(bytes.TrimSuffix(b.Bytes(), []byte("\n")))
	return append(out, '\n'), nil
}
