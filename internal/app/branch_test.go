package app

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"parley/acpclient"
	"parley/config"
	"parley/internal/conversation"
	"parley/internal/session"
	"parley/internal/store"
)

// keepFive stores a session with five prompts, each answered, of an agent that can fork.
func keepFive(t *testing.T, dir, agent, version string) *store.Log {
	t.Helper()
	l, err := store.New(StoreDir()).Create(store.Meta{Agent: "mine", Cwd: dir, Created: time.Now().Add(-time.Hour)})
	if err != nil {
		t.Fatal(err)
	}
	info := &acpclient.InitializeResponse{ProtocolVersion: 1, AgentInfo: &acpclient.Implementation{Name: agent, Version: version}}
	info.AgentCapabilities.SessionCapabilities.Fork = &acpclient.Supported{}
	var state acpclient.SessionState
	must(t, acpclient.Unmarshal([]byte(`{"modes":{"currentModeId":"read-only","availableModes":[{"id":"read-only","name":"Read-only"},{"id":"agent","name":"Agent"}]}}`), &state))
	events := []conversation.Event{conversation.AgentReady{Info: info}, conversation.SessionOpened{ID: "old", Cwd: dir, State: state}}
	for i := 1; i <= 5; i++ {
		events = append(events,
			conversation.PromptSent{Prompt: []acpclient.ContentBlock{acpclient.TextBlock(fmt.Sprint("prompt ", i))}},
			conversation.Text{Chunk: acpclient.AgentMessageChunk, MessageID: acpclient.MessageID(fmt.Sprint("m", i)), Text: fmt.Sprint("answer ", i)},
			conversation.Update{Update: &acpclient.UsageUpdate{Used: 1, Size: 2, Cost: &acpclient.Cost{Amount: float64(i) / 2, Currency: "USD"}}},
			conversation.TurnEnded{Reason: acpclient.StopEndTurn})
	}
	must(t, l.Append(events))
	return l
}

// A branch gets the conversation up to its prompt in the best way that the agent has, and
// says which that is. The stored session stays, and says where it went on.
func TestBranchOfAStoredSession(t *testing.T) {
	const claude = "@agentclientprotocol/claude-agent-acp"
	for name, c := range map[string]struct {
		agent, version string
		prompt         int
		way            Way
		fork           *session.ForkPoint
	}{
		"at the second of five messages":    {claude, "0.101.0", 3, WayForkAtMessage, &session.ForkPoint{ID: "old", At: "m2"}},
		"by Codex":                          {"@agentclientprotocol/codex-acp", "2.6.0", 3, WayForkAtMessage, &session.ForkPoint{ID: "old", At: "m2"}},
		"at the end":                        {"other", "1", 6, WayFork, &session.ForkPoint{ID: "old"}},
		"by an agent that copies all of it": {"other", "1", 3, WayRetell, nil},
		"by an older version":               {claude, "0.100.0", 3, WayRetell, nil},
		"before the first":                  {claude, "0.101.0", 1, WayNew, nil},
	} {
		t.Run(name, func(t *testing.T) {
			dir := isolate(t, "")
			log := keepFive(t, dir, c.agent, c.version)
			must(t, log.Close())
			st := store.New(StoreDir())
			l := &Launcher{Config: config.Default(nil), Cwd: dir, Store: st}
			defer l.Close()
			b, err := l.Make(t.Context(), Spec{Stored: log.ID(), Branch: c.prompt, Agent: &config.Agent{ID: "mine", Command: "my-agent"}})
			if err != nil {
				t.Fatal(err)
			}
			defer b.Session.Close(t.Context())
			fork := b.Session.(here).Options().Fork
			if b.way != c.way || (fork == nil) != (c.fork == nil) || fork != nil && *fork != *c.fork {
				t.Errorf("the way is %q with %+v, want %q with %+v", b.way.Text(), fork, c.way.Text(), c.fork)
			}
			// A copy does not begin in a mode that allows more.
			if o := b.past(was(t, st, log.ID()), Spec{}).Options; len(o) != 1 || o[0].CurrentValue != acpclient.SelectValue("read-only") {
				t.Errorf("the options were %+v", o)
			}
			if prompts := b.Transcript.Conversation.Prompts(); len(prompts) != c.prompt-1 {
				t.Errorf("the transcript has %d prompts", len(prompts))
			}
			if want := fmt.Sprint("prompt ", c.prompt); c.prompt <= 5 && (len(b.Prompt) != 1 || b.Prompt[0].Text != want) {
				t.Errorf("the composer gets %v, want %q", b.Prompt, want)
			}
			told := strings.Contains(b.Earlier, "answer 2") && !strings.Contains(b.Earlier, "prompt 3")
			if told != (c.way == WayRetell) {
				t.Errorf("the agent is told %q", b.Earlier)
			}
			was, err := st.Read(t.Context(), log.ID())
			must(t, err)
			items := was.Conversation.Items
			note, ok := items[len(items)-1].(*conversation.Note)
			if !ok || !strings.Contains(note.Detail, string(b.Transcript.Meta.ID)) || len(was.Conversation.Prompts()) != 5 {
				t.Errorf("the original ends with %+v", items[len(items)-1])
			}
			if spent := stateOf(b).Spent().Cost; spent == nil || spent.Amount != 2.5 {
				t.Errorf("the branch begins with %+v spent", spent)
			}
			for where, c := range map[string]*conversation.Conversation{"here": b.Transcript.Conversation, "there": was.Conversation} {
				if spent := c.Spent().Cost; spent == nil || spent.Amount != 2.5 {
					t.Errorf("what was spent %s is %+v", where, spent)
				}
			}
			if m := b.Transcript.Meta; m.Origin != log.ID() || m.OriginPrompt != c.prompt {
				t.Errorf("the branch has the meta %+v", m)
			}
		})
	}
}

