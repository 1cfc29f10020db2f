package tab

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/tui/theme"
)

// What the settings of an agent look like, side by side.
func TestSettingsSayWhatTheyAre(t *testing.T) {
	option := func(id, name, category, current string, values ...string) string {
		var options []string
		for _, v := range values {
			value, label, _ := strings.Cut(v, "=")
			options = append(options, `{"value":"`+value+`","name":"`+label+`"}`)
		}
		return `{"id":"` + id + `","name":"` + name + `","category":"` + category + `","type":"select","currentValue":"` + current + `","options":[` + strings.Join(options, ",") + `]}`
	}
	flag := func(id, name, category, on string) string {
		return `{"id":"` + id + `","name":"` + name + `","category":"` + category + `","type":"boolean","currentValue":` + on + `}`
	}
	for _, c := range []struct{ name, options, want string }{
		{
			"names that say nothing",
			option("mode", "Mode", "mode", "default", "default=Manual") + "," +
				option("model", "Model", "model", "default", "default=Default (recommended)") + "," +
				option("effort", "Effort", "thought_level", "default", "default=Default"),
			" Manual |model Default (recommended)|effort Default",
		},
		{"names that say it", option("mode", "Session Mode", "mode", "build", "build=build") + "," + option("model", "Model", "model", "x/opus", "x/opus=Opus"), " build |Opus"},
		{"a mode that says nothing", option("mode", "Mode", "mode", "default", "default=Default"), " mode Default "},
		{"a mode that says a little", option("mode", "Mode", "mode", "a", "a=Auto Edit"), " Auto Edit "},
		{"a model that is a number", option("model", "Model", "model", "5.5", "5.5=5.5 (the best of all)"), "5.5 (the best of all)"},
		{"a level that says it", option("t", "Thinking", "thought_level", "h", "h=High thinking"), "High thinking"},
		{"an option whose name is a name", option("t", "GPT effort", "thought_level", "h", "h=High"), "GPT effort High"},
		{
			"modes of its own",
			option("mode", "Mode", "mode", "a", "a=Ask") + "," + option("approval", "Approvals", "_approval", "never", "never=Never") + "," +
				flag("sandbox", "Sandbox", "_sandbox", "true") + "," + flag("web", "Web", "_web", "false") + "," + option("persona", "Persona", "mode", "p", "p=Pirate persona"),
			" Ask |approvals Never|sandbox|web off|Pirate persona",
		},
		{"what has no category", option("x", "Pace", "", "a", "a=Calm"), "pace Calm"},
		{
			"the agent's order",
			option("t", "Thinking", "thought_level", "h", "h=High") + "," + option("model", "Model", "model", "m", "m=Opus") + "," + option("x", "Pace", "", "a", "a=Calm") + "," + option("mode", "Mode", "mode", "a", "a=Ask"),
			"thinking High|Opus|pace Calm| Ask ",
		},
		{
			"what belongs to the model",
			flag("fast", "Fast mode", "model_config", "true") + "," + option("mode", "Mode", "mode", "a", "a=Ask") + "," + option("model", "Model", "model", "m", "m=Opus") + "," + option("x", "Pace", "", "a", "a=Calm"),
			" Ask |Opus|fast mode|pace Calm",
		},
		{"what belongs to no model", flag("fast", "Fast mode", "model_config", "false"), "fast mode off"},
		{"a mode that is on or off", flag("plan", "Plan mode", "mode", "true"), " plan mode "},
		{"a long name", option("model", "Model", "model", "m", "m=The one that does everything for everybody"), "The one that does everything fo…"},
		{"what is not known", `{"id":"y","name":"Y","category":"_y","type":"dial","currentValue":"3"}`, ""},
		{"hostile names", option("mode", "Mode", "mode", "a", `a=\u001b[2JAsk`), " Ask "},
	} {
		t.Run(c.name, func(t *testing.T) {
			n := new(acpclient.SessionNotification)
			if err := acpclient.Unmarshal(json.RawMessage(`{"sessionId":"s","update":{"sessionUpdate":"config_option_update","configOptions":[`+c.options+`]}}`), n); err != nil {
				t.Fatal(err)
			}
			conv := conversation.New()
			conv.Apply(conversation.FromNotification(n))
			line, badge := settingsOf(conv)
			if got := ansi.Strip(line); got != c.want || badge != strings.HasPrefix(c.want, " ") {
				t.Errorf("got %q, badge %v; want %q", got, badge, c.want)
			}
		})
	}
}

// settingsOf are the options on the status line.
func settingsOf(c *conversation.Conversation) (line string, badge bool) {
	parts, badge := settingsParts(c, nil, theme.New(true))
	var texts []string
	for _, p := range parts {
		texts = append(texts, p.text)
	}
	return strings.Join(texts, "|"), badge
}

// A value that was sent is shown behind the one that is on, until the agent has answered.
func TestSettingsThatWait(t *testing.T) {
	conv := conversation.New()
	conv.Apply(conversation.SessionOpened{State: acpclient.SessionState{ConfigOptions: []acpclient.SessionConfigOption{
		{ID: "s", Name: "Sandbox", Category: "_sandbox", Type: acpclient.ConfigBoolean, CurrentValue: acpclient.BoolValue(true)},
	}}})
	conv.Apply(conversation.OptionChosen{Seq: 1, Option: "s", Value: acpclient.BoolValue(false)})
	for _, want := range []string{"sandbox → off…", "sandbox off"} {
		if line, _ := settingsOf(conv); ansi.Strip(line) != want {
			t.Errorf("%q, want %q", ansi.Strip(line), want)
		}
		conv.Apply(conversation.OptionSettled{Seq: 1, Option: "s", Value: acpclient.BoolValue(false)})
	}
}
