package ptytest

import (
	"encoding/base64"
	"fmt"
	"strings"
)

// watchClipboard keeps what the program puts on the terminal's clipboard (OSC 52).
func (e *emulator) watchClipboard() {
	e.emu.RegisterOscHandler(52, func(data []byte) bool {
		parts := strings.SplitN(string(data), ";", 3)
		if len(parts) != 3 || parts[2] == "?" {
			return true // a terminal tells nobody what is on it
		}
		if text, err := base64.StdEncoding.DecodeString(parts[2]); err == nil {
			e.settings.clipboard = string(text)
		}
		return true
	})
}

// WaitClipboard waits until a text is on the terminal's clipboard.
func (term *Terminal) WaitClipboard(text string) *Terminal {
	term.t.Helper()
	return term.WaitState(fmt.Sprintf("%q is on the clipboard", text), func(State) bool {
		term.mu.Lock()
		defer term.mu.Unlock()
		return term.screen.settings.clipboard == text
	})
}
