package demoagent

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"parley/acpclient"
	v2 "parley/acpclient/v2"
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

// turn is one prompt being worked on: it plays a scene. Once it is cancelled its methods do
// nothing, and its scene ends with the step.
type turn struct {
	*session
	script.Run                 // whose Context ends when the turn is cancelled
	calls      context.Context // for questions to the client; ends after cancelGrace
	open       []acpclient.ToolCallID

	steps       []string          // of the plan
	files       map[string]string // the files that were read
	unread      int               // bytes said since the last pause for reading
	hurried     bool              // the user has skipped ahead, to the next pause for reading
	ifCancelled json.RawMessage   // the update to send if the turn is cancelled
}

// prompt answers a prompt.
func (a *agent) prompt(request context.Context, r *acpclient.PromptRequest) (any, error) {
	s, err := a.session(r.SessionID)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(request)
	defer cancel()
	calls, endCalls := context.WithCancel(request)
	defer endCalls()
	s.mu.Lock()
	if s.cancel != nil {
		s.mu.Unlock()
		return nil, &acpclient.Error{Code: acpclient.CodeInvalidRequest, Message: "a turn is running in this session"}
	}
	s.cancel, s.skip = cancel, make(chan struct{}, 1)
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		s.cancel, s.skip = nil, nil
		s.mu.Unlock()
	}()
	stop := context.AfterFunc(ctx, func() {
		t := time.NewTimer(cancelGrace)
		defer t.Stop()
		select {
		case <-t.C:
		case <-calls.Done():
		}
		endCalls()
	})
	defer stop()
	acpclient.Async(request)
	t := &turn{session: s, Run: script.Run{Context: ctx}, calls: calls, files: map[string]string{}}
	for _, block := range r.Prompt {
		t.keep(&acpclient.ContentChunk{Chunk: acpclient.UserMessageChunk, Content: block, MessageID: v2.PromptID(request)})
	}
	t.answer(r.Prompt)
	t.usage(0)
	for _, id := range t.open {
		t.notify(&acpclient.ToolCallUpdate{ToolCallID: id, Status: new(acpclient.ToolFailed)})
	}
	reason := acpclient.StopEndTurn
	if t.cancelled() {
		reason = acpclient.StopCancelled
	}
	return &acpclient.PromptResponse{StopReason: reason}, request.Err()
}

func (t *turn) cancelled() bool { return t.Context.Err() != nil }

// pause waits for a time, scaled by the user's speed.
func (t *turn) pause(d time.Duration) {
	_ = t.Wait(time.Duration(float64(d) * t.agent.delay * t.current().delay()))
}

// Wait implements script.Speaker. It returns early when the user skips ahead.
func (t *turn) Wait(d time.Duration) error {
	if d <= 0 || t.hurried {
		return t.Context.Err()
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-t.skip:
		t.hurried = true
	case <-t.Context.Done():
	}
	return t.Context.Err()
}

// awaitReader pauses for the time that a user needs to read the text since the last such
// pause.
func (t *turn) awaitReader() {
	t.hurried = false
	t.pause(max(leastReading, time.Duration(t.unread)*readingByte))
	t.unread, t.hurried = 0, false
}

// Update implements script.Speaker.
func (t *turn) Update(raw json.RawMessage) error {
	return t.Notify(acpclient.SessionUpdateNotification.Name, script.Encode(map[string]any{"sessionId": t.id, "update": raw}))
}

// Notify implements script.Speaker.
func (t *turn) Notify(method string, params json.RawMessage) error {
	return t.agent.conn.Notify(method, params)
}

// Request implements script.Speaker. It waits for the answer.
func (t *turn) Request(method string, params json.RawMessage, name, _ string) error {
	var result json.RawMessage
	err := t.agent.conn.Call(t.calls, method, params, &result)
	t.Set(name, result)
	t.done(err)
	return nil
}

// step pauses between two steps.
func (t *turn) step() { t.pause(betweenSteps) }

// Say implements script.Speaker: it streams a message, or a thought, of which low effort shows
// the first line.
func (t *turn) Say(kind, text string) error {
	chunk := acpclient.ChunkKind(kind)
	if chunk == acpclient.AgentMessageChunk {
		t.stream(chunk, strings.TrimSuffix(text, "\n")+"\n")
		return nil
	}
	brief, more, _ := strings.Cut(strings.TrimSpace(text), "\n")
	switch t.current()["thought"].ID {
	case "high":
		t.stream(chunk, brief+" "+more)
	case "low":
		t.stream(chunk, brief)
	}
	return nil
}

// say streams a message.
func (t *turn) say(text string) { t.stream(acpclient.AgentMessageChunk, text) }

func (t *turn) stream(kind acpclient.ChunkKind, text string) {
	id := acpclient.MessageID(t.nextID("message"))
	for _, piece := range pieces(text) {
		if t.cancelled() {
			return
		}
		t.notify(&acpclient.ContentChunk{Chunk: kind, Content: acpclient.TextBlock(piece), MessageID: id})
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
	m := t.settings.model()
	t.used = min(t.used+tokens, m.Context)
	t.cost += float64(tokens) * m.Price / 1e6
	u := &acpclient.UsageUpdate{Used: t.used, Size: m.Context, Cost: &acpclient.Cost{Amount: t.cost, Currency: "USD"}}
	t.mu.Unlock()
	t.notify(u)
}

func (t *turn) title(title string) {
	t.titled = true
	t.notify(&acpclient.SessionInfoUpdate{Title: acpclient.SetTo(title)})
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
	t.notify(p)
}

// begin announces a tool call.
func (t *turn) begin(call acpclient.ToolCall) acpclient.ToolCallID {
	call.ToolCallID = acpclient.ToolCallID(t.nextID("call"))
	if t.cancelled() {
		return call.ToolCallID
	}
	t.open = append(t.open, call.ToolCallID)
	t.notify(&call)
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
	t.notify(&acpclient.ToolCallUpdate{ToolCallID: id, Status: &status, Content: content})
}

// failCall closes a tool call with what went wrong.
func (t *turn) failCall(id acpclient.ToolCallID, why string) {
	t.setCall(id, acpclient.ToolFailed, acpclient.TextContent(why))
}
