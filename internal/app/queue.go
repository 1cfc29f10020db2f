package app

import (
	"fmt"
	"slices"
	"strings"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/session"
	"parley/internal/termtext"
)

// HeldPrompts are prompts for a session that is still being made, in order. Each has an ID among them.
type HeldPrompts []conversation.QueuedPrompt

// Add adds a prompt at a position, counted from 1; 0 is the end. One without an ID gets one.
func (h *HeldPrompts) Add(q conversation.QueuedPrompt, at int) {
	if q.ID == 0 {
		q.ID = 1
		for _, o := range *h {
			q.ID = max(q.ID, o.ID+1)
		}
	}
	if at == 0 || at > len(*h) {
		at = len(*h) + 1
	}
	*h = slices.Insert(*h, at-1, q)
}

// Take removes a prompt, and returns it at its position, counted from 1; 0 means that it is not held.
func (h *HeldPrompts) Take(id int) (q conversation.QueuedPrompt, at int) {
	i := slices.IndexFunc(*h, func(o conversation.QueuedPrompt) bool { return o.ID == id })
	if i < 0 {
		return q, 0
	}
	q = (*h)[i]
	*h = slices.Delete(*h, i, i+1)
	return q, i + 1
}

// Move moves a prompt by so many positions, up if negative, as far as possible.
func (h *HeldPrompts) Move(id, by int) {
	if q, at := h.Take(id); at > 0 {
		h.Add(q, max(at+by, 1))
	}
}

// Send sends the prompts to the session and forgets them. Those that wait for the user come last, and
// hold up no other.
func (h *HeldPrompts) Send(s Session) {
	waits := func(q conversation.QueuedPrompt) bool { return q.Waits }
	for _, behind := range []bool{false, true} {
		for _, p := range *h {
			if p.Waits == behind {
				p.Now = !behind && slices.ContainsFunc(*h, waits)
				session.Post(s, session.Prompt{Prompt: p})
			}
		}
	}
	*h = nil
}

// PromptLine returns a queued prompt as one line.
func PromptLine(q conversation.QueuedPrompt) string {
	for _, b := range q.Prompt {
		if b.Text != "" {
			return termtext.Line(b.Text)
		}
	}
	return "(no text)"
}

// MayHave says of a queued prompt that its agent was asked to take it into a turn, and never answered.
const MayHave = "the agent may have it"

// Unsent returns the prompts that a session has not confirmed, each as one line.
func Unsent(s Session) (all []string) {
	for _, u := range s.Unconfirmed() {
		if p, sends := session.PromptOf(u.Act); sends {
			all = append(all, PromptLine(p))
		}
	}
	return all
}

// LastPrompt returns the text of a conversation's last prompt, or "".
func LastPrompt(c *conversation.Conversation) string {
	for i := len(c.Items) - 1; i >= 0; i-- {
		m, ok := c.Items[i].(*conversation.Message)
		if !ok || m.Chunk != acpclient.UserMessageChunk || m.Parent != "" {
			continue
		}
		var text strings.Builder
		for _, p := range m.Parts {
			if p.Block == nil {
				text.WriteString(p.Text())
			}
		}
		return text.String()
	}
	return ""
}

// questionLine is a prompt as one of the lines of a question.
func questionLine(q conversation.QueuedPrompt) string {
	line := PromptLine(q)
	if q.Unsure {
		line = MayHave + ": " + line
	}
	return "❯ " + termtext.Truncate(line, 80, "…")
}

// atMost returns at most so many lines, and how many more there are.
func atMost(lines []string, most int) []string {
	if len(lines) <= most {
		return lines
	}
	return append(lines[:most:most], fmt.Sprintf("and %d more", len(lines)-most))
}
