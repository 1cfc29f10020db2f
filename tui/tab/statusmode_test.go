package tab

import (
	"testing"
)

func TestWhatModesAllow(t *testing.T) {
	for name, want := range map[string]autonomy{
		"plan": looksOnly, "Plan Mode": looksOnly, "read-only": looksOnly, "Read Only": looksOnly, "readonly": looksOnly,
		"default": asksFirst, "Always Ask": asksFirst, "ask": asksFirst, "Manual": asksFirst,
		"acceptEdits": editsFreely, "Accept Edits": editsFreely, "auto_edit": editsFreely, "autoEdit": editsFreely, "auto": editsFreely,
		"bypassPermissions": doesAnything, "Bypass Permissions": doesAnything, "YOLO": doesAnything, "full-access": doesAnything,
		"Full Access": doesAnything, "dontAsk": doesAnything, "Don't Ask": doesAnything, "agent-full-access": doesAnything,
		"plan, then bypass permissions": doesAnything,
		"code":                          unknownAutonomy, "explain": unknownAutonomy, "architect": unknownAutonomy, "Automobile": unknownAutonomy, "": unknownAutonomy,
	} {
		if got := autonomyOf(name); got != want {
			t.Errorf("%q allows %d, want %d", name, got, want)
		}
	}
	if got := autonomyOf("mode-3", "Accept edits"); got != editsFreely {
		t.Errorf("the name of a mode does not count: %d", got)
	}
}
