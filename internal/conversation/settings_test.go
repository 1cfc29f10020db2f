package conversation_test

import (
	"errors"
	"testing"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/test/events"
)

func modes(current string, ids ...acpclient.SessionModeID) *acpclient.SessionModeState {
	s := &acpclient.SessionModeState{CurrentModeID: acpclient.SessionModeID(current)}
	for _, id := range ids {
		s.AvailableModes = append(s.AvailableModes, acpclient.SessionMode{ID: id, Name: "mode " + string(id)})
	}
	return s
}

func TestModes(t *testing.T) {
	opened := conversation.SessionOpened{ID: "s", State: acpclient.SessionState{Modes: modes("a", "a", "b")}}
	failed := errors.New("no")
	for name, c := range map[string]struct {
		events  []any
		want    string
		pending bool
	}{
		"none":                         {nil, "", false},
		"as opened":                    {[]any{opened}, "mode a", false},
		"chosen":                       {[]any{opened, conversation.ModeChosen{Seq: 1, Mode: "b"}}, "mode b", true},
		"settled":                      {[]any{opened, conversation.ModeChosen{Seq: 1, Mode: "b"}, conversation.ModeSettled{Seq: 1, Mode: "b", Err: nil}}, "mode b", false},
		"gone back":                    {[]any{opened, conversation.ModeChosen{Seq: 1, Mode: "b"}, conversation.ModeSettled{Seq: 1, Mode: "b", Err: failed}}, "mode a", false},
		"two quick ones":               {[]any{opened, conversation.ModeChosen{Seq: 1, Mode: "b"}, conversation.ModeChosen{Seq: 2, Mode: "a"}, conversation.ModeSettled{Seq: 1, Mode: "b", Err: nil}}, "mode a", true},
		"the second fails":             {[]any{opened, conversation.ModeChosen{Seq: 1, Mode: "b"}, conversation.ModeChosen{Seq: 2, Mode: "a"}, conversation.ModeSettled{Seq: 1, Mode: "b", Err: nil}, conversation.ModeSettled{Seq: 2, Mode: "a", Err: failed}}, "mode b", false},
		"the first fails":              {[]any{opened, conversation.ModeChosen{Seq: 1, Mode: "b"}, conversation.ModeChosen{Seq: 2, Mode: "a"}, conversation.ModeSettled{Seq: 1, Mode: "b", Err: failed}}, "mode a", true},
		"answered the wrong way round": {[]any{opened, conversation.ModeChosen{Seq: 1, Mode: "b"}, conversation.ModeChosen{Seq: 2, Mode: "a"}, conversation.ModeSettled{Seq: 2, Mode: "a", Err: nil}, conversation.ModeSettled{Seq: 1, Mode: "b", Err: nil}}, "mode a", false},
		"by the agent":                 {[]any{opened, `{"sessionUpdate":"current_mode_update","currentModeId":"b"}`}, "mode b", false},
		"by the agent, as on the page": {[]any{opened, `{"sessionUpdate":"current_mode_update","modeId":"b"}`}, "mode b", false},
		"one that was not listed":      {[]any{opened, `{"sessionUpdate":"current_mode_update","modeId":"c"}`}, "c", false},
		"options replace modes":        {[]any{opened, events.OptionsUpdate(events.ModeOption)}, "Ask", false},
		"an empty list does not":       {[]any{conversation.SessionOpened{State: acpclient.SessionState{Modes: modes("a", "a"), ConfigOptions: []acpclient.SessionConfigOption{}}}}, "mode a", false},
		"options without a mode":       {[]any{opened, events.OptionsUpdate(events.ThinkOption)}, "", false},
		"a mode update with options":   {[]any{opened, events.OptionsUpdate(events.ModeOption), `{"sessionUpdate":"current_mode_update","currentModeId":"code"}`}, "Code", false},
		"the agent is lost meanwhile":  {[]any{opened, conversation.ModeChosen{Seq: 1, Mode: "b"}, conversation.AgentLost{}}, "mode a", false},
		"the session is opened anew":   {[]any{opened, conversation.ModeChosen{Seq: 1, Mode: "b"}, opened}, "mode a", false},
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
	both := events.OptionsUpdate(events.ModeOption + "," + events.ThinkOption)
	on := acpclient.BoolValue(true)
	c := fold(t, both, conversation.OptionChosen{Seq: 1, Option: "t", Value: on})
	think := c.Option("t")
	if v, pending := c.OptionValue(think); v != on || !pending || conversation.ValueName(think, v) != "on" {
		t.Errorf("%v, pending %v", v, pending)
	}
	c.Apply(conversation.OptionSettled{Seq: 1, Option: "t", Value: on}) // answered with nothing
	if v, pending := c.OptionValue(c.Option("t")); v != on || pending {
		t.Errorf("%v, pending %v", v, pending)
	}
	// The answer is the state of all options: setting one may change others.
	c.Apply(conversation.OptionChosen{Seq: 2, Option: "t", Value: acpclient.BoolValue(false)})
	c.Apply(conversation.OptionSettled{Seq: 2, Option: "t", Options: events.Up(t, events.OptionsUpdate(events.ModeOption)).(conversation.Update).Update.(*acpclient.ConfigOptionUpdate).ConfigOptions})
	if c.Option("t") != nil || c.Option("m") == nil || c.ModeOption().ID != "m" {
		t.Errorf("options %+v", c.Options)
	}
	// Twice, quickly.
	c = fold(t, both, conversation.OptionChosen{Seq: 1, Option: "m", Value: acpclient.SelectValue("code")}, conversation.OptionChosen{Seq: 2, Option: "m", Value: acpclient.SelectValue("ask")},
		conversation.OptionSettled{Seq: 1, Option: "m", Value: acpclient.SelectValue("code")})
	if v, pending := c.OptionValue(c.Option("m")); v.ID != "ask" || !pending {
		t.Errorf("%v, pending %v", v, pending)
	}
	c.Apply(conversation.OptionSettled{Seq: 2, Option: "m", Err: errors.New("no")})
	if v, pending := c.OptionValue(c.Option("m")); v.ID != "code" || pending {
		t.Errorf("%v, pending %v", v, pending)
	}
	events.WantTranscript(t, c, "note: Mode was not changed")
	// What is unknown is left out or kept, one by one, and a bad update is none.
	c = fold(t, both, `{"sessionUpdate":"config_option_update"}`, `{"sessionUpdate":"config_option_update","configOptions":7}`)
	if len(c.Options) != 2 {
		t.Errorf("options %+v", c.Options)
	}
	if c := fold(t, both, events.OptionsUpdate("")); len(c.Options) != 0 || c.LegacyModes() != nil {
		t.Errorf("options %+v", c.Options)
	}
	c = fold(t, conversation.OptionSettled{Seq: 1, Option: "gone", Err: errors.New("no")}, conversation.OptionSettled{Seq: 2, Option: "gone"})
	events.WantTranscript(t, c, "note: gone was not changed")
	if name := conversation.ValueName(think, acpclient.SelectValue("x")); name != "x" {
		t.Errorf("a value without a name is called %q", name)
	}
}

func TestModels(t *testing.T) {
	opened := conversation.SessionOpened{State: acpclient.SessionState{Models: &acpclient.SessionModelState{
		CurrentModelID: "a", AvailableModels: []acpclient.ModelInfo{{ModelID: "a", Name: "A"}, {ModelID: "b"}},
	}}}
	for name, c := range map[string]struct {
		events  []any
		want    string
		pending bool
	}{
		"none":        {nil, "", false},
		"as opened":   {[]any{opened}, "A", false},
		"chosen":      {[]any{opened, conversation.ModelChosen{Seq: 1, Model: "b"}}, "b", true},
		"settled":     {[]any{opened, conversation.ModelChosen{Seq: 1, Model: "b"}, conversation.ModelSettled{Seq: 1, Model: "b", Err: nil}}, "b", false},
		"gone back":   {[]any{opened, conversation.ModelChosen{Seq: 1, Model: "b"}, conversation.ModelSettled{Seq: 1, Model: "b", Err: errors.New("no")}}, "A", false},
		"two answers": {[]any{opened, conversation.ModelChosen{Seq: 1, Model: "b"}, conversation.ModelChosen{Seq: 2, Model: "a"}, conversation.ModelSettled{Seq: 2, Model: "a", Err: nil}, conversation.ModelSettled{Seq: 1, Model: "b", Err: nil}}, "A", false},
		"an option":   {[]any{opened, events.OptionsUpdate(`{"id":"x","name":"Model","category":"model","type":"select","currentValue":"z","options":[]}`)}, "z", false},
	} {
		t.Run(name, func(t *testing.T) {
			got, pending := fold(t, c.events...).CurrentModel()
			if got != c.want || pending != c.pending {
				t.Errorf("model %q, pending %v", got, pending)
			}
		})
	}
}
