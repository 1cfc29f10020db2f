package screen

import (
	"testing"

	tea "charm.land/bubbletea/v2"
)

// countingModel counts its messages, and says whether its frame has changed.
type countingModel struct {
	taken   int
	changed bool
}

func (m *countingModel) Init() tea.Cmd          { return nil }
func (m *countingModel) Update(tea.Msg) tea.Cmd { m.taken++; return nil }
func (m *countingModel) Frame() Frame           { return Frame{} }
func (m *countingModel) Changed() bool          { return m.changed }
func (m *countingModel) Stay() []string         { return nil }

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
	m := &countingModel{}
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
