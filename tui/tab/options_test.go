package tab

import (
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"parley/acpclient"
	"parley/config"
	"parley/internal/conversation"
	"parley/internal/test"
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
		b.Do(nextMode(b.Tab))
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
		if b.options.TakeBack() {
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
		b.Do(categoryList(b.Tab, "", acpclient.CategoryMode))
		b.Press("down", "ctrl+d")
		b.MustSay("not in the configuration")
		b.agent = config.Agent{ID: "claude", Source: config.SourceFound}
		file := config.ConfigFile()
		b.Press("ctrl+d")
		b.MustSay("Mode: Mode code is now the default")
		b.MustSay("Mode code  default")
		if got, _ := os.ReadFile(file); string(got) != "[agents.claude]\nmode = \"code\"\n" {
			t.Errorf("the configuration is %q", got)
		}
		if b.agent.Mode != "code" {
			t.Errorf("the next session begins with %q", b.agent.Mode)
		}
		b.Press("ctrl+d")
		b.MustSay("Mode: Mode code is no longer the default")
		if got, _ := os.ReadFile(file); len(got) != 0 || b.agent.Mode != "" {
			t.Errorf("the configuration is %q, the mode %q", got, b.agent.Mode)
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
		b.agent = config.Agent{ID: "claude", Source: config.SourceFound}
		order := func() string {
			b.Do(categoryList(b.Tab, "", acpclient.CategoryModel))
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
			b.options.model = "" // as in another session
			for range 2 {        // once a session
				b.Do(b.options.Follow(conversation.PromptSent{}))
				synctest.Wait()
			}
		}
	})
}
