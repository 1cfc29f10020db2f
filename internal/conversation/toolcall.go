package conversation

import (
	"bytes"
	"iter"
	"slices"
	"strings"
	"time"

	"parley/acpclient"
)

// saying is the kind of message about a call.
type saying int

const (
	updates   saying = iota // a tool_call_update
	announces               // a tool_call
	asks                    // a permission request
)

// toolOf returns the call that a message is about. Many agents number their calls from 1 in
// each turn, some in each message: an ended call is not the one that begins.
func (s *State) toolOf(u *acpclient.ToolCallUpdate, says saying, at time.Time) *ToolCall {
	t := s.tools[u.ToolCallID]
	known := t != nil && !s.begins(t, u, says)
	switch taken := s.shownBy(u.Content, !known && u.ToolCallID != ""); {
	case known:
		return t
	case taken != nil:
		taken.Title, taken.Status, s.effect.taken = "", "", true
		return s.announce(taken, u.ToolCallID, u.Meta, at)
	}
	return s.newTool(u.ToolCallID, u.Meta, at)
}

// begins reports whether a message begins another call with the id of t.
func (s *State) begins(t *ToolCall, u *acpclient.ToolCallUpdate, says saying) bool {
	earlier := t.announced != s.turns
	over := t.ended() || earlier && (t.Cancelled || t.Rejected)
	switch {
	case says == updates:
		return t.ended() && u.Status != nil && !ended(*u.Status)
	case says == asks && over:
		return true // the question must not show an earlier call
	case over:
		// Some agents report the end of a call twice, or announce it late.
		return earlier || t.Title != "" && !(u.Status != nil && ended(*u.Status) && t.fits(u))
	}
	parent := s.tools[t.Parent]
	outlives := t.Live || t.Parent != "" && parent != nil && parent.Live // its turn, in the background or for a subagent there
	return earlier && !outlives && (!t.fits(u) || says == announces || says == asks && describes(u))
}

// describes reports whether a message says what its call does. A question that does not can
// only be about a call that is known.
func describes(u *acpclient.ToolCallUpdate) bool {
	return u.Title != nil && strings.TrimSpace(*u.Title) != "" || len(u.RawInput) > 0 && !saysNothing(u.RawInput)
}

// fits reports whether a message agrees with what is known about the call.
func (t *ToolCall) fits(u *acpclient.ToolCallUpdate) bool {
	titled := u.Title != nil && strings.TrimSpace(*u.Title) != "" && *u.Title != t.Title
	return !titled && (len(u.RawInput) == 0 || saysNothing(u.RawInput) || bytes.Equal(u.RawInput, t.RawInput))
}

// Tool returns the tool call with this id, or nil.
func (s *State) Tool(id acpclient.ToolCallID) *ToolCall { return s.tools[id] }

// Changed returns the tool call that the last event has changed, the first of several.
func (s *State) Changed() *ToolCall { return s.effect.calls[0] }

// CallOf returns the call that an update describes.
func CallOf(u *acpclient.ToolCallUpdate) *ToolCall {
	t := &ToolCall{Kind: acpclient.ToolOther}
	t.apply(u)
	return t
}

// InProgress returns the calls of the running turn that are in progress, or have output and no end.
func (s *State) InProgress() iter.Seq[*ToolCall] {
	return func(yield func(*ToolCall) bool) {
		for _, t := range s.liveTools {
			begun := t.Status == acpclient.ToolInProgress || t.Status != acpclient.ToolCompleted && t.Status != acpclient.ToolFailed && len(t.RawOutput) > 0
			if begun && !t.Cancelled && t.Subagent == nil && !yield(t) {
				return
			}
		}
	}
}

// newTool creates a tool call. Later messages cannot refer to one without an id. In replayed
// history, at is zero.
func (s *State) newTool(id acpclient.ToolCallID, meta acpclient.Meta, at time.Time) *ToolCall {
	return s.announce(&ToolCall{Kind: acpclient.ToolOther}, id, meta, at)
}

// announce registers a call under an id.
func (s *State) announce(t *ToolCall, id acpclient.ToolCallID, meta acpclient.Meta, at time.Time) *ToolCall {
	parent := s.parentOf(meta)
	if parent == id {
		parent = ""
	}
	live := s.Turn.Running || s.Phase == PhaseReady && s.Busy() // not replayed history
	t.ID, t.Parent, t.Live, t.announced = id, parent, live, s.turns
	if t.Live {
		t.Started = at
		s.liveTools = append(s.liveTools, t)
	}
	s.last.end()
	s.heldCalls.add(t)
	s.forgetCalls()
	if id != "" {
		s.tools[id] = t
		delete(s.questioned, id)
	}
	return t
}

