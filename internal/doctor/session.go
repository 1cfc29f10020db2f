package doctor

import (
	"encoding/json"
	"path"
	"slices"
	"strings"
)

// session is what is known of a session of the agent.
type session struct {
	id      string
	state   state
	closed  bool // and not opened again
	working bool // its state, as it was told last, is not idle

	// While it is opened again.
	opening   string          // the method that does so, "" otherwise
	replaying bool            // the conversation is to be replayed
	stated    bool            // its state was told
	loaded    bool            // it was replayed, and no prompt was sent since
	replays   int             // how many updates were replayed
	replayed  strings.Builder // the text of them

	// The turn that runs, or the last one.
	turn       bool            // it runs
	cancel     bool            // it was cancelled
	ran        bool            // work was seen
	asked      bool            // permission was asked for
	accepted   bool            // its prompt was answered
	prompt     string          // the id of its message
	chunk      *message        // the first piece of work
	calls      map[string]bool // its tool calls
	stopReason string
	ended      *message // the message that ended it

	turns    int               // how many have ended
	people   map[string]bool   // the ids of the person's messages in the turn, or the replay
	first    string            // the id of the first prompt's message
	said     strings.Builder   // what the agent said in the first turn
	status   map[string]string // of all tool calls
	messages map[string]string // the kinds of messages by their ids
}

func newSession(id string) *session {
	return &session{id: id, people: map[string]bool{}, status: map[string]string{}, messages: map[string]string{}}
}

// reopen begins to open the session again.
func (s *session) reopen(method string, replays bool) {
	s.opening, s.replaying, s.stated, s.loaded, s.closed = method, replays, false, false, false
	s.replays, s.people, s.status = 0, map[string]bool{}, map[string]string{}
	s.replayed.Reset()
}

// begin begins a turn.
func (s *session) begin() {
	s.turn, s.cancel, s.ran, s.asked, s.accepted, s.loaded = true, false, s.working, false, false, false
	s.prompt, s.people, s.calls = "", map[string]bool{}, map[string]bool{}
	s.stopReason, s.chunk, s.ended = "", nil, nil
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

// toolCall is what counts of a tool call. Content is that of the whole update.
type toolCall struct {
	ID        string `json:"toolCallId"`
	Status    string `json:"status"`
	Locations []struct {
		Path string `json:"path"`
	} `json:"locations"`
	Content json.RawMessage `json:"content"`
}

// content is a block of a message, or what a tool call shows.
type content struct {
	Type    string `json:"type"`
	Text    string `json:"text"`
	Path    string `json:"path"`
	Changes []struct {
		Path string `json:"path"`
		Old  string `json:"oldPath"`
	} `json:"changes"`
}

// contents is a list of content, or a single one. What does not fit breaks the schema.
func contents(raw json.RawMessage) []content {
	var all []content
	if json.Unmarshal(raw, &all) == nil {
		return all
	}
	var one content
	_ = json.Unmarshal(raw, &one)
	return []content{one}
}

// update takes a session/update.
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
		r.finds(ruleClosed, m, "%s comes for a session that was closed", words(kind))
		return
	}
	whole := strings.TrimSuffix(kind, "_chunk")
	if whole == "user_message" || whole == "agent_message" || whole == "agent_thought" {
		r.messageID(m, s, whole, u.Update.MessageID)
	}
	if slices.Contains(r.dialect.conversation, kind) {
		r.placed(m, s, &u)
	}
	switch whole {
	case "user_message", "agent_message":
		s.says(whole, contents(u.Update.Content))
	case "tool_call":
		if _, had := s.status[u.Update.ID]; had && s.turn {
			r.finds(ruleCallTwice, m, "A tool call is announced with the id of another one")
		}
		s.call(u.Update.ID, u.Update.Status)
		r.paths(m, u.Update.toolCall)
	case "tool_call_update":
		if _, had := s.status[u.Update.ID]; !had {
			r.finds(ruleCallUnknown, m, "A tool call is updated that was not announced")
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

// messageID looks at whose message has an id.
func (r *referee) messageID(m *message, s *session, kind, id string) {
	if had := s.messages[id]; had != "" && had != kind {
		r.finds(ruleMessageID, m, "A message of the kind %s has the id of one of the kind %s", kind, had)
	}
	if id != "" {
		s.messages[id] = kind
	}
}

// placed looks at when a part of the conversation comes.
func (r *referee) placed(m *message, s *session, u *update) {
	kind, persons := words(u.Update.Kind), strings.HasPrefix(u.Update.Kind, "user_message")
	if persons {
		s.people[u.Update.MessageID] = true
	}
	switch {
	case s.opening != "" && s.replaying:
		s.replays++
		s.stated = false // the state has to follow
	case s.opening != "":
		r.finds(ruleResumeReplay, m, "session/resume replays the conversation, and was not asked to")
	case s.loaded:
		s.replays++
		r.finds(ruleReplayLate, m, "The conversation is replayed after the request to open the session was answered")
	case s.turn && persons:
	case s.turn:
		if s.chunk == nil {
			s.chunk = m
		}
		if !s.ran {
			r.finds(ruleRunning, m, "%s comes before the state is running", kind)
			s.ran = true // to report it once
		}
	case s.turns > 0 && s.cancel:
		r.finds(ruleAfterCancel, m, "%s comes after the end of the turn that was cancelled", kind)
	default:
		r.finds(ruleOutside, m, "%s comes while no turn runs", kind)
	}
}

// maxText is how much of what an agent says is kept, in bytes.
const maxText = 1 << 20

// says keeps what is said in the first turn, and what is replayed.
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

// call notes the status of a tool call of the turn.
func (s *session) call(id, status string) {
	s.status[id] = status
	if s.turn {
		s.calls[id] = true
	}
}

// paths looks at the paths of a tool call, and at its terminals.
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
			r.finds(ruleCallTerminal, m, "A tool call shows a terminal that the client has not made")
		}
	}
}

