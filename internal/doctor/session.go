package doctor

import (
	"encoding/json"
	"path"
	"slices"
	"strings"
)

// session is the state of a session as the agent has reported it.
type session struct {
	id      string
	state   state
	closed  bool // and not reopened
	working bool // the last reported state is not idle

	// While it is reopened.
	opening   string          // the method, or ""
	replaying bool            // the agent must replay the conversation
	stated    bool            // the agent reported the state
	loaded    bool            // replayed, and no prompt sent since
	late      bool            // the agent has replayed more since
	replays   int             // how many updates were replayed
	replayed  strings.Builder // their text
	before    map[string]bool // the ids of earlier messages and tool calls

	// The current turn, or the last one.
	turn       bool            // runs
	cancel     bool            // was cancelled
	ran        bool            // the agent worked
	asked      bool            // the agent asked for permission
	accepted   bool            // the prompt was answered
	prompt     string          // the id of the prompt's message
	chunk      *message        // the first update of the work
	calls      map[string]bool // its tool calls
	stopReason string
	ended      *message // the message that ended it

	turns        int               // how many have ended
	userMessages map[string]bool   // the ids in the turn or the replay
	first        string            // the id of the first prompt's message
	said         strings.Builder   // the agent's text in the first turn
	status       map[string]string // by tool call
	asking       map[string]bool   // the tool calls that were not announced before permission was asked for
	messages     map[string]string // the kinds of messages by id

	partial *partial // an update of the options that may lack some
}

func newSession(id string) *session {
	return &session{
		id: id, userMessages: map[string]bool{}, status: map[string]string{}, asking: map[string]bool{}, messages: map[string]string{},
	}
}

// update is a session/update.
type update struct {
	SessionID string `json:"sessionId"`
	Update    struct {
		Kind string `json:"sessionUpdate"`
		state
		toolCall
		ModeID     *string `json:"currentModeId"`
		MessageID  string  `json:"messageId"`
		State      string  `json:"state"`
		StopReason string  `json:"stopReason"`
		Cwd        string  `json:"cwd"`
	} `json:"update"`
}

// toolCall has the fields of a tool call that are checked. Content is that of the whole
// update.
type toolCall struct {
	ID        string `json:"toolCallId"`
	Status    string `json:"status"`
	Locations []struct {
		Path string `json:"path"`
	} `json:"locations"`
	Content json.RawMessage `json:"content"`
}

// content is a content block of a message or a tool call's content.
type content struct {
	Type    string `json:"type"`
	Text    string `json:"text"`
	Path    string `json:"path"`
	Changes []struct {
		Path string `json:"path"`
		Old  string `json:"oldPath"`
	} `json:"changes"`
}

// contents reads a list of content, or a single one. The schema check reports others.
func contents(raw json.RawMessage) []content {
	var all []content
	if json.Unmarshal(raw, &all) == nil {
		return all
	}
	var one content
	_ = json.Unmarshal(raw, &one)
	return []content{one}
}

// update handles a session/update.
func (r *referee) update(m *message) {
	var u update
	m.params(&u)
	kind := u.Update.Kind
	r.offered(m, kind, "sent")
	s := r.sessions[u.SessionID]
	if s == nil {
		r.early[u.SessionID] = m
		r.judgeEarly()
		return
	}
	if s.closed && r.has(ruleClosed) {
		r.finds(ruleClosed, m, "%s came for a closed session", words(kind))
		return
	}
	whole := strings.TrimSuffix(kind, "_chunk")
	if whole == "user_message" || whole == "agent_message" || whole == "agent_thought" {
		id := u.Update.MessageID
		if had := s.messages[id]; had != "" && had != whole {
			r.finds(ruleMessageID, m, "A message of kind %s has the id of one of kind %s", whole, had)
		}
		if id != "" {
			s.messages[id] = whole
		}
	}
	if slices.Contains(r.dialect.conversation, kind) {
		r.placed(m, s, &u)
	}
	switch whole {
	case "user_message", "agent_message":
		s.says(whole, contents(u.Update.Content))
	case "tool_call":
		if _, had := s.status[u.Update.ID]; had && s.turn {
			r.finds(ruleCallTwice, m, "A tool call is announced with another call's id")
		}
		s.call(u.Update.ID, u.Update.Status)
		r.paths(m, u.Update.toolCall)
	case "tool_call_update":
		if _, had := s.status[u.Update.ID]; !had && !s.asking[u.Update.ID] {
			r.finds(ruleCallUnknown, m, "A tool call that was not announced is updated")
		}
		if u.Update.Status == "" {
			u.Update.Status = s.status[u.Update.ID]
		}
		s.call(u.Update.ID, u.Update.Status)
		r.paths(m, u.Update.toolCall)
	case "tool_call_content":
		r.paths(m, u.Update.toolCall)
	case "terminal_update":
		r.path(m, "The directory of a terminal", u.Update.Cwd)
	case "config_option_update":
		r.options(m, s, u.Update.state)
	case "current_mode_update":
		r.mode(m, s, u.Update.ModeID)
	case "state_update":
		r.stated(m, s, &u)
	}
}

