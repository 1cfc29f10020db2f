package session

import (
	"errors"
	"testing"

	"parley/acpclient"
)

func modes(current string, ids ...acpclient.SessionModeID) *acpclient.SessionModeState {
	s := &acpclient.SessionModeState{CurrentModeID: acpclient.SessionModeID(current)}
	for _, id := range ids {
		s.AvailableModes = append(s.AvailableModes, acpclient.SessionMode{ID: id, Name: "mode " + string(id)})
	}
	return s
}

const modeOption = `{"id":"m","name":"Mode","category":"mode","type":"select","currentValue":"ask","options":[{"value":"ask","name":"Ask"},{"value":"code","name":"Code"}]}`

const thinkOption = `{"id":"t","name":"Think","type":"boolean","currentValue":false}`

func optionsUpdate(options string) string {
	return `{"sessionUpdate":"config_option_update","configOptions":[` + options + `]}`
}

func TestModes(t *testing.T) {
	opened := SessionOpened{ID: "s", State: acpclient.SessionState{Modes: modes("a", "a", "b")}}
	failed := errors.New("no")
	for name, c := range map[string]struct {
		events  []any
		want    string
		pending bool
	}{
		"none":                         {nil, "", false},
		"as opened":                    {[]any{opened}, "mode a", false},
		"chosen":                       {[]any{opened, ModeChosen{1, "b"}}, "mode b", true},
		"settled":                      {[]any{opened, ModeChosen{1, "b"}, ModeSettled{1, "b", nil}}, "mode b", false},
		"gone back":                    {[]any{opened, ModeChosen{1, "b"}, ModeSettled{1, "b", failed}}, "mode a", false},
		"two quick ones":               {[]any{opened, ModeChosen{1, "b"}, ModeChosen{2, "a"}, ModeSettled{1, "b", nil}}, "mode a", true},
		"the second fails":             {[]any{opened, ModeChosen{1, "b"}, ModeChosen{2, "a"}, ModeSettled{1, "b", nil}, ModeSettled{2, "a", failed}}, "mode b", false},
		"the first fails":              {[]any{opened, ModeChosen{1, "b"}, ModeChosen{2, "a"}, ModeSettled{1, "b", failed}}, "mode a", true},
		"answered the wrong way round": {[]any{opened, ModeChosen{1, "b"}, ModeChosen{2, "a"}, ModeSettled{2, "a", nil}, ModeSettled{1, "b", nil}}, "mode a", false},
		"by the agent":                 {[]any{opened, `{"sessionUpdate":"current_mode_update","currentModeId":"b"}`}, "mode b", false},
		"by the agent, as on the page": {[]any{opened, `{"sessionUpdate":"current_mode_update","modeId":"b"}`}, "mode b", false},
		"one that was not listed":      {[]any{opened, `{"sessionUpdate":"current_mode_update","modeId":"c"}`}, "c", false},
		"options replace modes":        {[]any{opened, optionsUpdate(modeOption)}, "Ask", false},
		"an empty list does not":       {[]any{SessionOpened{State: acpclient.SessionState{Modes: modes("a", "a"), ConfigOptions: []acpclient.SessionConfigOption{}}}}, "mode a", false},
		"options without a mode":       {[]any{opened, optionsUpdate(thinkOption)}, "", false},
		"a mode update with options":   {[]any{opened, optionsUpdate(modeOption), `{"sessionUpdate":"current_mode_update","currentModeId":"code"}`}, "Code", false},
		"the agent is lost meanwhile":  {[]any{opened, ModeChosen{1, "b"}, AgentLost{}}, "mode a", false},
		"the session is opened anew":   {[]any{opened, ModeChosen{1, "b"}, opened}, "mode a", false},
	} {
		t.Run(name, func(t *testing.T) {
			got, pending := fold(t, c.events...).CurrentMode()
			if got != c.want || pending != c.pending {
				t.Errorf("mode %q, pending %v", got, pending)
			}
		})
	}
}

