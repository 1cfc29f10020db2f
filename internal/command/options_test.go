package command

import (
	"os"
	"reflect"
	"strings"
	"testing"

	"parley/acpclient"
	"parley/config"
	"parley/internal/conversation"
	"parley/internal/session"
)

func someOptions() []acpclient.SessionConfigOption {
	value := func(id, name, about string) acpclient.ConfigSelectOption {
		return acpclient.ConfigSelectOption{Value: acpclient.ConfigValueID(id), Name: name, Description: about}
	}
	return []acpclient.SessionConfigOption{
		{ID: "mode", Name: "Mode", Category: acpclient.CategoryMode, Type: acpclient.ConfigSelect, CurrentValue: acpclient.SelectValue("ask"), Options: acpclient.Ungrouped(
			value("ask", "Ask", ""), value("code", "Code", ""))},
		{ID: "model", Name: "Model", Description: "What answers", Category: acpclient.CategoryModel, Type: acpclient.ConfigSelect, CurrentValue: acpclient.SelectValue("opus"), Options: acpclient.ConfigSelectOptions{
			{Group: "a", Name: "Anthropic", Options: acpclient.List[acpclient.ConfigSelectOption]{value("opus", "Opus", "Most capable"), value("haiku", "Haiku", "Fastest")}},
			{Group: "l", Name: "Local", Options: acpclient.List[acpclient.ConfigSelectOption]{value("qwen", "Qwen", "Runs here")}},
		}},
		{ID: "brave", Name: "Brave mode", Type: acpclient.ConfigBoolean, CurrentValue: acpclient.BoolValue(false)},
		{ID: "slider", Name: "Temperature", Type: "range", Raw: []byte(`{}`)},
	}
}

// sets checks which option was set last.
func (s *screen) sets(id acpclient.ConfigID, v acpclient.ConfigValue) {
	s.t.Helper()
	if want := (session.SetOption{Option: id, Value: v}); len(s.did) == 0 || s.did[len(s.did)-1] != any(want) {
		s.t.Errorf("did %v, want %v", s.did, want)
	}
}

// The options follow the conversation, and each of them is set.
func TestOptions(t *testing.T) {
	s := newScreen(t, someOptions()...)
	c := s.live.Conversation
	c.Apply(conversation.OptionChosen{Option: "brave", Value: acpclient.BoolValue(true), Seq: 1})
	chooseOption(s)
	if got, want := s.shown(), "Mode | Ask\nModel | Opus\n◐ Brave mode | off → on"; got != want {
		t.Errorf("it shows\n%s\nwant\n%s", got, want)
	}
	s.choose("Brave mode") // it is on, pending
	s.sets("brave", acpclient.BoolValue(false))
	if len(s.lists) != 1 {
		t.Error("the list is closed")
	}
	s.item("Brave mode").Open()
	s.choose("on")
	s.sets("brave", acpclient.BoolValue(true))
	s.choose("Model")
	if got, want := s.shown(), "● Anthropic | Opus | Most capable\nAnthropic | Haiku | Fastest\nLocal | Qwen | Runs here"; got != want {
		t.Errorf("it shows\n%s\nwant\n%s", got, want)
	}
	options := c.Options
	options[1].CurrentValue = acpclient.SelectValue("haiku")
	c.Apply(conversation.OptionSettled{Option: "brave", Seq: 1, Options: options})
	c.Apply(conversation.OptionChosen{Seq: 2, Option: "model", Value: acpclient.SelectValue("qwen")})
	if got := s.shown(); !strings.Contains(got, "● Anthropic | Haiku") || !strings.Contains(got, "◐ Local | Qwen") {
		t.Errorf("the values do not follow:\n%s", got)
	}
	c.Apply(conversation.OptionSettled{Option: "x", Seq: 3, Options: options[:1]})
	if got := s.shown(); got != "Model | the agent no longer offers this option" {
		t.Errorf("the values of an option that is gone are still shown:\n%s", got)
	}
	s.lists = s.lists[:1]
	s.choose("Mode")
	s.choose("Code")
	s.sets("mode", acpclient.SelectValue("code"))
}