// path looks at a path. An empty one breaks the schema, or has no effect.
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

// permission takes a request for permission.
func (r *referee) permission(m *message) {
	var q question
	m.params(&q)
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
	switch s := r.sessions[q.SessionID]; {
	case s == nil:
		r.finds(ruleUnknownUpdate, m, "Permission is asked for in a session that is not open")
	case !s.turn:
		r.finds(rulePermission, m, "Permission is asked for while no turn runs")
	default:
		s.asked = true
		// Many agents announce a call by asking about it.
		status, had := s.status[q.ToolCall.ID]
		if !had {
			status = q.ToolCall.Status
		}
		s.call(q.ToolCall.ID, status)
	}
	r.path(m, "The directory of a command that permission is asked for", q.Subject.Cwd)
	r.paths(m, q.ToolCall)
	r.paths(m, q.Subject.ToolCall)
}

// promptAnswered takes the answer to a prompt, which ends the turn or accepts the prompt.
func (r *referee) promptAnswered(m *message, s *session, q *request) {
	var result struct {
		StopReason string `json:"stopReason"`
		MessageID  string `json:"messageId"`
	}
	_ = json.Unmarshal(m.fields["result"], &result)
	switch {
	case q.failed:
		s.turn = false
		if !s.cancel { // the error of a cancelled one is looked at where it was cancelled
			r.finds(rulePrompt, m, "A prompt is answered with an error")
			r.finds(ruleAccepted, m, "A prompt is answered with an error")
		}
		return
	case !r.dialect.states:
		r.endTurn(m, s, result.StopReason)
		return
	case s.ended != nil:
		r.finds(ruleAcceptedLate, m, "A prompt is answered after the work on it has ended (line %d)", s.ended.number)
	}
	s.accepted, s.prompt = true, result.MessageID
	switch s.first {
	case "":
		s.first = result.MessageID
	case result.MessageID:
		r.finds(ruleMessageID, m, "The messages of two prompts have the id %q", words(s.first))
	}
}

// stated takes the state of the work in a session. The agent may repeat it.
func (r *referee) stated(m *message, s *session, u *update) {
	s.stated, s.working = true, u.Update.State != "idle"
	switch {
	case s.opening != "" || !s.turn || !r.dialect.states:
		return
	case s.working:
		s.ran = true
		return
	case !s.ran && (u.Update.StopReason == "" || !s.accepted && len(s.people) == 0):
		return // nothing has ended
	case !s.ran:
		r.finds(ruleRunning, m, "The work on a prompt ends, and its state was never running")
	}
	r.endTurn(m, s, u.Update.StopReason)
}

// endTurn takes the end of a turn.
func (r *referee) endTurn(m *message, s *session, reason string) {
	s.turn, s.stopReason, s.ended = false, reason, m
	s.turns++
	switch {
	case reason == "":
		r.finds(ruleStopReason, m, "Work ends without a stop reason")
	case reason == "cancelled" && !s.cancel && (!s.asked || !r.dialect.refusalCancels):
		r.finds(ruleNotAsked, m, "A turn ends as cancelled that nobody has cancelled")
	}
	if s.cancel {
		return
	}
	for id := range s.calls {
		switch status := s.status[id]; status {
		case "completed", "failed":
		case "":
			r.finds(ruleCallOpen, m, "A turn ends while a tool call is pending")
		default:
			r.finds(ruleCallOpen, m, "A turn ends while a tool call is %s", words(status))
		}
	}
}

// reopened takes the answer to a request that opens a session again.
func (r *referee) reopened(m *message, s *session, q *request) {
	s.opening, s.loaded = "", s.replaying && !q.failed
	if q.failed {
		return
	}
	if !s.stated {
		r.finds(ruleResumeState, m, "session/resume is answered before the state of the session was told")
	}
	if s.replaying && s.first != "" && len(s.people) > 0 && !s.people[s.first] {
		r.finds(ruleReplayID, m, "The message of the first prompt had the id %q, and is replayed with another one", words(s.first))
	}
}
