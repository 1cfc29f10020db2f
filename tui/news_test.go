package tui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"parley/config"
	"parley/internal/app"
)

// startedAs is a program of a version, as it stands when it has just been started.
func startedAs(t *testing.T, version string, memory *config.RecentFile) *Model {
	t.Helper()
	m := newModel(t.Context(), Options{
		Config: config.Default(), Cwd: t.TempDir(), Version: version, Backend: app.Backend{Recent: memory},
		Changes: "# Changelog\n\n## 1.3.0\n\n- Sings.\n\n## 1.2.0\n\n- Hums.\n",
	})
	m.start(nil)
	if cmd := m.Update(m.recall()); cmd != nil {
		carryOut(cmd)
	}
	return m
}

// carryOut runs a command and those that are a part of it, and drops what they bring.
func carryOut(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	if batch, is := cmd().(tea.BatchMsg); is {
		for _, cmd := range batch {
			carryOut(cmd)
		}
	}
}

func TestANewVersionIsToldOfOnce(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("HOME", dir)
	t.Setenv("XDG_STATE_HOME", dir)
	for i, step := range []struct {
		version string
		told    bool
	}{
		{"v1.2.0", false}, // a fresh installation
		{"v1.2.0", false},
		{"1.3.0", true},
		{"1.3.0", false},
		{"v1.2.0", false}, // an older one beside it
		{"v1.3.0", false},
		{"dev", false},
	} {
		m := startedAs(t, step.version, config.NewRecentFile(dir))
		text := strings.Join(m.Frame().Lines, "\n")
		if told := strings.Contains(text, "shows what is new"); told != step.told {
			t.Errorf("start %d, of %s: told %v:\n%s", i, step.version, told, text)
		}
		if !step.told {
			continue
		}
		m.Update(tea.KeyPressMsg{Code: tea.KeyF1, Mod: tea.ModCtrl})
		if text := strings.Join(m.Frame().Lines, "\n"); !strings.Contains(text, "What is new") || !strings.Contains(text, "Sings.") || strings.Contains(text, "shows what is new") {
			t.Errorf("the changes are\n%s", text)
		}
		m.Update(tea.KeyPressMsg{Code: tea.KeyEscape})
		if text := strings.Join(m.Frame().Lines, "\n"); !strings.Contains(text, "Choose an agent") {
			t.Errorf("behind the changes is\n%s", text)
		}
	}
}
