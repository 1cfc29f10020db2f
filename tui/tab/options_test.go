package tab

import (
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"parley/acpclient"
	"parley/config"
	"parley/internal/app"
	"parley/internal/command"
	"parley/internal/conversation"
	"parley/internal/session"
	"parley/internal/test"
	"parley/tui/theme"
)

// slowAgent answers no switch.
const slowAgent = `handshake {} {"modes": {"currentModeId": "ask", "availableModes": [{"id": "ask", "name": "Mode ask"}, {"id": "code", "name": "Mode code"}]}}
hang
`

// A mode is shown as on only once the agent has said so. A switch that is not answered for
// a while says so, and can be taken back.
func TestASwitchThatIsNotAnswered(t *testing.T) {
	runBench(t, func(t *testing.T, b *bench) {
		b.play(slowAgent)
		b.wire.got()
		b.Do(nextMode(b.open()))
		b.mustShow(t, " Mode ask  → Mode code…")
		b.mustNotShow(t, "no answer yet")
		time.Sleep(slowSwitch)
		b.mustShow(t, "mode → Mode code: no answer yet  esc switches back")
		b.Do(b.Update(keyPress("esc")))
		b.mustNotShow(t, "no answer yet")
		b.mustNotShow(t, "Mode code…")
		if got := b.wire.got(); got != "session/set_mode, session/set_mode" {
			t.Errorf("the agent got %s", got)
		}
		if b.open().options.TakeBack() {
			t.Error("it is taken back twice")
		}
	})
}

// While a turn runs, esc takes the switch back first, and the hint says so.
func TestASwitchIsTakenBackBeforeTheTurnIsCancelled(t *testing.T) {
	b := newBench(t, t.TempDir())
	b.events(
		conversation.PromptSent{Prompt: []acpclient.ContentBlock{acpclient.TextBlock("go")}, At: b.clock},
		conversation.OptionChosen{Seq: 1, Option: conversation.LegacyModeID, Value: acpclient.SelectValue("code"), At: b.clock},
	)
	b.mustShow(t, "esc cancel")
	b.clock = b.clock.Add(slowSwitch)
	b.mustShow(t, "mode → Coding: no answer yet", "esc switch back")
}

// What the agent changes by itself is one line, and stands out for a moment.
func TestAChangeByTheAgentStandsOut(t *testing.T) {
	b := newBench(t, t.TempDir())
	before := b.draw().Lines[b.rows-2]
	b.events(test.Up(t, `{"sessionUpdate":"current_mode_update","currentModeId":"code"}`))
	b.mustShow(t, "Mode: Asking → Coding (changed by the agent)", " Coding ")
	fresh := b.draw().Lines[b.rows-2]
	b.clock = b.clock.Add(freshTime)
	if after := b.draw().Lines[b.rows-2]; after == fresh || strings.Contains(before, "Coding") {
		t.Errorf("it does not stand out: %q, then %q", fresh, after)
	}
}

// A key in the list makes a value the default of the agent, in the configuration, and the
// next session begins with it.
func TestADefaultIsSaved(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", dir)
	runBench(t, func(t *testing.T, b *bench) {
		b.play(twoModes)
		b.shared("mode") // for an agent that has no defaults
		b.mustNotShow(t, "default")
		b.Press("down", "ctrl+d", "esc")
		b.open().Agent = config.Agent{ID: "claude", Source: config.SourceFound}
		file := config.SavedBeside(config.ConfigFile()).Path
		b.shared("mode")
		b.Press("down", "ctrl+d")
		b.MustSay("Mode: Mode code is now the default")
		b.MustSay("Mode code  default")
		if got, _ := os.ReadFile(file); !strings.HasSuffix(string(got), "key = ['agents', 'claude', 'mode']\nvalue = 'code'\n") {
			t.Errorf("what is saved is %q", got)
		}
		if b.open().Agent.Mode != "code" {
			t.Errorf("the next session begins with %q", b.open().Agent.Mode)
		}
		b.Press("ctrl+d")
		b.MustSay("Mode: Mode code is no longer the default")
		if got, _ := os.ReadFile(file); strings.Contains(string(got), "code") || b.open().Agent.Mode != "" {
			t.Errorf("the configuration is %q, the mode %q", got, b.open().Agent.Mode)
		}
	})
}