// was is the conversation of a stored session.
func was(t *testing.T, st *store.Store, id store.ID) *conversation.Conversation {
	t.Helper()
	kept, err := st.Read(t.Context(), id)
	must(t, err)
	return kept.Conversation
}

// stateOf returns the state of a session, which must do nothing.
func stateOf(o *Opened) (state *conversation.State) {
	o.Session.(Local).Read(func(s *conversation.State) { state = s })
	return state
}

// Another agent gets the conversation as text, however its own agent could fork it, and neither
// the options nor the limits of that agent. The queue moves.
func TestHandOverToAnotherAgent(t *testing.T) {
	dir := isolate(t, "")
	log := keepFive(t, dir, "@agentclientprotocol/claude-agent-acp", "0.101.0")
	queue := []conversation.QueuedPrompt{{ID: 1, Prompt: []acpclient.ContentBlock{acpclient.TextBlock("next")}}}
	must(t, log.Append([]conversation.Event{conversation.QueueChanged{Queue: queue, Paused: true}, conversation.LimitReached{Kind: "five_hour"}}))
	must(t, log.Close())
	st := store.New(StoreDir())
	top := 3
	must(t, st.SaveView(log.ID(), store.View{Draft: "a draft", Top: &top}))
	l := &Launcher{Config: config.Default(nil), Cwd: dir, Store: st}
	defer l.Close()
	to := config.Agent{ID: "other", Name: "Other", Command: "other-agent"}
	b, err := l.Make(t.Context(), Spec{Stored: log.ID(), Branch: 6, Agent: &to, HandOver: true})
	must(t, err)
	defer func() { End(t.Context(), b.Session) }()
	opt := b.Session.(here).Options()
	if b.way != WayRetell || opt.Fork != nil || opt.ResumeID != "" || len(b.past(was(t, st, log.ID()), Spec{HandOver: true}).Options) != 0 || stateOf(b).Limit != nil {
		t.Errorf("it begins by %q with %+v", b.way.Text(), opt)
	}
	if !strings.Contains(b.Earlier, "prompt 1") || !strings.Contains(b.Earlier, "answer 5") {
		t.Errorf("the agent is told %q", b.Earlier)
	}
	// What the first agent has cost counts, however much the next one reports.
	if spent := stateOf(b).Spent().Cost; spent == nil || spent.Amount != 2.5 {
		t.Errorf("it begins with %+v spent", spent)
	}
	c := b.Transcript.Conversation
	for range 2 { // before its agent opens a session, and after
		if text := UsageText(c.Usage); text != "$2.50" || c.Agent.Name() != "Other" {
			t.Errorf("%s has used so far: %q", c.Agent.Name(), text)
		}
		c.Apply(conversation.SessionOpening{How: conversation.OpenNew})
	}
	c.Apply(conversation.Update{Update: &acpclient.UsageUpdate{Used: 1, Size: 2, Cost: &acpclient.Cost{Amount: 4, Currency: "USD"}}})
	if spent := c.Spent().Cost; spent == nil || spent.Amount != 6.5 {
		t.Errorf("after a report of 4.00 it has spent %+v", spent)
	}
	if m := b.Transcript.Meta; m.Agent != "other" || len(m.Command) == 0 {
		t.Errorf("it is stored as of %q %q", m.Agent, m.Command)
	}
	was, err := st.Read(t.Context(), log.ID())
	must(t, err)
	if len(b.Queue) != 1 || len(was.Conversation.Queue) != 0 || len(stateOf(b).Queue) != 0 {
		t.Errorf("of the queue, %d prompts move and %d stay", len(b.Queue), len(was.Conversation.Queue))
	}
	if stays, err := st.View(log.ID()); b.View.Draft != "a draft" || stays.Draft != "" || stays.Top == nil || err != nil {
		t.Errorf("of the draft, %q moves and %+v stays, %v", b.View.Draft, stays, err)
	}
	items := was.Conversation.Items
	if n, ok := items[len(items)-1].(*conversation.Note); !ok || !strings.HasSuffix(n.Detail, string(b.Transcript.Meta.ID)+". The queue went along.") {
		t.Errorf("the original ends with %+v", items[len(items)-1])
	}
	// If parley is killed now, the last session is this one, and its agent's.
	lib := store.NewLibrary(st)
	defer lib.Close()
	list, err := lib.List(t.Context(), store.Query{Cwd: dir})
	if last, failed := LastStored(t.Context(), lib, dir, nil); last != b.Transcript.Meta.ID || list[0].AgentName != "Other" || err != nil || failed != nil {
		t.Errorf("the last one of %+v is %q, %v", list, last, errors.Join(err, failed))
	}
	items = b.Transcript.Conversation.Items
	if n, ok := items[len(items)-1].(*conversation.Note); !ok || n.Title != "Handed over from mine to Other" {
		t.Errorf("the transcript ends with %+v", items[len(items)-1])
	}

	// If parley is killed before a front end has saved it, all of that is there again.
	next := b.Transcript.Meta.ID
	reopen := func() *Opened {
		End(t.Context(), b.Session)
		b, err = l.Make(t.Context(), Spec{Stored: next, Agent: &to})
		must(t, errors.Join(err, b.ReadOnly))
		return b
	}
	for range 2 {
		if o := reopen(); o.View.Draft != "a draft" || len(o.Queue) != 1 || len(stateOf(o).Queue) != 0 || !strings.Contains(o.Earlier, "answer 5") {
			t.Errorf("after a kill, %+v was handed over, and the agent is told %q", o.Queue, o.Earlier)
		}
	}
	End(t.Context(), b.Session)
	again, err := st.Continue(next)
	must(t, err)
	must(t, errors.Join(again.Append([]conversation.Event{conversation.PromptSent{Prompt: []acpclient.ContentBlock{acpclient.TextBlock("sent")}}, conversation.TurnEnded{}}), again.Close()))
	if o := reopen(); len(o.Queue) != 0 || len(stateOf(o).Queue) != 1 || o.Earlier != "" {
		t.Errorf("after its first prompt, %+v was handed over, and the agent is told %q", o.Queue, o.Earlier)
	}
}

