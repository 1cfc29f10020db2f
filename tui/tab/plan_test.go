package tab

import (
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

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

// pinned is what stands between the line of what goes on and the prompt.
func (b *bench) pinned() string {
	s := b.screen()
	_, s, _ = strings.Cut(s, " working ")
	_, s, _ = strings.Cut(s, "\n")
	s, _, _ = strings.Cut(s, "\n───")
	return s + "\n"
}

func TestThePlanStandsAboveThePromptWhileItRuns(t *testing.T) {
	b := newBench(t, t.TempDir())
	b.events(conversation.PromptSent{Prompt: []acpclient.ContentBlock{acpclient.TextBlock("go")}}, planOf(2, 40))
	if got := b.pinned(); !strings.Contains(got, "Plan 2/40 ────────  step 3") || strings.Count(got, "\n") != 1 {
		t.Errorf("not one line with the step at work: %q", got)
	}
	open := tea.KeyPressMsg{Code: tea.KeyF6}
	b.Update(open)
	got := b.pinned()
	if !strings.Contains(got, "✓ step 2\n") || !strings.Contains(got, "◐ step 3\n") || !strings.Contains(got, "○ step 4\n") {
		t.Errorf("the steps are not shown:\n%s", got)
	}
	if n := strings.Count(got, "\n"); n > b.rows/3 {
		t.Errorf("%d of %d lines are the plan's", n, b.rows)
	}
	b.events(planOf(39, 40))
	if got := b.pinned(); !strings.Contains(got, "◐ step 40\n") {
		t.Errorf("the step at work is out of sight:\n%s", got)
	}
	b.Update(open)
	if got := b.pinned(); strings.Count(got, "\n") != 1 {
		t.Errorf("not one line again: %q", got)
	}
	b.events(conversation.TurnEnded{Reason: acpclient.StopEndTurn})
	b.mustNotShow(t, "━  step 40")
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
