package conversation

import (
	"testing"

	"parley/acpclient"
)

func TestWhatModesAllow(t *testing.T) {
	for name, want := range map[string]Autonomy{
		"plan": LooksOnly, "Plan Mode": LooksOnly, "read-only": LooksOnly, "Read Only": LooksOnly, "readonly": LooksOnly,
		"default": AsksFirst, "Always Ask": AsksFirst, "ask": AsksFirst, "Manual": AsksFirst,
		"acceptEdits": EditsFreely, "Accept Edits": EditsFreely, "auto_edit": EditsFreely, "autoEdit": EditsFreely, "auto": EditsFreely,
		"bypassPermissions": DoesAnything, "Bypass Permissions": DoesAnything, "YOLO": DoesAnything, "full-access": DoesAnything,
		"Full Access": DoesAnything, "dontAsk": DoesAnything, "Don't Ask": DoesAnything, "agent-full-access": DoesAnything,
		"plan, then bypass permissions": DoesAnything,
		"code":                          UnknownAutonomy, "explain": UnknownAutonomy, "architect": UnknownAutonomy, "Automobile": UnknownAutonomy, "": UnknownAutonomy,
	} {
		if got := autonomyOf(name); got != want {
			t.Errorf("%q allows %d, want %d", name, got, want)
		}
	}
	if got := autonomyOf("mode-3", "Accept edits"); got != EditsFreely {
		t.Errorf("the name of a mode does not count: %d", got)
	}
}

// Only of a mode that the agent has chosen itself is it said that it asks about little.
func TestModesThatNobodyHasChosen(t *testing.T) {
	for _, c := range []struct{ agent, mode, want string }{
		{"@agentclientprotocol/claude-agent-acp", "auto", "The auto"},
		{"@agentclientprotocol/claude-agent-acp", "default", ""},
		{"OpenCode", "build", "The build"},
		{"OpenCode", "plan", ""},
		{"somebody", "build", ""},
		{"somebody", "yolo", "The yolo"},
	} {
		s := NewState()
		name := "The " + c.mode
		s.Apply(AgentReady{Info: &acpclient.InitializeResponse{AgentInfo: &acpclient.Implementation{Name: c.agent}}})
		s.Apply(SessionOpened{ID: "s", State: acpclient.SessionState{Modes: &acpclient.SessionModeState{CurrentModeID: acpclient.SessionModeID(c.mode), AvailableModes: acpclient.List[acpclient.SessionMode]{{ID: acpclient.SessionModeID(c.mode), Name: name}}}}})
		if got := s.Unasked(); got != c.want {
			t.Errorf("%s in %s: %q", c.agent, c.mode, got)
		}
		o := s.OptionByCategory(acpclient.CategoryMode)
		s.Apply(OptionChosen{Seq: 1, Option: o.ID, Value: o.CurrentValue})
		if got := s.Unasked(); got != "" {
			t.Errorf("%s in %s, once chosen: %q", c.agent, c.mode, got)
		}
	}
}
