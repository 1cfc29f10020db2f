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
	text, left := earlier(c, 0)
	name := termtext.Line(to.Name)
	q := Question{
		Title: "Hand over to " + name + "?",
		Text: name + " opens a new session in this directory. Your next prompt sends the conversation along as text, " +
			prompt.ByteSize(int64(len(text))) + ". This session stays in the list.",
		Choices: []Choice{{Name: "Hand over", Key: "h", Here: yes}, {Name: "Stay here", Key: "s"}},
	}
	if len(left) > 0 {
		q.Text += fmt.Sprintf("\nThe text has at most %s. Left out, with their answers:", prompt.ByteSize(earlierBytes))
		for _, p := range left {
			q.Lines = append(q.Lines, questionLine(conversation.QueuedPrompt{Prompt: p.Blocks}))
		}
		q.Lines = atMost(q.Lines, 5)
	}
	return q
}

// handOverNote is the line in the transcript where the agent changes.
func handOverNote(from, to string, c *conversation.Conversation) conversation.NoticeAdded {
	n := conversation.NoticeAdded{Severity: acpclient.NoticeInfo, Title: fmt.Sprintf("Handed over from %s to %s", termtext.Line(from), termtext.Line(to))}
	if _, left := earlier(c, 0); len(left) > 0 {
		n.Detail = "It gets the end of the conversation with your next prompt. Left out: " + termtext.Count(len(left), "prompt") + " and what followed."
	} else if len(c.Prompts()) > 0 {
		n.Detail = "It gets the conversation with your next prompt."
	}
	return n
}
