package doctor

import (
	"encoding/json"
	"path"
	"strings"
)

// session is what is known of a session of the agent.
type session struct {
	id      string
	opening string // the method that opens it just now, "" if none does
	loaded  bool   // it was loaded, and no prompt was sent since
	turn    bool   // a turn runs
	cancel  bool   // that, or the last one, was cancelled
	turns   int    // how many have ended
	calls   map[string]string
	ofTurn  map[string]bool // the calls of the turn

	state    state
	messages strings.Builder // what the agent has said in the first turn
	replayed strings.Builder // what was replayed of it
	replays  int             // how many updates were replayed
	chunk    *message        // the first piece of the turn

	work work // what version 2 tells of it
}

// maxText is how much of what an agent says is kept, in bytes.
const maxText = 1 << 20

func keep(b *strings.Builder, text string) {
	if b.Len() < maxText {
		b.WriteString(text)
	}
}

func newSession(id string) *session {
	return &session{id: id, calls: map[string]string{}, ofTurn: map[string]bool{}, work: newWork()}
}

// update is a session/update.
type update struct {
	SessionID string `json:"sessionId"`
	Update    struct {
		Kind string `json:"sessionUpdate"`
		state
		ModeID  *string         `json:"currentModeId"`
		Content json.RawMessage `json:"content"`
		toolCall
	} `json:"update"`
}

// toolCall is what counts of a tool call.
type toolCall struct {
	ID        string `json:"toolCallId"`
	Status    string `json:"status"`
	Locations []struct {
		Path string `json:"path"`
	} `json:"locations"`
}

// update takes a session/update.
func (r *referee) update(m *message) {
	var u update
	m.params(&u)
	if capability := r.dialect.unadvertisedUpdates[u.Update.Kind]; capability != "" {
		r.finds(ruleUnoffered, m, "%s is sent, and the client has not advertised %s", u.Update.Kind, capability)
	}
	s := r.sessions[u.SessionID]
	if s == nil {
		r.early[u.SessionID] = m
		r.judgeEarly()
		return
	}
	switch u.Update.Kind {
	case "agent_message_chunk", "agent_thought_chunk", "user_message_chunk", "tool_call", "tool_call_update", "plan":
		r.placed(m, s, &u)
	case "config_option_update":
		r.options(m, s, u.Update.state)
	case "current_mode_update":
		r.mode(m, s, u.Update.ModeID)
	}
	switch u.Update.Kind {
	case "agent_message_chunk", "user_message_chunk":
		r.said(s, &u)
	case "tool_call":
		r.announced(m, s, u.Update.toolCall)
	case "tool_call_update":
		r.updated(m, s, u.Update.toolCall)
	}
	if strings.HasPrefix(u.Update.Kind, "tool_call") {
		r.paths(m, u.Update.toolCall, u.Update.Content)
	}
}

// placed looks at when something comes that is a part of the conversation.
func (r *referee) placed(m *message, s *session, u *update) {
	switch {
	case s.turn:
		if s.chunk == nil {
			s.chunk = m
		}
	case s.opening == "session/load":
		s.replays++
	case s.opening == "session/resume":
		r.finds(ruleResumeReplay, m, "session/resume replays the conversation")
	case s.loaded:
		s.replays++
		r.finds(ruleReplayLate, m, "The conversation is replayed after session/load was answered")
	case s.turns > 0 && s.cancel:
		r.finds(ruleAfterCancel, m, "%s comes after the answer to the prompt that was cancelled", u.Update.Kind)
	default:
		r.finds(ruleOutside, m, "%s comes while no turn runs", u.Update.Kind)
	}
}

// said takes a piece of a message.
func (r *referee) said(s *session, u *update) {
	var block struct {
		Text string `json:"text"`
	}
	if json.Unmarshal(u.Update.Content, &block) != nil {
		return
	}
	switch {
	case s.turn && s.turns == 0 && u.Update.Kind == "agent_message_chunk":
		keep(&s.messages, block.Text)
	case !s.turn:
		keep(&s.replayed, block.Text)
	}
}

func (r *referee) announced(m *message, s *session, c toolCall) {
	if _, had := s.calls[c.ID]; had && s.turn {
		r.finds(ruleCallTwice, m, "A tool call is announced with the id of another one")
	}
	s.calls[c.ID], s.ofTurn[c.ID] = c.Status, true
}

func (r *referee) updated(m *message, s *session, c toolCall) {
	if _, had := s.calls[c.ID]; !had {
		r.finds(ruleCallUnknown, m, "A tool call is updated that was not announced")
	}
	if c.Status != "" || s.calls[c.ID] == "" {
		s.calls[c.ID] = c.Status
	}
	s.ofTurn[c.ID] = true
}

