package pages

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"parley/acpclient"
	"parley/internal/app"
	"parley/internal/command"
	"parley/internal/compare"
	"parley/internal/conversation"
	"parley/internal/git"
)

// A frame of six sides that work costs the same however long their sessions are.
func BenchmarkCompare(b *testing.B) {
	for _, turns := range []int{100, 1000} {
		for _, width := range []int{120, 260} { // in rows, and in columns
			b.Run(fmt.Sprintf("turns=%d/width=%d", turns, width), func(b *testing.B) {
				c := &compare.Comparison{Prompt: "Sing", Began: time.Now()}
				var states []*conversation.State
				for i := range compare.Most {
					c.Sides = append(c.Sides, &compare.Side{Name: fmt.Sprint("agent ", i), Tree: &git.Worktree{Name: "tree", Path: "/tree"}})
					states = append(states, longState(turns))
				}
				host := &seated{&judge{desk: &desk{TB: b}}, states}
				v := NewCompare(host.env(), host, compare.NewContest(c))
				b.ReportAllocs()
				for b.Loop() {
					v.View(width, 50)
					v.Hints()
				}
			})
		}
	}
}

// seated is the host of sides that work.
type seated struct {
	*judge
	states []*conversation.State
}

func (s *seated) Seat(side int) *command.Seat {
	return &command.Seat{Overview: app.OverviewOf(s.states[side], nil), Place: "tab 1"}
}

// longState is a session with so many turns, of which the last one runs.
func longState(turns int) *conversation.State {
	s := conversation.NewState()
	s.Apply(conversation.SessionOpened{ID: "s"})
	update := func(u acpclient.SessionUpdate) { s.Apply(conversation.Update{Session: "s", Update: u}) }
	for i := range turns {
		s.Apply(conversation.PromptSent{Prompt: []acpclient.ContentBlock{acpclient.TextBlock("go on")}, At: time.Now()})
		for j := range 20 {
			id := acpclient.ToolCallID(fmt.Sprint(i, " ", j))
			update(&acpclient.ToolCall{ToolCallID: id, Title: "Look", Status: acpclient.ToolInProgress})
			s.Apply(conversation.Text{Chunk: acpclient.AgentMessageChunk, Text: strings.Repeat("a line of what I have found\n", 4)})
			update(&acpclient.ToolCallUpdate{ToolCallID: id, Status: new(acpclient.ToolCompleted)})
		}
		if i < turns-1 {
			s.Apply(conversation.TurnEnded{At: time.Now()})
		}
	}
	return s
}
