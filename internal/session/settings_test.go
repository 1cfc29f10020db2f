package session

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/test"
)

// Modes, models and options are set in the same way; what differs is the call.
func TestSettingsSettleOrGoBack(t *testing.T) {
	m, x := acpclient.ConfigSelectOption{Value: "m", Name: "M"}, acpclient.ConfigSelectOption{Value: "x", Name: "X"}
	modelOption := func(id string) string {
		return `{"id":"` + id + `","name":"Model","category":"model","type":"select","currentValue":"m","options":[{"value":"m","name":"M"},{"value":"x","name":"X"}]}`
	}
	for _, c := range []struct {
		name, state string
		option      acpclient.ConfigID
		category    acpclient.ConfigCategory
		method      string
		success     string // an answer that says nothing more
		from, to    acpclient.ConfigSelectOption
	}{
		{
			"a mode", older, conversation.LegacyModeID, acpclient.CategoryMode, "session/set_mode", `null`,
			acpclient.ConfigSelectOption{Value: "ask", Name: "Ask"},
			acpclient.ConfigSelectOption{Value: "plan", Name: "Plan"},
		},
		{"a model", older, conversation.LegacyModelID, acpclient.CategoryModel, "session/set_model", `{}`, m, x},
		{"an option", older + `,"configOptions":[` + modelOption("o") + `]`, "o", acpclient.CategoryModel, "session/set_config_option", `{}`, m, x},
		{"an option with an odd id", `"configOptions":[` + modelOption("session/set_mode") + `]`, "session/set_mode", acpclient.CategoryModel, "session/set_config_option", `{}`, m, x},
	} {
		t.Run(c.name, func(t *testing.T) {
			bubble(t, func(t *testing.T, h *harness) {
				want := func(name string, pending bool) {
					t.Helper()
					if got, p := h.conv.CategoryValue(c.category); got != name || p != pending {
						t.Errorf("%q, pending %v, want %q, %v", got, p, name, pending)
					}
				}
				want(c.from.Name, false)
				Post(h, SetOption{c.option, acpclient.SelectValue(c.to.Value)})
				h.settle()
				want(c.to.Name, true)
				h.fail(c.method, acpclient.CodeInternalError, "not for you")
				want(c.from.Name, false)
				test.WantTranscript(t, h.conv, map[acpclient.ConfigCategory]string{
					acpclient.CategoryMode: "note: Mode was not changed", acpclient.CategoryModel: "note: Model was not changed",
				}[c.category])
				if n := h.conv.Items[0].(*conversation.Note); !strings.Contains(n.Detail, "not for you") {
					t.Errorf("the agent's reason is not told: %q", n.Detail)
				}
				Post(h, SetOption{c.option, acpclient.SelectValue(c.to.Value)})
				h.settle()
				h.reply(c.method, c.success)
				want(c.to.Name, false)
				// Of two quick ones the later is shown, and wins.
				Post(h, SetOption{c.option, acpclient.SelectValue(c.from.Value)})
				Post(h, SetOption{c.option, acpclient.SelectValue(c.to.Value)})
				h.settle()
				h.reply(c.method, c.success)
				want(c.to.Name, true)
				h.fail(c.method, acpclient.CodeInternalError, "not twice")
				want(c.from.Name, false)
			}, func(h *harness, _ *Options) {
				h.prepare = func(a *fakeAgent) { a.auto["session/new"] = json.RawMessage(`{"sessionId":"s1",` + c.state + `}`) }
			})
		})
	}
}

// An agent may tell of its config options only after it has opened the session.
// They replace its modes; a mode that was chosen just before still goes out as
// one.
func TestOptionsThatComeLateReplaceModes(t *testing.T) {
	bubble(t, func(t *testing.T, h *harness) {
		if name, _ := h.conv.CategoryValue(acpclient.CategoryMode); name != "Ask" {
			t.Errorf("mode %q", name)
		}
		h.agent().update("s1", test.OptionsUpdate(test.ThinkOption))
		h.settle()
		if h.conv.OptionByCategory(acpclient.CategoryMode) != nil || len(h.conv.Options) != 1 {
			t.Errorf("options %+v", h.conv.Options)
		}
		h.setMode("plan")
		Post(h, SetOption{"t", acpclient.BoolValue(true)})
		h.settle()
		h.fail("session/set_mode", acpclient.CodeInvalidParams, "there are no modes")
		h.reply("session/set_config_option", `{"configOptions":[`+test.ModeOption+`]}`)
		test.WantTranscript(t, h.conv, "note: Mode was not changed", "note: Mode is new: Ask, Think is no longer offered (changed by the agent)")
		if name, pending := h.conv.CategoryValue(acpclient.CategoryMode); name != "Ask" || pending {
			t.Errorf("mode %q, pending %v", name, pending)
		}
	})
}

// An answer that says nothing of modes leaves them, and the way to set them.
func TestModesOutliveARestart(t *testing.T) {
	bubble(t, func(t *testing.T, h *harness) {
		h.agent().exit(errors.New("crash"))
		h.settle()
		Post(h, Start{})
		h.settle()
		h.reply("session/resume", `{}`)
		h.setMode("plan")
		h.settle()
		h.reply("session/set_mode", `{}`)
		if got := h.value(acpclient.CategoryMode); got != "plan" {
			t.Errorf("mode %q", got)
		}
	})
}

