package transcript

import (
	"fmt"
	"strings"
	"testing"

	"parley/acpclient"
)

// editedFile is a session with a change in the middle of a file of 60 lines.
func editedFile(width int) *List {
	var before strings.Builder
	for i := range 60 {
		fmt.Fprintf(&before, "line %d\n", i+1)
	}
	old := before.String()
	l := newList(fold(ask("x"), tool("a", acpclient.ToolCompleted,
		acpclient.DiffContent("/w/a.go", &old, strings.Replace(old, "line 30\n", "line thirty\n", 1)))), width, 200)
	l.Focus(true)
	return l
}

func TestContextOpens(t *testing.T) {
	l := editedFile(80)
	if !l.HasDiff() {
		t.Fatal("the call shows no change")
	}
	for i, step := range []struct{ shown, hidden string }{
		{"line 18", "line 17"}, {"line 1\n", "unchanged lines"}, {"line 27", "line 26"},
	} {
		l.WidenContext()
		text := view(l) + "\n"
		if !strings.Contains(text, step.shown) || strings.Contains(text, step.hidden) {
			t.Errorf("step %d has to show %q and not %q:\n%s", i, step.shown, step.hidden, text)
		}
	}
	l.WidenContext()
	l.Toggle()
	if text := view(l); strings.Contains(text, "line 20") || !strings.Contains(text, "line 27") {
		t.Errorf("a collapsed call shows as little as before:\n%s", text)
	}
}

func TestSideBySide(t *testing.T) {
	l := editedFile(140)
	sideBySide := func() bool {
		for line := range strings.Lines(view(l)) {
			if strings.Contains(line, "- line 30") && strings.Contains(line, "+ line thirty") {
				return true
			}
		}
		return false
	}
	if sideBySide() {
		t.Errorf("a collapsed call is side by side:\n%s", view(l))
	}
	l.Toggle()
	if !sideBySide() {
		t.Errorf("not side by side:\n%s", view(l))
	}
	if !l.ToggleDiffs() || sideBySide() {
		t.Errorf("still side by side:\n%s", view(l))
	}
	if !l.ToggleDiffs() || !sideBySide() {
		t.Errorf("not side by side again:\n%s", view(l))
	}
	l.SetSize(100, 200)
	if l.ToggleDiffs() || sideBySide() {
		t.Errorf("side by side in 100 columns:\n%s", view(l))
	}
}
