package dialog

import (
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"parley/config"
)

// A list that is asked for more items as its owner types shows those that were found
// below those that fit by themselves.
func TestSelectorAsksForItemsThatFit(t *testing.T) {
	env, _ := newEnv()
	var asked []string
	l := List{Title: "Sessions", Filter: true, Items: []Item{{ID: "a", Title: "apples"}, {ID: "b", Title: "bananas"}}}
	l.Search = func(words string) tea.Cmd { asked = append(asked, words); return nil }
	l.Wider, l.WiderHint = Stay(func() tea.Cmd { asked = append(asked, "wider"); return nil }), "all directories"
	s := NewSelector(env, l)
	do := func(a Action) {
		t.Helper()
		stay, ok := a.(Stay)
		if !ok {
			t.Fatalf("the action is %T", a)
		}
		stay()
	}
	for _, k := range "ll" { // the same key twice is written twice
		do(s.Key(tea.KeyPressMsg{Code: k, Text: string(k)}))
	}
	do(s.Paste("o"))
	if a := s.Key(tea.KeyPressMsg{Code: tea.KeyLeft}); a != nil {
		t.Errorf("moving in the line asks again: %T", a)
	}
	do(s.Key(tea.KeyPressMsg{Code: 't', Mod: tea.ModCtrl}))
	if want := []string{"l", "ll", "llo", "wider"}; !slices.Equal(asked, want) {
		t.Errorf("asked for %q, want %q", asked, want)
	}
	if got := strings.Join(s.View(80, 20).Lines, "\n"); !strings.Contains(got, "No matches") {
		t.Errorf("something fits:\n%s", got)
	}
	l.Items = append(slices.Clone(l.Items), Item{ID: "c", Title: "cherries", Found: true})
	s.SetList(l)
	if got := strings.Join(s.View(80, 20).Lines, "\n"); !strings.Contains(got, "cherries") || strings.Contains(got, "apples") {
		t.Errorf("it shows\n%s", got)
	}
	if !slices.Contains(s.Hints(), Hint{env.Keys.For(config.ActionDialogWider)[0], "all directories"}) {
		t.Errorf("the hints are %v", s.Hints())
	}
}
