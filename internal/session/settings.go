package session

import (
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