// forgetCalls has the State forget the oldest of very many calls, those that have ended, with all
// their content.
func (s *State) forgetCalls() {
	items := s.heldCalls.items
	if len(items) <= mostCalls {
		return
	}
	oldest := mostCalls / 4 // to do this rarely
	past := map[*ToolCall]bool{}
	kept := make([]reducible, 0, mostCalls+1)
	for i, item := range items {
		t := item.(*ToolCall)
		if i >= oldest || !t.ended() || t.Subagent != nil {
			kept = append(kept, t)
			continue
		}
		past[t] = true
		s.heldCalls.reduce(t, 0, effort{small: true})
		if t.Live = false; s.tools[t.ID] == t {
			delete(s.tools, t.ID)
		}
	}
	s.heldCalls.items = kept
	s.liveTools = slices.DeleteFunc(s.liveTools, func(t *ToolCall) bool { return past[t] })
}

// applyToolCall creates or updates a call.
func (s *State) applyToolCall(u *acpclient.ToolCall, at time.Time) {
	update := &acpclient.ToolCallUpdate{
		ToolCallID: u.ToolCallID, Title: given(&u.Title), Name: given(&u.Name), Kind: given(&u.Kind), Status: given(&u.Status),
		Content: u.Content, Locations: u.Locations, RawInput: u.RawInput, RawOutput: u.RawOutput, Meta: u.Meta,
	}
	s.updateTool(s.toolOf(update, announces, at), at, update)
}

// updateTool applies what the agent says about a call outside its questions. It modifies the
// update.
func (s *State) updateTool(t *ToolCall, at time.Time, u *acpclient.ToolCallUpdate) {
	s.exitCode(t, u)
	u.Content = s.shown(u.Content)
	s.changeTool(t, u, at)
	s.questionsFollow(t, u)
}

// applyToolCallContentChunk adds to the content of a call.
func (s *State) applyToolCallContentChunk(u *acpclient.ToolCallContentChunk, at time.Time) {
	t := s.tools[u.ToolCallID]
	if t == nil {
		t = s.toolOf(&acpclient.ToolCallUpdate{ToolCallID: u.ToolCallID, Content: u.Content, Meta: u.Meta}, updates, at)
	} else {
		s.shownBy(u.Content, false)
	}
	t.add(s.shown(u.Content))
	update := &acpclient.ToolCallUpdate{ToolCallID: u.ToolCallID, Meta: u.Meta}
	s.changeTool(t, update, at)
	update.Content = t.Content
	s.questionsFollow(t, update)
}

// add appends to the content in amortised constant time. The first time it copies the content,
// so that received updates stay unchanged; copies of the call keep their length.
func (t *ToolCall) add(content acpclient.ToolCallContents) {
	if !t.grows {
		t.Content = slices.Clip(t.Content)
	}
	t.Content, t.grows = append(t.Content, content...), true
}

// changeTool updates a tool call. Fields that are nil in the update stay.
func (s *State) changeTool(t *ToolCall, u *acpclient.ToolCallUpdate, at time.Time) {
	before := t.Status
	t.apply(u)
	t.clockFrom(before, at)
	if parent := s.parentOf(u.Meta); parent != "" && parent != t.ID && parent != t.Parent {
		t.Parent = parent
		s.effect.moved = true
	}
	if t.ended() {
		delete(s.questioned, t.ID) // a later question would be about another call
	}
	if s.by == nil && len(t.Tasks) > 0 && len(u.RawInput) > 0 && !saysNothing(u.RawInput) && !s.plans {
		s.applyProgress("", t.Tasks) // of an agent that sends no plans
	}
	s.effect.calls = append(s.effect.calls, t)
}

// apply applies the fields of an update. Those that are nil stay.
func (t *ToolCall) apply(u *acpclient.ToolCallUpdate) {
	t.remember(u.RawInput)
	set(&t.Title, u.Title)
	set(&t.Name, u.Name)
	set(&t.Kind, u.Kind)
	if u.Status != nil {
		t.Status = *u.Status
		if t.ended() {
			// The agent's word counts even after a cancel or a denial: the call may have ended
			// before that reached it. A denied call that failed was rejected, a cancelled one
			// cancelled: agents have no other word for that.
			failed := t.Status == acpclient.ToolFailed
			t.Cancelled, t.Rejected = t.Status == acpclient.ToolCancelled || failed && t.Cancelled, failed && t.Answer.Rejects()
		}
	}
	if u.Content != nil {
		t.Content, t.grows = u.Content, false
	}
	if u.Locations != nil {
		t.Locations = u.Locations
	}
	if len(u.RawInput) > 0 {
		t.RawInput = u.RawInput
		if tasks := tasksOf(u.RawInput); tasks != nil {
			t.Tasks = tasks
		}
	}
	if len(u.RawOutput) > 0 {
		t.RawOutput = u.RawOutput
	}
	if u.Capabilities != nil {
		t.CanCancel = u.Capabilities.Cancel != nil
	}
	t.changed()
}

// AskedAs returns the call as the question that was answered showed it, if the agent calls it something else
// since, else nil: the answer is about that.
func (t *ToolCall) AskedAs() *ToolCall {
	if t.Answer == nil || t.Answer.Cancelled || len(t.Asked) == 0 {
		return nil
	}
	asked := t.Asked[len(t.Asked)-1]
	if title := strings.TrimSpace(asked.Title); title == "" || title == strings.TrimSpace(t.Title) {
		return nil
	}
	return asked
}

// mostEarlier bounds the calls of ToolCall.Earlier.
const mostEarlier = 20