// A session that is reopened, after the agent's end or from the store, has the options that
// it had, or the user is told which are gone. One option may bring another.
func TestAReopenedSessionHasItsOptionsAgain(t *testing.T) {
	option := func(id, value string, values ...string) string {
		var list []string
		for _, v := range values {
			list = append(list, `{"value":"`+v+`","name":"`+strings.ToUpper(v)+`"}`)
		}
		return `{"id":"` + id + `","name":"` + id + `","type":"select","currentValue":"` + value + `","options":[` + strings.Join(list, ",") + `]}`
	}
	state := func(options ...string) string { return `{"configOptions":[` + strings.Join(options, ",") + `]}` }
	var was acpclient.SessionState
	if err := acpclient.Unmarshal([]byte(state(
		option("mode", "plan", "ask", "plan"), option("reasoning", "high", "low", "high"), option("model", "slow", "fast", "slow"), option("tone", "b", "a", "b"),
	)), &was); err != nil {
		t.Fatal(err)
	}
	past := conversation.NewState()
	past.Options = was.ConfigOptions
	now := state(option("mode", "ask", "ask", "plan"), option("model", "fast", "fast", "slow"), option("tone", "a", "a"))
	restored := func(t *testing.T, h *harness, method string) {
		t.Helper()
		h.reply(method, `{"sessionId":"s2",`+strings.TrimPrefix(now, "{"))
		h.reply("session/set_config_option", state(option("mode", "plan", "ask", "plan"), option("model", "fast", "fast", "slow"), option("tone", "a", "a")))
		h.reply("session/set_config_option", state(option("mode", "plan", "ask", "plan"), option("reasoning", "low", "low", "high"), option("model", "slow", "fast", "slow"), option("tone", "a", "a")))
		h.reply("session/set_config_option", state(option("mode", "plan", "ask", "plan"), option("reasoning", "high", "low", "high"), option("model", "slow", "fast", "slow"), option("tone", "a", "a")))
		for id, want := range map[acpclient.ConfigID]acpclient.ConfigValueID{"mode": "plan", "reasoning": "high", "model": "slow"} {
			if got, _ := h.conv.OptionValue(h.conv.Option(id)); got.ID != want {
				t.Errorf("%s is %q, want %q", id, got.ID, want)
			}
		}
		last, ok := h.conv.Items[len(h.conv.Items)-1].(*conversation.Note)
		if !ok || last.Title != "The agent no longer offers what this session used" || last.Detail != "tone: B" {
			t.Errorf("the note is %+v", last)
		}
	}
	t.Run("after the agent's end", func(t *testing.T) {
		bubble(t, func(t *testing.T, h *harness) {
			h.agent().update("s1", `{"sessionUpdate":"config_option_update",`+strings.TrimPrefix(state(
				option("mode", "plan", "ask", "plan"), option("reasoning", "high", "low", "high"), option("model", "slow", "fast", "slow"), option("tone", "b", "a", "b"),
			), "{"))
			h.settle()
			h.agent().exit(errors.New("crash"))
			h.settle()
			Post(h, Start{})
			h.settle()
			restored(t, h, "session/resume")
		})
	})
	t.Run("from the store", func(t *testing.T) {
		bubble(t, func(t *testing.T, h *harness) { restored(t, h, "session/resume") }, func(_ *harness, o *Options) {
			o.ResumeID, o.HasTranscript, o.Past = "s1", true, past
		})
	})
	forks := claude("0.101.0", `{"sessionCapabilities":{"fork":{}}}`)
	goesOn := func(_ *harness, o *Options) { o.Past = past }
	t.Run("in a copy up to a message", func(t *testing.T) {
		bubble(t, func(t *testing.T, h *harness) { restored(t, h, "session/fork") }, forks, forkOf("old", "m2"), goesOn)
	})
	t.Run("in a new session that goes on from another", func(t *testing.T) {
		bubble(t, func(t *testing.T, h *harness) { restored(t, h, "session/new") }, goesOn, capable(everything, "session/new"),
			func(_ *harness, o *Options) { o.Mode = "ask" }) // is for sessions that begin
	})
	t.Run("in a copy of the open session", func(t *testing.T) {
		bubble(t, func(t *testing.T, h *harness) {
			h.agent().update("s1", `{"sessionUpdate":"config_option_update",`+strings.TrimPrefix(state(
				option("mode", "plan", "ask", "plan"), option("reasoning", "high", "low", "high"), option("model", "slow", "fast", "slow"), option("tone", "b", "a", "b"),
			), "{"))
			h.settle()
			if err := Try(h.Context(), h, Fork{}); err != nil {
				t.Fatal(err)
			}
			h.settle()
			restored(t, h, "session/fork")
		}, forks)
	})
}

func TestNothingIsSetBeforeTheSessionIsOpen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		defer h.close()
		h.setMode("m")
		h.setModel("m")
		Post(h, SetOption{"o", acpclient.BoolValue(true)})
		h.settle()
		if len(h.events) != 0 {
			t.Errorf("events %v", h.events)
		}
		if err := Try(h.Context(), h, Fork{}); !errors.Is(err, errNotOpen) {
			t.Error(err)
		}
	})
}

// A switch for which the agent wants the user to sign in first has not happened when they
// do not.
func TestASwitchThatNeededSigningIn(t *testing.T) {
	bubble(t, func(t *testing.T, h *harness) {
		h.setMode("plan")
		h.settle()
		h.refuse("session/set_mode")
		h.settle()
		Post(h, DismissAuth{})
		h.settle()
		test.WantTranscript(t, h.conv, "note: Mode was not changed")
		if name, pending := h.conv.CategoryValue(acpclient.CategoryMode); name != "Ask" || pending {
			t.Errorf("mode %q, pending %v", name, pending)
		}
	})
}
