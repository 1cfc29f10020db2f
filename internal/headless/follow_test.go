package headless

import (
	"testing"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/test"
)

// A paused queue is not worked off, however well the last turn has ended.
func TestAPausedQueueWaitsForTheUser(t *testing.T) {
	for status, reason := range map[Status]acpclient.StopReason{InputNeeded: acpclient.StopEndTurn, Refused: acpclient.StopRefusal} {
		f := NewFollower(Options{})
		for _, e := range []conversation.Event{
			conversation.AgentReady{Info: &acpclient.InitializeResponse{}},
			conversation.SessionOpened{ID: "s"},
			test.Sent("one"),
			conversation.Text{Chunk: acpclient.AgentMessageChunk, Text: "An answer"},
			conversation.QueueChanged{Queue: []conversation.QueuedPrompt{{ID: 1, Prompt: []acpclient.ContentBlock{acpclient.TextBlock("two")}}}, Paused: true},
			conversation.TurnEnded{Reason: reason},
		} {
			f.Apply(e)
		}
		if !f.ended() || f.result.Status != status {
			t.Errorf("%s ends the waiting with %q, want %q", reason, f.result.Status, status)
		}
	}
}
