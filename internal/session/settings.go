package session

import (
	"fmt"
	"maps"
	"slices"

	"parley/acpclient"
	"parley/internal/conversation"
)

// SetOption sets an option of the open session: a config option of the agent, or one
// that stands for its modes or models. It does nothing while no session is open.
func (s *Session) SetOption(option acpclient.ConfigID, value acpclient.ConfigValue) {
	s.mu.Lock()
	defer s.unlock()
	if s.ready {
		s.setOption(option, value)
	}
}

// setOption is SetOption with s.mu held.
func (s *Session) setOption(option acpclient.ConfigID, value acpclient.ConfigValue) {
	s.lastNumber++
	e := conversation.OptionSettled{Seq: s.lastNumber, Option: option, Value: value}
	s.stream.post(conversation.OptionChosen{Seq: s.lastNumber, Option: option, Value: value})
	// now is the state of all options, nil if the agent has not sent it.
	settled := func(now []acpclient.SessionConfigOption, err error) {
		e.Options, e.Err = now, err
		s.stream.post(e)
	}
	switch {
	case s.legacy && option == conversation.LegacyModeID:
		call(s, acpclient.SessionSetMode,
			func() *acpclient.SetSessionModeRequest {
				return &acpclient.SetSessionModeRequest{SessionID: s.id, ModeID: acpclient.SessionModeID(value.ID)}
			},
			func(_ *acpclient.SetSessionModeResponse, err error) { settled(nil, err) },
			callHooks{})
	case s.legacy && option == conversation.LegacyModelID:
		call(s, acpclient.SessionSetModel,
			func() *acpclient.SetSessionModelRequest {
				return &acpclient.SetSessionModelRequest{SessionID: s.id, ModelID: string(value.ID)}
			},
			func(_ *acpclient.SetSessionModelResponse, err error) { settled(nil, err) },
			callHooks{})
	default:
		call(s, acpclient.SessionSetConfigOption,
			func() *acpclient.SetSessionConfigOptionRequest {
				return &acpclient.SetSessionConfigOptionRequest{SessionID: s.id, ConfigID: option, Value: value}
			},
			func(r *acpclient.SetSessionConfigOptionResponse, err error) {
				var now []acpclient.SessionConfigOption
				if r != nil {
					now = r.ConfigOptions
				}
				settled(now, err)
			},
			callHooks{})
	}
}

// setInitialOptions sets the initial mode and options of a new session, before anything else is
// sent. What the agent does not offer causes a notice. s.mu must be held.
func (s *Session) setInitialOptions(state acpclient.SessionState) {
	if s.opt.Mode == "" && len(s.opt.Values) == 0 {
		return
	}
	c := conversation.New() // handles modes and models as options, too
	c.Apply(conversation.SessionOpened{ID: s.id, Cwd: s.opt.Cwd, State: state})
	if s.opt.Mode != "" {
		s.setInitialOption(c, c.OptionByCategory(acpclient.CategoryMode), "mode", s.opt.Mode)
	}
	for _, id := range slices.Sorted(maps.Keys(s.opt.Values)) {
		s.setInitialOption(c, conversation.OptionNamed(c.Options, id), id, s.opt.Values[id])
	}
}

func (s *Session) setInitialOption(c *conversation.Conversation, o *acpclient.SessionConfigOption, name, value string) {
	if o == nil {
		s.AddNotice(acpclient.NoticeWarning, fmt.Sprintf("The agent has no option %q", name), "The configuration asks for it.")
		return
	}
	v, ok := conversation.ValueNamed(o, value)
	if !ok {
		s.AddNotice(acpclient.NoticeWarning, fmt.Sprintf("%s cannot be %q", o.Name, value), "The configuration asks for it.")
		return
	}
	if now, _ := c.OptionValue(o); now != v {
		s.setOption(o.ID, v)
	}
}