// Models that prompts go to often stand first.
func TestModelsThatAreUsedOften(t *testing.T) {
	runBench(t, func(t *testing.T, b *bench) {
		b.play(`handshake {} {"models": {"currentModelId": "b", "availableModels": [{"modelId": "a", "name": "Model A"}, {"modelId": "b", "name": "Model B"}]}}
serve
`)
		b.program.Recent = config.NewRecentFile(t.TempDir())
		b.open().Agent = config.Agent{ID: "claude", Source: config.SourceFound}
		order := func() string {
			b.shared(command.Model)
			text := b.Screen()
			b.Press("esc")
			if strings.Index(text, "Model B") < strings.Index(text, "Model A") && strings.Contains(text, "Used often") {
				return "B first"
			}
			return "A first"
		}
		for _, want := range []string{"A first", "A first", "B first"} {
			if got := order(); got != want {
				t.Errorf("%s, want %s", got, want)
			}
			b.open().options.model = "" // as in another session
			for range 2 {               // once a session
				b.Do(b.open().options.Follow(conversation.PromptSent{}))
				synctest.Wait()
			}
		}
	})
}

// twoModes is an agent with two modes, modeless is one with none.
const (
	twoModes = `handshake {} {"modes": {"currentModeId": "ask", "availableModes": [{"id": "ask", "name": "Mode ask"}, {"id": "code", "name": "Mode code"}]}}
serve
`
	modeless = "handshake\nserve\n"
)

func TestNextMode(t *testing.T) {
	runBench(t, func(t *testing.T, b *bench) {
		b.Do(b.run(command.NextMode))
		if b.toast.text != noAgent {
			t.Errorf("before there is a session it says %q", b.toast.text)
		}
		b.play(twoModes)
		for _, want := range []string{"Mode code", "Mode ask"} {
			b.Do(nextMode(b.open()))
			if got, _ := b.conv().CategoryValue(acpclient.CategoryMode); got != want {
				t.Errorf("the mode is %q, want %q", got, want)
			}
		}
	})
	// A mode that the agent refuses is not in the way.
	runBench(t, func(t *testing.T, b *bench) {
		b.play(`handshake {} {"modes": {"currentModeId": "ask", "availableModes": [{"id": "ask", "name": "Mode ask"}, {"id": "code", "name": "Mode code"}, {"id": "plan", "name": "Mode plan"}]}}
expect session/set_mode contains "code"
reply-error -32603 locked
expect session/set_mode contains "plan"
reply {}
expect session/set_mode contains "ask"
reply {}
expect session/set_mode contains "code"
reply {}
`)
		for _, want := range []string{"Mode ask", "Mode plan", "Mode ask", "Mode code"} {
			b.Do(nextMode(b.open()))
			if got, _ := b.conv().CategoryValue(acpclient.CategoryMode); got != want {
				t.Errorf("the mode is %q, want %q", got, want)
			}
		}
	})
	runBench(t, func(_ *testing.T, b *bench) {
		b.play(modeless)
		b.Do(nextMode(b.open()))
		b.MustSay("this agent has no modes")
	})
}

// A mode that is on or off is toggled, and where there is nothing to switch to, it says so.
func TestNextModeOfOtherKinds(t *testing.T) {
	const script = `handshake {} {"configOptions": [%s]}
serve
`
	option := func(rest string) string {
		return strings.Replace(script, "%s", `{"id": "m", "name": "Plan mode", "category": "mode", `+rest+`}`, 1)
	}
	runBench(t, func(_ *testing.T, b *bench) {
		b.play(option(`"type": "boolean", "currentValue": false`))
		for _, want := range []string{"on", "off"} {
			b.Do(nextMode(b.open()))
			if got, _ := b.conv().CategoryValue(acpclient.CategoryMode); got != want {
				t.Errorf("the mode is %q, want %q", got, want)
			}
		}
	})
	for rest, want := range map[string]string{
		`"type": "select", "currentValue": "a", "options": [{"value": "a", "name": "Mode A"}]`: "Plan mode has no other value than Mode A",
		`"type": "select", "currentValue": "a", "options": []`:                                 "Plan mode has no values",
	} {
		runBench(t, func(_ *testing.T, b *bench) {
			b.play(option(rest))
			b.Do(nextMode(b.open()))
			b.MustSay(want)
		})
	}
}

