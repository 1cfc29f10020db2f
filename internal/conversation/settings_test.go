package conversation_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/test"
)

func modes(current string, ids ...acpclient.SessionModeID) *acpclient.SessionModeState {
	s := &acpclient.SessionModeState{CurrentModeID: acpclient.SessionModeID(current)}
	for _, id := range ids {
		s.AvailableModes = append(s.AvailableModes, acpclient.SessionMode{ID: id, Name: "mode " + string(id)})
	}
	return s
}

// optionsOf decodes config options.
func optionsOf(t *testing.T, options string) []acpclient.SessionConfigOption {
	return test.Up(t, test.OptionsUpdate(options)).(conversation.Update).Update.(*acpclient.ConfigOptionUpdate).ConfigOptions
}

func chosen(option acpclient.ConfigID, seq int, value acpclient.ConfigValueID) conversation.Event {
	return conversation.OptionChosen{Seq: seq, Option: option, Value: acpclient.SelectValue(value)}
}

func settled(option acpclient.ConfigID, seq int, value acpclient.ConfigValueID, err error) conversation.Event {
	return conversation.OptionSettled{Seq: seq, Option: option, Value: acpclient.SelectValue(value), Err: err}
}

func chooseMode(seq int, id acpclient.ConfigValueID) conversation.Event {
	return chosen(conversation.LegacyModeID, seq, id)
}

func modeSettled(seq int, id acpclient.ConfigValueID, err error) conversation.Event {
	return settled(conversation.LegacyModeID, seq, id, err)
}

func chooseModel(seq int, id acpclient.ConfigValueID) conversation.Event {
	return chosen(conversation.LegacyModelID, seq, id)
}

func modelSettled(seq int, id acpclient.ConfigValueID, err error) conversation.Event {
	return settled(conversation.LegacyModelID, seq, id, err)
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
		"chosen":                       {[]any{opened, chooseMode(1, "b")}, "mode b", true},
		"settled":                      {[]any{opened, chooseMode(1, "b"), modeSettled(1, "b", nil)}, "mode b", false},
		"gone back":                    {[]any{opened, chooseMode(1, "b"), modeSettled(1, "b", failed)}, "mode a", false},
		"two quick ones":               {[]any{opened, chooseMode(1, "b"), chooseMode(2, "a"), modeSettled(1, "b", nil)}, "mode a", true},
		"the second fails":             {[]any{opened, chooseMode(1, "b"), chooseMode(2, "a"), modeSettled(1, "b", nil), modeSettled(2, "a", failed)}, "mode b", false},
		"the first fails":              {[]any{opened, chooseMode(1, "b"), chooseMode(2, "a"), modeSettled(1, "b", failed)}, "mode a", true},
		"answered the wrong way round": {[]any{opened, chooseMode(1, "b"), chooseMode(2, "a"), modeSettled(2, "a", nil), modeSettled(1, "b", nil)}, "mode a", false},
		"by the agent":                 {[]any{opened, `{"sessionUpdate":"current_mode_update","currentModeId":"b"}`}, "mode b", false},
		"by the agent, as on the page": {[]any{opened, `{"sessionUpdate":"current_mode_update","modeId":"b"}`}, "mode b", false},
		"one that was not listed":      {[]any{opened, `{"sessionUpdate":"current_mode_update","modeId":"c"}`}, "c", false},
		"options replace modes":        {[]any{opened, test.OptionsUpdate(test.ModeOption)}, "Ask", false},
		"an empty list does not":       {[]any{conversation.SessionOpened{State: acpclient.SessionState{Modes: modes("a", "a"), ConfigOptions: []acpclient.SessionConfigOption{}}}}, "mode a", false},
		"options beside modes":         {[]any{conversation.SessionOpened{State: acpclient.SessionState{Modes: modes("a", "a"), ConfigOptions: optionsOf(t, test.ModeOption)}}}, "Ask", false},
		"no options after there were":  {[]any{test.OptionsUpdate(test.ModeOption), conversation.SessionOpened{State: acpclient.SessionState{Modes: modes("a", "a"), ConfigOptions: []acpclient.SessionConfigOption{}}}}, "", false},
		"an answer that mentions none": {[]any{opened, conversation.SessionOpened{ID: "s"}}, "mode a", false},
		"modes that are all gone":      {[]any{opened, conversation.SessionOpened{ID: "s", State: acpclient.SessionState{Modes: modes("a")}}}, "", false},
		"pending when options come":    {[]any{opened, chooseMode(1, "b"), test.OptionsUpdate(test.ModeOption), modeSettled(1, "b", nil)}, "Ask", false},
		"not a value of the option":    {[]any{opened, test.OptionsUpdate(test.ModeOption), `{"sessionUpdate":"current_mode_update","currentModeId":"c"}`}, "Ask", false},
		"options without a mode":       {[]any{opened, test.OptionsUpdate(test.ThinkOption)}, "", false},
		"a mode update with options":   {[]any{opened, test.OptionsUpdate(test.ModeOption), `{"sessionUpdate":"current_mode_update","currentModeId":"code"}`}, "Code", false},
		"the agent is lost meanwhile":  {[]any{opened, chooseMode(1, "b"), conversation.AgentLost{}}, "mode a", false},
		"the session is opened anew":   {[]any{opened, chooseMode(1, "b"), opened}, "mode a", false},
	} {
		t.Run(name, func(t *testing.T) {
			got, pending := fold(t, c.events...).CategoryValue(acpclient.CategoryMode)
			if got != c.want || pending != c.pending {
				t.Errorf("mode %q, pending %v", got, pending)
			}
		})
	}
}

