package demoagent

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"parley/acpclient"
	"parley/config"
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
	cancel  context.CancelFunc          // cancels the running turn; nil without one
	skip    chan struct{}               // signals that turn to skip ahead
	talked  bool                        // it was used, so it is stored
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

// resumeSession opens a stored session. In version 2 it replays it on request, and sends its
// state.
func (a *agent) resumeSession(_ context.Context, r *sessionRequest) (any, error) {
	if r.ReplayFrom != nil && r.ReplayFrom.Type != "start" {
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

// reopen returns an open session, or opens a stored one.
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
	if _, known := models()[kept.Settings.Model]; !known { // stored by an older version of parley
		kept.Settings = defaultSettings
	}
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

// state returns the fields that all responses that open a session share.
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

// notify sends an update. It ignores errors: they mean that the client is gone, which ends
// the connection.
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

// tell sends an update of the conversation and stores it.
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
		if n := len(s.kept.History); n > 0 {
			last, ok := s.kept.History[n-1].Update.(*acpclient.ContentChunk)
			if ok && last.Chunk == chunk.Chunk && last.MessageID == chunk.MessageID &&
				last.Content.Type == acpclient.ContentText && chunk.Content.Type == acpclient.ContentText {
				last.Content.Text += chunk.Content.Text
				return
			}
		}
		own := *chunk // a copy, to which later chunks are added
		u = &own
	}
	s.kept.History = append(s.kept.History, acpclient.SessionNotification{SessionID: s.kept.ID, Update: u})
}

// save stores the session, unless it was not used or has been deleted.
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

// replay sends the history, with the output of terminals in place of the terminals, which no
// longer exist.
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

// nextID returns an id that is unique in the session, even after it is reopened.
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

// skipAhead ends the pauses of the turn until the next one for reading.
func (s *session) skipAhead() {
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case s.skip <- struct{}{}: // nil without a turn
	default:
	}
}

// keptSessions limits the stored sessions; the oldest are deleted first.
const keptSessions = 50

// store is a directory with one JSON file for each session.
type store struct{ dir string }

// record is the on-disk form of a session.
type record struct {
	ID       acpclient.SessionID             `json:"id"`
	Cwd      string                          `json:"cwd"`
	Title    string                          `json:"title"`
	Updated  time.Time                       `json:"updated"`
	Settings settings                        `json:"settings"`
	Count    int                             `json:"count"` // of messages and tool calls, for their ids
	Used     uint64                          `json:"used"`
	Cost     float64                         `json:"cost"`
	History  []acpclient.SessionNotification `json:"history"`
	// Outputs are the outputs of terminals, by tool call, for replay.
	Outputs map[acpclient.ToolCallID]string `json:"outputs,omitempty"`
}

// sessionIDPattern matches the tour's ids, the only ones that become file names.
var sessionIDPattern = regexp.MustCompile(`^tour-[0-9a-f]{16}$`)

func (st store) path(id acpclient.SessionID) (string, error) {
	if !sessionIDPattern.MatchString(string(id)) {
		return "", noSession(id)
	}
	return filepath.Join(st.dir, string(id)+".json"), nil
}

func (st store) load(id acpclient.SessionID) (*record, error) {
	path, err := st.path(id)
	if err != nil {
		return nil, err
	}
	b, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, noSession(id)
	}
	r := new(record)
	if err == nil {
		err = json.Unmarshal(b, r)
	}
	if err != nil {
		return nil, fmt.Errorf("load session %s: %w", id, err)
	}
	return r, nil
}

func (st store) save(r *record) error {
	path, err := st.path(r.ID)
	if err != nil {
		return err
	}
	b, err := json.Marshal(r)
	if err != nil {
		return err
	}
	if err := st.write(path, b); err != nil {
		return fmt.Errorf("save session %s: %w", r.ID, err)
	}
	for i, old := range st.list() {
		if i >= keptSessions {
			_ = st.remove(old.ID) // best effort
		}
	}
	return nil
}

// write replaces a file atomically.
func (st store) write(path string, b []byte) error {
	if err := config.MakeDir(st.dir); err != nil {
		return err
	}
	return config.ReplaceFile(path, b, config.FileMode)
}

// remove deletes a session, which may be missing.
func (st store) remove(id acpclient.SessionID) error {
	path, err := st.path(id)
	if err != nil {
		return nil
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("delete session %s: %w", id, err)
	}
	return nil
}

// list returns the readable sessions, latest first.
func (st store) list() []*record {
	entries, _ := os.ReadDir(st.dir)
	var out []*record
	for _, e := range entries {
		name, isJSON := strings.CutSuffix(e.Name(), ".json")
		if !isJSON {
			continue
		}
		if r, err := st.load(acpclient.SessionID(name)); err == nil {
			out = append(out, r)
		}
	}
	slices.SortFunc(out, func(a, b *record) int {
		return cmp.Or(b.Updated.Compare(a.Updated), cmp.Compare(a.ID, b.ID))
	})
	return out
}

func (st store) badge() string { return filepath.Join(st.dir, "signed-in") }

func (st store) signIn() error {
	if err := st.write(st.badge(), nil); err != nil {
		return fmt.Errorf("sign in: %w", err)
	}
	return nil
}

