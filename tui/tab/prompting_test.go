package tab

import (
	"os"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/config"
	"parley/internal/conversation"
)

// Where nothing is behind the choice of an agent, esc quits, and is called so.
func TestEscInTheFirstChoiceOfAnAgentIsCalledQuit(t *testing.T) {
	b := newBench(t, t.TempDir())
	empty := New(7, b.program, t.TempDir())
	empty.Show()
	empty.Start(nil)
	b.Tab = empty
	b.mustShow(t, "Choose an agent", "esc quit")
	b.mustNotShow(t, "esc close")
}

func TestTheStatusCallsAModelAsTheSelectorDoes(t *testing.T) {
	for _, c := range []struct{ id, name, want string }{
		{"river", "River", "River"},
		{"opus", "Opus, the largest of all models", "Opus, the largest of all models"},
		{"vendor/a-long-id", "Short", "Short"},
	} {
		b := newBench(t, t.TempDir())
		b.events(conversation.Update{Update: &acpclient.ConfigOptionUpdate{ConfigOptions: []acpclient.SessionConfigOption{{
			ID: "model", Name: "Model", Category: acpclient.CategoryModel, Type: acpclient.ConfigSelect, CurrentValue: acpclient.SelectValue(acpclient.ConfigValueID(c.id)),
			Options: acpclient.Ungrouped(acpclient.ConfigSelectOption{Value: acpclient.ConfigValueID(c.id), Name: c.name}),
		}}}})
		b.mustShow(t, c.want)
	}
}

func TestTheHintsOfASearch(t *testing.T) {
	b := newBench(t, t.TempDir())
	b.mustShow(t, "enter send")
	b.press("ctrl+r")
	b.mustShow(t, "enter accept", "esc back to the draft")
	b.mustNotShow(t, "enter send")
	b.press("esc", "f1")
	b.mustNotShow(t, "enter send")
	b.press("esc", "/")
	b.mustNotShow(t, "enter send")
}

// A draft that no session could keep is found in the history.
func TestADraftWithoutASessionOutlivesQuitting(t *testing.T) {
	b, _ := starting(t)
	b.press("d", "r", "a", "f", "t")
	b.Tab.Update(startedMsg{err: os.ErrNotExist})
	b.Tab.Close(t.Context())
	next := New(3, b.program, t.TempDir())
	next.Show()
	next.composer.Key(tea.KeyPressMsg{Code: tea.KeyUp})
	if got := next.composer.Text(); !strings.Contains(got, "draft") {
		t.Errorf("the history has %q", got)
	}
}

// While a question waits below a search of the history, keys are searched for and answer
// nothing, and the line below says what they do.
func TestASearchBesideAQuestion(t *testing.T) {
	b := newBench(t, t.TempDir())
	b.events(permissionEvent(1, "Remove the build"))
	b.press("x")
	b.clock = b.clock.Add(10 * time.Second)
	b.press("ctrl+r", "1", "y", "z")
	b.mustShow(t, "search: 1yz", "enter accept", "Remove the build")
	if len(b.conv.Permissions) != 1 {
		t.Error("the question was answered")
	}
	b.press("esc")
	b.mustShow(t, "❯ x", "Remove the build")
}

// With vim's keys, esc ends insert mode first: it is not called cancel until it does that.
func TestTheHintOfEscInTheModesOfVim(t *testing.T) {
	b := newBench(t, t.TempDir())
	s := b.session
	b.program.Vim = true
	b.Tab = New(2, b.program, t.TempDir())
	b.Show()
	b.starter.adopt(config.Agent{}, s)
	b.events(promptSent(b, "go"))
	b.mustShow(t, "INSERT", "esc normal mode", "enter queue")
	b.press("esc")
	b.mustShow(t, "NORMAL", "esc cancel")
	b.press("d")
	b.mustShow(t, "NORMAL d", "esc drop the command")
	b.press("esc")
	b.mustShow(t, "esc cancel")
}