// What does not fit into the text is named.
func TestWhatIsLeftOutOfAHandOverIsNamed(t *testing.T) {
	c := conversation.New()
	for i := 1; i <= 9; i++ {
		c.Apply(conversation.PromptSent{Prompt: []acpclient.ContentBlock{acpclient.TextBlock(fmt.Sprint("prompt ", i))}})
		c.Apply(conversation.Text{Chunk: acpclient.AgentMessageChunk, Text: strings.Repeat("x", earlierBytes/4)})
		c.Apply(conversation.TurnEnded{})
	}
	q := HandOverQuestion(c, config.Agent{Name: "Other"}, nil)
	text := EarlierText(c)
	if len(text) > earlierBytes+100 || strings.Contains(text, "prompt 6\n") || !strings.Contains(text, "prompt 7\n") || len(q.Lines) != 6 || q.Lines[0] != "❯ prompt 1" || q.Lines[5] != "and 1 more" {
		t.Errorf("of %d bytes, left out: %q", len(text), q.Lines)
	}
	// Of a turn that is too long, the prompt and the end are told; notes of parley's are not.
	c.Apply(conversation.NoticeAdded{Title: "a note"})
	c.Apply(conversation.PromptSent{Prompt: []acpclient.ContentBlock{acpclient.TextBlock("the last prompt")}})
	for _, piece := range []string{"begins", "goes on"} {
		c.Apply(conversation.Text{Chunk: acpclient.AgentMessageChunk, MessageID: acpclient.MessageID(piece), Text: piece + strings.Repeat("é", earlierBytes) + "ends"})
	}
	text = EarlierText(c)
	if !strings.Contains(text, "the last prompt") || !strings.HasSuffix(strings.TrimSpace(text), "éends") || strings.Contains(text, "a note") || strings.Contains(text, "goes on") || !utf8.ValidString(text) || len(text) > 5*earlierBytes/4 {
		t.Errorf("of %d bytes: %.200q", len(text), text)
	}
	if q := HandOverQuestion(c, config.Agent{Name: "Other"}, nil); q.Lines[4] != "❯ prompt 5" || q.Lines[5] != "and 4 more" {
		t.Errorf("left out: %q", q.Lines)
	}
	if q := HandOverQuestion(conversation.New(), config.Agent{Name: "Other"}, nil); len(q.Lines) != 0 {
		t.Errorf("of nothing, %q is left out", q.Lines)
	}
}
