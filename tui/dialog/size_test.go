package dialog

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"parley/internal/termtext"
	"parley/tui/diffview"
)

// frameOf is how wide the frame of a dialog is.
func frameOf(d Dialog, width int) int { return termtext.Width(d.View(width, 30).Lines[0]) }

func TestDialogsAreNoWiderThanTheyNeed(t *testing.T) {
	short, _ := armed(runPermission())
	if got := frameOf(short, 200); got < 50 || got > 70 {
		t.Errorf("a short question is %d columns wide", got)
	}
	for name, d := range screens() {
		most := widest
		if strings.HasPrefix(name, "permission-") { // texts side by side
			most = 2 * widest
		}
		if got := frameOf(d, 300); got > most {
			t.Errorf("%s is %d columns wide", name, got)
		}
	}
}

func TestPermissionShowsChangesAsAsked(t *testing.T) {
	p := editPermission()
	d, _ := armed(p)
	d.env.Diffs = new(diffview.Preference)
	sideBySide := func(width int) bool {
		return strings.Contains(shownBy(d, width, 40), `import "fmt"`+strings.Repeat(" ", 4)) && frameOf(d, width) > widest
	}
	if !sideBySide(160) {
		t.Errorf("not side by side:\n%s", shownBy(d, 160, 40))
	}
	d.Key(tea.KeyPressMsg{Code: 's', Mod: tea.ModCtrl})
	if sideBySide(160) {
		t.Errorf("still side by side:\n%s", shownBy(d, 160, 40))
	}
	if d.env.Diffs.Mode != diffview.Unified {
		t.Error("what the person wants is not known to other views")
	}

	old, changed := strings.Repeat("same\n", 40)+"one\n", strings.Repeat("same\n", 40)+"two\n"
	p.Asked.Content[0].OldText, p.Asked.Content[0].NewText = &old, changed
	d, _ = armed(p)
	lines := func() int { return strings.Count(shownBy(d, 80, 100), "same") }
	for i, want := range []int{3, 12, 40, 3} {
		if got := lines(); got != want {
			t.Errorf("after %d keys %d lines of context are shown, want %d", i, got, want)
		}
		d.Key(tea.KeyPressMsg{Code: 'w', Mod: tea.ModCtrl})
	}
}