func TestTheFirstScreenShowsNoIDs(t *testing.T) {
	runBench(t, func(t *testing.T, b *bench) {
		b.play(twoModes)
		b.mustShow(t, "Mode ask")
		b.mustNotShow(t, "=ask")
	})
}

func TestCategory(t *testing.T) {
	runBench(t, func(_ *testing.T, b *bench) {
		b.play(twoModes)
		b.Do(b.run(command.Model))
		b.MustSay("this agent offers no models")
		b.shared("mode")
		b.MustSay("Mode code")
	})
}

func TestNothingToCancel(t *testing.T) {
	if items := (&live{Live: &app.Live{Conversation: conversation.New()}}).operationItems(); len(items) != 0 {
		t.Errorf("%d calls can be cancelled", len(items))
	}
}

// What the agent does not cancel is told in the transcript.
func TestCancelPiece(t *testing.T) {
	runBench(t, func(t *testing.T, b *bench) {
		b.ready()
		b.Do(b.front(func(f command.Front) {
			command.CancelOperation(f, conversation.Operation{Call: &conversation.ToolCall{ID: "t"}})
		}))
		b.mustShow(t, "The agent did not cancel the call")
	})
}

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
			" Ask |approvals Never|sandbox on|web off|Pirate persona",
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
			" Ask |Opus|fast mode on|pace Calm",
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
			conv.Apply(conversation.FromNotification(changed(n)))
			conv.Apply(conversation.FromNotification(n))
			line, badge := settingsOf(conv)
			if got := ansi.Strip(line); got != c.want || badge != strings.HasPrefix(c.want, " ") {
				t.Errorf("got %q, badge %v; want %q", got, badge, c.want)
			}
		})
	}
}

// changed has another value of each option.
func changed(n *acpclient.SessionNotification) *acpclient.SessionNotification {
	u := *n.Update.(*acpclient.ConfigOptionUpdate)
	u.ConfigOptions = slices.Clone(u.ConfigOptions)
	for i := range u.ConfigOptions {
		v := &u.ConfigOptions[i].CurrentValue
		v.ID, v.Bool = v.ID+"-before", !v.Bool
	}
	return &acpclient.SessionNotification{SessionID: n.SessionID, Update: &u}
}

// An option that has the value with which the session began is not shown, unless it is
// the mode or the model.
func TestSettingsAtTheirDefault(t *testing.T) {
	conv := conversation.New()
	options := []acpclient.SessionConfigOption{
		{ID: "mode", Name: "Mode", Category: acpclient.CategoryMode, Type: acpclient.ConfigSelect, CurrentValue: acpclient.SelectValue("ask")},
		{ID: "model", Name: "Model", Category: acpclient.CategoryModel, Type: acpclient.ConfigSelect, CurrentValue: acpclient.SelectValue("opus")},
		{ID: "t", Name: "Thinking", Category: acpclient.CategoryThoughtLevel, Type: acpclient.ConfigSelect, CurrentValue: acpclient.SelectValue("low")},
		{ID: "hints", Name: "Hints", Type: acpclient.ConfigBoolean, CurrentValue: acpclient.BoolValue(true)},
	}
	conv.Apply(conversation.SessionOpened{State: acpclient.SessionState{ConfigOptions: options}})
	chosen := func(seq int, id acpclient.ConfigID, v acpclient.ConfigValue) {
		conv.Apply(conversation.OptionChosen{Seq: seq, Option: id, Value: v})
		conv.Apply(conversation.OptionSettled{Seq: seq, Option: id, Value: v})
	}
	shows := func(want string) {
		t.Helper()
		if line, _ := settingsOf(conv); ansi.Strip(line) != want {
			t.Errorf("%q, want %q", ansi.Strip(line), want)
		}
	}
	shows(" ask |opus")
	chosen(1, "t", acpclient.SelectValue("high"))
	chosen(2, "hints", acpclient.BoolValue(false))
	shows(" ask |opus|thinking high|hints off")
	chosen(3, "t", acpclient.SelectValue("low"))
	shows(" ask |opus|hints off")
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
	for _, want := range []string{"sandbox on → off…", "sandbox off"} {
		if line, _ := settingsOf(conv); ansi.Strip(line) != want {
			t.Errorf("%q, want %q", ansi.Strip(line), want)
		}
		conv.Apply(conversation.OptionSettled{Seq: 1, Option: "s", Value: acpclient.BoolValue(false)})
	}
}

