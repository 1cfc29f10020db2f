package tab

import (
	"fmt"
	"strings"
	"testing"

	"parley/acpclient"
	"parley/internal/conversation"
)

// planOf is a plan of so many steps, of which some are done and one is at work.
func planOf(done, all int) conversation.Event {
	p := &acpclient.Plan{}
	for i := range all {
		e := acpclient.PlanEntry{Content: fmt.Sprintf("step %d", i+1), Status: acpclient.PlanPending}
		switch {
		case i < done:
			e.Status = acpclient.PlanCompleted
		case i == done:
			e.Status = acpclient.PlanInProgress
		}
		p.Entries = append(p.Entries, e)
	}
	return conversation.Update{Update: p}
}

// The plan stands in the transcript; what goes on names its step at work, also while a
// question waits, and nothing once the turn has ended.
func TestTheStepAtWorkIsNamed(t *testing.T) {
	b := newBench(t, t.TempDir())
	b.events(conversation.PromptSent{Prompt: []acpclient.ContentBlock{acpclient.TextBlock("go")}}, planOf(2, 4))
	b.mustShow(t, "  2/4 step 3\n")
	if n := strings.Count(b.screen(), "step 3"); n != 2 {
		t.Errorf("the step is shown %d times, want once in the transcript and once as what goes on:\n%s", n, b.screen())
	}
	b.events(permissionEvent(1, "Clean up"))
	b.mustShow(t, "waiting for you  worked", "  2/4 step 3\n")
	b.events(planOf(4, 4))
	b.mustNotShow(t, "4/4")
	b.events(planOf(3, 4), conversation.TurnEnded{Reason: acpclient.StopEndTurn})
	b.mustNotShow(t, "3/4 step 4")
}

func TestTheTranscriptKeepsItsPlaceWhenThePlanComes(t *testing.T) {
	b := newBench(t, t.TempDir())
	b.events(conversation.PromptSent{Prompt: []acpclient.ContentBlock{acpclient.TextBlock("go")}},
		conversation.Text{Chunk: acpclient.AgentMessageChunk, Text: strings.Repeat("a line\n\n", 60)})
	b.draw()
	b.press("pgup")
	first := func() string { return strings.Join(strings.Split(b.screen(), "\n")[:10], "\n") }
	before := first()
	b.events(planOf(0, 3))
	if after := first(); after != before {
		t.Errorf("it moved from\n%s\nto\n%s", before, after)
	}
}
