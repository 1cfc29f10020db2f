package screen

import (
	"fmt"
	"reflect"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// sequences maps the unexported types of the library's messages that query the terminal
// to their text. The library would write them with the next tick of its clock.
var sequences = map[reflect.Type]func(text string) string{
	reflect.TypeOf(tea.RequestBackgroundColor()):  fixed(ansi.RequestBackgroundColor),
	reflect.TypeOf(tea.RequestForegroundColor()):  fixed(ansi.RequestForegroundColor),
	reflect.TypeOf(tea.RequestCursorColor()):      fixed(ansi.RequestCursorColor),
	reflect.TypeOf(tea.RequestCursorPosition()):   fixed(ansi.RequestCursorPositionReport),
	reflect.TypeOf(tea.RequestTerminalVersion()):  fixed(ansi.RequestNameVersion),
	reflect.TypeOf(tea.RequestCapability("")()):   func(name string) string { return ansi.RequestTermcap(name) },
	reflect.TypeOf(tea.ReadClipboard()):           fixed(ansi.RequestSystemClipboard),
	reflect.TypeOf(tea.ReadPrimaryClipboard()):    fixed(ansi.RequestPrimaryClipboard),
	reflect.TypeOf(tea.SetClipboard("")()):        ansi.SetSystemClipboard,
	reflect.TypeOf(tea.SetPrimaryClipboard("")()): ansi.SetPrimaryClipboard,
}

func fixed(seq string) func(string) string { return func(string) string { return seq } }

// sequence returns what a message asks to write.
func sequence(msg tea.Msg) (string, bool) {
	if raw, ok := msg.(tea.RawMsg); ok {
		return fmt.Sprint(raw.Msg), true
	}
	write, ok := sequences[reflect.TypeOf(msg)]
	if !ok {
		return "", false
	}
	text := ""
	if v := reflect.ValueOf(msg); v.Kind() == reflect.String {
		text = v.String()
	}
	return write(text), true
}
