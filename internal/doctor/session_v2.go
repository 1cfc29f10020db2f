package doctor

import (
	"encoding/json"
	"strings"
)

// work is what version 2 tells of the work in a session.
type work struct {
	state   string // as it was told last
	told    bool   // a state was told since the session was opened
	resumes bool   // the session is replayed just now because that was asked for
	closed  bool   // it was closed, and not opened since

	accepted   bool    // the prompt was answered
	prompt     string  // the id of its message, as the prompt was answered with
	mentioned  bool    // messages of the person were told of since the prompt was sent
	ran        bool    // the state was another one than idle since then
	asked      bool    // permission was asked for since then
	stopReason string  // why the work has ended
	ended      message // that said so

	messages map[string]string // which kind of message has which id
	people   map[string]bool   // the ids of the person's messages
	replayed map[string]bool   // those of them that were replayed
	first    string            // the id of the first prompt's message
}

const idle = "idle"

func newWork() work {
	return work{state: idle, messages: map[string]string{}, people: map[string]bool{}, replayed: map[string]bool{}}
}

// begin is told of a prompt.
func (w *work) begin() {
	w.accepted, w.prompt, w.mentioned, w.asked, w.stopReason, w.ended = false, "", false, false, "", message{}
	w.ran = w.state != idle
}

// updateOfV2 is a session/update of version 2.
type updateOfV2 struct {
	SessionID string `json:"sessionId"`
	Update    struct {
		Kind string `json:"sessionUpdate"`
		state
		MessageID  string          `json:"messageId"`
		Content    json.RawMessage `json:"content"`
		State      string          `json:"state"`
		StopReason string          `json:"stopReason"`
		Cwd        string          `json:"cwd"`
		toolCall
	} `json:"update"`
}

// updateV2 takes a session/update.
func (r *referee) updateV2(m *message) {
	var u updateOfV2
	m.params(&u)
	s := r.sessions[u.SessionID]
	if s == nil {
		r.early[u.SessionID] = m
		r.judgeEarly()
		return
	}
	if s.work.closed {
		r.finds(ruleClosed, m, "%s comes for a session that was closed", words(u.Update.Kind))
		return
	}
	author, _, _ := strings.Cut(u.Update.Kind, "_")
	switch kind := strings.TrimSuffix(u.Update.Kind, "_chunk"); kind {
	case "user_message", "agent_message", "agent_thought":
		r.messageID(m, s, kind, u.Update.MessageID)
		r.placedV2(m, s, author, &u)
		r.saidV2(s, author, &u)
	case "tool_call_update", "tool_call_content":
		r.pathsV2(m, u.Update.toolCall, u.Update.Content)
		r.placedV2(m, s, author, &u)
	case "plan_update":
		r.placedV2(m, s, author, &u)
	case "terminal_update":
		r.path(m, "The directory of a terminal", u.Update.Cwd)
	case "config_option_update":
		r.options(m, s, u.Update.state)
	case "state_update":
		r.worked(m, s, &u)
	}
}

// messageID looks at whose message has an id.
func (r *referee) messageID(m *message, s *session, kind, id string) {
	if had := s.work.messages[id]; had != "" && had != kind {
		r.finds(ruleMessageID, m, "A message of the kind %s has the id of one of the kind %s", kind, had)
	}
	if id != "" {
		s.work.messages[id] = kind
	}
}

// placedV2 looks at when something comes that is a part of the conversation.
func (r *referee) placedV2(m *message, s *session, author string, u *updateOfV2) {
	persons := author == "user"
	if persons {
		s.work.people[u.Update.MessageID] = true
	}
	switch {
	case s.opening == "session/resume" && s.work.resumes:
		s.replays++
		s.work.told = false // the state has to follow
		if persons {
			s.work.replayed[u.Update.MessageID] = true
		}
	case s.opening == "session/resume":
		r.finds(ruleResumeReplay, m, "session/resume replays the conversation, and was not asked to")
	case s.loaded:
		s.replays++
		r.finds(ruleReplayLate, m, "The conversation is replayed after session/resume was answered")
	case s.turn && persons:
		s.work.mentioned = true
	case s.turn:
		if s.chunk == nil {
			s.chunk = m
		}
		if !s.work.ran {
			r.finds(ruleRunning, m, "%s comes before the state is running", words(u.Update.Kind))
			s.work.ran = true // which is said once
		}
	case s.turns > 0 && s.cancel:
		r.finds(ruleAfterCancel, m, "%s comes after the state idle of the work that was cancelled", words(u.Update.Kind))
	}
}

