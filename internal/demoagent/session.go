package demoagent

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"time"

	"parley/acpclient"
	v2 "parley/acpclient/v2"
)

// pageSize is how many sessions one answer to session/list has.
const pageSize = 20

// session is an open session.
type session struct {
	agent  *agent
	sample bool // its directory is a sample project

	mu      sync.Mutex
	kept    record
	always  map[acpclient.ToolKind]bool // the kinds that are always allowed
	cancel  context.CancelFunc          // of the turn that runs, nil if none does
	talked  bool                        // it was used, so it is worth keeping
	deleted bool
}

func (a *agent) newSession(_ context.Context, r *sessionRequest) (any, error) {
	var random [8]byte
	_, _ = rand.Read(random[:]) // never fails
	id := acpclient.SessionID("tour-" + hex.EncodeToString(random[:]))
	s, err := a.open(&record{ID: id, Settings: defaultSettings, Updated: time.Now()}, r.Cwd)
	if err != nil {
		return nil, err
	}
	s.notify(&acpclient.ContentChunk{Chunk: acpclient.AgentMessageChunk, Content: acpclient.TextBlock(string(embedded("banner.md")))})
	state := s.state()
	state["sessionId"] = id
	return state, nil
}

// sessionRequest is the params of requests about a session.
type sessionRequest struct {
	SessionID  acpclient.SessionID `json:"sessionId"`
	Cwd        string              `json:"cwd"`
	Cursor     string              `json:"cursor"`
	ReplayFrom *struct {
		Type string `json:"type"`
	} `json:"replayFrom"`
}

func (a *agent) loadSession(_ context.Context, r *sessionRequest) (any, error) {
	s, err := a.reopen(r.SessionID, r.Cwd)
	if err != nil {
		return nil, err
	}
	s.replay()
	return s.state(), nil
}

// resumeSession opens a session that was kept. In version 2 it replays it if that is asked
// for, and says whether it is at work.
func (a *agent) resumeSession(_ context.Context, r *sessionRequest) (any, error) {
	if r.ReplayFrom != nil && r.ReplayFrom.Type != v2.ReplayStart {
		return nil, invalid("unknown replay position %q", r.ReplayFrom.Type)
	}
	s, err := a.reopen(r.SessionID, r.Cwd)
	if err != nil {
		return nil, err
	}
	if a.speaksV2() {
		if r.ReplayFrom != nil {
			s.replay()
		}
		s.mu.Lock()
		state := acpclient.WorkIdle
		if s.cancel != nil {
			state = acpclient.WorkRunning
		}
		s.mu.Unlock()
		s.notify(&acpclient.StateUpdate{State: state})
	}
	return s.state(), nil
}

// reopen opens a session that was kept, or returns the one that is open.
func (a *agent) reopen(id acpclient.SessionID, cwd string) (*session, error) {
	if s := a.session(id); s != nil {
		return s, nil
	}
	kept, err := a.store.load(id)
	if err != nil {
		return nil, err
	}
	return a.open(kept, cwd)
}

func (a *agent) open(kept *record, cwd string) (*session, error) {
	if !filepath.IsAbs(cwd) {
		return nil, invalid("the working directory %q is not absolute", cwd)
	}
	kept.Cwd = cwd
	if kept.Outputs == nil {
		kept.Outputs = map[acpclient.ToolCallID]string{}
	}
	s := &session{
		agent: a, kept: *kept, sample: isSample(cwd),
		always: map[acpclient.ToolKind]bool{}, talked: len(kept.History) > 0,
	}
	a.mu.Lock()
	a.sessions[kept.ID] = s
	a.mu.Unlock()
	s.notify(&acpclient.AvailableCommandsUpdate{AvailableCommands: commands()})
	return s, nil
}

func (a *agent) listSessions(_ context.Context, r *sessionRequest) (any, error) {
	from := 0
	if r.Cursor != "" {
		n, err := strconv.Atoi(r.Cursor)
		if err != nil || n < 0 {
			return nil, invalid("unknown cursor %q", r.Cursor)
		}
		from = n
	}
	kept := a.store.list()
	if r.Cwd != "" {
		kept = slices.DeleteFunc(kept, func(k *record) bool { return k.Cwd != r.Cwd })
	}
	res := &acpclient.ListSessionsResponse{}
	for i, k := range kept {
		switch {
		case i < from:
		case i == from+pageSize:
			res.NextCursor = strconv.Itoa(i)
			return res, nil
		default:
			res.Sessions = append(res.Sessions, acpclient.SessionInfo{
				SessionID: k.ID, Cwd: k.Cwd, Title: k.Title, UpdatedAt: k.Updated.UTC().Format(time.RFC3339),
			})
		}
	}
	return res, nil
}

func (a *agent) closeSession(_ context.Context, r *sessionRequest) (any, error) {
	s, err := a.openSession(r.SessionID)
	if err != nil {
		return nil, err
	}
	a.forget(s)
	return struct{}{}, nil
}

