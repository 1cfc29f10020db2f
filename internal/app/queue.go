package app

import (
	"fmt"
	"strings"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/session"
	"parley/internal/termtext"
)

// HeldPrompts are prompts for a session that is still being made, in order.
type HeldPrompts []conversation.QueuedPrompt

// Send sends the prompts to the session and forgets them.
func (h *HeldPrompts) Send(s Session) {
	for _, p := range *h {
		session.Post(s, session.Prompt{Prompt: p})
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

// questionLineWidth limits a prompt in a question, in cells.
const questionLineWidth = 80

// sendQueueQuestion asks whether to send the prompts that were queued when the agent exited,
// since the user wrote them before knowing that.
func sendQueueQuestion(s Session, queue []conversation.QueuedPrompt) Question {
	const most = 3
	var lines []string
	for i, q := range queue {
		if i == most {
			lines = append(lines, fmt.Sprintf("and %d more", len(queue)-most))
			break
		}
		lines = append(lines, "❯ "+termtext.Truncate(PromptLine(q), questionLineWidth, "…"))
	}
	return Question{
		Title: "Send the queued prompts?",
		Text:  "The agent exited before it got this:\n" + strings.Join(lines, "\n"),
		Choices: []Choice{
			{Name: "Send", Key: "y", Do: func() (Outcome, error) { session.Post(s, session.ResumeQueue{}); return Outcome{}, nil }},
			{Name: "Keep it queued", Key: "n"},
		},
	}
}
