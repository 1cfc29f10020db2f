package conversation

import (
	"bytes"
	"slices"
	"strings"

	"parley/acpclient"
)

// tool returns the tool call with this id, new if there was none.
func (c *Conversation) tool(id acpclient.ToolCallID) *ToolCall {
	t := c.tools[id]
	if t == nil {
		t = c.newTool(id)
	}
	return t
}

// newTool announces a tool call. One without an id is known to nobody else.
func (c *Conversation) newTool(id acpclient.ToolCallID) *ToolCall {
	c.closeMessage()
	c.echo = echo{}
	t := &ToolCall{ID: id, Kind: acpclient.ToolOther, Live: c.Turn.Running, turn: c.turns}
	if t.Live {
		c.live = append(c.live, t)
	}
	if id != "" {
		c.tools[id] = t
	}
	c.add(t)
	return t
}

// toolCall announces a call; one that is known already is brought up to date.
// Agents that count their calls from 1 in each turn mean another one.
func (c *Conversation) toolCall(u *acpclient.ToolCall) {
	t := c.tools[u.ToolCallID]
	if t == nil || t.turn != c.turns && t.ended() {
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

func (c *Conversation) toolCallUpdate(u *acpclient.ToolCallUpdate) {
	c.change(c.tool(u.ToolCallID), u)
}

// change brings a tool call up to date: what is nil stays as it is.
func (c *Conversation) change(t *ToolCall, u *acpclient.ToolCallUpdate) {
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

// setStatus takes what the agent says. A call that was done before the cancel
// reached it was done.
func (t *ToolCall) setStatus(s acpclient.ToolCallStatus) {
	t.Status = s
	if t.ended() {
		t.Cancelled = false
	}
}

// toolRequest merges what a permission request says about its call. It fills
// in, and never takes away: an empty title, content or input says nothing.
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
		t = c.tool(u.ToolCallID)
	}
	if thin.Status != nil && t.Status != "" {
		thin.Status = nil // the call itself knows better
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
	c.change(t, &thin)
	return t
}

// saysNothing reports JSON that is empty, however it is spelled.
func saysNothing(raw []byte) bool {
	switch string(bytes.Join(bytes.Fields(raw[:min(len(raw), 16)]), nil)) {
	case "{}", `""`, "[]":
		return true
	}
	return false
}

func (c *Conversation) toolParts(t *ToolCall, content []acpclient.ToolCallContent, locations []acpclient.ToolCallLocation, in, out []byte) {
	if content != nil {
		t.Content = content
		for i := range content {
			if content[i].Type == acpclient.ToolContentTerminal {
				c.embed(t, c.terminal(content[i].TerminalID))
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

func (c *Conversation) embed(t *ToolCall, term *Terminal) {
	if !slices.Contains(t.Terminals, term) {
		t.Terminals = append(t.Terminals, term)
		term.users = append(term.users, t)
	}
}

// parentPaths are where agents in the field name the tool call that a subagent
// works for.
var parentPaths = [][]string{{"claudeCode", "parentToolUseId"}, {"parentToolUseId"}, {"parentToolCallId"}, {"subagent", "parentToolCallId"}}

// parentOf returns the tool call that something was done for, "" if none is
// named.
func parentOf(m acpclient.Meta) acpclient.ToolCallID {
	if len(m) == 0 {
		return ""
	}
	for _, path := range parentPaths {
		if parent, ok := acpclient.MetaValue[acpclient.ToolCallID](m, path...); ok && parent != "" {
			return parent
		}
	}
	return ""
}

// toolMeta reads the extensions that agents in the field use: the parent of a
// subagent's call, and terminals that the agent runs itself.
func (c *Conversation) toolMeta(t *ToolCall, m acpclient.Meta) {
	if len(m) == 0 {
		return
	}
	if parent := parentOf(m); parent != "" && parent != t.ID {
		t.Parent = parent
	}
	if info, ok := acpclient.MetaValue[struct {
		ID  acpclient.TerminalID `json:"terminal_id"`
		Cwd string               `json:"cwd"`
	}](m, "terminal_info"); ok && info.ID != "" {
		term := c.terminal(info.ID)
		term.Own, term.Cwd = true, info.Cwd
		c.embed(t, term)
	}
	if out, ok := acpclient.MetaValue[struct {
		ID   acpclient.TerminalID `json:"terminal_id"`
		Data string               `json:"data"`
	}](m, "terminal_output"); ok && out.ID != "" {
		term := c.ownTerminal(t, out.ID)
		term.write([]byte(out.Data))
	}
	if exit, ok := acpclient.MetaValue[struct {
		ID     acpclient.TerminalID `json:"terminal_id"`
		Code   *int                 `json:"exit_code"`
		Signal string               `json:"signal"`
	}](m, "terminal_exit"); ok && exit.ID != "" {
		term := c.ownTerminal(t, exit.ID)
		term.Exit = &acpclient.TerminalExitStatus{ExitCode: exit.Code, Signal: exit.Signal}
		term.changed()
	}
}

func (c *Conversation) ownTerminal(t *ToolCall, id acpclient.TerminalID) *Terminal {
	_, known := c.Terminals[id]
	term := c.terminal(id)
	if !known {
		term.Own = true
	}
	c.embed(t, term)
	return term
}

func (c *Conversation) permissionOpened(e PermissionOpened) {
	t := c.toolRequest(&e.Request.ToolCall)
	t.Answer = nil
	c.Permissions = append(c.Permissions, &Permission{ID: e.ID, ToolCall: t, Options: e.Request.Options})
}

func (c *Conversation) permissionClosed(e PermissionClosed) {
	for i, p := range c.Permissions {
		if p.ID != e.ID {
			continue
		}
		c.Permissions = append(c.Permissions[:i:i], c.Permissions[i+1:]...)
		answer := &PermissionAnswer{Cancelled: e.Outcome.Cancelled()}
		for _, o := range p.Options {
			if !answer.Cancelled && o.OptionID == e.Outcome.OptionID {
				answer.Option = o
				break
			}
		}
		p.ToolCall.Answer = answer
		p.ToolCall.changed()
		return
	}
}

func set[T any](field *T, v *T) {
	if v != nil {
		*field = *v
	}
}
