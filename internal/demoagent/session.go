package demoagent

import (
	"context"
	"crypto/rand"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"sync"

	"parley/acpclient"
)

// session is a session, which lasts as long as the agent.
type session struct {
	agent  *agent
	id     acpclient.SessionID
	cwd    string
	sample bool // its directory is a sample project
	closed bool // guarded by agent.mu

	mu       sync.Mutex
	titled   bool
	settings settings
	history  []acpclient.SessionUpdate
	count    int // of messages and tool calls, for their ids
	used     uint64
	cost     float64
	always   map[acpclient.ToolKind]bool // the kinds that are always allowed
	cancel   context.CancelFunc          // cancels the running turn; nil without one
	skip     chan struct{}               // signals that turn to skip ahead
}

func (a *agent) newSession(_ context.Context, r *acpclient.NewSessionRequest) (any, error) {
	if !filepath.IsAbs(r.Cwd) {
		return nil, invalid("the working directory %q is not absolute", r.Cwd)
	}
	s := &session{
		agent: a, id: acpclient.SessionID("tour-" + rand.Text()), cwd: r.Cwd, sample: isSample(r.Cwd),
		settings: defaultSettings(), always: map[acpclient.ToolKind]bool{},
	}
	a.mu.Lock()
	a.sessions[s.id] = s
	a.mu.Unlock()
	s.notify(&acpclient.AvailableCommandsUpdate{AvailableCommands: commands()})
	s.notify(&acpclient.ContentChunk{Chunk: acpclient.AgentMessageChunk, Content: acpclient.TextBlock(string(embedded("banner.md"))), MessageID: "banner"})
	state := s.state()
	state["sessionId"] = s.id
	return state, nil
}

// state returns the fields that all responses that open a session share.
func (s *session) state() map[string]any {
	mode := acpclient.SessionModeState{CurrentModeID: acpclient.SessionModeID(s.current()[optionMode].ID), AvailableModes: modes()}
	return map[string]any{"configOptions": s.configOptions(), "modes": mode}
}

func (s *session) configOptions() []acpclient.SessionConfigOption {
	client := s.agent.capabilities().Session
	return s.current().configOptions(client != nil && client.ConfigOptions != nil && client.ConfigOptions.Boolean != nil)
}

func (s *session) set(id acpclient.ConfigID, v acpclient.ConfigValue) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.settings.set(id, v)
}

// current returns the settings.
func (s *session) current() settings {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.settings)
}

// notify sends an update, and keeps one that belongs to the conversation.
func (s *session) notify(u acpclient.SessionUpdate) {
	switch u.(type) {
	case *acpclient.ContentChunk, *acpclient.ToolCall, *acpclient.ToolCallUpdate, *acpclient.Plan, *acpclient.TerminalUpdate, *acpclient.TerminalOutputChunk:
		s.keep(u)
	}
	s.send(u)
}

func (s *session) keep(u acpclient.SessionUpdate) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.history = append(s.history, u)
}

// send sends an update. It ignores errors: they mean that the client is gone, which ends the
// connection.
func (s *session) send(u acpclient.SessionUpdate) {
	_ = s.agent.conn.Notify(acpclient.SessionUpdateNotification.Name, &acpclient.SessionNotification{SessionID: s.id, Update: u})
}

// nextID returns an id that is unique in the session.
func (s *session) nextID(prefix string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count++
	return fmt.Sprintf("%s-%d", prefix, s.count)
}

func (s *session) cancelTurn() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cancel != nil {
		s.cancel()
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

// The modes, and the option that is the mode.
const (
	modeAsk  = "ask"
	modeAuto = "auto"
	modePlan = "plan"

	optionMode acpclient.ConfigID = "mode"
)

// settings are the values of a session's config options.
type settings map[acpclient.ConfigID]acpclient.ConfigValue

func defaultSettings() settings {
	out := settings{}
	for _, o := range decoded[[]acpclient.SessionConfigOption]("options.json") {
		out[o.ID] = o.CurrentValue
	}
	return out
}

// model is a fictitious model.
type model struct {
	Context  uint64                    `json:"context"`  // tokens
	Price    float64                   `json:"price"`    // dollars for a million tokens
	Thoughts []acpclient.ConfigValueID `json:"thoughts"` // the first is the default
}

var models = sync.OnceValue(func() map[acpclient.ConfigValueID]model {
	return decoded[map[acpclient.ConfigValueID]model]("models.json")
})

func (s settings) model() model { return models()[s["model"].ID] }

// delay returns the factor of the pauses in the stream.
func (s settings) delay() float64 {
	delay, known := map[acpclient.ConfigValueID]float64{"fast": 0.3, "instant": 0}[s["speed"].ID]
	if !known {
		return 1
	}
	return delay
}

func (s settings) configOptions(withBoolean bool) (out []acpclient.SessionConfigOption) {
	for _, o := range decoded[[]acpclient.SessionConfigOption]("options.json") {
		o.CurrentValue = s[o.ID]
		if o.ID == "thought" {
			o.Options = acpclient.Ungrouped(slices.DeleteFunc(o.Options.All(), func(c acpclient.ConfigSelectOption) bool {
				return !slices.Contains(s.model().Thoughts, c.Value)
			})...)
		}
		if withBoolean || o.Type != acpclient.ConfigBoolean {
			out = append(out, o)
		}
	}
	return out
}

// set changes an option, and the thought level if the model has no such level.
func (s settings) set(id acpclient.ConfigID, v acpclient.ConfigValue) error {
	for _, o := range s.configOptions(true) {
		if o.ID != id || v.IsBool != (o.Type == acpclient.ConfigBoolean) ||
			!v.IsBool && !slices.ContainsFunc(o.Options.All(), func(c acpclient.ConfigSelectOption) bool { return c.Value == v.ID }) {
			continue
		}
		s[id] = v
		if levels := s.model().Thoughts; !slices.Contains(levels, s["thought"].ID) {
			s["thought"] = acpclient.SelectValue(levels[0])
		}
		return nil
	}
	return invalid("there is no option %q with the value %v", id, v)
}

// modes returns the modes for version 1.
func modes() (out []acpclient.SessionMode) {
	for _, c := range decoded[[]acpclient.SessionConfigOption]("options.json")[0].Options.All() {
		out = append(out, acpclient.SessionMode{ID: acpclient.SessionModeID(c.Value), Name: c.Name, Description: c.Description})
	}
	return out
}

func (a *agent) setMode(_ context.Context, r *acpclient.SetSessionModeRequest) (any, error) {
	s, err := a.session(r.SessionID)
	if err == nil {
		err = s.set(optionMode, acpclient.SelectValue(acpclient.ConfigValueID(r.ModeID)))
	}
	if err != nil {
		return nil, err
	}
	s.notify(&acpclient.ConfigOptionUpdate{ConfigOptions: s.configOptions()})
	return nil, nil
}

func (a *agent) setConfigOption(_ context.Context, r *acpclient.SetSessionConfigOptionRequest) (any, error) {
	s, err := a.session(r.SessionID)
	if err == nil {
		err = s.set(r.ConfigID, r.Value)
	}
	if err != nil {
		return nil, err
	}
	if r.ConfigID == optionMode {
		s.notify(&acpclient.CurrentModeUpdate{CurrentModeID: acpclient.SessionModeID(s.current()[optionMode].ID)})
	}
	return &acpclient.SetSessionConfigOptionResponse{ConfigOptions: s.configOptions()}, nil
}