// placed checks when a part of the conversation comes.
func (r *referee) placed(m *message, s *session, u *update) {
	kind, fromUser := words(u.Update.Kind), strings.HasPrefix(u.Update.Kind, "user_message")
	if fromUser {
		s.userMessages[u.Update.MessageID] = true
	}
	switch {
	case s.opening != "" && s.replaying:
		s.replays++
		s.stated = false // the state has to follow
	case s.opening != "":
		r.finds(ruleResumeReplay, m, "session/resume replayed the conversation unasked")
	case s.loaded && s.repeats(u):
		s.replays++
		s.late = true
		r.finds(ruleReplayLate, m, "The conversation is replayed after the response that opened the session")
	case s.turn && fromUser:
	case s.turn:
		if s.chunk == nil {
			s.chunk = m
		}
		if !s.ran {
			r.finds(ruleRunning, m, "%s came before the state was running", kind)
			s.ran = true // to report it once
		}
	case s.turns > 0 && s.cancel:
		r.finds(ruleAfterCancel, m, "%s came after the end of the cancelled turn", kind)
	default:
		r.finds(ruleOutside, m, "%s came outside a turn", kind)
	}
}

// repeats reports whether an update after a replay is a late part of it. No prompt was sent
// since, and a new message has a new text and id.
func (s *session) repeats(u *update) bool {
	if s.late || strings.HasPrefix(u.Update.Kind, "user_message") || s.before[u.Update.MessageID] || s.before[u.Update.ID] {
		return true
	}
	if s.whole() {
		return false
	}
	return slices.ContainsFunc(contents(u.Update.Content), func(c content) bool {
		text := strings.TrimSpace(c.Text)
		return text != "" && strings.Contains(s.said.String(), text)
	})
}

// whole reports whether a replay has what the agent said in the first turn.
func (s *session) whole() bool {
	said, _, _ := strings.Cut(strings.TrimSpace(s.said.String()), "\n")
	if r := []rune(said); len(r) > 20 {
		said = string(r[:20]) // enough to find it again
	}
	return strings.Contains(s.replayed.String(), said)
}

// opens resets the state of one opening before the session is reopened.
func (s *session) opens(how reopening) {
	s.before = map[string]bool{}
	for id := range s.messages {
		s.before[id] = true
	}
	for id := range s.status {
		s.before[id] = true
	}
	s.opening, s.replaying, s.stated, s.loaded, s.late, s.closed = how.method, how.replays, false, false, false, false
	s.replays, s.userMessages, s.status, s.cancel = 0, map[string]bool{}, map[string]string{}, false
	s.replayed.Reset()
}

// maxText limits how much of the agent's text is kept, in bytes.
const maxText = 1 << 20

// says keeps the text of the first turn and of a replay.
func (s *session) says(kind string, blocks []content) {
	b := &s.replayed
	if s.turn {
		b = &s.said
		if s.turns > 0 || kind != "agent_message" {
			return
		}
	}
	for _, block := range blocks {
		if b.Len() < maxText {
			b.WriteString(block.Text)
		}
	}
}

// call records the status of a tool call of the turn.
func (s *session) call(id, status string) {
	s.status[id] = status
	if s.turn {
		s.calls[id] = true
	}
}

// paths checks the paths of a tool call, and its terminals.
func (r *referee) paths(m *message, c toolCall) {
	for _, l := range c.Locations {
		r.path(m, "The location of a tool call", l.Path)
	}
	for _, part := range contents(c.Content) {
		r.path(m, "The path of a diff", part.Path)
		for _, change := range part.Changes {
			r.path(m, "The path of a diff", change.Path)
			r.path(m, "The path of a diff", change.Old)
		}
		if part.Type == "terminal" {
			r.finds(ruleCallTerminal, m, "A tool call shows a terminal that the client did not create")
		}
	}
}

// path checks a path. An empty one breaks the schema or has no effect.
func (r *referee) path(m *message, what, p string) {
	if p != "" && !absolute(p) {
		r.finds(rulePath, m, "%s is not absolute", what)
	}
}

// absolute reports whether a path is absolute on any system.
func absolute(p string) bool {
	windows := len(p) > 2 && p[1] == ':' && (p[2] == '\\' || p[2] == '/') || strings.HasPrefix(p, `\\`)
	return path.IsAbs(p) || windows
}

