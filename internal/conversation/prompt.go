package conversation

import (
	"slices"
	"strings"
	"time"

	"golang.org/x/mod/semver"

	"parley/acpclient"
)

// Prompt is a prompt of the conversation, to rewind to or to fork before.
type Prompt struct {
	// Number counts from 1. Item is its index in Items.
	Number, Item int
	// At is when it was sent, which identifies the journal's turn; zero in replayed history.
	At time.Time
	// Blocks is its content, for the composer.
	Blocks []acpclient.ContentBlock
	// After is the id of the agent's last message before the prompt, "" without one.
	After acpclient.MessageID
}

// Told returns the first text of each of the user's messages, without space around it, oldest first.
func (c *Conversation) Told() []string {
	var out []string
	for _, item := range c.Items {
		m, ok := item.(*Message)
		if !ok || m.Parent != "" || m.Chunk != acpclient.UserMessageChunk {
			continue
		}
		text := m.Parts.Plain()
		if i := slices.IndexFunc(m.Sent, func(b acpclient.ContentBlock) bool { return b.Text != "" }); i >= 0 {
			text = m.Sent[i].Text
		}
		out = append(out, strings.TrimSpace(text))
	}
	return out
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

// ForksAtMessage reports whether the agent can fork a session at a message. The protocol does
// not announce this, and other agents silently copy the whole session, so it comes from the
// table of quirks.
func (a AgentState) ForksAtMessage() bool {
	since := QuirksOf(a.Info.Name).ForksAtMessageSince
	version, _, _ := strings.Cut(a.Info.Version, "-") // with its pre-releases
	return a.Capabilities.SessionCapabilities.Fork != nil && a.Protocol <= 1 && since != "" && semver.Compare("v"+version, "v"+since) >= 0
}
