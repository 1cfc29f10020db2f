package screen

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	emulator "parley/terminal/screen"
)

const (
	esc = "\x1b"
	csi = esc + "["
	ss3 = esc + "O"
)

// cursorKeys are the keys that depend on the cursor key mode.
var cursorKeys = map[rune]byte{
	tea.KeyUp: 'A', tea.KeyDown: 'B', tea.KeyRight: 'C', tea.KeyLeft: 'D', tea.KeyHome: 'H', tea.KeyEnd: 'F',
}

// letterKeys are the first four function keys, tildeKeys those with a number.
var (
	letterKeys = map[rune]byte{tea.KeyF1: 'P', tea.KeyF2: 'Q', tea.KeyF3: 'R', tea.KeyF4: 'S'}
	tildeKeys  = map[rune]int{
		tea.KeyInsert: 2, tea.KeyDelete: 3, tea.KeyPgUp: 5, tea.KeyPgDown: 6,
		tea.KeyF5: 15, tea.KeyF6: 17, tea.KeyF7: 18, tea.KeyF8: 19,
		tea.KeyF9: 20, tea.KeyF10: 21, tea.KeyF11: 23, tea.KeyF12: 24,
	}
)

// KeyBytes returns what a key sends to a program with those modes, as in xterm; "" if
// nothing.
func KeyBytes(k tea.KeyPressMsg, m emulator.Modes) string {
	mod := k.Mod
	if letter, ok := cursorKeys[k.Code]; ok {
		switch {
		case parameter(mod) > 1:
			return fmt.Sprintf(csi+"1;%d%c", parameter(mod), letter)
		case m.CursorKeys:
			return ss3 + string(letter)
		}
		return csi + string(letter)
	}
	if letter, ok := letterKeys[k.Code]; ok {
		if p := parameter(mod); p > 1 {
			return fmt.Sprintf(csi+"1;%d%c", p, letter)
		}
		return ss3 + string(letter)
	}
	if n, ok := tildeKeys[k.Code]; ok {
		if p := parameter(mod); p > 1 {
			return fmt.Sprintf(csi+"%d;%d~", n, p)
		}
		return fmt.Sprintf(csi+"%d~", n)
	}
	text := character(k)
	if mod.Contains(tea.ModAlt) && text != "" {
		return esc + text
	}
	return text
}

// parameter returns xterm's number for modifiers.
func parameter(mod tea.KeyMod) int {
	p := 1
	for bit, m := range []tea.KeyMod{tea.ModShift, tea.ModAlt, tea.ModCtrl} {
		if mod.Contains(m) {
			p += 1 << bit
		}
	}
	return p
}

// character returns what a key sends that is not a function key, without the effect of
// alt.
func character(k tea.KeyPressMsg) string {
	ctrl := k.Mod.Contains(tea.ModCtrl)
	switch k.Code {
	case tea.KeyEnter, tea.KeyKpEnter:
		return "\r"
	case tea.KeyTab:
		if k.Mod.Contains(tea.ModShift) {
			return csi + "Z"
		}
		return "\t"
	case tea.KeyBackspace:
		if ctrl {
			return "\b"
		}
		return "\x7f"
	case tea.KeyEscape:
		return esc
	}
	switch {
	case ctrl:
		return control(k.Code)
	case k.Text != "":
		return k.Text
	case k.Code >= ' ' && k.Code < tea.KeyExtended:
		return string(k.Code)
	}
	return ""
}

// control returns the control character of a key with ctrl, "" if there is none.
func control(code rune) string {
	switch {
	case code >= 'a' && code <= 'z', code >= 'A' && code <= 'Z', code == '[', code == '\\', code == ']', code == '^', code == '_':
		return string(code & 0x1f)
	case code == ' ', code == '@', code == '2':
		return "\x00"
	case code >= '3' && code <= '7': // as on a VT220
		return string(code - '3' + 0x1b)
	case code == '/':
		return "\x1f"
	case code == '8', code == '?':
		return "\x7f"
	}
	return ""
}

// PasteBytes returns what a paste sends. Pasted text may come from anywhere, so nothing
// in it can end the paste.
func PasteBytes(text string, m emulator.Modes) string {
	text = strings.NewReplacer("\r\n", "\r", "\n", "\r").Replace(text)
	text = strings.Map(func(r rune) rune {
		if r < ' ' && r != '\t' && r != '\r' || r >= 0x7f && r < 0xa0 {
			return -1
		}
		return r
	}, text)
	if m.BracketedPaste {
		return csi + "200~" + text + csi + "201~"
	}
	return text
}