func (st store) signOut() error {
	if err := os.Remove(st.badge()); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("sign out: %w", err)
	}
	return nil
}

func (st store) signedIn() bool {
	_, err := os.Stat(st.badge())
	return err == nil
}

// The modes, and the option that is the mode.
const (
	modeAsk  = "ask"
	modeAuto = "auto"
	modePlan = "plan"

	optionMode acpclient.ConfigID = "mode"
)

// settings are the values of a session's config options.
type settings struct {
	Mode    string `json:"mode"`
	Model   string `json:"model"`
	Thought string `json:"thought"`
	Speed   string `json:"speed"`
	Suggest bool   `json:"suggestions"`
}

var defaultSettings = settings{Mode: modeAsk, Model: "large", Thought: "low", Speed: "normal", Suggest: true}

// model is a fictitious model.
type model struct {
	Context  uint64                    `json:"context"`  // tokens
	Price    float64                   `json:"price"`    // dollars for a million tokens
	Thoughts []acpclient.ConfigValueID `json:"thoughts"` // the first is the default
}

var models = sync.OnceValue(func() map[string]model { return decoded[map[string]model]("models.json") })

// delay returns the factor of the pauses in the stream.
func (s *settings) delay() float64 {
	delay, known := map[string]float64{"fast": 0.3, "instant": 0}[s.Speed]
	if !known {
		return 1
	}
	return delay
}

// value returns the field of a select option, or nil.
func (s *settings) value(id acpclient.ConfigID) *string {
	return map[acpclient.ConfigID]*string{optionMode: &s.Mode, "model": &s.Model, "thought": &s.Thought, "speed": &s.Speed}[id]
}

func (s *settings) configOptions(withBoolean bool) []acpclient.SessionConfigOption {
	out := decoded[[]acpclient.SessionConfigOption]("options.json")
	for i := range out {
		o := &out[i]
		if value := s.value(o.ID); value != nil {
			o.CurrentValue = acpclient.SelectValue(acpclient.ConfigValueID(*value))
		} else {
			o.CurrentValue = acpclient.BoolValue(s.Suggest)
		}
		if o.ID == "thought" {
			var levels []acpclient.ConfigSelectOption
			for _, id := range models()[s.Model].Thoughts {
				i := slices.IndexFunc(o.Options.All(), func(c acpclient.ConfigSelectOption) bool { return c.Value == id })
				levels = append(levels, o.Options.All()[i])
			}
			o.Options = acpclient.Ungrouped(levels...)
		}
	}
	if !withBoolean {
		out = slices.DeleteFunc(out, func(o acpclient.SessionConfigOption) bool { return o.Type == acpclient.ConfigBoolean })
	}
	return out
}

// set changes an option, and the thought level if the model has no such level.
func (s *settings) set(id acpclient.ConfigID, v acpclient.ConfigValue) error {
	all := s.configOptions(true)
	i := slices.IndexFunc(all, func(o acpclient.SessionConfigOption) bool { return o.ID == id })
	switch {
	case i < 0:
		return invalid("there is no option %q", id)
	case all[i].Type == acpclient.ConfigBoolean && !v.IsBool:
		return invalid("option %q is on or off", id)
	case all[i].Type == acpclient.ConfigBoolean:
		s.Suggest = v.Bool
		return nil
	case v.IsBool || !slices.ContainsFunc(all[i].Options.All(), func(c acpclient.ConfigSelectOption) bool { return c.Value == v.ID }):
		return invalid("option %q has no value %q", id, v.ID)
	}
	*s.value(id) = string(v.ID)
	if levels := models()[s.Model].Thoughts; !slices.Contains(levels, acpclient.ConfigValueID(s.Thought)) {
		s.Thought = string(levels[0])
	}
	return nil
}

// modes returns the modes for version 1.
func modes() (out []acpclient.SessionMode) {
	for _, c := range decoded[[]acpclient.SessionConfigOption]("options.json")[0].Options.All() {
		out = append(out, acpclient.SessionMode{ID: acpclient.SessionModeID(c.Value), Name: c.Name, Description: c.Description})
	}
	return out
}

func (a *agent) setMode(_ context.Context, r *acpclient.SetSessionModeRequest) (any, error) {
	s, err := a.openSession(r.SessionID)
	if err == nil {
		err = s.set(optionMode, acpclient.SelectValue(acpclient.ConfigValueID(r.ModeID)))
	}
	if err != nil {
		return nil, err
	}
	s.notify(&acpclient.ConfigOptionUpdate{ConfigOptions: s.configOptions()})
	return struct{}{}, nil
}

func (a *agent) setConfigOption(_ context.Context, r *acpclient.SetSessionConfigOptionRequest) (any, error) {
	s, err := a.openSession(r.SessionID)
	if err == nil {
		err = s.set(r.ConfigID, r.Value)
	}
	if err != nil {
		return nil, err
	}
	if r.ConfigID == optionMode {
		s.notify(&acpclient.CurrentModeUpdate{CurrentModeID: acpclient.SessionModeID(s.settings().Mode)})
	}
	return object{"configOptions": s.state()["configOptions"]}, nil
}
