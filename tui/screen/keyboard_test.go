package screen

import (
	"testing"

	tea "charm.land/bubbletea/v2"

	emulator "parley/terminal/screen"
)

func TestKeys(t *testing.T) {
	for _, c := range []struct {
		key  tea.KeyPressMsg
		want string
	}{
		{tea.KeyPressMsg{Code: 'a', Text: "a"}, "a"},
		{tea.KeyPressMsg{Code: 'a', Text: "A", Mod: tea.ModShift}, "A"},
		{tea.KeyPressMsg{Code: 'é', Text: "é"}, "é"},
		{tea.KeyPressMsg{Code: tea.KeySpace, Text: " "}, " "},
		{tea.KeyPressMsg{Code: tea.KeyEnter}, "\r"},
		{tea.KeyPressMsg{Code: tea.KeyEnter, Mod: tea.ModShift}, "\r"},
		{tea.KeyPressMsg{Code: tea.KeyTab}, "\t"},
		{tea.KeyPressMsg{Code: tea.KeyTab, Mod: tea.ModShift}, "\x1b[Z"},
		{tea.KeyPressMsg{Code: tea.KeyBackspace}, "\x7f"},
		{tea.KeyPressMsg{Code: tea.KeyBackspace, Mod: tea.ModAlt}, "\x1b\x7f"},
		{tea.KeyPressMsg{Code: tea.KeyEscape}, "\x1b"},
		{tea.KeyPressMsg{Code: 'c', Mod: tea.ModCtrl}, "\x03"},
		{tea.KeyPressMsg{Code: 'd', Mod: tea.ModCtrl}, "\x04"},
		{tea.KeyPressMsg{Code: 'z', Mod: tea.ModCtrl}, "\x1a"},
		{tea.KeyPressMsg{Code: '\\', Mod: tea.ModCtrl}, "\x1c"},
		{tea.KeyPressMsg{Code: tea.KeySpace, Mod: tea.ModCtrl}, "\x00"},
		{tea.KeyPressMsg{Code: '_', Mod: tea.ModCtrl}, "\x1f"},
		{tea.KeyPressMsg{Code: 'x', Mod: tea.ModAlt}, "\x1bx"},
		{tea.KeyPressMsg{Code: 'x', Mod: tea.ModAlt | tea.ModCtrl}, "\x1b\x18"},
		{tea.KeyPressMsg{Code: tea.KeyUp}, "\x1b[A"},
		{tea.KeyPressMsg{Code: tea.KeyLeft, Mod: tea.ModCtrl}, "\x1b[1;5D"},
		{tea.KeyPressMsg{Code: tea.KeyHome}, "\x1b[H"},
		{tea.KeyPressMsg{Code: tea.KeyDelete}, "\x1b[3~"},
		{tea.KeyPressMsg{Code: tea.KeyPgUp, Mod: tea.ModShift}, "\x1b[5;2~"},
		{tea.KeyPressMsg{Code: tea.KeyF1}, "\x1bOP"},
		{tea.KeyPressMsg{Code: tea.KeyF12}, "\x1b[24~"},
		{tea.KeyPressMsg{Code: tea.KeyCapsLock}, ""},
	} {
		if got := KeyBytes(c.key, emulator.Modes{}); got != c.want {
			t.Errorf("%s: %q, want %q", c.key, got, c.want)
		}
	}
	application := emulator.Modes{CursorKeys: true}
	if got := KeyBytes(tea.KeyPressMsg{Code: tea.KeyDown}, application); got != "\x1bOB" {
		t.Errorf("down for an application: %q", got)
	}
	if got := KeyBytes(tea.KeyPressMsg{Code: tea.KeyDown, Mod: tea.ModAlt}, application); got != "\x1b[1;3B" {
		t.Errorf("alt+down for an application: %q", got)
	}
}

func TestPastes(t *testing.T) {
	const text = "one\r\ntwo\nthree\tx\x1b[201~rm -rf\x03\u009b201~"
	if got, want := PasteBytes(text, emulator.Modes{}), "one\rtwo\rthree\tx[201~rm -rf201~"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := PasteBytes("a\nb\x1b[201~", emulator.Modes{BracketedPaste: true}), "\x1b[200~a\rb[201~\x1b[201~"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