func TestOptions(t *testing.T) {
	both := test.OptionsUpdate(test.ModeOption + "," + test.ThinkOption)
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
	c.Apply(conversation.OptionSettled{Seq: 2, Option: "t", Options: optionsOf(t, test.ModeOption)})
	if c.Option("t") != nil || c.Option("m") == nil || c.OptionByCategory(acpclient.CategoryMode).ID != "m" {
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
	test.WantTranscript(t, c, "note: Mode was not changed")
	// Answered the wrong way round: the later one counts.
	c = fold(t, both, chosen("m", 1, "code"), chosen("m", 2, "ask"), settled("m", 2, "ask", nil), settled("m", 1, "code", nil))
	if v, pending := c.OptionValue(c.Option("m")); v.ID != "ask" || pending {
		t.Errorf("%v, pending %v", v, pending)
	}
	// What is unknown is left out or kept, one by one, and a bad update is none.
	c = fold(t, both, `{"sessionUpdate":"config_option_update"}`, `{"sessionUpdate":"config_option_update","configOptions":7}`)
	if len(c.Options) != 2 {
		t.Errorf("options %+v", c.Options)
	}
	if c := fold(t, conversation.SessionOpened{State: acpclient.SessionState{Modes: modes("a", "a")}}, both, test.OptionsUpdate("")); len(c.Options) != 0 {
		t.Errorf("options %+v", c.Options)
	}
	c = fold(t, conversation.OptionSettled{Seq: 1, Option: "gone", Err: errors.New("no")}, conversation.OptionSettled{Seq: 2, Option: "gone"})
	test.WantTranscript(t, c, "note: The option was not changed")
	// An option that has gone meanwhile keeps its name.
	c = fold(t, both, chosen("m", 1, "code"), `{"sessionUpdate":"config_option_update","configOptions":[]}`)
	c.Apply(conversation.OptionSettled{Seq: 1, Option: "m", Err: errors.New("no")})
	if n := c.Items[len(c.Items)-1].(*conversation.Note); n.Title != "Mode was not changed" {
		t.Errorf("it says %q", n.Title)
	}
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
		"chosen":      {[]any{opened, chooseModel(1, "b")}, "b", true},
		"settled":     {[]any{opened, chooseModel(1, "b"), modelSettled(1, "b", nil)}, "b", false},
		"gone back":   {[]any{opened, chooseModel(1, "b"), modelSettled(1, "b", errors.New("no"))}, "A", false},
		"two answers": {[]any{opened, chooseModel(1, "b"), chooseModel(2, "a"), modelSettled(2, "a", nil), modelSettled(1, "b", nil)}, "A", false},
		"an option":   {[]any{opened, test.OptionsUpdate(`{"id":"x","name":"Model","category":"model","type":"select","currentValue":"z","options":[]}`)}, "z", false},
	} {
		t.Run(name, func(t *testing.T) {
			got, pending := fold(t, c.events...).CategoryValue(acpclient.CategoryModel)
			if got != c.want || pending != c.pending {
				t.Errorf("model %q, pending %v", got, pending)
			}
		})
	}
}

