package demoagent

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"parley/acpclient"
	"parley/internal/script"
)

// The pauses at normal speed: between two pieces of text, between two steps, for reading a
// byte of text, and for reading at least.
const (
	betweenPieces = 22 * time.Millisecond
	betweenSteps  = 600 * time.Millisecond
	readingByte   = 40 * time.Millisecond
	leastReading  = 2 * time.Second
)

// cancelGrace is how long a client may take to answer open questions after it has cancelled
// the turn.
const cancelGrace = 2 * time.Second

// turn is one prompt being worked on. Once it is cancelled its methods do nothing, and
// its scene ends with the step.
type turn struct {
	*session
	ctx   context.Context // ends when the turn is cancelled
	calls context.Context // for questions to the client; ends after cancelGrace
	open  []acpclient.ToolCallID
	end   func()

	steps       []string          // of the plan
	files       map[string]string // the files that were read
	unread      int               // bytes said since the last pause for reading
	hurried     bool              // the user has skipped ahead, to the next pause for reading
	ifCancelled json.RawMessage   // the update to send if the turn is cancelled
}

func (s *session) beginTurn(request context.Context) (*turn, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cancel != nil {
		return nil, &acpclient.Error{Code: acpclient.CodeInvalidRequest, Message: "a turn is running in this session"}
	}
	ctx, cancel := context.WithCancel(request)
	calls, endCalls := context.WithCancel(request)
	stop := context.AfterFunc(ctx, func() {
		t := time.NewTimer(cancelGrace)
		defer t.Stop()
		select {
		case <-t.C:
		case <-calls.Done():
		}
		endCalls()
	})
	s.cancel = cancel
	s.skip = make(chan struct{}, 1)
	return &turn{session: s, files: map[string]string{}, ctx: ctx, calls: calls, end: func() {
		stop()
		endCalls()
		cancel()
		s.mu.Lock()
		s.cancel, s.skip = nil, nil
		s.mu.Unlock()
	}}, nil
}

// prompt answers a prompt. In version 2 the response only accepts it, and comes first.
func (a *agent) prompt(ctx context.Context, r *acpclient.PromptRequest) (any, error) {
	s, err := a.openSession(r.SessionID)
	if err != nil {
		return nil, err
	}
	life := ctx
	if a.speaksV2() {
		life = a.life
	}
	t, err := s.beginTurn(life)
	if err != nil {
		return nil, err
	}
	promptID := acpclient.MessageID(s.nextID("message"))
	if !a.speaksV2() {
		defer t.end()
		acpclient.Async(ctx)
		reason := t.work(promptID, r.Prompt)
		return &acpclient.PromptResponse{StopReason: reason}, ctx.Err()
	}
	s.notify(&acpclient.MessageUpdate{Chunk: acpclient.UserMessageChunk, MessageID: promptID, Content: acpclient.SetTo([]acpclient.ContentBlock(r.Prompt))})
	if !a.begin() {
		t.end()
		return nil, acpclient.ErrClosed
	}
	acpclient.OnAnswered(ctx, func() {
		go func() {
			defer a.requests.Done()
			s.notify(&acpclient.StateUpdate{State: acpclient.WorkRunning})
			reason := t.work(promptID, r.Prompt)
			t.end()
			s.notify(&acpclient.StateUpdate{State: acpclient.WorkIdle, StopReason: reason})
		}()
	})
	return object{"messageId": promptID}, nil
}

// work answers a prompt and returns the stop reason.
func (t *turn) work(promptID acpclient.MessageID, prompt []acpclient.ContentBlock) acpclient.StopReason {
	s := t.session
	for _, block := range prompt {
		s.keep(&acpclient.ContentChunk{Chunk: acpclient.UserMessageChunk, Content: block, MessageID: promptID})
	}
	s.save()
	t.answer(prompt)
	t.usage(0)
	for _, id := range t.open {
		s.tell(&acpclient.ToolCallUpdate{ToolCallID: id, Status: new(acpclient.ToolFailed)})
	}
	s.save()
	if t.cancelled() {
		return acpclient.StopCancelled
	}
	return acpclient.StopEndTurn
}

func (t *turn) cancelled() bool { return t.ctx.Err() != nil }

// pause waits for a time, scaled by the user's speed.
func (t *turn) pause(d time.Duration) {
	s := t.settings()
	_ = t.wait(time.Duration(float64(d) * t.agent.opt.Delay * s.delay()))
}

// wait waits for a time, or until the user skips ahead. It returns an error if the turn is
// cancelled first.
func (t *turn) wait(d time.Duration) error {
	if d <= 0 || t.hurried {
		return t.ctx.Err()
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-t.skip:
		t.hurried = true
	case <-t.ctx.Done():
	}
	return t.ctx.Err()
}

