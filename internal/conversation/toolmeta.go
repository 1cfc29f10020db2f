package conversation

import "parley/acpclient"

// Some agents say in _meta what the protocol has no field for: for which tool
// call a subagent works, and what a command prints that the agent runs itself.

// ownInfo, ownOutput and ownExit are what agents say in _meta of a
// tool call about a terminal of their own.
type (
	ownInfo struct {
		ID  acpclient.TerminalID `json:"terminal_id"`
		Cwd string               `json:"cwd"`
	}
	ownOutput struct {
		ID   acpclient.TerminalID `json:"terminal_id"`
		Data string               `json:"data"`
	}
	ownExit struct {
		ID     acpclient.TerminalID `json:"terminal_id"`
		Code   *int                 `json:"exit_code"`
		Signal string               `json:"signal"`
	}
)

// toolMeta takes what the _meta of a tool call says.
func (c *Conversation) toolMeta(t *ToolCall, m acpclient.Meta) {
	if len(m) == 0 {
		return
	}
	if parent := parentOf(m); parent != "" && parent != t.ID && parent != t.Parent {
		t.Parent = parent
		c.move(c.nodes[t.index], parent)
	}
	if info, ok := acpclient.MetaValue[ownInfo](m, "terminal_info"); ok && info.ID != "" {
		term := c.terminalByID(info.ID)
		term.Own, term.Cwd = true, info.Cwd
		c.embedTerminal(t, term)
	}
	if out, ok := acpclient.MetaValue[ownOutput](m, "terminal_output"); ok && out.ID != "" {
		term := c.ownTerminal(t, out.ID)
		if term.Total() == 0 {
			out.Data = c.quirks().withoutExitCode(out.Data)
		}
		c.printed(term, []byte(out.Data))
	}
	if exit, ok := acpclient.MetaValue[ownExit](m, "terminal_exit"); ok && exit.ID != "" {
		c.ownTerminal(t, exit.ID).exited(acpclient.TerminalExitStatus{ExitCode: exit.Code, Signal: exit.Signal})
	}
}

// ownTerminal returns a terminal that the agent runs itself, and shows it in the
// call. The agent need not have announced it.
func (c *Conversation) ownTerminal(t *ToolCall, id acpclient.TerminalID) *Terminal {
	_, known := c.Terminals[id]
	term := c.terminalByID(id)
	if !known {
		term.Own = true
	}
	c.embedTerminal(t, term)
	return term
}

// parentPaths are where agents name the tool call that a subagent works for.
var parentPaths = [][]string{{"claudeCode", "parentToolUseId"}, {"parentToolUseId"}, {"parentToolCallId"}, {"subagent", "parentToolCallId"}}

// parentOf returns the id of the parent tool call, or "".
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