// The options that stand for modes and models are options like any other.
func TestModesAndModelsAreOptions(t *testing.T) {
	c := fold(t, conversation.SessionOpened{State: acpclient.SessionState{
		Modes:  &acpclient.SessionModeState{CurrentModeID: "ask", AvailableModes: []acpclient.SessionMode{{ID: "ask", Name: "Ask", Description: "asks first"}}},
		Models: &acpclient.SessionModelState{CurrentModelID: "b", AvailableModels: []acpclient.ModelInfo{{ModelID: "a", Name: "A", Description: "small"}, {ModelID: "b"}}},
	}})
	want := []acpclient.SessionConfigOption{
		{
			ID: conversation.LegacyModeID, Name: "Mode", Category: acpclient.CategoryMode, Type: acpclient.ConfigSelect, CurrentValue: acpclient.SelectValue("ask"),
			Options: acpclient.Ungrouped(acpclient.ConfigSelectOption{Value: "ask", Name: "Ask", Description: "asks first"}),
		},
		{
			ID: conversation.LegacyModelID, Name: "Model", Category: acpclient.CategoryModel, Type: acpclient.ConfigSelect, CurrentValue: acpclient.SelectValue("b"),
			Options: acpclient.Ungrouped(acpclient.ConfigSelectOption{Value: "a", Name: "A", Description: "small"}, acpclient.ConfigSelectOption{Value: "b", Name: "b"}),
		},
	}
	if d := cmp.Diff(want, c.Options); d != "" {
		t.Error(d)
	}
	if string(conversation.LegacyModeID) != acpclient.SessionSetMode.Name || string(conversation.LegacyModelID) != acpclient.SessionSetModel.Name {
		t.Error("an option is not named by the method that sets it")
	}
}

// A model whose name is only its ID with capitals is named as the configuration names it.
func TestModelsAreNamedByTheirID(t *testing.T) {
	o := acpclient.SessionConfigOption{
		ID: "model", Name: "Model", Category: acpclient.CategoryModel, Type: acpclient.ConfigSelect, CurrentValue: acpclient.SelectValue("hose-1"),
		Options: acpclient.Ungrouped(acpclient.ConfigSelectOption{Value: "hose-1", Name: "Hose-1"}, acpclient.ConfigSelectOption{Value: "opus", Name: "Opus"}, acpclient.ConfigSelectOption{Value: "gpt-5", Name: "GPT-5"}),
	}
	c := fold(t, conversation.SessionOpened{ID: "s", State: acpclient.SessionState{ConfigOptions: []acpclient.SessionConfigOption{o}}})
	for value, want := range map[acpclient.ConfigValueID]string{"hose-1": "hose-1", "opus": "Opus", "gpt-5": "GPT-5"} {
		if got := conversation.ValueName(c.Option("model"), acpclient.SelectValue(value)); got != want {
			t.Errorf("%s is called %q, want %q", value, got, want)
		}
	}
	if o.Options[0].Options[0].Name != "Hose-1" {
		t.Error("the fold has changed the event")
	}
}

// selectOf is a select as JSON. Its values are called A, B and so on.
func selectOf(id, name, current string, values ...string) string {
	var options []string
	for _, v := range values {
		options = append(options, fmt.Sprintf(`{"value":%q,"name":%q}`, v, strings.ToUpper(v)))
	}
	return fmt.Sprintf(`{"id":%q,"name":%q,"type":"select","currentValue":%q,"options":[%s]}`, id, name, current, strings.Join(options, ","))
}

func modeUpdate(id string) string {
	return `{"sessionUpdate":"current_mode_update","currentModeId":"` + id + `"}`
}

