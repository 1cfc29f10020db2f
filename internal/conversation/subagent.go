package conversation

import (
	"slices"
	"strings"
	"time"

	"parley/acpclient"
)

// Subagent is a session that the agent has begun for itself and reports to the client
// (unstable). The transcript shows it as a tool call, so that its work nests, is counted and
// is answered like that of any other subagent.
type Subagent struct {
	Session acpclient.SessionID
	// Description is its purpose, "" if the agent gives none.
	Description string
	// Cwd is its directory, "" for that of its parent.
	Cwd string
	// Cost is nil if the agent reports none.
	Cost *acpclient.Cost
	// Waits means that it reports waiting for the user.
	Waits bool
}

// Subagent returns the call that stands for a subagent's session, nil for any other session.
func (s *State) Subagent(id acpclient.SessionID) *ToolCall { return s.subagents[id] }

// RunningSubagents returns the calls of running subagents, oldest first.
func (s *State) RunningSubagents() (all []*ToolCall) {
	for _, t := range s.delegated {
		if t.Running() {
			all = append(all, t)
		}
	}
	return all
}

// Nested reports whether the meta of an update names a call that it belongs to.
func Nested(meta acpclient.Meta) bool { return firstOf[acpclient.ToolCallID](meta, parentPaths) != "" }

// parentOf returns the id of the call that an update belongs to: the one that its meta names,
// or that of the subagent in whose session it came. In such a session, agents may name the
// call that began it, which is not shown.
func (s *State) parentOf(meta acpclient.Meta) acpclient.ToolCallID {
	named := firstOf[acpclient.ToolCallID](meta, parentPaths)
	if s.by != nil && s.tools[named] == nil {
		return s.by.ID
	}
	return named
}

// applySubagentUpdate creates or updates a subagent's call.
func (s *State) applySubagentUpdate(u *acpclient.SubagentUpdate, at time.Time) {
	t := s.subagents[u.SessionID]
	if t == nil {
		t = s.newTool(acpclient.ToolCallID("subagent "+u.SessionID), nil, at)
		t.Title, t.Subagent = "Subagent", &Subagent{Session: u.SessionID}
		s.subagents[u.SessionID] = t
	}
	if title := u.Title.Value; title != nil && *title != "" {
		t.Title = *title
	}
	field(&t.Subagent.Description, u.Description)
	field(&t.Subagent.Cwd, u.Cwd)
	if u.Capabilities.Set {
		t.CanCancel = u.Capabilities.Value != nil && u.Capabilities.Value.Cancel != nil
	}
	change := &acpclient.ToolCallUpdate{}
	if state := u.State.Value; state != nil {
		t.Subagent.Waits = state.State == acpclient.WorkRequiresAction
		change.Status = subagentStatus(state)
		if state.Error != nil {
			words := acpclient.TextBlock(state.Error.Words())
			change.Content = acpclient.ToolCallContents{{Type: acpclient.ToolContentBlock, Content: &words}}
		}
	}
	if change.Status != nil && *change.Status == acpclient.ToolInProgress {
		t.Cancelled, t.Rejected = false, false // its parent may have resumed it
		if !t.Live && s.Phase == PhaseReady {
			t.Live = true
			s.liveTools = append(s.liveTools, t)
		}
	}
	s.changeTool(t, change, at)
	if s.dropEnded(); t.Running() && !slices.Contains(s.delegated, t) {
		s.delegated = append(s.delegated, t)
	}
}

// dropEnded drops ended subagents from those that run.
func (s *State) dropEnded() {
	s.delegated = slices.DeleteFunc(s.delegated, func(t *ToolCall) bool { return !t.Running() })
}

// subagentStatus returns a session's state as the status of its call, nil for an unknown
// state.
func subagentStatus(u *acpclient.StateUpdate) *acpclient.ToolCallStatus {
	var status acpclient.ToolCallStatus
	switch {
	case u.State == acpclient.WorkRunning || u.State == acpclient.WorkRequiresAction:
		status = acpclient.ToolInProgress
	case u.State != acpclient.WorkIdle:
		return nil
	case u.StopReason == acpclient.StopCancelled:
		status = acpclient.ToolCancelled
	case u.StopReason == acpclient.StopError || u.Error != nil:
		status = acpclient.ToolFailed
	default:
		status = acpclient.ToolCompleted
	}
	return &status
}

// applyOfSubagent folds an update in a subagent's session that would otherwise change the main
// session. A subagent's plan becomes the tasks of its call.
func (s *State) applyOfSubagent(update acpclient.SessionUpdate) {
	switch u := update.(type) {
	case *acpclient.Plan:
		s.by.Tasks = first(u.Entries, mostEntries)
		s.by.changed()
		s.effect.calls = append(s.effect.calls, s.by)
	case *acpclient.UsageUpdate:
		if u.Cost != nil {
			s.by.Subagent.Cost = u.Cost
		}
	}
}

// applySessionMessage shows, below the child, what parent and child say to each other. Such a
// message arrives on both sessions and is shown once.
func (c *Conversation) applySessionMessage(u *acpclient.SessionMessage) {
	ids := []acpclient.MessageID{u.MessageID}
	for _, id := range []acpclient.Field[acpclient.MessageID]{u.SenderMessageID, u.RecipientMessageID} {
		if id.Value != nil {
			ids = append(ids, *id.Value)
		}
	}
	var m *Message
	for _, id := range ids {
		if m = c.between[id]; m != nil {
			break
		}
	}
	if m == nil {
		if note := c.quirks().LaunchNote; note != "" && u.Content.Value != nil && len(*u.Content.Value) > 0 && strings.HasPrefix((*u.Content.Value)[0].Text, note) {
			return
		}
		to, from := c.endOf(u.RecipientSessionID), c.endOf(u.SenderSessionID)
		m = &Message{Chunk: acpclient.AgentMessageChunk, Done: true, Relayed: true}
		switch {
		case to != nil:
			m.Chunk, m.Parent = acpclient.UserMessageChunk, to.ID
		case from != nil:
			m.Parent = from.ID
		}
		c.closeMessage()
		c.addNested(m, m.Parent)
	}
	for _, id := range ids {
		c.between[id] = m
	}
	if u.Content.Set {
		var content []acpclient.ContentBlock
		if u.Content.Value != nil {
			content = *u.Content.Value
		}
		m.replace(content)
	}
}

// endOf returns the subagent at one end of a message, nil if that is the main session.
func (c *Conversation) endOf(id acpclient.Field[acpclient.SessionID]) *ToolCall {
	if id.Value == nil {
		return nil
	}
	return c.subagents[*id.Value]
}