// saidV2 takes a message, or a piece of one.
func (r *referee) saidV2(s *session, author string, u *updateOfV2) {
	type block struct {
		Text string `json:"text"`
	}
	var all []block
	if json.Unmarshal(u.Update.Content, &all) != nil {
		var one block
		_ = json.Unmarshal(u.Update.Content, &one)
		all = []block{one}
	}
	for _, b := range all {
		switch {
		case s.turn && s.turns == 0 && author == "agent" && strings.HasPrefix(u.Update.Kind, "agent_message"):
			keep(&s.messages, b.Text)
		case !s.turn:
			keep(&s.replayed, b.Text)
		}
	}
}

// pathsV2 looks at the paths of a tool call.
func (r *referee) pathsV2(m *message, c toolCall, content json.RawMessage) {
	r.locations(m, c)
	type part struct {
		Changes []struct {
			Path string `json:"path"`
			Old  string `json:"oldPath"`
		} `json:"changes"`
	}
	var all []part
	if json.Unmarshal(content, &all) != nil {
		var one part
		_ = json.Unmarshal(content, &one)
		all = []part{one}
	}
	for _, p := range all {
		for _, c := range p.Changes {
			r.path(m, "The path of a diff", c.Path)
			r.path(m, "The path of a diff", c.Old)
		}
	}
}

// worked takes a state. It may be told again, which means nothing more.
func (r *referee) worked(m *message, s *session, u *updateOfV2) {
	w := &s.work
	w.state, w.told = u.Update.State, true
	switch {
	case s.opening != "" || !s.turn:
		return
	case w.state != idle:
		w.ran = true
		return
	case !w.ran && (u.Update.StopReason == "" || !w.accepted && !w.mentioned):
		return // nothing has ended
	case !w.ran:
		r.finds(ruleRunning, m, "The work on a prompt ends, and its state was never running")
	}
	r.endWork(m, s, u.Update.StopReason)
}

// endWork is told of the end of the work on a prompt.
func (r *referee) endWork(m *message, s *session, reason string) {
	s.turn = false
	s.turns++
	s.work.stopReason, s.work.ended = reason, *m
	switch {
	case reason == "":
		r.finds(ruleStopReason, m, "Work ends without a stop reason")
	case reason == "cancelled" && !s.cancel && !s.work.asked:
		r.finds(ruleNotAsked, m, "Work ends as cancelled that nobody has cancelled")
	}
}

// acceptedV2 is told of the answer to a prompt.
func (r *referee) acceptedV2(m *message, s *session, q *request) {
	var result struct {
		MessageID string `json:"messageId"`
	}
	_ = json.Unmarshal(m.fields["result"], &result)
	w := &s.work
	switch {
	case q.failed && s.cancel:
		s.turn = false // it was cancelled before its message was inserted
		return
	case q.failed:
		s.turn = false
		r.finds(ruleAccepted, m, "A prompt is answered with an error")
		return
	case !s.turn:
		r.finds(ruleAcceptedLate, m, "A prompt is answered after the work on it has ended (line %d)", w.ended.number)
	}
	w.accepted, w.prompt = true, result.MessageID
	switch w.first {
	case "":
		w.first = result.MessageID
	case result.MessageID:
		r.finds(ruleMessageID, m, "The messages of two prompts have the id %q", words(w.first))
	}
}

// resumedV2 is told of the answer to session/resume.
func (r *referee) resumedV2(m *message, s *session, q *request) {
	replayed := s.work.resumes
	s.opening, s.work.resumes = "", false
	s.loaded = replayed && !q.failed
	if q.failed {
		return
	}
	if !s.work.told {
		r.finds(ruleResumeState, m, "session/resume is answered before the state of the session was told")
	}
	if first := s.work.first; replayed && first != "" && len(s.work.replayed) > 0 && !s.work.replayed[first] {
		r.finds(ruleReplayID, m, "The message of the first prompt had the id %q, and is replayed with another one", words(first))
	}
}