// What an agent offers is not known before the session is open: the keys that ask for it wait,
// as prompts do, the last of them.
func TestKeysForOptionsWaitForTheSession(t *testing.T) {
	waiting := func(t *testing.T) *bench {
		b, made := pending(t)
		b.press("f3", "f2")
		b.mustShow(t, "then: choose the mode", "esc stop waiting")
		b.has(made)
		b.mustShow(t, "then: choose the mode", "esc stop waiting")
		b.clock = b.clock.Add(time.Minute)
		return b
	}
	t.Run("the list opens", func(t *testing.T) {
		b := waiting(t)
		b.opens()
		b.mustShow(t, "Asking", "Coding", "esc close")
		b.mustNotShow(t, "then:")
	})
	t.Run("esc stops that", func(t *testing.T) {
		b := waiting(t)
		b.press("esc")
		b.mustNotShow(t, "then:")
		if !b.dialogs.Empty() || b.refusal(command.Common{Session: true}) != "" {
			t.Errorf("esc does more:\n%s", b.screen())
		}
		b.clock = b.clock.Add(time.Minute) // a list would wait for a pause in typing
		b.opens()
		b.mustNotShow(t, "Coding")
	})
	t.Run("no list takes what is typed", func(t *testing.T) {
		b := waiting(t)
		b.press("h", "i")
		b.opens()
		b.press("!")
		b.mustShow(t, "❯ hi!", "then: choose the mode")
		b.press("ctrl+c")
		b.mustNotShow(t, "Coding")
		b.clock = b.clock.Add(time.Minute)
		b.Update(tea.WindowSizeMsg{Width: 80, Height: 24})
		b.mustShow(t, "Coding")
	})
	t.Run("a question comes first", func(t *testing.T) {
		b := waiting(t)
		b.ask(app.Question{Title: "A question", Choices: []app.Choice{{Name: "Yes", Key: "y"}}})
		b.opens()
		b.mustShow(t, "A question")
		b.dialogs.Pop()
		b.Update(tea.WindowSizeMsg{Width: 80, Height: 24})
		b.mustShow(t, "Coding")
	})
	t.Run("the mode is switched", func(t *testing.T) {
		runBench(t, func(t *testing.T, b *bench) {
			s := b.use(newSession(b.cwd, noMachine{}, func(o *session.Options) {
				o.Spawn = func(acpclient.Command) (*acpclient.Peer, error) { return test.Play(slowAgent), nil }
			}))
			b.run(command.NextMode)
			b.mustShow(t, "then: next mode")
			session.Post(s, session.Start{})
			b.Do(nil)
			b.mustShow(t, "Mode ask  → Mode code…")
			b.mustNotShow(t, "then:")
		})
	})
	t.Run("a command keeps its words", func(t *testing.T) {
		b := waiting(t)
		b.runSlashCommand("mode", "cod")
		b.opens()
		b.mustShow(t, "cod", "Coding")
		b.mustNotShow(t, "Asking ")
	})
	t.Run("the agent does not start", func(t *testing.T) {
		b := waiting(t)
		b.events(conversation.AgentLost{Err: errors.New("no"), At: b.clock})
		b.mustNotShow(t, "then:")
	})
}
