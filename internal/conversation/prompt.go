package conversation

import (
	"strconv"
	"strings"
	"time"

	"parley/acpclient"
)

// Prompt is a prompt of the conversation, to go back to or to fork before.
type Prompt struct {
	// Number counts from 1. Item is its index in Items.
	Number, Item int
	// At is when it was sent, which tells the turn of the journal; zero if an agent has
	// replayed it.
	At time.Time
	// Blocks are its content, to be put into the composer.
	Blocks []acpclient.ContentBlock
	// After is the id of the last message of the agent before it, "" if there is none, or
	// if that has no id.
	After acpclient.MessageID
}

// Prompts returns the prompts that began turns, oldest first.
func (c *Conversation) Prompts() []Prompt {
	var out []Prompt
	var after acpclient.MessageID
	for i, item := range c.Items {
		m, ok := item.(*Message)
		switch {
		case !ok || m.Parent != "":
		case m.Chunk == acpclient.AgentMessageChunk:
			after = m.ID
		case m.Chunk == acpclient.UserMessageChunk && !m.Steered:
			p := Prompt{Number: len(out) + 1, Item: i, At: m.At, Blocks: m.Sent, After: after}
			if p.Blocks == nil {
				for k := range m.Parts {
					if b := m.Parts[k].Block; b != nil {
						p.Blocks = append(p.Blocks, *b)
					} else {
						p.Blocks = append(p.Blocks, acpclient.TextBlock(m.Parts[k].Text()))
					}
				}
			}
			out = append(out, p)
		}
	}
	return out
}

// ForksAtMessage reports whether the agent can fork a session at a message. Nothing in the
// protocol says so, and an agent that cannot copies the whole session in silence: it has to
// be in the table of quirks.
func (a AgentState) ForksAtMessage() bool {
	since := QuirksOf(a.Info.Name).ForksAtMessageSince
	return a.Capabilities.SessionCapabilities.Fork != nil && a.Protocol <= 1 && since != "" && !olderThan(a.Info.Version, since)
}

// olderThan compares versions, number by number. One that is no version is older.
func olderThan(version, than string) bool {
	version, _, _ = strings.Cut(version, "-")
	have := strings.Split(version, ".")
	for i, part := range strings.Split(than, ".") {
		want, _ := strconv.Atoi(part)
		if i >= len(have) {
			return want > 0
		}
		n, err := strconv.Atoi(have[i])
		if err != nil || n < want {
			return true
		}
		if n > want {
			return false
		}
	}
	return false
}