// question is a session/request_permission. Version 2 has its tool call in a subject.
type question struct {
	SessionID string `json:"sessionId"`
	Options   []struct {
		ID   string `json:"optionId"`
		Kind string `json:"kind"`
	} `json:"options"`
	ToolCall toolCall `json:"toolCall"`
	Subject  struct {
		Cwd      string   `json:"cwd"`
		ToolCall toolCall `json:"toolCall"`
	} `json:"subject"`
}

// permission handles a session/request_permission.
func (r *referee) permission(m *message) {
	var q question
	m.params(&q)
	seen := map[string]bool{}
	for _, o := range q.Options {
		if seen[o.ID] {
			r.finds(ruleChoices, m, "Two permission options have the id %q", words(o.ID))
		}
		seen[o.ID] = true
	}
	if len(q.Options) == 0 {
		r.finds(ruleChoices, m, "A permission request has no options")
	}
	switch s := r.sessions[q.SessionID]; {
	case s == nil:
		r.finds(ruleUnknownUpdate, m, "Permission was requested in a session that is not open")
	case !s.turn:
		r.finds(rulePermission, m, "Permission was requested outside a turn")
	default:
		s.asked = true
		if _, had := s.status[q.ToolCall.ID]; !had {
			r.finds(ruleCallUnknown, m, "Permission was requested for a tool call that was not announced")
			s.asking[q.ToolCall.ID] = true
		}
	}
	r.path(m, "The directory of a command in a permission request", q.Subject.Cwd)
	r.paths(m, q.ToolCall)
	r.paths(m, q.Subject.ToolCall)
}

// promptAnswered handles the response to a prompt, which ends the turn or accepts the
// prompt.
func (r *referee) promptAnswered(m *message, s *session, q *request) {
	var result struct {
		StopReason string `json:"stopReason"`
		MessageID  string `json:"messageId"`
	}
	_ = json.Unmarshal(m.fields["result"], &result)
	switch {
	case q.failed:
		s.turn = false
		if !s.cancel { // cancelTurn checks the error of a cancelled prompt
			r.finds(rulePrompt, m, "A prompt returned an error")
			r.finds(ruleAccepted, m, "A prompt returned an error")
		}
		return
	case !r.dialect.states:
		r.endTurn(m, s, result.StopReason)
		return
	case s.ended != nil:
		r.finds(ruleAcceptedLate, m, "The response to a prompt came after its work ended (line %d)", s.ended.number)
	}
	s.accepted, s.prompt = true, result.MessageID
	switch s.first {
	case "":
		s.first = result.MessageID
	case result.MessageID:
		r.finds(ruleMessageID, m, "The messages of two prompts have the id %q", words(s.first))
	}
}

// stated handles the state of the work in a session. The agent may repeat it.
func (r *referee) stated(m *message, s *session, u *update) {
	s.stated, s.working = true, u.Update.State != "idle"
	switch {
	case s.opening != "" || !s.turn || !r.dialect.states:
		return
	case s.working:
		s.ran = true
		return
	case !s.ran && (u.Update.StopReason == "" || !s.accepted && len(s.userMessages) == 0):
		return // nothing has ended
	case !s.ran:
		r.finds(ruleRunning, m, "Work on a prompt ended, but the state was never running")
	}
	r.endTurn(m, s, u.Update.StopReason)
}

// endTurn handles the end of a turn.
func (r *referee) endTurn(m *message, s *session, reason string) {
	s.turn, s.stopReason, s.ended = false, reason, m
	s.turns++
	switch {
	case reason == "":
		r.finds(ruleStopReason, m, "Work ended without a stop reason")
	case reason == "cancelled" && !s.cancel && (!s.asked || !r.dialect.refusalCancels):
		r.finds(ruleNotAsked, m, "A turn that was not cancelled ended with the stop reason cancelled")
	}
	if s.cancel {
		return
	}
	for id := range s.calls {
		switch status := s.status[id]; status {
		case "completed", "failed":
		case "":
			r.finds(ruleCallOpen, m, "A turn ended with a pending tool call")
		default:
			r.finds(ruleCallOpen, m, "A turn ended while a tool call was %s", words(status))
		}
	}
}

// reopened handles the response to a request that reopens a session.
func (r *referee) reopened(m *message, s *session, q *request) {
	s.opening, s.loaded = "", s.replaying && !q.failed
	if q.failed {
		return
	}
	if !s.stated {
		r.finds(ruleResumeState, m, "session/resume responded before it sent the state")
	}
	if s.replaying && s.first != "" && len(s.userMessages) > 0 && !s.userMessages[s.first] {
		r.finds(ruleReplayID, m, "The message of the first prompt had the id %q, but was replayed with another id", words(s.first))
	}
}