func TestOptions(t *testing.T) {
	both := optionsUpdate(modeOption + "," + thinkOption)
	on := acpclient.BoolValue(true)
	c := fold(t, both, OptionChosen{1, "t", on})
	think := c.Option("t")
	if v, pending := c.OptionValue(think); v != on || !pending || ValueName(think, v) != "on" {
		t.Errorf("%v, pending %v", v, pending)
	}
	c.Apply(OptionSettled{Seq: 1, Option: "t", Value: on}) // answered with nothing
	if v, pending := c.OptionValue(c.Option("t")); v != on || pending {
		t.Errorf("%v, pending %v", v, pending)
	}
	// The answer is the state of all options: setting one may change others.
	c.Apply(OptionChosen{2, "t", acpclient.BoolValue(false)})
	c.Apply(OptionSettled{Seq: 2, Option: "t", Options: up(t, optionsUpdate(modeOption)).(Update).Update.(*acpclient.ConfigOptionUpdate).ConfigOptions})
	if c.Option("t") != nil || c.Option("m") == nil || c.ModeOption().ID != "m" {
		t.Errorf("options %+v", c.Options)
	}
	// Twice, quickly.
	c = fold(t, both, OptionChosen{1, "m", acpclient.SelectValue("code")}, OptionChosen{2, "m", acpclient.SelectValue("ask")},
		OptionSettled{Seq: 1, Option: "m", Value: acpclient.SelectValue("code")})
	if v, pending := c.OptionValue(c.Option("m")); v.ID != "ask" || !pending {
		t.Errorf("%v, pending %v", v, pending)
	}
	c.Apply(OptionSettled{Seq: 2, Option: "m", Err: errors.New("no")})
	if v, pending := c.OptionValue(c.Option("m")); v.ID != "code" || pending {
		t.Errorf("%v, pending %v", v, pending)
	}
	wantTranscript(t, c, "note: Mode was not changed")
	// What is unknown is left out or kept, one by one, and a bad update is none.
	c = fold(t, both, `{"sessionUpdate":"config_option_update"}`, `{"sessionUpdate":"config_option_update","configOptions":7}`)
	if len(c.Options) != 2 {
		t.Errorf("options %+v", c.Options)
	}
	if c := fold(t, both, optionsUpdate("")); len(c.Options) != 0 || c.LegacyModes() != nil {
		t.Errorf("options %+v", c.Options)
	}
	c = fold(t, OptionSettled{Seq: 1, Option: "gone", Err: errors.New("no")}, OptionSettled{Seq: 2, Option: "gone"})
	wantTranscript(t, c, "note: gone was not changed")
	if name := ValueName(think, acpclient.SelectValue("x")); name != "x" {
		t.Errorf("a value without a name is called %q", name)
	}
}

func TestModels(t *testing.T) {
	opened := SessionOpened{State: acpclient.SessionState{Models: &acpclient.SessionModelState{
		CurrentModelID: "a", AvailableModels: []acpclient.ModelInfo{{ModelID: "a", Name: "A"}, {ModelID: "b"}},
	}}}
	for name, c := range map[string]struct {
		events  []any
		want    string
		pending bool
	}{
		"none":        {nil, "", false},
		"as opened":   {[]any{opened}, "A", false},
		"chosen":      {[]any{opened, ModelChosen{1, "b"}}, "b", true},
		"settled":     {[]any{opened, ModelChosen{1, "b"}, ModelSettled{1, "b", nil}}, "b", false},
		"gone back":   {[]any{opened, ModelChosen{1, "b"}, ModelSettled{1, "b", errors.New("no")}}, "A", false},
		"two answers": {[]any{opened, ModelChosen{1, "b"}, ModelChosen{2, "a"}, ModelSettled{2, "a", nil}, ModelSettled{1, "b", nil}}, "A", false},
		"an option":   {[]any{opened, optionsUpdate(`{"id":"x","name":"Model","category":"model","type":"select","currentValue":"z","options":[]}`)}, "z", false},
	} {
		t.Run(name, func(t *testing.T) {
			got, pending := fold(t, c.events...).CurrentModel()
			if got != c.want || pending != c.pending {
				t.Errorf("model %q, pending %v", got, pending)
			}
		})
	}
}