// Modes and models are listed by themselves, those of the old kind, too.
func TestModesAndModels(t *testing.T) {
	legacy := newScreen(t)
	legacy.live.Conversation.Apply(conversation.SessionOpened{State: acpclient.SessionState{
		Modes:  &acpclient.SessionModeState{CurrentModeID: "ask", AvailableModes: acpclient.List[acpclient.SessionMode]{{ID: "ask", Name: "Ask"}, {ID: "code", Name: "Code"}}},
		Models: &acpclient.SessionModelState{CurrentModelID: "b", AvailableModels: acpclient.List[acpclient.ModelInfo]{{ModelID: "a", Name: "A"}, {ModelID: "b", Name: "B"}}},
	}})
	for _, tt := range []struct {
		s      *screen
		of     acpclient.ConfigCategory
		choose string
		id     acpclient.ConfigID
		value  string
	}{
		{newScreen(t, someOptions()...), acpclient.CategoryMode, "Code", "mode", "code"},
		{newScreen(t, someOptions()...), acpclient.CategoryModel, "Haiku", "model", "haiku"},
		{legacy, acpclient.CategoryMode, "Code", conversation.LegacyModeID, "code"},
		{legacy, acpclient.CategoryModel, "A", conversation.LegacyModelID, "a"},
	} {
		chooseCategories(tt.s, tt.of)
		tt.s.choose(tt.choose)
		tt.s.sets(tt.id, acpclient.SelectValue(acpclient.ConfigValueID(tt.value)))
	}
	if why := Offers(newScreen(t).live, "none", acpclient.CategoryMode); why != "none" {
		t.Error("there is a list of what cannot be set")
	}
}

// What belongs to the model is listed with it, under the names of both.
func TestTheModelAndWhatBelongsToIt(t *testing.T) {
	options := someOptions()
	options = append(options[1:2], acpclient.SessionConfigOption{ID: "fast", Name: "Fast mode", Category: acpclient.CategoryModelConfig, Type: acpclient.ConfigBoolean, CurrentValue: acpclient.BoolValue(true)},
		acpclient.SessionConfigOption{ID: "size", Name: "Size", Category: acpclient.CategoryModelConfig, Type: acpclient.ConfigSelect})
	s := newScreen(t, options...)
	chooseCategories(s, acpclient.CategoryModel, acpclient.CategoryModelConfig)
	if c := s.lists[0]; c.Title != "Model" || c.About != "What answers" || c.Ask != "Model is Opus. Which one?" {
		t.Errorf("the list is %+v", c)
	}
	if got := s.shown(); !strings.Contains(got, "● Model · Anthropic | Opus") || !strings.Contains(got, "● Fast mode | on\nFast mode | off\nSize | none | no values") {
		t.Errorf("it shows\n%s", got)
	}
	s.choose("off")
	s.sets("fast", acpclient.BoolValue(false))
}

// Models that are used often stand first, in a group of their own.
func TestUsedOftenStandsFirst(t *testing.T) {
	s := newScreen(t, someOptions()...)
	s.live.Agent.Source = config.SourceFound
	s.backend.Recent = config.NewRecentFile(t.TempDir())
	for range 2 {
		if err := s.backend.Recent.Model("claude", "qwen"); err != nil {
			t.Fatal(err)
		}
	}
	chooseCategories(s, acpclient.CategoryModel)
	if got := s.shown(); !strings.HasPrefix(got, "Used often | Qwen | Runs here\n● Anthropic | Opus") {
		t.Errorf("it shows\n%s", got)
	}
}

// A key makes the marked value the default of the agent, and takes that back.
func TestDefaultValues(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	s := newScreen(t, someOptions()...)
	chooseOption(s)
	if keys := s.lists[0].Keys; keys != nil {
		t.Errorf("an agent of the command line has the keys %v", keys)
	}
	s.live.Agent.Source = config.SourceFound
	chooseOption(s)
	if keys := s.lists[1].Keys; !reflect.DeepEqual(keys, []Key{{ID: DialogDefault, Hint: "toggle default", Word: "default"}}) {
		t.Errorf("the keys are %v", keys)
	}
	s.item("Brave mode").Also[0]()
	if got := s.shown(); !strings.Contains(got, "Brave mode | off · default") {
		t.Errorf("the options show\n%s", got)
	}
	s.choose("Model")
	s.item("Haiku").Also[0]()
	if got := s.shown(); !strings.Contains(got, "Haiku | default · Fastest") || s.live.Agent.Options["model"] != "haiku" {
		t.Errorf("the values show\n%s", got)
	}
	s.item("Haiku").Also[0]()
	if got := s.shown(); strings.Contains(got, "default") {
		t.Errorf("the values show\n%s", got)
	}
	if got, want := strings.Join(s.said, "\n"), "Brave mode: off is now the default\nModel: Haiku is now the default\nModel: Haiku is no longer the default"; got != want {
		t.Errorf("it says\n%s", got)
	}
	if got, _ := os.ReadFile(config.SavedBeside(config.ConfigFile()).Path); !strings.Contains(string(got), "'brave']\nvalue = false") || strings.Contains(string(got), "haiku") {
		t.Errorf("what is saved is %s", got)
	}
}
