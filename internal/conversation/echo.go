package conversation

import (
	"strings"

	"parley/acpclient"
)

// Echo is what is still to come when an agent repeats the prompt to the client.
// The prompt is known already, so the repetition is dropped.
type Echo struct {
	text   string
	blocks int // how many blocks are not text
}

// NewEcho is the repetition of a prompt, all of it.
func NewEcho(prompt []acpclient.ContentBlock) Echo {
	var e Echo
	for _, b := range prompt {
		if b.Type == acpclient.ContentText {
			e.text += b.Text
		} else {
			e.blocks++
		}
	}
	return e
}

// Drops reports whether text is the repetition, or a piece of it. Agents may add
// or lose space around the prompt.
func (e *Echo) Drops(text string) bool {
	switch {
	case text == "" || e.text == "":
		return false
	case strings.HasPrefix(e.text, text):
		e.text = e.text[len(text):]
		return true
	case strings.TrimSpace(e.text) == strings.TrimSpace(text):
		e.text = ""
		return true
	}
	return false
}

// dropsBlock reports whether a block that is not text is one of the repetition.
func (e *Echo) dropsBlock() bool {
	if e.blocks == 0 {
		return false
	}
	e.blocks--
	return true
}
