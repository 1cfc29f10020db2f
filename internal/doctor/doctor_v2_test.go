package doctor

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"parley/internal/schema"
)

// Nothing is found in an agent that does everything right in version 2.
func TestNothingIsWrongV2(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := examined(t, newFakeV2(), Options{Prompt: ScriptedPrompt, Protocol: 2})
		if r.Outcome != Clean || len(r.Deviations)+len(r.Notes) > 0 || r.Why != "" || r.ProtocolVersion != 2 {
			t.Errorf("%s", r.Text())
		}
		for _, what := range []string{
			"session/new", "session/set_config_option", "session/prompt", "session/prompt to idle", "session/cancel", "session/list",
			"session/resume", "session/resume from the start", "session/close",
		} {
			if !slices.ContainsFunc(r.Timings, func(timing Timing) bool { return timing.What == what }) {
				t.Errorf("%s was not tried", what)
			}
		}
		if !slices.Equal(r.NotTried, []string{"auth/logout: it would sign you out", "auth/login: it needs you"}) {
			t.Errorf("not tried: %q", r.NotTried)
		}
	})
}

// Each fault is found also in version 2, and every rule of it has one.
func TestFaultsV2(t *testing.T) {
	t.Parallel()
	both := slices.DeleteFunc(slices.Concat(transportFaults, startFaults, sessionFaults, turnFaults), func(f fault) bool { return f.v1 })
	faults := slices.Concat(both, startFaultsV2, sessionFaultsV2, workFaultsV2)
	foundAll(t, faults, newFakeV2, 2)
	for _, r := range Rules {
		if r.PageV2 != "" && !slices.ContainsFunc(faults, func(f fault) bool { return f.rule == r }) {
			t.Errorf("no fault breaks the rule %s", r.ID)
		}
	}
}

// An agent of version 1 answers the offer with its own, and is examined in that.
func TestAnAgentOfVersion1IsOfferedVersion2(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := examined(t, newFake(), Options{Prompt: ScriptedPrompt, Protocol: 2})
		if r.Outcome != Clean || r.ProtocolVersion != 1 || !strings.Contains(r.Text(), "version 1, and was offered version 2") {
			t.Errorf("%s", r.Text())
		}
	})
}

// One that ends at the offer is started again, and examined in version 1.
func TestAnAgentThatEndsAtTheOffer(t *testing.T) {
	bubble(t, func(t *testing.T) {
		f := newFake()
		instead("initialize", func(f *fake, id json.RawMessage, p params) {
			if p.Version > 1 {
				f.stopped = true
				return
			}
			f.answer(id, f.hello)
		})(f)
		r := examined(t, f, Options{Prompt: ScriptedPrompt, Protocol: 2})
		var rules []string
		for _, d := range r.Deviations {
			rules = append(rules, d.Rule)
		}
		if !slices.Equal(rules, []string{ruleVersion.ID, ruleDied.ID}) || r.ProtocolVersion != 1 {
			t.Errorf("%s", r.Text())
		}
		if !slices.Contains(r.Tried, "session/load") || !slices.Contains(r.Tried, "a line that is no message") {
			t.Errorf("it was not examined in whole: %q", r.Tried)
		}
	})
}

// What the doctor itself sends in version 2 fits the schema, but for what is wrong on purpose.
func TestTheDoctorsOwnMessagesV2(t *testing.T) {
	bubble(t, func(t *testing.T) {
		f := newFakeV2()
		inTurn(func(f *fake, session string) {
			f.ask(`"q"`, "session/request_permission", object{"sessionId": session, "title": "May I?", "options": []object{
				{"optionId": "no", "name": "No", "kind": "reject_once"},
			}})
		})(f)
		var wire bytes.Buffer
		if r := examined(t, f, Options{Prompt: ScriptedPrompt, Protocol: 2, Wire: &wire}); r.Outcome != Clean {
			t.Fatalf("%s", r.Text())
		}
		seen := map[string]bool{}
		for line := range strings.Lines(wire.String()) {
			var l struct {
				From    Side
				Message struct {
					Method         string
					Params, Result json.RawMessage
				}
			}
			if json.Unmarshal([]byte(line), &l) != nil || l.From != Client || strings.Contains(line, `"params":{}`) {
				continue
			}
			types := schema.V2().Methods[schema.MethodKey{Side: "agent", Method: l.Message.Method}]
			def, value := types.Request+types.Notification, l.Message.Params
			if l.Message.Result != nil {
				def, value = "RequestPermissionResponse", l.Message.Result
			}
			if def == "" {
				continue
			}
			seen[def] = true
			if err := schema.V2().Validate(def, value); err != nil {
				t.Errorf("%s: %v", line, err)
			}
		}
		for _, def := range []string{
			"InitializeRequest", "NewSessionRequest", "PromptRequest", "CancelSessionNotification", "SetSessionConfigOptionRequest",
			"ResumeSessionRequest", "CloseSessionRequest", "ListSessionsRequest", "DeleteSessionRequest", "RequestPermissionResponse",
		} {
			if !seen[def] {
				t.Errorf("no %s was sent", def)
			}
		}
	})
}