func (a *agent) deleteSession(_ context.Context, r *sessionRequest) (any, error) {
	if s := a.session(r.SessionID); s != nil {
		s.mu.Lock()
		s.deleted = true
		s.mu.Unlock()
		a.forget(s)
	}
	if err := a.store.remove(r.SessionID); err != nil {
		return nil, err
	}
	return struct{}{}, nil
}

func (a *agent) forget(s *session) {
	s.cancelTurn()
	a.mu.Lock()
	delete(a.sessions, s.kept.ID)
	a.mu.Unlock()
}

// state returns the part that all answers that open a session have in common.
func (s *session) state() object {
	options := s.configOptions()
	if s.agent.speaksV2() {
		return object{"configOptions": optionsV2(untyped(options))}
	}
	mode := acpclient.SessionModeState{CurrentModeID: acpclient.SessionModeID(s.settings().Mode), AvailableModes: modes()}
	return object{"configOptions": options, "modes": mode}
}

func (s *session) configOptions() []acpclient.SessionConfigOption {
	client := s.agent.capabilities().Session
	now := s.settings()
	return now.configOptions(client != nil && client.ConfigOptions != nil && client.ConfigOptions.Boolean != nil)
}

func (s *session) set(id acpclient.ConfigID, v acpclient.ConfigValue) error {
	s.mu.Lock()
	err := s.kept.Settings.set(id, v)
	s.mu.Unlock()
	if err == nil {
		s.save()
	}
	return err
}

func (s *session) settings() settings {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.kept.Settings
}

// notify sends an update. An error means that the client is gone, and then the
// connection ends by itself.
func (s *session) notify(u acpclient.SessionUpdate) {
	var params any = &acpclient.SessionNotification{SessionID: s.kept.ID, Update: u}
	if s.agent.speaksV2() {
		n := untyped(params).(object)
		if n["update"] = updateV2(n["update"].(object)); n["update"].(object) == nil {
			return
		}
		params = n
	}
	_ = s.agent.conn.Notify(acpclient.SessionUpdateNotification.Name, params)
}

// tell sends an update that belongs to the conversation, and keeps it.
func (s *session) tell(u acpclient.SessionUpdate) {
	s.keep(u)
	s.notify(u)
}

// keep adds an update to the history; chunks of one message become one.
func (s *session) keep(u acpclient.SessionUpdate) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.talked = true
	if chunk, ok := u.(*acpclient.ContentChunk); ok {
		if s.extendLocked(chunk) {
			return
		}
		own := *chunk // a copy, to which later chunks are added
		u = &own
	}
	s.kept.History = append(s.kept.History, acpclient.SessionNotification{SessionID: s.kept.ID, Update: u})
}

// extendLocked adds a chunk to the one before it, if they are of one message.
func (s *session) extendLocked(chunk *acpclient.ContentChunk) bool {
	n := len(s.kept.History)
	if n == 0 {
		return false
	}
	last, ok := s.kept.History[n-1].Update.(*acpclient.ContentChunk)
	if !ok || last.Chunk != chunk.Chunk || last.MessageID != chunk.MessageID ||
		last.Content.Type != acpclient.ContentText || chunk.Content.Type != acpclient.ContentText {
		return false
	}
	last.Content.Text += chunk.Content.Text
	return true
}

// save writes the session down, if it has been used and not deleted.
func (s *session) save() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.talked || s.deleted {
		return
	}
	s.kept.Updated = time.Now()
	if err := s.agent.store.save(&s.kept); err != nil {
		_, _ = fmt.Fprintf(s.agent.stderr, "parley tour: %v\n", err)
	}
}

// replay sends the history. Its terminals do not exist any more, so what they
// printed is sent in their place.
func (s *session) replay() {
	s.mu.Lock() // held throughout: a turn may be adding to it
	defer s.mu.Unlock()
	for _, n := range s.kept.History {
		if u, ok := n.Update.(*acpclient.ToolCallUpdate); ok && u.Content != nil {
			without := *u
			without.Content = nil
			for _, c := range u.Content {
				if c.Type == acpclient.ToolContentTerminal {
					c = acpclient.TextContent(s.kept.Outputs[u.ToolCallID])
				}
				without.Content = append(without.Content, c)
			}
			n.Update = &without
		}
		s.notify(n.Update)
	}
	if s.kept.Title != "" {
		s.notify(titled(s.kept.Title))
	}
}

func titled(title string) *acpclient.SessionInfoUpdate {
	return &acpclient.SessionInfoUpdate{Title: acpclient.Field[string]{Set: true, Value: &title}}
}

// nextID makes an id that is unique in the session, over its whole life.
func (s *session) nextID(prefix string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.kept.Count++
	return fmt.Sprintf("%s-%d", prefix, s.kept.Count)
}

func (s *session) cancelTurn() {
	s.mu.Lock()
	cancel := s.cancel
	s.mu.Unlock()
	if cancel != nil {
		cancel()
	}
}
