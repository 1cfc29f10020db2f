package conversation

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"parley/acpclient"
)

// addFailure adds a note about an error. What an answer of the agent has for programs
// is in the note's Raw.
func (c *Conversation) addFailure(title string, err error) *Note {
	n := &Note{Severity: acpclient.NoticeError, Title: title, Detail: err.Error()}
	var answer *acpclient.Error
	if errors.As(err, &answer) {
		n.Detail = strings.Replace(n.Detail, answer.Error(), answer.Words(), 1)
		n.Raw = answer.Data
		var b bytes.Buffer
		if json.Compact(&b, answer.Data) == nil {
			n.Raw = b.Bytes() // as it is after it was stored
		}
		if n.Raw == nil && json.Valid([]byte(answer.Message)) {
			n.Raw = []byte(answer.Message)
		}
	}
	c.addItem(n)
	return n
}

// addTurnFailure notes why a turn ended with an error. An agent that has said so in
// its last message does not say it twice.
func (c *Conversation) addTurnFailure(err error) *Note {
	var answer *acpclient.Error
	if !errors.As(err, &answer) {
		return c.addFailure("The turn failed", err)
	}
	said := c.lastWords()
	n := c.addFailure("The agent answered with an error", err)
	reason := strings.TrimSuffix(n.Detail, fmt.Sprintf(" (code %d)", answer.Code))
	if mostly(reason, said) || mostly(said, answer.Message) {
		n.Detail = ""
		whole, _ := json.Marshal(answer) // what was decoded can be encoded
		n.Raw = whole
	}
	return n
}

// lastWords is the agent's message that the transcript ends with, "" if it ends
// with anything else.
func (c *Conversation) lastWords() string {
	if len(c.Items) == 0 {
		return ""
	}
	m, ok := c.Items[len(c.Items)-1].(*Message)
	if !ok || m.Chunk != acpclient.AgentMessageChunk {
		return ""
	}
	return strings.TrimSpace(m.Parts.Plain())
}

// mostly reports whether a text is another one, with little around it.
func mostly(text, other string) bool {
	return other != "" && strings.Contains(text, other) && 2*len(other) >= len(text)
}
