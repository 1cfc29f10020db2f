package session

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"parley/acpclient"
	"parley/internal/conversation"
)

// SetOption sets an option of the open session: a config option of the agent, or one
// that stands for its modes or models. It does nothing while no session is open.
type SetOption struct {
	Option acpclient.ConfigID
	Value  acpclient.ConfigValue
}

func (a SetOption) Do(_ context.Context, s *Session) (None, error) {
	if s.ready() {
		s.setOption(a.Option, a.Value, nil)
	}
	return None{}, nil
}

// setOption is the act SetOption. s.mu must be held. It calls then, if not nil, with the agent's
// answer, also with s.mu held.
func (s *Session) setOption(option acpclient.ConfigID, value acpclient.ConfigValue, then func(conversation.OptionSettled)) {
	s.lastNumber++
	e := conversation.OptionSettled{Seq: s.lastNumber, Option: option, Value: value}
	s.post(conversation.OptionChosen{Seq: s.lastNumber, Option: option, Value: value, At: s.opt.Now()})
	// now is the state of all options, nil if the agent has not sent it.
	settled := func(now []acpclient.SessionConfigOption, err error) {
		e.Options, e.Err = now, err
		s.post(e)
		if then != nil {
			then(e)
		}
	}
	switch legacy := s.state.Legacy(option); {
	case legacy && option == conversation.LegacyModeID:
		call(s, acpclient.SessionSetMode,
			func() *acpclient.SetSessionModeRequest {
				return &acpclient.SetSessionModeRequest{SessionID: s.state.ID, ModeID: acpclient.SessionModeID(value.ID)}
			},
			func(_ *acpclient.SetSessionModeResponse, err error) { settled(nil, err) },
			callHooks{})
	case legacy && option == conversation.LegacyModelID:
		call(s, acpclient.SessionSetModel,
			func() *acpclient.SetSessionModelRequest {
				return &acpclient.SetSessionModelRequest{SessionID: s.state.ID, ModelID: string(value.ID)}
			},
			func(_ *acpclient.SetSessionModelResponse, err error) { settled(nil, err) },
			callHooks{})
	default:
		call(s, acpclient.SessionSetConfigOption,
			func() *acpclient.SetSessionConfigOptionRequest {
				return &acpclient.SetSessionConfigOptionRequest{SessionID: s.state.ID, ConfigID: option, Value: value}
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
func (s *Session) setInitialOptions() {
	if s.opt.Mode == "" && len(s.opt.Values) == 0 {
		return
	}
	var st conversation.State
	st.Options = s.options()
	set := func(o *acpclient.SessionConfigOption, name, value string) {
		if o == nil {
			s.notice(acpclient.NoticeWarning, fmt.Sprintf("The agent has no option %q", name), "The configuration sets it.")
			return
		}
		v, ok := conversation.ValueNamed(o, value)
		if !ok {
			s.notice(acpclient.NoticeWarning, fmt.Sprintf("%s cannot be %q", o.Name, value), "The configuration sets it.")
			return
		}
		if o.CurrentValue != v {
			s.setOption(o.ID, v, nil)
		}
	}
	if s.opt.Mode != "" {
		set(st.OptionByCategory(acpclient.CategoryMode), "mode", s.opt.Mode)
	}
	for _, id := range slices.Sorted(maps.Keys(s.opt.Values)) {
		set(conversation.OptionNamed(st.Options, id), id, s.opt.Values[id])
	}
}

// restoreOptions sets the options of a reopened session to their earlier values, one after
// the other because one may bring another, and tells which the agent no longer offers. An
// agent without any has not said what they are. s.mu must be held.
func (s *Session) restoreOptions(earlier []acpclient.SessionConfigOption) {
	var st conversation.State
	st.Options = s.options()
	if len(st.Options) == 0 {
		return
	}
	var gone []string
	for i := range earlier {
		was := &earlier[i]
		o := st.Option(was.ID)
		if o == nil || !offers(o, was.CurrentValue) {
			gone = append(gone, was.Name+": "+conversation.ValueName(was, was.CurrentValue))
			continue
		}
		if o.CurrentValue == was.CurrentValue {
			continue
		}
		rest := slices.Delete(slices.Clone(earlier), i, i+1)
		s.setOption(was.ID, was.CurrentValue, func(conversation.OptionSettled) { s.restoreOptions(rest) })
		return
	}
	if len(gone) > 0 {
		s.notice(acpclient.NoticeWarning, "The agent no longer offers what this session used", strings.Join(gone, ", "))
	}
}

// offers reports whether an option can have a value.
func offers(o *acpclient.SessionConfigOption, v acpclient.ConfigValue) bool {
	if v.IsBool {
		return o.Type == acpclient.ConfigBoolean
	}
	return o.Type == acpclient.ConfigSelect && slices.ContainsFunc(o.Options.All(), func(s acpclient.ConfigSelectOption) bool {
		return s.Value == v.ID
	})
}
