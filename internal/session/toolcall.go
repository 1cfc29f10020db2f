package session

import (
	"slices"
	"strings"

	"parley/acpclient"
)

// tool returns the tool call with this id, new if there was none.
func (c *Conversation) tool(id acpclient.ToolCallID) *ToolCall {
	t := c.tools[id]
	if t == nil {
		c.closeMessage()
		t = &ToolCall{ID: id, Kind: acpclient.ToolOther, Live: c.Turn.Running}
		c.tools[id] = t
		c.add(t)
	}
	return t
}

// toolCall announces a call; one that is known already is brought up to date.
func (c *Conversation) toolCall(u *acpclient.ToolCall) {
	t := c.tool(u.ToolCallID)
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
		t.Status = u.Status
	}
	c.toolParts(t, u.Content, u.Locations, u.RawInput, u.RawOutput)
	c.toolMeta(t, u.Meta)
	t.changed()
}

func (c *Conversation) toolCallUpdate(u *acpclient.ToolCallUpdate) {
	t := c.tool(u.ToolCallID)
	set(&t.Title, u.Title)
	set(&t.Name, u.Name)
	set(&t.Kind, u.Kind)
	if u.Status != nil {
		t.Status = *u.Status
		t.Live = c.Turn.Running && t.Live
	}
	c.toolParts(t, u.Content, u.Locations, u.RawInput, u.RawOutput)
	c.toolMeta(t, u.Meta)
	t.changed()
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
	t := c.tool(u.ToolCallID)
	if thin.Status != nil && t.Status != "" {
		thin.Status = nil // the call itself knows better
	}
	if len(thin.Content) == 0 {
		thin.Content = nil
	}
	if len(thin.Locations) == 0 {
		thin.Locations = nil
	}
	if s := string(thin.RawInput); s == "{}" || s == `""` || s == "[]" {
		thin.RawInput = nil
	}
	c.toolCallUpdate(&thin)
	return t
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

// toolMeta reads the extensions that agents in the field use: the parent of a
// subagent's call, and terminals that the agent runs itself.
func (c *Conversation) toolMeta(t *ToolCall, m acpclient.Meta) {
	if len(m) == 0 {
		return
	}
	for _, path := range [][]string{{"claudeCode", "parentToolUseId"}, {"parentToolUseId"}, {"parentToolCallId"}, {"subagent", "parentToolCallId"}} {
		if parent, ok := acpclient.MetaValue[acpclient.ToolCallID](m, path...); ok && parent != "" && parent != t.ID {
			t.Parent = parent
			break
		}
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
	c.Permissions = append(c.Permissions, &Permission{ID: e.ID, ToolCall: t, Options: e.Request.Options})
}

func (c *Conversation) permissionClosed(e PermissionClosed) {
	for i, p := range c.Permissions {
		if p.ID != e.ID {
			continue
		}
		c.Permissions = append(c.Permissions[:i:i], c.Permissions[i+1:]...)
		p.ToolCall.changed()
		return
	}
}

func set[T any](field *T, v *T) {
	if v != nil {
		*field = *v
	}
}
