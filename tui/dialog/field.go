package dialog

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"parley/internal/app"
	"parley/tui/list"
)

// field is a field of a form on the screen.
type field struct {
	*app.FormField
	about   *block     // its description
	input   list.Input // the value of a text field
	at      int        // the choice that the arrows are at
	problem string
}

func newField(of *app.FormField) *field {
	f := &field{FormField: of}
	f.about = newBlock(func(on renderContext) []string { return styled(prose(of.Schema.Description, on.width), on.th.Muted) })
	f.input.Set(of.Text)
	if of.Kind == app.OneField {
		f.at = max(0, slices.Index(of.Picked, true))
	}
	return f
}

// key handles a key that edits the field.
func (f *field) key(msg tea.KeyPressMsg) bool {
	key := msg.String()
	taken := true
	switch {
	case f.Kind == app.TextField:
		taken = f.input.Key(msg)
	case len(f.Choices) == 0:
		return false
	case key == "space" && f.Kind == app.OneField:
		f.pick(f.at)
	case key == "space":
		f.Picked[f.at] = !f.Picked[f.at]
	case key == "backspace" || key == "delete":
		clear(f.Picked)
	case digit(key) >= 0 && digit(key) < len(f.Choices) && f.Kind == app.OneField:
		f.pick(digit(key))
	case digit(key) >= 0 && digit(key) < len(f.Choices):
		f.at = digit(key)
		f.Picked[f.at] = !f.Picked[f.at]
	case key == "home":
		f.at = 0
	case key == "end":
		f.at = len(f.Choices) - 1
	default:
		return false
	}
	if taken {
		f.problem = ""
	}
	return taken
}

// pick selects a choice instead of the previous one.
func (f *field) pick(i int) {
	if i < 0 || i >= len(f.Choices) {
		return
	}
	clear(f.Picked)
	f.Picked[i], f.at, f.problem = true, i, ""
}

// move goes to another choice, and reports whether there is one.
func (f *field) move(by int) bool {
	if f.Kind != app.OneField && f.Kind != app.ManyField {
		return false
	}
	to := f.at + by
	if to < 0 || to >= len(f.Choices) {
		return false
	}
	f.at = to
	return true
}
