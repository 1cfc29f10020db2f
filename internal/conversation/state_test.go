package conversation_test

import (
	"errors"
	"testing"

	"pgregory.net/rapid"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/test"
)

// deciding is what decides in a session, as far as others can read it of a State.
type deciding struct {
	ID           acpclient.SessionID
	Cwd          string
	Phase        conversation.Phase
	Turn         conversation.Turn
	Work         conversation.Work
	Options      []optionState
	Permissions  []questionState
	Judging      []questionState
	Elicitations []formState
	Queue        []conversation.QueuedPrompt
	Paused       bool
	AuthError    string
	Calls        map[acpclient.ToolCallID]callState
}

type optionState struct {
	Option  acpclient.SessionConfigOption
	Value   acpclient.ConfigValue
	Pending bool
	Legacy  bool
}

type questionState struct {
	ID        int
	Asked     callState
	Options   []acpclient.PermissionOption
	File      *conversation.FileQuestion
	Why       string
	Proposals [][]string
}

type formState struct {
	ID        int
	Message   string
	Completed bool
}

type callState struct {
	ID                        acpclient.ToolCallID
	Title, Name, Input        string
	Kind                      acpclient.ToolKind
	Status                    acpclient.ToolCallStatus
	Content                   []acpclient.ToolCallContent
	Locations                 []acpclient.ToolCallLocation
	Answer                    *conversation.PermissionAnswer
	Questions                 int
	Live, Cancelled, Rejected bool
}

func callOf(t *conversation.ToolCall) callState {
	return callState{
		ID: t.ID, Title: t.Title, Name: t.Name, Input: string(t.RawInput), Kind: t.Kind, Status: t.Status,
		Content: t.Content, Locations: t.Locations, Answer: t.Answer, Questions: len(t.Asked),
		Live: t.Live, Cancelled: t.Cancelled, Rejected: t.Rejected,
	}
}

func questionsOf(all []*conversation.Permission) (states []questionState) {
	for _, p := range all {
		states = append(states, questionState{p.ID, callOf(p.Asked), p.Options, p.File, p.Why, p.Proposals})
	}
	return states
}

func decidingIn(s *conversation.State) deciding {
	d := deciding{
		ID: s.ID, Cwd: s.Cwd, Phase: s.Phase, Turn: s.Turn, Work: s.Work, Queue: s.Queue, Paused: s.QueuePaused,
		Permissions: questionsOf(conversation.Questions[*conversation.Permission](s)), Judging: questionsOf(test.Judging(s)), Calls: map[acpclient.ToolCallID]callState{},
	}
	for i := range s.Options {
		o := &s.Options[i]
		v, pending := s.OptionValue(o)
		d.Options = append(d.Options, optionState{*o, v, pending, s.Legacy(o.ID)})
	}
	for _, q := range conversation.Questions[*conversation.Elicitation](s) {
		d.Elicitations = append(d.Elicitations, formState{q.ID, q.Request.Message, q.Completed})
	}
	if s.AuthError != nil {
		d.AuthError = s.AuthError.Error()
	}
	for _, id := range []acpclient.ToolCallID{"a", "b", "t"} {
		if t := s.Tool(id); t != nil {
			d.Calls[id] = callOf(t)
		}
	}
	return d
}

// What a session decides by, which folds a State alone, is what every view shows, which
// folds a Conversation, and what comes back from the log.
func TestAStateAloneDecidesAsTheConversation(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		alone, stored, whole := conversation.NewState(), conversation.NewState(), conversation.New()
		for i, e := range rapid.SliceOfN(test.Random(), 0, 40).Draw(rt, "stream") {
			_, again := encoded(rt, e)
			alone.Apply(e)
			stored.Apply(again)
			whole.Apply(e)
			want := decidingIn(alone)
			if d := test.Diff(want, decidingIn(&whole.State)); d != "" {
				rt.Fatalf("after event %d, a %T, the conversation decides otherwise (-alone +whole):\n%s", i, e, d)
			}
			if d := test.Diff(want, decidingIn(stored)); d != "" {
				rt.Fatalf("after event %d, a %T, what was stored decides otherwise (-alone +stored):\n%s", i, e, d)
			}
		}
	})
}

// A lost agent leaves no turn, no question and nothing that waits for its answer.
func TestALostAgentLeavesNothingOpen(t *testing.T) {
	c := fold(
		t, test.Sent("x"), test.Permission(1, `{"toolCallId":"t"}`),
		conversation.ElicitationOpened{ID: 2, Request: &acpclient.CreateElicitationRequest{Mode: acpclient.ElicitForm}},
		conversation.AuthRequired{Err: errors.New("sign in")}, conversation.CancelRequested{},
		conversation.AgentLost{Err: errors.New("killed")},
	)
	if c.Turn.Running || !c.Turn.Cancelling.IsZero() || c.AuthError != nil || len(test.Permissions(c))+len(test.Elicitations(c)) > 0 || !c.Gone() {
		t.Errorf("turn %+v, sign-in %v, %d permissions, %d forms, phase %v", c.Turn, c.AuthError, len(test.Permissions(c)), len(test.Elicitations(c)), c.Phase)
	}
}

// Opening a session clears the transcript, not the questions: the agent waits for their
// answers, and each has an event of its own that closes it.
func TestAnOpeningKeepsTheQuestions(t *testing.T) {
	c := fold(
		t, test.Permission(1, `{"toolCallId":"t"}`),
		conversation.ElicitationOpened{ID: 2, Request: &acpclient.CreateElicitationRequest{Mode: acpclient.ElicitForm}},
		conversation.SessionOpening{How: conversation.OpenLoad, ID: "s", Clear: true},
	)
	if len(c.Items) > 0 || len(test.Permissions(c)) != 1 || len(test.Elicitations(c)) != 1 {
		t.Errorf("%d items, %d permissions, %d forms", len(c.Items), len(test.Permissions(c)), len(test.Elicitations(c)))
	}
}

// A session keeps its first prompt when it is opened once more, or goes on in another process.
// Another session begins without one.
func TestTheFirstPromptIsKept(t *testing.T) {
	for id, want := range map[acpclient.SessionID]string{"other": "", "s": "tidy up"} {
		s := conversation.NewState()
		for _, e := range []conversation.Event{
			conversation.SessionOpened{ID: "s"},
			conversation.PromptSent{Prompt: []acpclient.ContentBlock{acpclient.TextBlock(" tidy\nup\n")}},
			conversation.TurnEnded{},
			conversation.PromptSent{Prompt: []acpclient.ContentBlock{acpclient.TextBlock("and more")}},
			conversation.TurnEnded{},
		} {
			s.Apply(e)
		}
		s.Apply(conversation.Text{Chunk: acpclient.AgentMessageChunk, Text: "Done."})
		s.Queue = []conversation.QueuedPrompt{{ID: 3, Reading: true}}
		next := conversation.NewState()
		next.Continue(s)
		if last := next.Last(1); next.Asked != "tidy up" || !next.Said || len(last) != 1 || last[0] != "Done." || next.Queue[0].Reading || !next.QueuePaused {
			t.Errorf("it goes on as %+v", next)
		}
		s.Apply(conversation.SessionOpening{How: conversation.OpenLoad, ID: id, Clear: true})
		if s.Asked != want {
			t.Errorf("the session %q opens: %q, want %q", id, s.Asked, want)
		}
	}
}
