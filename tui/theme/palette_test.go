package theme

import (
	"bytes"
	"fmt"
	"image/color"
	"reflect"
	"strings"
	"testing"
	"text/tabwriter"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/golden"
)

// TestPalette compares a table of parley's own themes with a reviewed one: what each
// style of [Theme] gives on dark and on light, in true colour, 256 and 16 colours. "-"
// is the terminal's own colour.
func TestPalette(t *testing.T) {
	var themes []*Theme
	head := []string{"style"}
	depths := []string{TrueColor: "true colour", Colors256: "256", Colors16: "16"}
	for _, scheme := range []string{"dark", "light"} {
		for depth, colours := range depths {
			themes = append(themes, Named(scheme).Theme(Depth(depth)))
			head = append(head, scheme+", "+colours)
		}
	}
	var drawn bytes.Buffer
	table := tabwriter.NewWriter(&drawn, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, strings.Join(head, "\t"))
	for i := range reflect.TypeFor[Theme]().NumField() {
		field := reflect.TypeFor[Theme]().Field(i)
		row := []string{field.Name}
		for _, th := range themes {
			if look, ok := lookOf(reflect.ValueOf(*th).Field(i)); ok {
				row = append(row, look)
			}
		}
		if len(row) > 1 {
			fmt.Fprintln(table, strings.Join(row, "\t"))
		}
	}
	if err := table.Flush(); err != nil {
		t.Fatal(err)
	}
	golden.RequireEqual(t, drawn.Bytes())
}

// lookOf describes a style, colour or ground of a theme; ok is false for other fields.
func lookOf(field reflect.Value) (look string, ok bool) {
	switch field.Type() {
	case reflect.TypeFor[lipgloss.Style]():
		s := field.Interface().(lipgloss.Style)
		var words []string
		for _, attr := range []struct {
			set  bool
			name string
		}{{s.GetBold(), "bold"}, {s.GetItalic(), "italic"}, {s.GetUnderline(), "underlined"}, {s.GetReverse(), "reverse"}} {
			if attr.set {
				words = append(words, attr.name)
			}
		}
		words = append([]string{colourName(s.GetForeground())}, words...)
		if ground := colourName(s.GetBackground()); ground != "-" {
			words = append(words, "on "+ground)
		}
		return strings.Join(words, " "), true
	case reflect.TypeFor[color.Color]():
		return colourName(field.Interface().(color.Color)), true
	case reflect.TypeFor[string](): // an escape sequence
		return fmt.Sprintf("%q", field.String()), true
	}
	return "", false
}

func colourName(c color.Color) string {
	switch c := c.(type) {
	case lipgloss.NoColor, nil:
		return "-"
	case ansi.BasicColor:
		return fmt.Sprint(uint8(c))
	case ansi.IndexedColor:
		return fmt.Sprint(uint8(c))
	}
	r, g, b, _ := c.RGBA()
	return fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
}