// remember keeps what the call was said to do, if another input follows. An input that only
// grows is still coming in, and its beginning has not been done.
func (t *ToolCall) remember(next []byte) {
	if len(next) == 0 || len(t.Earlier) >= mostEarlier || bytes.HasPrefix(next, bytes.TrimRight(t.RawInput, "\"]} \n")) {
		return
	}
	t.Earlier = append(slices.Clip(t.Earlier),
		&ToolCall{ID: t.ID, Title: t.Title, Name: t.Name, Kind: t.Kind, Locations: t.Locations, RawInput: t.RawInput})
}

// saysNothing reports whether JSON is an empty object, array or string, in any spelling.
func saysNothing(raw []byte) bool {
	switch string(bytes.Join(bytes.Fields(raw[:min(len(raw), 16)]), nil)) {
	case "{}", `""`, "[]":
		return true
	}
	return false
}

// showCall gives a changed call its place in the transcript, and shows the terminals that the
// event names.
func (c *Conversation) showCall(content acpclient.ToolCallContents, rawInput []byte, meta acpclient.Meta) {
	t := c.effect.calls[0]
	n := c.nodeOf(t)
	switch {
	case n == nil:
		c.closeMessage()
		c.echo = Echo{}
		c.addNested(t, t.Parent)
		n = c.nodeOf(t)
	case c.effect.moved:
		c.move(n, t.Parent)
	case c.effect.taken:
		c.nestWaiting(t)
		if t.Parent != "" {
			c.move(n, t.Parent)
		}
	}
	if len(t.Tasks) > 0 && len(rawInput) > 0 && !saysNothing(rawInput) && c.turnPlan == nil && len(c.plans) == 0 {
		c.Plan = &Plan{Entries: t.Tasks} // the agent sends no plans
	}
	c.embedTerminals(t, content)
	c.showOwnTerminals(t, meta)
	c.settle(n)
}

// settleCalls settles the calls that an event has changed. A call may be gone with its
// session.
func (c *Conversation) settleCalls() {
	for _, t := range c.effect.calls {
		if n := c.nodeOf(t); n != nil {
			c.settle(n)
		}
	}
}

// nodeOf returns the node of a call, or nil.
func (c *Conversation) nodeOf(t *ToolCall) *Node {
	if int(t.index) < len(c.Items) && c.Items[t.index] == Item(t) {
		return c.nodes[t.index]
	}
	return nil
}

// embedTerminals shows in a call the terminals that contents name.
func (c *Conversation) embedTerminals(t *ToolCall, content acpclient.ToolCallContents) {
	for i := range content {
		if content[i].Type == acpclient.ToolContentTerminal {
			c.embedTerminal(t, c.terminalByID(content[i].TerminalID))
		}
	}
}

// embedTerminal shows a terminal in a call, once.
func (c *Conversation) embedTerminal(t *ToolCall, term *Terminal) {
	// Search the shorter list: a call can show very many terminals.
	embedded := false
	if len(t.Terminals) <= len(term.users) {
		embedded = slices.Contains(t.Terminals, term)
	} else {
		embedded = slices.Contains(term.users, interface{ changed() }(t))
	}
	if !embedded {
		t.Terminals = append(t.Terminals, term)
		term.users = append(term.users, t)
	}
}

// set sets a field if there is a value.
func set[T any](field *T, v *T) {
	if v != nil {
		*field = *v
	}
}

// given returns v, or nil if it points to a zero value.
func given[T comparable](v *T) *T {
	var none T
	if *v == none {
		return nil
	}
	return v
}

// In _meta, some agents say what the protocol has no field for: which tool call a subagent
// works for, and the output of a command that the agent runs itself.

// ownInfo, ownOutput and ownExit describe an agent's own terminal in _meta of a tool call.
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

// showOwnTerminals applies what _meta of a tool call says about the agent's terminals.
func (c *Conversation) showOwnTerminals(t *ToolCall, m acpclient.Meta) {
	if len(m) == 0 {
		return
	}
	if info, ok := acpclient.MetaValue[ownInfo](m, "terminal_info"); ok && info.ID != "" {
		term := c.terminalByID(info.ID)
		term.Own, term.Cwd = true, info.Cwd
		c.embedTerminal(t, term)
	}
	out, ok := acpclient.MetaValue[ownOutput](m, "terminal_output")
	if !ok {
		out, ok = acpclient.MetaValue[ownOutput](m, "terminal_output_delta")
	}
	if ok && out.ID != "" {
		term := c.ownTerminal(t, out.ID)
		if term.Total() == 0 && c.quirks().ExitCodeInOutput {
			out.Data = exitCodeLine().ReplaceAllString(out.Data, "")
		}
		c.printed(term, []byte(out.Data))
	}
	if exit, ok := acpclient.MetaValue[ownExit](m, "terminal_exit"); ok && exit.ID != "" {
		c.ownTerminal(t, exit.ID).exited(acpclient.TerminalExitStatus{ExitCode: exit.Code, Signal: exit.Signal})
	}
}

// ownTerminal returns a terminal that the agent runs itself, and shows it in the call. The
// agent need not have announced it.
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
