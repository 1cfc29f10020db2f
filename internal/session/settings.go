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
	settled := func(now []acpclient.SessionConfigOption, err error) {
		e.Options, e.Err = now, err
		s.stream.post(e)
	}
	switch {
	case s.legacy && option == conversation.LegacyModeID:
		s.setMode(acpclient.SessionModeID(value.ID), settled)
	case s.legacy && option == conversation.LegacyModelID:
		s.setModel(string(value.ID), settled)
	default:
		s.setConfigOption(option, value, settled)
	}
}

// openedWith records which calls change the settings of the session: config options
// replace modes and models, and an answer without any of them changes nothing. s.mu
// must be held.
func (s *Session) openedWith(state acpclient.SessionState) {
	switch {
	case len(state.ConfigOptions) > 0:
		s.legacy = false
	case state.Modes != nil || state.Models != nil:
		s.legacy = true
	}
}

// settledFunc takes the answer to a switch: the state of all options, nil if the agent
// has not sent it, or an error. It is called with Session.mu held.
type settledFunc func([]acpclient.SessionConfigOption, error)

func (s *Session) setConfigOption(option acpclient.ConfigID, value acpclient.ConfigValue, settled settledFunc) {
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

func (s *Session) setMode(mode acpclient.SessionModeID, settled settledFunc) {
	call(s, acpclient.SessionSetMode,
		func() *acpclient.SetSessionModeRequest {
			return &acpclient.SetSessionModeRequest{SessionID: s.id, ModeID: mode}
		},
		func(_ *acpclient.SetSessionModeResponse, err error) { settled(nil, err) },
		callHooks{})
}

func (s *Session) setModel(model string, settled settledFunc) {
	call(s, acpclient.SessionSetModel,
		func() *acpclient.SetSessionModelRequest {
			return &acpclient.SetSessionModelRequest{SessionID: s.id, ModelID: model}
		},
		func(_ *acpclient.SetSessionModelResponse, err error) { settled(nil, err) },
		callHooks{})
}
