package conversation

import (
	"bytes"
	"slices"
	"strings"

	"parley/acpclient"
)

// toolByID returns the tool call with this id, a new one if there was none.
func (c *Conversation) toolByID(id acpclient.ToolCallID) *ToolCall {
	t := c.tools[id]
	if t == nil {
		t = c.newTool(id)
	}
	return t
}

// newTool adds a tool call. Nothing can refer to one without an id later.
func (c *Conversation) newTool(id acpclient.ToolCallID) *ToolCall {
	c.closeMessage()
	c.echo = echo{}
	t := &ToolCall{ID: id, Kind: acpclient.ToolOther, Live: c.Turn.Running, announced: c.turns}
	if t.Live {
		c.liveTools = append(c.liveTools, t)
	}
	if id != "" {
		c.tools[id] = t
	}
	c.addItem(t)
	return t
}

// applyToolCall adds a call, or brings the one with its id up to date. If that one
// ended in an earlier turn, a new one is added: some agents count their calls from
// 1 in each turn.
func (c *Conversation) applyToolCall(u *acpclient.ToolCall) {
	t := c.tools[u.ToolCallID]
	if t == nil || t.announced != c.turns && t.ended() {
		t = c.newTool(u.ToolCallID)
	}
	if u.Title != "" {
		t.Title = u.Title
	}
	if u.Name != "" {
		t.Name = u.Name
	}
	if u.Kind != "" {
		t.Kind = u.Kind
	}
	if u.Status != "" {
		t.setStatus(u.Status)
	}
	c.toolParts(t, u.Content, u.Locations, u.RawInput, u.RawOutput)
	c.toolMeta(t, u.Meta)
	t.changed()
}

func (c *Conversation) applyToolCallUpdate(u *acpclient.ToolCallUpdate) {
	c.changeTool(c.toolByID(u.ToolCallID), u)
}

// changeTool brings a tool call up to date. What is nil in the update stays as it
// is.
func (c *Conversation) changeTool(t *ToolCall, u *acpclient.ToolCallUpdate) {
	set(&t.Title, u.Title)
	set(&t.Name, u.Name)
	set(&t.Kind, u.Kind)
	if u.Status != nil {
		t.setStatus(*u.Status)
	}
	c.toolParts(t, u.Content, u.Locations, u.RawInput, u.RawOutput)
	c.toolMeta(t, u.Meta)
	t.changed()
}

// setStatus takes the agent's word for how far the call is, also after a cancel:
// the call may have been done before the cancel reached it.
func (t *ToolCall) setStatus(s acpclient.ToolCallStatus) {
	t.Status = s
	if t.ended() {
		t.Cancelled = false
	}
}

// toolRequest takes what a permission request says about its call. It adds to what
// is known and takes nothing away: an empty title, content or input in the request
// only means that the agent has left it out.
func (c *Conversation) toolRequest(u *acpclient.ToolCallUpdate) *ToolCall {
	thin := *u
	if thin.Title != nil && strings.TrimSpace(*thin.Title) == "" {
		thin.Title = nil
	}
	if thin.Kind != nil && (*thin.Kind == "" || *thin.Kind == acpclient.ToolOther) {
		thin.Kind = nil
	}
	var t *ToolCall
	if u.ToolCallID == "" {
		t = c.newTool("")
	} else {
		t = c.toolByID(u.ToolCallID)
	}
	if thin.Status != nil && t.Status != "" {
		thin.Status = nil // what was said about the call itself counts
	}
	if len(thin.Content) == 0 {
		thin.Content = nil
	}
	if len(thin.Locations) == 0 {
		thin.Locations = nil
	}
	if saysNothing(thin.RawInput) {
		thin.RawInput = nil
	}
	c.changeTool(t, &thin)
	return t
}

// saysNothing reports whether JSON is an empty object, array or string, however it
// is spelled.
func saysNothing(raw []byte) bool {
	switch string(bytes.Join(bytes.Fields(raw[:min(len(raw), 16)]), nil)) {
	case "{}", `""`, "[]":
		return true
	}
	return false
}

// toolParts replaces the parts of a call that are there.
func (c *Conversation) toolParts(t *ToolCall, content []acpclient.ToolCallContent, locations []acpclient.ToolCallLocation, in, out []byte) {
	if content != nil {
		t.Content = content
		for i := range content {
			if content[i].Type == acpclient.ToolContentTerminal {
				c.embedTerminal(t, c.terminalByID(content[i].TerminalID))
			}
		}
	}
	if locations != nil {
		t.Locations = locations
	}
	if len(in) > 0 {
		t.RawInput = in
	}
	if len(out) > 0 {
		t.RawOutput = out
	}
}

// embedTerminal shows a terminal in a call, once.
func (c *Conversation) embedTerminal(t *ToolCall, term *Terminal) {
	if !slices.Contains(t.Terminals, term) {
		t.Terminals = append(t.Terminals, term)
		term.users = append(term.users, t)
	}
}

// set gives a field a value, if there is one.
func set[T any](field *T, v *T) {
	if v != nil {
		*field = *v
	}
}
