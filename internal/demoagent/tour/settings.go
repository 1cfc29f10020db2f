package tour

import (
	"context"
	"slices"

	"parley/acpclient"
)

// The modes.
const (
	modeAsk  = "ask"
	modeAuto = "auto"
	modePlan = "plan"
)

// The config options.
const (
	optionMode    acpclient.ConfigID = "mode"
	optionModel   acpclient.ConfigID = "model"
	optionThought acpclient.ConfigID = "thought"
	optionPace    acpclient.ConfigID = "pace"
	optionHints   acpclient.ConfigID = "hints"
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

var modes = []acpclient.SessionMode{
	{ID: modeAsk, Name: "Ask", Description: "Asks before every change and every command"},
	{ID: modeAuto, Name: "Auto", Description: "Works on without asking"},
	{ID: modePlan, Name: "Plan", Description: "Plans only, and asks before it begins"},
}

// model is one of the pretended models.
type model struct {
	id, name, description string
	context               uint64  // tokens
	price                 float64 // dollars for a million tokens
	thoughts              []string
}

// The models differ in what a client shows of them: context, cost, and the
// thought levels that they offer. The first level is a model's default.
var (
	smallModels = []model{
		{"pebble", "Pebble", "Small. Does not think", 8_000, 0.1, []string{"off"}},
		{"brook", "Brook", "Small, thinks a little", 32_000, 0.4, []string{"brief", "off"}},
	}
	largeModels = []model{
		{"river", "River", "Large, thinks as long as you like", 200_000, 3, []string{"brief", "long", "off"}},
		{"ocean", "Ocean", "Larger than you need", 1_000_000, 15, []string{"long", "brief"}},
	}
	models = slices.Concat(smallModels, largeModels)
)

var thoughtNames = map[string]string{"off": "Off", "brief": "Brief", "long": "Long"}

// paces are how fast the stream is, as a factor of its pauses.
var paces = []struct {
	id, name string
	delay    float64
}{{"calm", "Calm", 1}, {"brisk", "Brisk", 0.3}, {"instant", "Instant", 0}}

func (s *settings) model() model {
	i := slices.IndexFunc(models, func(m model) bool { return m.id == s.Model })
	return models[max(i, 0)]
}

func (s *settings) delay() float64 {
	for _, p := range paces {
		if p.id == s.Pace {
			return p.delay
		}
	}
	return 1
}

// configOptions is the complete state of the config options.
func (s *settings) configOptions(withBoolean bool) []acpclient.SessionConfigOption {
	choose := func(id acpclient.ConfigID, category acpclient.ConfigCategory, name, description, value string, from acpclient.ConfigSelectOptions) acpclient.SessionConfigOption {
		return acpclient.SessionConfigOption{
			ID: id, Name: name, Description: description, Category: category, Type: acpclient.ConfigSelect,
			CurrentValue: acpclient.SelectValue(acpclient.ConfigValueID(value)), Options: from,
		}
	}
	var modeValues, thoughtValues, paceValues []acpclient.ConfigSelectOption
	for _, m := range modes {
		modeValues = append(modeValues, acpclient.ConfigSelectOption{Value: acpclient.ConfigValueID(m.ID), Name: m.Name, Description: m.Description})
	}
	for _, t := range s.model().thoughts {
		thoughtValues = append(thoughtValues, acpclient.ConfigSelectOption{Value: acpclient.ConfigValueID(t), Name: thoughtNames[t]})
	}
	for _, p := range paces {
		paceValues = append(paceValues, acpclient.ConfigSelectOption{Value: acpclient.ConfigValueID(p.id), Name: p.name})
	}
	out := []acpclient.SessionConfigOption{
		choose(optionMode, acpclient.CategoryMode, "Mode", "How much is done without asking", s.Mode, acpclient.Ungrouped(modeValues...)),
		choose(optionModel, acpclient.CategoryModel, "Model", "None of them is real", s.Model, acpclient.ConfigSelectOptions{
			{Group: "small", Name: "Small", Options: modelValues(smallModels)},
			{Group: "large", Name: "Large", Options: modelValues(largeModels)},
		}),
		choose(optionThought, acpclient.CategoryThoughtLevel, "Thinking", "How much is thought aloud; depends on the model", s.Thought, acpclient.Ungrouped(thoughtValues...)),
		choose(optionPace, "", "Pace", "How fast the tour talks", s.Pace, acpclient.Ungrouped(paceValues...)),
	}
	if withBoolean {
		out = append(out, acpclient.SessionConfigOption{
			ID: optionHints, Name: "Hints", Description: "End answers with what to try next",
			Type: acpclient.ConfigBoolean, CurrentValue: acpclient.BoolValue(s.Hints),
		})
	}
	return out
}

func modelValues(of []model) (out []acpclient.ConfigSelectOption) {
	for _, m := range of {
		out = append(out, acpclient.ConfigSelectOption{Value: acpclient.ConfigValueID(m.id), Name: m.name, Description: m.description})
	}
	return out
}

// set changes one option, and what depends on it.
func (s *settings) set(id acpclient.ConfigID, v acpclient.ConfigValue) error {
	if id == optionHints {
		if !v.IsBool {
			return invalid("option %q is on or off", id)
		}
		s.Hints = v.Bool
		return nil
	}
	for _, o := range s.configOptions(false) {
		if o.ID != id {
			continue
		}
		if v.IsBool || !slices.ContainsFunc(o.Options.All(), func(c acpclient.ConfigSelectOption) bool { return c.Value == v.ID }) {
			return invalid("option %q has no value %q", id, v.ID)
		}
		switch value := string(v.ID); id {
		case optionMode:
			s.Mode = value
		case optionModel:
			s.Model = value
			if levels := s.model().thoughts; !slices.Contains(levels, s.Thought) {
				s.Thought = levels[0]
			}
		case optionThought:
			s.Thought = value
		case optionPace:
			s.Pace = value
		}
		return nil
	}
	return invalid("there is no option %q", id)
}

func (a *agent) setMode(_ context.Context, r *acpclient.SetSessionModeRequest) (*acpclient.SetSessionModeResponse, error) {
	s, err := a.openSession(r.SessionID)
	if err != nil {
		return nil, err
	}
	if _, err := s.set(optionMode, acpclient.SelectValue(acpclient.ConfigValueID(r.ModeID))); err != nil {
		return nil, err
	}
	s.notify(&acpclient.ConfigOptionUpdate{ConfigOptions: s.state().ConfigOptions})
	return &acpclient.SetSessionModeResponse{}, nil
}

func (a *agent) setConfigOption(_ context.Context, r *acpclient.SetSessionConfigOptionRequest) (*acpclient.SetSessionConfigOptionResponse, error) {
	s, err := a.openSession(r.SessionID)
	if err != nil {
		return nil, err
	}
	now, err := s.set(r.ConfigID, r.Value)
	if err != nil {
		return nil, err
	}
	if r.ConfigID == optionMode {
		s.notify(&acpclient.CurrentModeUpdate{CurrentModeID: acpclient.SessionModeID(now.Mode)})
	}
	return &acpclient.SetSessionConfigOptionResponse{ConfigOptions: s.state().ConfigOptions}, nil
}
