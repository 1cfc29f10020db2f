package app

import (
	"fmt"

	"parley/acpclient"
	"parley/config"
	"parley/internal/conversation"
	"parley/internal/prompt"
	"parley/internal/termtext"
)

// HandOverQuestion asks whether another agent goes on with a conversation, and says what it gets
// to know.
func HandOverQuestion(c *conversation.Conversation, to config.Agent, yes func()) Question {
	text, left := earlier(c)
	name := termtext.Line(to.Name)
	q := Question{
		Title: "Hand over to " + name + "?",
		Text: name + " opens a new session in this directory. Your next prompt sends the conversation along as text, " +
			prompt.ByteSize(int64(len(text))) + ". This session stays in the list.",
		Choices: []Choice{{Name: "Hand over", Key: "h", Here: yes}, {Name: "Stay here", Key: "s"}},
	}
	if len(left) > 0 {
		q.Text += fmt.Sprintf("\nThe text has at most %s. Left out, with their answers:", prompt.ByteSize(earlierBytes))
		q.Lines = leftLines(left)
	}
	return q
}

// leftLines lists prompts that are left out.
func leftLines(left []conversation.Prompt) (lines []string) {
	const most = 5
	for i, p := range left {
		if i == most {
			return append(lines, fmt.Sprintf("and %d more", len(left)-most))
		}
		lines = append(lines, "❯ "+termtext.Truncate(PromptLine(conversation.QueuedPrompt{Prompt: p.Blocks}), questionLineWidth, "…"))
	}
	return lines
}

// handOverNote is the line in the transcript where the agent changes.
func handOverNote(from, to string, c *conversation.Conversation) conversation.NoticeAdded {
	n := conversation.NoticeAdded{Severity: acpclient.NoticeInfo, Title: fmt.Sprintf("Handed over from %s to %s", termtext.Line(from), termtext.Line(to))}
	if _, left := earlier(c); len(left) > 0 {
		n.Detail = "It gets the end of the conversation with your next prompt. Left out: " + termtext.Count(len(left), "prompt") + " and what followed."
	} else if len(c.Prompts()) > 0 {
		n.Detail = "It gets the conversation with your next prompt."
	}
	return n
}