// paths looks at the paths of a tool call, and at its terminals.
func (r *referee) paths(m *message, c toolCall, content json.RawMessage) {
	r.locations(m, c)
	var parts []struct {
		Type string `json:"type"`
		Path string `json:"path"`
	}
	if json.Unmarshal(content, &parts) != nil {
		return
	}
	for _, p := range parts {
		switch p.Type {
		case "diff":
			r.path(m, "The path of a diff", p.Path)
		case "terminal":
			r.finds(ruleCallTerminal, m, "A tool call shows a terminal that the client has not made")
		}
	}
}

func (r *referee) locations(m *message, c toolCall) {
	for _, l := range c.Locations {
		r.path(m, "The location of a tool call", l.Path)
	}
}

// path looks at a path; an empty one breaks the schema, or nobody uses it.
func (r *referee) path(m *message, what, p string) {
	if p != "" && !absolute(p) {
		r.finds(rulePath, m, "%s is not absolute", what)
	}
}

// absolute reports absolute paths of any system.
func absolute(p string) bool {
	windows := len(p) > 2 && p[1] == ':' && (p[2] == '\\' || p[2] == '/') || strings.HasPrefix(p, `\\`)
	return path.IsAbs(p) || windows
}

// question is a session/request_permission.
type question struct {
	SessionID string `json:"sessionId"`
	Options   []struct {
		ID   string `json:"optionId"`
		Kind string `json:"kind"`
	} `json:"options"`
	ToolCall struct {
		toolCall
		Content json.RawMessage `json:"content"`
	} `json:"toolCall"`
	// Subject is what version 2 has in the place of the tool call.
	Subject struct {
		Cwd      string `json:"cwd"`
		ToolCall struct {
			toolCall
			Content json.RawMessage `json:"content"`
		} `json:"toolCall"`
	} `json:"subject"`
}

// permission takes a request for permission.
func (r *referee) permission(m *message) {
	var q question
	m.params(&q)
	r.choices(m, &q)
	s := r.sessions[q.SessionID]
	switch {
	case s == nil:
		r.finds(ruleUnknownUpdate, m, "Permission is asked for in a session that is not open")
	case r.dialect == v2:
		s.work.asked = true
		r.path(m, "The directory of a command that permission is asked for", q.Subject.Cwd)
		r.pathsV2(m, q.Subject.ToolCall.toolCall, q.Subject.ToolCall.Content)
		return
	case !s.turn:
		r.finds(rulePermission, m, "Permission is asked for while no turn runs")
	default:
		// Many agents announce a call by asking about it.
		if _, had := s.calls[q.ToolCall.ID]; !had {
			s.calls[q.ToolCall.ID] = q.ToolCall.Status
		}
		s.ofTurn[q.ToolCall.ID] = true
	}
	r.paths(m, q.ToolCall.toolCall, q.ToolCall.Content)
}

// choices looks at the options of a question.
func (r *referee) choices(m *message, q *question) {
	seen := map[string]bool{}
	for _, o := range q.Options {
		if seen[o.ID] {
			r.finds(ruleChoices, m, "Two options of a question have the id %q", words(o.ID))
		}
		seen[o.ID] = true
	}
	if len(q.Options) == 0 {
		r.finds(ruleChoices, m, "A question has no options")
	}
}

// beginTurn is told of a prompt.
func (s *session) beginTurn() {
	s.turn, s.cancel, s.loaded, s.chunk = true, false, false, nil
	s.ofTurn = map[string]bool{}
	s.work.begin()
}

// endTurn is told of the answer to a prompt.
func (r *referee) endTurn(m *message, s *session, q *request) {
	s.turn = false
	s.turns++
	var result struct {
		StopReason string `json:"stopReason"`
	}
	_ = json.Unmarshal(m.fields["result"], &result)
	switch {
	case q.failed && s.cancel:
		r.finds(ruleCancel, m, "A cancelled prompt is answered with an error")
	case q.failed:
		r.finds(rulePrompt, m, "A prompt is answered with an error")
	case result.StopReason == "cancelled" && !s.cancel:
		r.finds(ruleNotAsked, m, "A turn ends as cancelled that nobody has cancelled")
	}
	if q.failed || s.cancel {
		return
	}
	for id := range s.ofTurn {
		switch status := s.calls[id]; status {
		case "completed", "failed":
		default:
			r.finds(ruleCallOpen, m, "A turn ends while a tool call is %s", orPending(status))
		}
	}
}

func orPending(status string) string {
	if status == "" {
		return "pending"
	}
	return words(status)
}
