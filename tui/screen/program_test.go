package screen

import (
	"testing"

	tea "charm.land/bubbletea/v2"
)

// plainModel is a model that nothing is known of.
type plainModel struct{ taken int }

func (m *plainModel) Init() tea.Cmd          { return nil }
func (m *plainModel) Update(tea.Msg) tea.Cmd { m.taken++; return nil }
func (m *plainModel) Frame() Frame           { return Frame{} }

// sparingModel is one that says whether its frame has changed.
type sparingModel struct {
	plainModel
	changed bool
}

func (m *sparingModel) Changed() bool { return m.changed }

// onNoTerminal is a program whose screen has no size yet: it notes that something has to
// be drawn, and draws nothing.
func onNoTerminal(m Model) *program {
	s := &screen{}
	s.quiet.Do(func() {}) // there is no library whose ticker would have to be stopped
	return &program{model: m, screen: s}
}

// A model that says that nothing has changed on the screen is not drawn for that, but gets
// every message; what has changed before is drawn all the same.
func TestNothingIsDrawnForWhatChangesNothing(t *testing.T) {
	m := &sparingModel{}
	p := onNoTerminal(m)
	p.Update(tea.KeyPressMsg{Code: 'a'})
	if p.changed || m.taken != 1 {
		t.Errorf("it is drawn: %v, and has taken %d messages", p.changed, m.taken)
	}
	m.changed = true
	p.Update("something")
	m.changed = false
	p.Update("nothing")
	if !p.changed || m.taken != 3 {
		t.Errorf("what has changed is not drawn any more: %v, and it has taken %d messages", p.changed, m.taken)
	}
}

// A model that cannot say is drawn after every message.
func TestAModelThatCannotSayIsAlwaysDrawn(t *testing.T) {
	p := onNoTerminal(&plainModel{})
	p.Update("something")
	if !p.changed {
		t.Error("it is not drawn")
	}
}
