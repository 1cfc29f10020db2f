package dialog

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/internal/termtext"
	"parley/tui/list"
)

// fieldKind is how a field is filled in.
type fieldKind uint8

const (
	textField  fieldKind = iota // a line of text: strings and numbers
	oneField                    // one choice of several, or none yet
	manyField                   // any number of choices
	otherField                  // of a kind that parley does not know
)

// field is a field of a form.
type field struct {
	name     string
	schema   *acpclient.ElicitationPropertySchema
	kind     fieldKind
	required bool

	about *block // its description
	// pattern is nil if there is none that Go can check.
	pattern *regexp.Regexp
	input   list.Input
	choices []acpclient.EnumOption
	picked  []bool
	at      int // the choice that the arrows are at

	// hadDefault means that the agent filled it in: emptying it is a decision.
	hadDefault bool
	problem    string
}

const (
	yes = "true"
	no  = "false"
)

func newField(p *acpclient.ElicitationProperty, required bool) *field {
	f := &field{name: p.Name, schema: &p.Schema, required: required, pattern: compile(p.Schema.Pattern)}
	f.about = newBlock(func(on paper) []string { return styled(prose(p.Schema.Description, on.width), on.th.Muted) })
	switch {
	case len(p.Schema.Raw) > 0:
		f.kind = otherField
	case p.Schema.Type == acpclient.PropertyBoolean:
		f.kind = oneField
		f.choices = []acpclient.EnumOption{{Const: yes, Title: "yes"}, {Const: no, Title: "no"}}
	case p.Schema.Type == acpclient.PropertyArray:
		f.kind, f.choices = manyField, p.Schema.Choices()
	case p.Schema.Type == acpclient.PropertyString && len(p.Schema.Choices()) > 0:
		f.kind, f.choices = oneField, p.Schema.Choices()
	}
	f.picked = make([]bool, len(f.choices))
	f.fillIn()
	return f
}

// fillIn applies the default if it is valid.
func (f *field) fillIn() {
	raw := f.schema.Default
	if len(raw) == 0 {
		return
	}
	var values []string
	switch f.kind {
	case textField:
		f.input.Set(defaultText(f.schema.Type, raw))
		f.hadDefault = f.input.Text() != ""
		return
	case oneField:
		values = []string{decoded[string](raw)}
		if f.schema.Type == acpclient.PropertyBoolean {
			values[0] = string(bytes.TrimSpace(raw))
		}
	case manyField:
		values = decoded[[]string](raw)
	}
	for i, c := range f.choices {
		if slices.Contains(values, c.Const) && (f.kind == manyField || !f.hadDefault) {
			f.picked[i], f.hadDefault = true, true
			f.at = i
		}
	}
	if f.kind == manyField {
		f.at = 0
	}
}

// decoded decodes a JSON value, or returns the zero value if it has another type.
func decoded[T any](raw json.RawMessage) T {
	var v, none T
	if json.Unmarshal(raw, &v) != nil {
		return none
	}
	return v
}

func defaultText(t acpclient.ElicitationPropertyType, raw json.RawMessage) string {
	if t == acpclient.PropertyString {
		return decoded[string](raw)
	}
	var n float64
	if json.Unmarshal(raw, &n) != nil {
		return ""
	}
	if t == acpclient.PropertyInteger {
		var i int64
		if json.Unmarshal(raw, &i) == nil {
			return strconv.FormatInt(i, 10)
		}
	}
	return strconv.FormatFloat(n, 'f', -1, 64)
}

// label returns the field's name.
func (f *field) label() string {
	if t := strings.TrimSpace(f.schema.Title); t != "" {
		return termtext.VisibleLine(t)
	}
	if n := termtext.VisibleLine(f.name); n != "" {
		return n
	}
	return "a field without a name"
}

// key handles a key that edits the field.
func (f *field) key(msg tea.KeyPressMsg) bool {
	key := msg.String()
	taken := true
	switch {
	case f.kind == textField:
		taken = f.input.Key(msg)
	case len(f.choices) == 0:
		return false
	case key == "space" && f.kind == oneField:
		f.pick(f.at)
	case key == "space":
		f.picked[f.at] = !f.picked[f.at]
	case key == "backspace" || key == "delete":
		clear(f.picked)
	case digit(key) >= 0 && digit(key) < len(f.choices) && f.kind == oneField:
		f.pick(digit(key))
	case digit(key) >= 0 && digit(key) < len(f.choices):
		f.at = digit(key)
		f.picked[f.at] = !f.picked[f.at]
	case key == "home":
		f.at = 0
	case key == "end":
		f.at = len(f.choices) - 1
	default:
		return false
	}
	if taken {
		f.problem = ""
	}
	return taken
}

// unchosen reports whether there are choices and none is taken.
func (f *field) unchosen() bool { return len(f.choices) > 0 && !slices.Contains(f.picked, true) }

// pick selects a choice instead of the previous one.
func (f *field) pick(i int) {
	if i < 0 || i >= len(f.choices) {
		return
	}
	clear(f.picked)
	f.picked[i], f.at, f.problem = true, i, ""
}

// move goes to another choice, and reports whether there is one.
func (f *field) move(by int) bool {
	if f.kind != oneField && f.kind != manyField {
		return false
	}
	to := f.at + by
	if to < 0 || to >= len(f.choices) {
		return false
	}
	f.at = to
	return true
}