// awaitReader pauses for the time that a user needs to read the text since the last such
// pause.
func (t *turn) awaitReader() {
	t.hurried = false
	t.pause(max(leastReading, time.Duration(t.unread)*readingByte))
	t.unread, t.hurried = 0, false
}

// updateRaw sends an update of a scene, and stores chunks of messages.
func (t *turn) updateRaw(raw json.RawMessage) {
	var n acpclient.SessionNotification
	if acpclient.Unmarshal(script.Encode(map[string]any{"sessionId": t.kept.ID, "update": raw}), &n) != nil {
		return
	}
	if chunk, ok := n.Update.(*acpclient.ContentChunk); ok {
		t.tell(chunk)
		return
	}
	t.notify(n.Update)
}

// step pauses between two steps.
func (t *turn) step() { t.pause(betweenSteps) }

// say streams a message.
func (t *turn) say(text string) { t.stream(acpclient.AgentMessageChunk, text) }

// think streams a thought, whose length depends on the settings.
func (t *turn) think(brief, more string) {
	switch t.settings().Thought {
	case "high":
		t.stream(acpclient.AgentThoughtChunk, brief+" "+more)
	case "low":
		t.stream(acpclient.AgentThoughtChunk, brief)
	}
}

func (t *turn) stream(kind acpclient.ChunkKind, text string) {
	id := acpclient.MessageID(t.nextID("message"))
	for _, piece := range pieces(text) {
		if t.cancelled() {
			return
		}
		t.tell(&acpclient.ContentChunk{Chunk: kind, Content: acpclient.TextBlock(piece), MessageID: id})
		t.pause(betweenPieces)
	}
	if kind == acpclient.AgentMessageChunk {
		t.unread += len(text)
	}
	t.usage(len(text))
}

// pieces cuts a text after words, as a model would stream it.
func pieces(text string) (out []string) {
	const least = 12
	for len(text) > 0 {
		n := min(least, len(text))
		i := strings.IndexAny(text[n:], " \n")
		if i < 0 {
			return append(out, text)
		}
		out = append(out, text[:n+i+1])
		text = text[n+i+1:]
	}
	return out
}

// usage adds a text to the tokens used, and sends the sum.
func (t *turn) usage(bytes int) {
	const bytesPerToken = 4
	tokens := uint64(bytes / bytesPerToken)
	t.mu.Lock()
	m := models()[t.kept.Settings.Model]
	t.kept.Used = min(t.kept.Used+tokens, m.Context)
	t.kept.Cost += float64(tokens) * m.Price / 1e6
	u := &acpclient.UsageUpdate{Used: t.kept.Used, Size: m.Context, Cost: &acpclient.Cost{Amount: t.kept.Cost, Currency: "USD"}}
	t.mu.Unlock()
	t.notify(u)
}

func (t *turn) title(title string) {
	t.mu.Lock()
	t.kept.Title = title
	t.mu.Unlock()
	t.notify(titled(title))
}

// notice sends a message that is not part of the conversation, if the client shows
// notices.
func (t *turn) notice(title, description string) {
	if c := t.agent.capabilities().Session; c != nil && c.Notices != nil {
		t.notify(&acpclient.Notice{Severity: acpclient.NoticeInfo, Title: title, Description: description})
	}
}

// plan shows a plan whose first steps are done and whose next one is in progress.
func (t *turn) plan(done int) {
	if t.cancelled() {
		return
	}
	p := &acpclient.Plan{}
	for i, step := range t.steps {
		e := acpclient.PlanEntry{Content: step, Priority: acpclient.PlanMedium, Status: acpclient.PlanPending}
		switch {
		case i < done:
			e.Status = acpclient.PlanCompleted
		case i == done:
			e.Status = acpclient.PlanInProgress
		}
		p.Entries = append(p.Entries, e)
	}
	t.tell(p)
}

// begin announces a tool call.
func (t *turn) begin(call acpclient.ToolCall) acpclient.ToolCallID {
	call.ToolCallID = acpclient.ToolCallID(t.nextID("call"))
	if t.cancelled() {
		return call.ToolCallID
	}
	t.open = append(t.open, call.ToolCallID)
	t.tell(&call)
	return call.ToolCallID
}

// setCall changes a tool call's status, and its content if there is any.
func (t *turn) setCall(id acpclient.ToolCallID, status acpclient.ToolCallStatus, content ...acpclient.ToolCallContent) {
	if t.cancelled() {
		return // work closes it
	}
	if status == acpclient.ToolCompleted || status == acpclient.ToolFailed {
		t.open = slices.DeleteFunc(t.open, func(o acpclient.ToolCallID) bool { return o == id })
	}
	t.tell(&acpclient.ToolCallUpdate{ToolCallID: id, Status: &status, Content: content})
}

// failCall closes a tool call with what went wrong.
func (t *turn) failCall(id acpclient.ToolCallID, why string) {
	t.setCall(id, acpclient.ToolFailed, acpclient.TextContent(why))
}
