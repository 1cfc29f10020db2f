package tab

import (
	"strings"
	"testing"

	"parley/acpclient"
	"parley/internal/conversation"
)

func TestWhatModesAllow(t *testing.T) {
	for name, want := range map[string]freedom{
		"plan": looksOnly, "Plan Mode": looksOnly, "read-only": looksOnly, "Read Only": looksOnly, "readonly": looksOnly,
		"default": asksFirst, "Always Ask": asksFirst, "ask": asksFirst, "Manual": asksFirst,
		"acceptEdits": editsFreely, "Accept Edits": editsFreely, "auto_edit": editsFreely, "autoEdit": editsFreely, "auto": editsFreely,
		"bypassPermissions": doesAnything, "Bypass Permissions": doesAnything, "YOLO": doesAnything, "full-access": doesAnything,
		"Full Access": doesAnything, "dontAsk": doesAnything, "Don't Ask": doesAnything, "agent-full-access": doesAnything,
		"plan, then bypass permissions": doesAnything,
		"code":                          unknownFreedom, "explain": unknownFreedom, "architect": unknownFreedom, "Automobile": unknownFreedom, "": unknownFreedom,
	} {
		if got := freedomOf(name); got != want {
			t.Errorf("%q allows %d, want %d", name, got, want)
		}
	}
	if got := freedomOf("mode-3", "Accept edits"); got != editsFreely {
		t.Errorf("the name of a mode does not count: %d", got)
	}
}

func TestTheModeIsDroppedLast(t *testing.T) {
	b := newBench(t, t.TempDir())
	b.events(conversation.Update{Update: &acpclient.UsageUpdate{Used: 150_000, Size: 200_000}})
	for width := 14; width < 120; width++ {
		b.columns = width
		if s := b.screen(); !strings.Contains(s, " Asking") {
			t.Fatalf("in %d columns the mode is not shown:\n%s", width, s)
		}
	}
}

func TestModesHaveColours(t *testing.T) {
	b := newBench(t, t.TempDir())
	badge := func(mode string) string {
		b.events(conversation.SessionOpened{ID: "s2", State: acpclient.SessionState{Modes: &acpclient.SessionModeState{
			CurrentModeID: acpclient.SessionModeID(mode), AvailableModes: []acpclient.SessionMode{{ID: acpclient.SessionModeID(mode), Name: "Mode"}},
		}}})
		line := b.draw().Lines[b.rows-2]
		before, _, _ := strings.Cut(line, "Mode")
		return before
	}
	seen := map[string]string{}
	for _, mode := range []string{"plan", "default", "acceptEdits", "yolo"} {
		look := badge(mode)
		if other, taken := seen[look]; taken {
			t.Errorf("%s and %s look the same: %q", mode, other, look)
		}
		seen[look] = mode
	}
}