// The last that the agent says of a value counts, in the order of the stream.
func TestTheAgentsLastWordCounts(t *testing.T) {
	opened := conversation.SessionOpened{ID: "s", State: acpclient.SessionState{Modes: modes("ask", "ask", "contra", "code")}}
	options := func(current string) string {
		return test.OptionsUpdate(selectOf("o", "Mode", current, "ask", "contra", "code"))
	}
	answered := func(seq int, asked acpclient.ConfigValueID, state string) conversation.Event {
		return conversation.OptionSettled{Seq: seq, Option: "o", Value: acpclient.SelectValue(asked), Options: optionsOf(t, selectOf("o", "Mode", state, "ask", "contra", "code"))}
	}
	for name, c := range map[string]struct {
		events []any
		want   acpclient.ConfigValueID
		told   string
	}{
		"an answer without a state": {[]any{opened, chooseMode(1, "contra"), modeSettled(1, "contra", nil)}, "contra", ""},
		"an update, then an answer without a state": {
			[]any{opened, chooseMode(1, "contra"), modeUpdate("ask"), modeSettled(1, "contra", nil)},
			"ask",
			"Mode: mode ask instead of mode contra (changed by the agent)",
		},
		"another mode, then an answer without a state": {
			[]any{opened, chooseMode(1, "contra"), modeUpdate("code"), modeSettled(1, "contra", nil)},
			"code",
			"Mode: mode ask → mode code instead of mode contra (changed by the agent)",
		},
		"an update that confirms it":     {[]any{opened, chooseMode(1, "contra"), modeUpdate("contra"), modeSettled(1, "contra", nil)}, "contra", ""},
		"an update before the switch":    {[]any{opened, modeUpdate("ask"), chooseMode(1, "contra"), modeSettled(1, "contra", nil)}, "contra", ""},
		"two switches, updates for both": {[]any{opened, chooseMode(1, "contra"), chooseMode(2, "code"), modeUpdate("contra"), modeSettled(1, "contra", nil), modeUpdate("code"), modeSettled(2, "code", nil)}, "code", ""},
		"two switches, one update":       {[]any{opened, chooseMode(1, "contra"), chooseMode(2, "code"), modeUpdate("contra"), modeSettled(1, "contra", nil), modeSettled(2, "code", nil)}, "code", ""},
		"an update after the answer":     {[]any{opened, chooseMode(1, "contra"), modeSettled(1, "contra", nil), modeUpdate("ask")}, "ask", "Mode: mode contra → mode ask (changed by the agent)"},
		"an answer that contradicts":     {[]any{opened, options("ask"), chosen("o", 1, "contra"), answered(1, "contra", "ask")}, "ask", "Mode: ASK instead of CONTRA (changed by the agent)"},
		"an answer with another value":   {[]any{opened, options("ask"), chosen("o", 1, "contra"), answered(1, "contra", "code")}, "code", "Mode: ASK → CODE instead of CONTRA (changed by the agent)"},
		"an answer as asked":             {[]any{opened, options("ask"), chosen("o", 1, "contra"), answered(1, "contra", "contra")}, "contra", ""},
		"a switch that was taken back":   {[]any{opened, options("ask"), chosen("o", 1, "contra"), chosen("o", 2, "ask"), answered(1, "contra", "contra"), answered(2, "ask", "ask")}, "ask", ""},
		"a state, then an answer without": {
			[]any{opened, options("ask"), chosen("o", 1, "contra"), options("ask"), conversation.OptionSettled{Seq: 1, Option: "o", Value: acpclient.SelectValue("contra")}},
			"ask",
			"Mode: ASK instead of CONTRA (changed by the agent)",
		},
		"a refusal": {[]any{opened, chooseMode(1, "contra"), modeSettled(1, "contra", errors.New("no"))}, "ask", "Mode was not changed"},
	} {
		t.Run(name, func(t *testing.T) {
			got := fold(t, c.events...)
			if o := got.Options[0]; o.CurrentValue.ID != c.want {
				t.Errorf("the value is %q, want %q", o.CurrentValue.ID, c.want)
			}
			if said := notes(got); said != c.told {
				t.Errorf("it says %q, want %q", said, c.told)
			}
		})
	}
}

// notes are the titles of all notes.
func notes(c *conversation.Conversation) string {
	var all []string
	for _, i := range c.Items {
		if n, ok := i.(*conversation.Note); ok {
			all = append(all, n.Title)
		}
	}
	return strings.Join(all, "|")
}

