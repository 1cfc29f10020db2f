package tab

import (
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"parley/config"
	"parley/tui/dialog"
)

// Every action is in the palette with its key, or it is said why it cannot be.
func TestThePaletteReachesEveryAction(t *testing.T) {
	items := actionItems(config.DefaultKeys(), func(config.ActionInfo) tea.Cmd { return nil })
	for _, a := range config.Actions() {
		at := slices.IndexFunc(items, func(i dialog.Item) bool { return i.ID == string(a.Action) })
		why := absent[a.Action]
		switch {
		case at < 0 && why == "":
			t.Errorf("%s (%s) is not in the palette, and nothing says why", a.Action, a.Help)
		case at >= 0 && why != "":
			t.Errorf("%s is in the palette, although %s", a.Action, why)
		case at >= 0 && (items[at].Title != a.Help || items[at].Detail != strings.Join(a.Keys, ", ") || items[at].Do == nil):
			t.Errorf("%s is listed as %+v", a.Action, items[at])
		}
	}
	for a := range absent {
		if !slices.ContainsFunc(config.Actions(), func(i config.ActionInfo) bool { return i.Action == a }) {
			t.Errorf("there is no action %s", a)
		}
	}
}

// What is chosen is done, and stands before all others the next time.
func TestWhatIsChosenIsRemembered(t *testing.T) {
	memory := config.NewRecentFile(t.TempDir())
	for round := range 2 {
		runBench(t, func(t *testing.T, b *bench) {
			done := config.Action("")
			b.program.Recent = memory
			openPalette(b.Tab, []dialog.Item{{ID: "rules", Title: "show the rules", Do: dialog.Close{}}}, func(a config.ActionInfo) tea.Cmd {
				done = a.Action
				return nil
			}, func(config.ActionInfo) string { return "" })
			if used := strings.Contains(b.Screen(), "recently used"); used != (round == 1) {
				t.Errorf("round %d: something was used last: %v\n%s", round, used, b.Screen())
			}
			b.Choose("Export the session")
			if done != config.ActionExport {
				t.Errorf("%q was done", done)
			}
		})
	}
	if got := memory.Load().Actions; len(got) != 1 || got[0] != string(config.ActionExport) {
		t.Errorf("it remembers %v", got)
	}
}
