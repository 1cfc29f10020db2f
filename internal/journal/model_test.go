package journal

import (
	"context"
	"errors"
	"maps"
	"os"
	"testing"

	"pgregory.net/rapid"
)

// Whatever turns write, undo gives what was before each of them, and redo what was
// there before the undo.
func TestUndoAndRedoOfAnyTurns(t *testing.T) {
	p := newProject(t)
	rapid.Check(t, func(rt *rapid.T) {
		p.anew()
		m := model{p: p, t: rt}
		for range rapid.IntRange(1, 5).Draw(rt, "steps") {
			switch rapid.SampledFrom([]string{"turn", "turn", "undo", "redo"}).Draw(rt, "step") {
			case "turn":
				m.turn()
			case "undo":
				m.undo()
			case "redo":
				m.redo()
			}
		}
	})
}

var modelFiles = []string{"a", "b", "c"}

// model knows what the files held before each turn that can be undone, and before
// each undo that can be redone.
type model struct {
	p            *project
	t            *rapid.T
	before, back []map[string]string
}

func (m *model) state() map[string]string {
	state := map[string]string{}
	for _, name := range modelFiles {
		if content, err := os.ReadFile(m.p.path(name)); err == nil {
			state[name] = string(content)
		}
	}
	return state
}

func (m *model) turn() {
	now := m.state()
	m.p.turn("", func() {
		for range rapid.IntRange(1, 3).Draw(m.t, "writes") {
			m.p.serve(rapid.SampledFrom(modelFiles).Draw(m.t, "file"), text.Draw(m.t, "text"))
		}
	})
	m.before, m.back = append(m.before, now), nil
}

func (m *model) undo() {
	now := m.state()
	_, err := m.p.UndoTurn(context.Background())
	if len(m.before) == 0 {
		if !errors.Is(err, ErrNothing) {
			m.t.Fatalf("undo of nothing: %v", err)
		}
		return
	}
	want := m.before[len(m.before)-1]
	m.before, m.back = m.before[:len(m.before)-1], append(m.back, now)
	if got := m.state(); err != nil || !maps.Equal(got, want) {
		m.t.Fatalf("after undo: %q, %v, want %q", got, err, want)
	}
}

// redo is not tried after a turn that has followed the undo: it may conflict then.
func (m *model) redo() {
	if len(m.back) == 0 {
		return
	}
	now := m.state()
	_, err := m.p.Redo(context.Background())
	want := m.back[len(m.back)-1]
	m.before, m.back = append(m.before, now), m.back[:len(m.back)-1]
	if got := m.state(); err != nil || !maps.Equal(got, want) {
		m.t.Fatalf("after redo: %q, %v, want %q", got, err, want)
	}
}
