package conversation_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/test"
)

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
		"a value and an option":    {[]any{opened, test.OptionsUpdate(model("slow"))}, "Model: FAST → SLOW, Reasoning is gone (changed by the agent)"},
		"an option more":           {[]any{opened, test.OptionsUpdate(model("fast") + "," + level + "," + selectOf("x", "Extra", "on", "on"))}, "Extra is new: ON (changed by the agent)"},
		"what depends on a switch": {[]any{opened, chosen("model", 1, "slow"), settledWith("slow", model("slow"))}, "Reasoning is gone (changed by the agent)"},
		"several, one after the other": {
			[]any{opened, test.OptionsUpdate(model("slow") + "," + level), test.OptionsUpdate(model("slow"))},
			"Model: FAST → SLOW, Reasoning is gone (changed by the agent)",
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
