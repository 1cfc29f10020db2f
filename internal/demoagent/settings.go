package demoagent

import (
	"context"
	"slices"
	"sync"

	"parley/acpclient"
)

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
	Pace    string `json:"pace"`
	Hints   bool   `json:"hints"`
}

var defaultSettings = settings{Mode: modeAsk, Model: "river", Thought: "brief", Pace: "calm", Hints: true}

// model is a pretended model. The models differ in what a client shows of them: context,
// cost, and the thought levels that they offer.
type model struct {
	Context  uint64                    `json:"context"`  // tokens
	Price    float64                   `json:"price"`    // dollars for a million tokens
	Thoughts []acpclient.ConfigValueID `json:"thoughts"` // the first is the default
}

var models = sync.OnceValue(func() map[string]model { return decoded[map[string]model]("models.json") })

// delay is how slow the stream is, as a factor of its pauses.
func (s *settings) delay() float64 {
	delay, known := map[string]float64{"brisk": 0.3, "instant": 0}[s.Pace]
	if !known {
		return 1
	}
	return delay
}

// value is where the value of a select option is kept; nil if there is no such option.
func (s *settings) value(id acpclient.ConfigID) *string {
	return map[acpclient.ConfigID]*string{optionMode: &s.Mode, "model": &s.Model, "thought": &s.Thought, "pace": &s.Pace}[id]
}

// configOptions is the complete state of the config options.
func (s *settings) configOptions(withBoolean bool) []acpclient.SessionConfigOption {
	out := decoded[[]acpclient.SessionConfigOption]("options.json")
	for i := range out {
		o := &out[i]
		if value := s.value(o.ID); value != nil {
			o.CurrentValue = acpclient.SelectValue(acpclient.ConfigValueID(*value))
		} else {
			o.CurrentValue = acpclient.BoolValue(s.Hints)
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

// set changes one option, and what depends on it.
func (s *settings) set(id acpclient.ConfigID, v acpclient.ConfigValue) error {
	all := s.configOptions(true)
	i := slices.IndexFunc(all, func(o acpclient.SessionConfigOption) bool { return o.ID == id })
	switch {
	case i < 0:
		return invalid("there is no option %q", id)
	case all[i].Type == acpclient.ConfigBoolean && !v.IsBool:
		return invalid("option %q is on or off", id)
	case all[i].Type == acpclient.ConfigBoolean:
		s.Hints = v.Bool
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

// modes are the values of the option that is the mode, as version 1 also has them.
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