// What the agent changes by itself is told in one line, whatever comes at once.
func TestChangesByTheAgentAreTold(t *testing.T) {
	model := func(current string) string { return selectOf("model", "Model", current, "fast", "slow") }
	level := selectOf("t", "Reasoning", "low", "low", "high")
	opened := conversation.SessionOpened{ID: "s", State: acpclient.SessionState{ConfigOptions: optionsOf(t, model("fast")+","+level)}}
	says := func(text string) conversation.Event {
		return conversation.Text{Chunk: acpclient.AgentMessageChunk, Text: text}
	}
	settledWith := func(value acpclient.ConfigValueID, options string) conversation.Event {
		return conversation.OptionSettled{Seq: 1, Option: "model", Value: acpclient.SelectValue(value), Options: optionsOf(t, options)}
	}
	for name, c := range map[string]struct {
		events []any
		told   string
	}{
		"as opened":                {[]any{opened}, ""},
		"the same again":           {[]any{opened, test.OptionsUpdate(model("fast") + "," + level)}, ""},
		"in another order":         {[]any{opened, test.OptionsUpdate(level + "," + model("fast"))}, ""},
		"a value and an option":    {[]any{opened, test.OptionsUpdate(model("slow"))}, "Model: FAST → SLOW, Reasoning is no longer offered (changed by the agent)"},
		"an option more":           {[]any{opened, test.OptionsUpdate(model("fast") + "," + level + "," + selectOf("x", "Extra", "on", "on"))}, "Extra is new: ON (changed by the agent)"},
		"what depends on a switch": {[]any{opened, chosen("model", 1, "slow"), settledWith("slow", model("slow"))}, "Reasoning is no longer offered (changed by the agent)"},
		"several, one after the other": {
			[]any{opened, test.OptionsUpdate(model("slow") + "," + level), test.OptionsUpdate(model("slow"))},
			"Model: FAST → SLOW, Reasoning is no longer offered (changed by the agent)",
		},
		"back and forth":              {[]any{opened, test.OptionsUpdate(model("slow") + "," + level), test.OptionsUpdate(model("fast") + "," + level)}, "Model: FAST again (changed by the agent)"},
		"with words between":          {[]any{opened, test.OptionsUpdate(model("slow") + "," + level), says("hm"), test.OptionsUpdate(model("fast") + "," + level)}, "Model: FAST → SLOW (changed by the agent)|Model: SLOW → FAST (changed by the agent)"},
		"with a switch between":       {[]any{opened, test.OptionsUpdate(model("slow") + "," + level), chosen("model", 1, "fast"), settledWith("fast", model("fast")+","+level), test.OptionsUpdate(model("slow") + "," + level)}, "Model: FAST → SLOW (changed by the agent)|Model: FAST → SLOW (changed by the agent)"},
		"while a history is replayed": {[]any{opened, conversation.SessionOpening{How: conversation.OpenLoad, ID: "s"}, test.OptionsUpdate(model("slow"))}, ""},
		"options in place of modes":   {[]any{conversation.SessionOpened{ID: "s", State: acpclient.SessionState{Modes: modes("a", "a")}}, test.OptionsUpdate(model("slow"))}, ""},
		"the first options":           {[]any{conversation.SessionOpened{ID: "s"}, test.OptionsUpdate(model("slow"))}, ""},
		"a type that is not known":    {[]any{opened, test.OptionsUpdate(model("fast") + "," + level + `,{"id":"d","name":"Dial","type":"dial","currentValue":3}`)}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got := notes(fold(t, c.events...)); got != c.told {
				t.Errorf("it says %q, want %q", got, c.told)
			}
		})
	}
}

// However often an agent changes its mind, it takes one line.
func TestManyChangesAreOneLine(t *testing.T) {
	var many []string
	for i := range 20 {
		many = append(many, selectOf(fmt.Sprint("o", i), fmt.Sprint("Option ", i), "a", "a", "b"))
	}
	all := strings.Join(many, ",")
	other := strings.ReplaceAll(all, `"currentValue":"a"`, `"currentValue":"b"`)
	c := fold(t, conversation.SessionOpened{ID: "s", State: acpclient.SessionState{ConfigOptions: optionsOf(t, all)}})
	for range 101 {
		c.Apply(test.Up(t, test.OptionsUpdate(other)))
		all, other = other, all
	}
	if got := notes(c); !strings.HasSuffix(got, "Option 7: A → B, and 12 more (changed by the agent)") || len(c.Items) != 1 {
		t.Errorf("%d items: %q", len(c.Items), got)
	}
	if n := len(c.ChangedByAgent()); n != 20 {
		t.Errorf("%d options have changed", n)
	}
}

// An option of a type that parley does not know is nowhere.
func TestOptionsOfAnUnknownTypeAreLeftOut(t *testing.T) {
	c := fold(t, test.OptionsUpdate(`{"id":"d","name":"Dial","category":"mode","type":"dial","currentValue":3},`+selectOf("o", "Mode", "a", "a")))
	if len(c.Options) != 1 || c.Options[0].ID != "o" {
		t.Errorf("options %+v", c.Options)
	}
}

// What has the ID of another one is left out: the agent gets an ID, so the user could not choose
// it.
func TestOptionsAndValuesWithTheSameIDAreLeftOut(t *testing.T) {
	c := fold(t, test.OptionsUpdate(selectOf("o", "Mode", "a", "a", "b", "a")+","+selectOf("o", "Other", "c", "c")))
	if len(c.Options) != 1 || c.Options[0].Name != "Mode" || len(c.Options[0].Options.All()) != 2 {
		t.Errorf("options %+v", c.Options)
	}
	c = fold(t, conversation.SessionOpened{State: acpclient.SessionState{
		Modes: &acpclient.SessionModeState{CurrentModeID: "ask", AvailableModes: []acpclient.SessionMode{{ID: "ask", Name: "Ask"}, {ID: "ask", Name: "Plan"}}},
	}})
	if values := c.Options[0].Options.All(); len(values) != 1 || values[0].Name != "Ask" {
		t.Errorf("modes %+v", values)
	}
}
